"""Scores of samples that a method has not seen, averaged over many fits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from ..seeds import as_generator
from ..selection.cross_fit import cross_fit
from ..selection.refits import for_refits
from .groups import coded_groups

__all__ = ["bagged_scores"]

_LARGE = 1000  # samples: more need less averaging
_REPEATS = {True: 20, False: 4}  # up to _LARGE or above


def bagged_scores(
    estimator: Any,
    X: Any,
    side: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    random_state: Any = None,
) -> NDArray[np.float64]:
    """Score each sample by many fits that have not seen it: what probabilities are best made of.

    The samples are cut into halves, each half is scored by the fit to the other, and so 20 times
    over (4 times above 1,000 samples). A sample's score is the mean, each fit's scores taken in
    units of their own spread. Scores of single fits to few samples are mostly noise; those of fits
    to halves differ enough for the mean to be better than that of fits to nine tenths.

    Parameters
    ----------
    estimator : scikit-learn classifier
        The method, with all that it chooses; cloned, never changed.
    X : ndarray or csr_array of shape (n_samples, n_features)
        Samples of both datasets.
    side : array-like of shape (n_samples,)
        Membership: +1 for A, -1 for B.
    groups : array-like of shape (n_samples,), optional
        What each sample belongs to; groups are held out as wholes.
    random_state : None, int, Generator or RandomState
        Draws the halves.

    Returns
    -------
    ndarray of shape (n_samples,)
        Large for A.

    Examples
    --------
    >>> from unclustered import LSDD
    >>> from unclustered.datasets import toy_problem_1
    >>> from unclustered.evidence import bagged_scores
    >>> toy = toy_problem_1(n=40, priors=(0.9, 0.1), random_state=0)
    >>> scores = bagged_scores(LSDD(), toy.X, toy.membership)
    >>> bool(((scores > 0) == (toy.labels > 0)).mean() > 0.8)
    True
    """
    side = np.asarray(side, dtype=np.float64)
    few = len(side) <= _LARGE
    with threadpool_limits(1 if few else None):
        fitted = cross_fit(
            for_refits(estimator),
            X,
            side,
            n_folds=2,
            n_repeats=_REPEATS[few],
            groups=None if groups is None else coded_groups(groups, side)[0],
            random_state=as_generator(random_state),
        )
    return np.asarray(fitted.in_units.mean(axis=0))
