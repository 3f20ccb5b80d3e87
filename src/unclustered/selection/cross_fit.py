"""What a method says of samples that it was not fitted on."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .folds import group_folds, make_folds
from .scores import score_of

__all__ = ["CrossFit", "cross_fit"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class CrossFit:
    """Held-out scores of every sample, one row a repetition, and how the refits voted.

    Attributes
    ----------
    scores : ndarray of shape (n_repeats, n_samples)
        Score of each sample by the fit of its fold, which has not seen it.
    folds : ndarray of int of shape (n_repeats, n_samples)
        The fold of each sample, counted from 0.
    votes : ndarray of shape (n_samples,)
        Share of all refits, those that have seen the sample among them, that label it +1.
    """

    scores: Float
    folds: NDArray[np.intp]
    votes: Float

    def only(self, rows: NDArray[np.bool_]) -> CrossFit:
        """Keep these samples only."""
        return CrossFit(self.scores[:, rows], self.folds[:, rows], self.votes[rows])

    def shares(self, side: Float) -> tuple[Float, Float]:
        """Held-out share labelled +1 of A and of B, one value a repetition."""
        positive = self.scores > 0
        return positive[:, side > 0].mean(axis=1), positive[:, side < 0].mean(axis=1)

    def gap(self, side: Float) -> float:
        """Held-out gap, the mean over the repetitions."""
        share_a, share_b = self.shares(side)
        return float((share_a - share_b).mean())


def cross_fit(
    estimator: Any,
    X: Any,
    side: Float,
    *,
    n_folds: int = 10,
    n_repeats: int = 1,
    groups: NDArray[np.intp] | None = None,
    random_state: np.random.Generator,
) -> CrossFit:
    """Score each sample by a fit that has not seen it.

    Whatever the estimator chooses while it is fitted, it chooses without the fold that is held out.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Cloned for each fit, never changed.
    X : ndarray or csr_array of shape (n_samples, n_features)
        Samples.
    side : ndarray of shape (n_samples,)
        Membership: +1 for A, -1 for B.
    n_folds : int
        Folds; at most as many as the smaller dataset has samples, or groups.
    n_repeats : int
        How often the folds are drawn anew.
    groups : ndarray of int of shape (n_samples,), optional
        Number of each sample's group, counted from 0; no split tears a group apart.
    random_state : Generator
        Draws the folds.

    Returns
    -------
    CrossFit
        The held-out scores.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import LSDD
    >>> from unclustered.datasets import toy_problem_1
    >>> from unclustered.selection.cross_fit import cross_fit
    >>> toy = toy_problem_1(n=40, priors=(0.9, 0.1), random_state=0)
    >>> side = toy.membership.astype(float)
    >>> fitted = cross_fit(LSDD(), toy.X, side, n_folds=5, random_state=np.random.default_rng(0))
    >>> fitted.scores.shape, fitted.gap(side) > 0.4
    ((1, 80), True)
    """
    from sklearn.base import clone

    scores = np.empty((n_repeats, len(side)))
    fold_of = np.empty(scores.shape, dtype=np.intp)
    votes = np.zeros(len(side))
    n_fits = 0
    weight = np.ones(len(side))
    with warnings.catch_warnings():
        # What a refit has to say, the fit to all samples has said already.
        warnings.simplefilter("ignore")
        for repetition, row in enumerate(scores):
            folds = (
                make_folds(n_folds, X, side, weight, random_state)
                if groups is None
                else group_folds(n_folds, groups, side, random_state)
            )
            for number, (train, test) in enumerate(folds):
                model = clone(estimator).fit(X[train], side[train])
                score = score_of(model, X)
                if not np.isfinite(score).all():
                    raise DataError(
                        f"{type(estimator).__name__} gives scores that are not finite, on "
                        f"{int((~np.isfinite(score)).sum())} of {len(score)} samples."
                    )
                row[test] = score[test]
                fold_of[repetition, test] = number
                votes += score > 0
                n_fits += 1
    return CrossFit(scores, fold_of, votes / n_fits)
