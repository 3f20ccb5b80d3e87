"""What a family yields: rows of the table and curves of the plot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .timing import Timing


@dataclass(frozen=True)
class Setup:
    """What a family is told."""

    smoke: bool = False
    seed: int = 0
    threads: int | None = None
    """Inside BLAS; new processes must be told, this one has been."""

    def pick(self, full: Any, smoke: Any) -> Any:
        """The size of a full run, or that of a run which only shows that all of it works."""
        return smoke if self.smoke else full

    @property
    def repeats(self) -> int:
        return self.pick(11, 3)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    work: str
    ours: Timing | None
    rival: str = "-"
    rivals: Timing | None = None
    outcome: str = ""
    """What is compared with the goal: a ratio, a time, an exponent."""
    goal: str = "-"
    met: bool | None = None
    """None where no goal is set."""
    agrees: bool = True
    """Whether ours and the rival's results are the same within the tolerance."""
    remarks: str = ""
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Curve:
    """Seconds against the number of samples."""

    panel: str
    label: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]


def speedup(ours: Timing, rival: Timing) -> float:
    return rival.median / ours.median


def growth_exponent(sizes: Any, seconds: Any) -> float:
    """Slope of log seconds against log size.

    >>> round(growth_exponent([10, 100], [1.0, 100.0]), 6)
    2.0
    """
    import numpy as np

    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
