"""The gap: how differently a labelling falls on the two datasets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import DataError

__all__ = ["membership_gap"]


def membership_gap(
    labels: ArrayLike, membership: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Share of A labelled +1 minus share of B labelled +1.

    For any labelling, gap = Delta (1 - 2 BER), where Delta is the difference of the two
    class balances and BER the balanced error. So on samples that the labelling was not fitted on, the
    gap ranks labellings as their balanced error would, and no label is needed to know it. It
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
    0.33333333333333337
    """
    positive = np.asarray(labels) > 0
    member: Any = np.asarray(membership)
    if positive.shape != member.shape or positive.ndim != 1:
        raise DataError(
            f"labels {positive.shape} and membership {member.shape} must be one-dimensional "
            "and of the same length."
        )
    values = np.unique(member)
    if len(values) != 2:
        raise DataError(f"membership must have exactly two values, got {len(values)}.")
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    shares = [
        float(np.average(positive[side], weights=None if weight is None else weight[side]))
        for side in (member == values[1], member == values[0])
    ]
    return shares[0] - shares[1]
