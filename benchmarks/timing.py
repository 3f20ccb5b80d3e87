"""Times as medians and spreads, ours and the rivals' taken in turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

SHORTEST = 0.005  # seconds: quicker functions run several times a measurement
LONGEST = 5.0  # seconds: slower functions are measured once, and not warmed up


@dataclass(frozen=True)
class Timing:
    """Seconds that one call took, measured several times."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def spread(self) -> float:
        """Distance between the quartiles."""
        low, high = np.percentile(self.seconds, [25, 75])
        return float(high - low)


def in_turns(
    functions: Mapping[str, Callable[[], Any]], *, repeats: int, patience: float = 10.0
) -> dict[str, Timing]:
    """Time each function, in rounds, so that whatever else the machine does hits all alike.

    The first call of each is the warm-up and says how often it can be repeated within
    ``patience`` seconds: at least three times, at most ``repeats`` times, but once if it is slow.
    """
    first = {name: _seconds(function, 1) for name, function in functions.items()}
    calls = {name: max(1, ceil(SHORTEST / t)) for name, t in first.items()}
    rounds = {
        name: min(repeats, max(3, int(patience / (calls[name] * t)))) if t < LONGEST else 0
        for name, t in first.items()
    }
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for k in range(max(rounds.values(), default=0)):
        for name, function in functions.items():
            if k < rounds[name]:
                seconds[name].append(_seconds(function, calls[name]))
    return {name: Timing(tuple(times or [first[name]])) for name, times in seconds.items()}


def geometric_mean(values: Any) -> float:
    return float(np.exp(np.mean(np.log(np.asarray(list(values), dtype=float)))))


def _seconds(function: Callable[[], Any], calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        function()
    return (perf_counter() - start) / calls
