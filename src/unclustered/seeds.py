"""From ``random_state`` to a Generator, the only form of randomness inside the library."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import ParameterError

__all__ = ["as_generator"]


def as_generator(random_state: Any) -> np.random.Generator:
    """Make the Generator for a ``random_state``.

    ``None`` is the seed 0: the same call gives the same labels each time. Other seeds show how much
    the draw of the folds matters.

    Examples
    --------
    >>> from unclustered.seeds import as_generator
    >>> bool(as_generator(7).integers(100) == as_generator(7).integers(100))
    True
    """
    if random_state is None:
        return np.random.default_rng(0)
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint32))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            "random_state must be None, a non-negative integer, a numpy Generator or a "
            f"RandomState, got {random_state!r}."
        ) from error
