"""Which columns tell something about the classes, and which do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import DataError
from .columns import Columns
from .encoding import Encoding

__all__ = ["spread_of", "useless_numbers", "useless_text"]

Float = NDArray[np.float64]

# A column whose standard deviation is a smaller part of its largest value is taken for a constant
# with rounding noise. Sums of many terms leave noise near 1e-13 in double precision, measured
# quantities vary by 1e-6 and more; 1e-10 lies between, and below it an integer beyond 2^53, which
# a float rounds, could lose more than a millionth of the column's spread. What was stored
# in single precision cannot tell less than a few of its own rounding steps from a constant.
_NEARLY_CONSTANT = 1e-10
_ROUNDING_STEPS = 4.0

_MOST_LEVELS = 1000
_ROWS_THAT_COUNT = 10  # fewer rows in order 1, 2, 3, ... may be chance

_TELLS_A_FROM_B = "tells A from B, not the classes: {}"


def spread_of(X: Any) -> tuple[Float, Float]:
    """Mean and standard deviation of each column; neither a large offset nor a small unit hurts."""
    n_rows = X.shape[0]
    top = np.abs(_range(X)).max(axis=0)
    unit = np.where(top > 0, top, 1.0)
    if sp.issparse(X):
        column, values = X.indices, X.data / unit[X.indices]
        n_stored = np.bincount(column, minlength=X.shape[1])
        means = np.bincount(column, values, minlength=X.shape[1]) / n_rows
        squares = np.bincount(column, (values - means[column]) ** 2, minlength=X.shape[1])
        squares += (n_rows - n_stored) * means**2
        return unit * means, unit * np.sqrt(squares / n_rows)
    means = X.mean(axis=0)
    means += (X - means).mean(axis=0)  # what rounding left of the first mean
    return means, unit * np.sqrt((((X - means) / unit) ** 2).mean(axis=0))


def _range(X: Any) -> tuple[Float, Float]:
    low, high = X.min(axis=0), X.max(axis=0)
    if sp.issparse(X):
        low, high = low.toarray(), high.toarray()
    return np.ravel(low), np.ravel(high)


def useless_numbers(
    plan: Encoding, a: Columns, b: Columns, X: Any, spread: Float, standardize: bool
) -> dict[str, str]:
    """Find the columns of numbers that tell nothing about the classes, each with the reason."""
    n_numbers = len(plan.numbers)
    low_a, high_a = _range(X[: a.n_rows, :n_numbers])
    low_b, high_b = _range(X[a.n_rows :, :n_numbers])
    top = np.max(np.abs([low_a, high_a, low_b, high_b]), axis=0)
    precision = np.maximum(a.precision_of(plan.numbers), b.precision_of(plan.numbers))
    noise = np.maximum(_NEARLY_CONSTANT, _ROUNDING_STEPS * precision)
    tests = {
        "constant": (low_a == high_a) & (low_a == low_b) & (low_b == high_b),
        "nearly constant": standardize & (spread[:n_numbers] <= noise * top),
        _TELLS_A_FROM_B.format("each has one value"): (low_a == high_a) & (low_b == high_b),
        "numbers the rows": _counts_rows(plan, a, b, X[:, :n_numbers]),
    }
    dropped: dict[str, str] = {}
    for reason, found in tests.items():
        for k in np.flatnonzero(found):
            dropped.setdefault(plan.numbers[k], reason)
    return dropped


def _counts_rows(plan: Encoding, a: Columns, b: Columns, X: Any) -> NDArray[np.bool_]:
    """Columns that are an index which went into the table: 1, 2, 3, ... in both."""
    # An index is never 0 often enough to be in a sparse table.
    if not plan.named or plan.sparse or min(a.n_rows, b.n_rows) < _ROWS_THAT_COUNT:
        return np.zeros(X.shape[1], dtype=bool)
    steps = np.diff(X, axis=0) == 1.0
    steps[a.n_rows - 1] = True  # from the last row of A to the first of B
    return np.asarray(steps.all(axis=0))


def useless_text(name: str, a: Columns, b: Columns) -> str | None:
    """Tell why a column of text says nothing about the classes; None if it may say something."""
    if name in a.blank or name in b.blank:
        return None
    texts = (a.texts[name], b.texts[name])
    levels = [{*text.levels} for text in texts]
    n_levels = len(levels[0] | levels[1])
    n_values = sum(int((text.codes >= 0).sum()) for text in texts)
    if n_levels == 1 and n_values == a.n_rows + b.n_rows:
        return "constant"
    if n_levels == n_values:
        return "every value is different"
    if not levels[0] & levels[1]:
        return _TELLS_A_FROM_B.format("no value in common")
    if n_levels > _MOST_LEVELS:
        raise DataError(
            f"{a.place.column(name)} and of B has {n_levels} different values, too many for one "
            f"indicator each (at most {_MOST_LEVELS}). Drop the column, or group its values."
        )
    return None
