"""How a solver ended, in the user's words."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Status"]


class Status(IntEnum):
    """How a solver ended; the numbers are those of the compiled loop."""

    CONVERGED = 0
    ITERATION_LIMIT = 1
    STALLED = 2

    @property
    def sentence(self) -> str:
        """What happened, as a sentence."""
        return {
            Status.CONVERGED: "The optimality conditions hold to the tolerance.",
            Status.ITERATION_LIMIT: "The limit of iterations was reached before the tolerance.",
            Status.STALLED: "Rounding stopped the progress before the tolerance was reached.",
        }[self]
