"""The gap: how differently a labelling falls on the two datasets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import DataError

__all__ = ["membership_gap"]


def membership_gap(
    labels: ArrayLike, membership: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Share of A labelled +1 minus share of B labelled +1.

    For any labelling, gap = Delta (1 - 2 BER), where Delta is the difference of the two
    class balances and BER the balanced error. So on samples that the labelling was not fitted on,
    the gap ranks labellings as their balanced error would, and no label is needed to know it. It
    equals twice the balanced accuracy of predicting the membership, minus one.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Labels; positive values count as +1, all others as -1.
    membership : array-like of shape (n_samples,)
        Two values; the larger one stands for A (as ``classes_[1]`` of an estimator does).
    sample_weight : array-like of shape (n_samples,), optional
        Weights; equal by default.

    Returns
    -------
    float
        Between -1 and 1. Near 0, the labels tell nothing about the datasets.

    Examples
    --------
    >>> from unclustered import membership_gap
    >>> membership_gap([1, 1, -1, -1, 1, -1], [1, 1, 1, -1, -1, -1])
    0.3333333333333333
    """
    try:
        label = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"labels must be numbers, +1 and -1: {error}") from error
    member: Any = np.asarray(membership)
    if label.shape != member.shape or label.ndim != 1:
        raise DataError(
            f"labels {label.shape} and membership {member.shape} must be one-dimensional "
            "and of the same length."
        )
    missing = np.isnan(label)
    if missing.any():
        raise DataError(f"labels has a missing value (NaN) in row {int(missing.argmax())}.")
    positive = label > 0
    values = np.unique(member)
    if len(values) != 2 or np.any(values != values):
        raise DataError(f"membership must have exactly two values, got {values[:5].tolist()}.")
    weight = _checked_weight(sample_weight, member)
    shares = []
    for value in values.tolist():
        side = member == value
        if not weight[side].sum() > 0:
            raise DataError(f"sample_weight is zero on every sample of the dataset {value!r}.")
        shares.append(float(np.average(positive[side], weights=weight[side])))
    return shares[1] - shares[0]


def _checked_weight(sample_weight: ArrayLike | None, member: Any) -> NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(len(member))
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != member.shape or not np.all((weight >= 0) & np.isfinite(weight)):
        raise DataError(
            "sample_weight must hold one number for each sample, finite and not below zero."
        )
    return weight
