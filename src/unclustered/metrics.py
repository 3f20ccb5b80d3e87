"""Figures that need the true labels: for benchmarks and tests, never for choosing a model."""

from __future__ import annotations

import math
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import DataError, ParameterError
from .gap import membership_gap

__all__ = [
    "balanced_error_rate",
    "expected_random_error",
    "labeling_error_rate",
    "membership_gap",
]


def labeling_error_rate(labels_true: ArrayLike, labels: ArrayLike) -> float:
    r"""Share of wrongly labelled samples, whichever way round the labels are named.

    LER = min(e, 1 - e), where e is the share of samples on which the two labellings differ. A
    labelling splits the samples in two without naming the parts, so an error of 1 is as good as
    an error of 0. For the same reason the two values of each argument may be any.

    Parameters
    ----------
    labels_true, labels : array-like of shape (n_samples,)
        True and estimated labels, at most two values each. To judge a labelling of A and B,
        pass the labels of both, one after the other.

    Returns
    -------
    float
        Between 0 and 0.5. What coin flips would give is :func:`expected_random_error`.

    Examples
    --------
    >>> from unclustered.metrics import labeling_error_rate
    >>> labeling_error_rate([1, 1, -1, -1], [1, -1, -1, -1])
    0.25
    >>> labeling_error_rate([1, 1, -1, -1], [-1, 1, 1, 1])
    0.25
    """
    true, estimated = _two_labelings(labels_true, labels)
    parts = [_as_parts("labels_true", true), _as_parts("labels", estimated)]
    differing = int(np.count_nonzero(parts[0] != parts[1]))
    return min(differing, len(true) - differing) / len(true)


def expected_random_error(n: int) -> float:
    r"""Labelling error rate that coin flips reach on average.

    .. math:: \frac{1}{2^n n} \sum_{i=0}^{n} \min(i, n-i) \binom{n}{i}
              = \frac{1}{2} \Bigl( 1 - 4^{-m} \binom{2m}{m} \Bigr), \quad m = \lfloor n/2 \rfloor.

    It is below 0.5, since the better naming of the two parts counts. The closed form is de Moivre's
    mean absolute deviation of the binomial distribution.

    Parameters
    ----------
    n : int
        Number of samples, A and B together.

    Returns
    -------
    float
        The expected rate, to double precision for every n.

    Examples
    --------
    >>> from unclustered.metrics import expected_random_error
    >>> [round(expected_random_error(n), 3) for n in (40, 60, 80)]
    [0.437, 0.449, 0.456]
    """
    try:
        n = index(n)
    except TypeError:
        raise ParameterError(f"n must be a whole number of samples, got {n!r}.") from None
    if n < 1:
        raise ParameterError(f"n must be at least 1, got {n}.")
    return 0.5 * (1.0 - _central_binomial(n // 2))


def balanced_error_rate(labels_true: ArrayLike, labels: ArrayLike) -> float:
    r"""Mean of the error rates within the two classes.

    BER = (P(label = -1 | y = +1) + P(label = +1 | y = -1)) / 2. It does not depend on how often
    each class occurs, and the label-free :func:`~unclustered.membership_gap` equals
    Delta (1 - 2 BER). Unlike :func:`labeling_error_rate` it takes the names of the labels as they
    are: with all labels flipped, BER becomes 1 - BER.

    Parameters
    ----------
    labels_true, labels : array-like of shape (n_samples,)
        True and estimated labels, +1 or -1. Both classes must occur in ``labels_true``.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from unclustered.metrics import balanced_error_rate
    >>> balanced_error_rate([1, 1, 1, 1, -1, -1], [1, 1, 1, -1, -1, 1])
    0.375
    """
    true, estimated = _two_labelings(labels_true, labels)
    for name, values in (("labels_true", true), ("labels", estimated)):
        others = np.setdiff1d(values, [-1, 1])
        if len(others):
            raise DataError(f"{name} must hold +1 and -1 only, but it holds {_shown(others)} too.")
    classes = (true == 1, true == -1)
    for mask, name in zip(classes, ("+1", "-1"), strict=True):
        if not mask.any():
            raise DataError(f"labels_true has no sample of the class {name}: its error is unknown.")
    wrong = true != estimated
    return float(sum(wrong[mask].mean() for mask in classes) / 2)


def _central_binomial(m: int) -> float:
    """C(2m, m) / 4^m, the chance that 2m coin flips come out even."""
    if m < 100:
        return math.comb(2 * m, m) / (1 << 2 * m)  # a quotient of integers, rounded once
    # Stirling's series; from m = 100 on, its next term, 17 / (14336 m^7), is below 1e-16.
    series = -1 / (8 * m) + 1 / (192 * m**3) - 1 / (640 * m**5)
    return math.exp(series) / math.sqrt(math.pi * m)


def _two_labelings(
    labels_true: ArrayLike, labels: ArrayLike
) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    true, estimated = np.asarray(labels_true), np.asarray(labels)
    if true.ndim != 1 or true.shape != estimated.shape:
        raise DataError(
            f"labels_true {true.shape} and labels {estimated.shape} must be one-dimensional and "
            "of the same length."
        )
    if not len(true):
        raise DataError("labels_true and labels are empty.")
    return true, estimated


def _as_parts(name: str, values: NDArray[np.generic]) -> NDArray[np.intp]:
    try:
        found, parts = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise DataError(f"{name} mixes values that cannot be compared: {error}") from error
    if len(found) > 2:
        raise DataError(
            f"{name} must hold at most two values, but it holds {len(found)}: {_shown(found)}."
        )
    if np.any(found != found):
        row = int(np.flatnonzero(values != values)[0])
        raise DataError(f"{name} has a missing value (NaN) in row {row}.")
    return np.asarray(parts, dtype=np.intp)


def _shown(values: NDArray[np.generic]) -> str:
    return ", ".join(repr(v) for v in values[:5].tolist()) + (", ..." if len(values) > 5 else "")
