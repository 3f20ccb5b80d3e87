"""What a method says of samples that it was not fitted on."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .folds import Fold, group_folds, make_folds
from .scores import score_of
from .threads import in_threads

__all__ = ["CrossFit", "cross_fit", "held_out_scores", "units_of"]

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
    in_units : ndarray of shape (n_repeats, n_samples)
        The same scores in units in which all fits count alike: each fit's less their mean over all
        samples, over their standard deviation. A fit that was regularised more than another has
        smaller scores, not less to say.
    """

    scores: Float
    folds: NDArray[np.intp]
    votes: Float
    in_units: Float

    def only(self, rows: NDArray[np.bool_]) -> CrossFit:
        """Keep these samples only."""
        return CrossFit(
            self.scores[:, rows], self.folds[:, rows], self.votes[rows], self.in_units[:, rows]
        )

    @property
    def positive(self) -> Float:
        """Share of the repetitions that label each sample +1."""
        return np.asarray((self.scores > 0).mean(axis=0))

    def gap(self, side: Float) -> float:
        """Held-out gap, the mean over the repetitions."""
        positive = self.positive
        return float(positive[side > 0].mean() - positive[side < 0].mean())


def cross_fit(
    estimator: Any,
    X: Any,
    side: Float,
    *,
    n_folds: int = 10,
    n_repeats: int = 1,
    groups: NDArray[np.intp] | None = None,
    random_state: np.random.Generator,
    n_jobs: int | None = None,
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
    n_jobs : int, optional
        Threads over the fits; no result depends on it.

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
    scores = np.empty((n_repeats, len(side)))
    in_units = np.empty(scores.shape)
    fold_of = np.empty(scores.shape, dtype=np.intp)
    votes = np.zeros(len(side))
    drawn = [
        (repetition, number, train, test)
        for repetition in range(n_repeats)
        for number, (train, test) in enumerate(_folds(n_folds, X, side, groups, random_state))
    ]

    def fitted(train: NDArray[np.intp]) -> Float:
        return _score_without(estimator, X, side, train, X)

    # Each thread changes the filters of all: what is set here comes back when all are done.
    with warnings.catch_warnings():
        found = in_threads(fitted, [train for _, _, train, _ in drawn], n_jobs)
    for (repetition, number, _, test), score in zip(drawn, found, strict=True):
        scores[repetition, test] = score[test]
        centre, spread = units_of(score)
        in_units[repetition, test] = (score[test] - centre) / spread
        fold_of[repetition, test] = number
        votes += score > 0
    return CrossFit(scores, fold_of, votes / len(drawn), in_units)


def units_of(scores: Float) -> tuple[float, float]:
    """Mean and standard deviation of a fit's scores; 1 for the latter where all are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.selection.cross_fit import units_of
    >>> units_of(np.array([1.0, 5.0])), units_of(np.array([2.0, 2.0]))
    ((3.0, 2.0), (2.0, 1.0))
    """
    centre, spread = float(scores.mean()), float(scores.std())
    return centre, spread if spread > 1e-12 * abs(centre) else 1.0


def held_out_scores(
    estimator: Any,
    X: Any,
    side: Float,
    *,
    n_folds: int = 10,
    groups: NDArray[np.intp] | None = None,
    random_state: np.random.Generator,
) -> Float:
    """Score each sample once by a fit that has not seen it, and nothing more.

    The same as ``cross_fit(...).scores[0]``; no fit scores the samples it was fitted on, so there
    are no votes.

    Parameters
    ----------
    estimator, X, side, n_folds, groups, random_state
        As in :func:`cross_fit`.

    Returns
    -------
    ndarray of shape (n_samples,)
        The held-out scores.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import LSDD
    >>> from unclustered.datasets import toy_problem_1
    >>> from unclustered.selection.cross_fit import held_out_scores
    >>> toy = toy_problem_1(n=40, priors=(0.9, 0.1), random_state=0)
    >>> side = toy.membership.astype(float)
    >>> held_out_scores(LSDD(), toy.X, side, random_state=np.random.default_rng(0)).shape
    (80,)
    """
    scores = np.empty(len(side))
    for train, test in _folds(n_folds, X, side, groups, random_state):
        scores[test] = _score_without(estimator, X, side, train, X[test])
    return scores


def _folds(
    n_folds: int,
    X: Any,
    side: Float,
    groups: NDArray[np.intp] | None,
    random_state: np.random.Generator,
) -> list[Fold]:
    if groups is None:
        return make_folds(n_folds, X, side, np.ones(len(side)), random_state)
    return group_folds(n_folds, groups, side, random_state)


def _score_without(
    estimator: Any, X: Any, side: Float, train: NDArray[np.intp], samples: Any
) -> Float:
    """Score samples by a fit to the training rows."""
    from sklearn.base import clone

    with warnings.catch_warnings():
        # What a refit has to say, the fit to all samples has said already.
        warnings.simplefilter("ignore")
        score = score_of(clone(estimator).fit(X[train], side[train]), samples)
    if not np.isfinite(score).all():
        raise DataError(
            f"{type(estimator).__name__} gives scores that are not finite, on "
            f"{int((~np.isfinite(score)).sum())} of {len(score)} samples."
        )
    return score
