"""What is known of each benchmark set, and the check that a table is that set."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError

__all__ = ["Entry", "OpenMLSource", "catalogue"]

# How far a column's mean may be from the published one, in units of |mean| + standard deviation:
# rounded copies pass, and copies that lost decimal points or code a column otherwise do not.
_MEAN_TOLERANCE = 0.01


@dataclass(frozen=True)
class OpenMLSource:
    """Where to get a set that cannot ship."""

    id: int
    positive: str  # the class that becomes +1
    page: str  # where a person can download it


@dataclass(frozen=True)
class Entry:
    """Facts of one benchmark set, as ``catalogue.toml`` states them."""

    name: str
    description: str
    source: str
    licence: str
    rows: int
    positive: int
    features: dict[str, float]
    openml: OpenMLSource | None = None

    def check(self, X: NDArray[np.float64], y: NDArray[np.int64], where: str) -> None:
        """Raise a DataError unless the table has this set's rows, columns, classes and means."""
        if X.shape != (self.rows, len(self.features)):
            raise DataError(
                f"{where}: {self.name} has {self.rows} rows of {len(self.features)} features, but "
                f"this table has {X.shape[0]} of {X.shape[1]}. It is cut, or another set."
            )
        positive = int((y == 1).sum())
        if positive != self.positive:
            raise DataError(
                f"{where}: {self.name} has {self.positive} rows of class 1 and "
                f"{self.rows - self.positive} of class -1, but this table has {positive} and "
                f"{len(y) - positive}. Its labels are swapped or damaged, or it is another set."
            )
        expected = np.array(list(self.features.values()))
        mean = X.mean(axis=0)
        far = np.abs(mean - expected) > _MEAN_TOLERANCE * (np.abs(expected) + X.std(axis=0))
        if far.any():
            column = int(np.flatnonzero(far)[0])
            raise DataError(
                f"{where}: column f{column + 1} ({list(self.features)[column]}) has the mean "
                f"{mean[column]:.5g}, but in {self.name} it is {expected[column]:.5g}. This copy "
                "is damaged (some lost their decimal points), or codes this column otherwise."
            )


@cache
def catalogue() -> dict[str, Entry]:
    """Every benchmark set by name, in the order of the paper's tables."""
    text = files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: _entry(name, facts) for name, facts in tomllib.loads(text).items()}


def _entry(name: str, facts: dict[str, Any]) -> Entry:
    openml = facts.pop("openml", None)
    return Entry(name=name, openml=openml and OpenMLSource(**openml), **facts)
