"""Columns that separate the classes most: the held-out gap that is lost without each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ..selection.folds import group_folds, make_folds
from ..selection.refits import for_refits
from ..selection.scores import score_of

__all__ = ["Importance", "column_importance"]

Float = NDArray[np.float64]

_FOLDS = {True: 5, False: 2}  # up to _LARGE samples, or above
_LARGE = 1000
_SHUFFLES = 3
_MOST_ASKED = 30  # columns; of more, those that differ most between the labels
_MOST_ROWS = 2000  # of a fold that are scored


@dataclass(frozen=True)
class Importance:
    """Loss of the held-out gap by shuffling each column, and how far it differs between shuffles.

    Attributes
    ----------
    gap : float
        Held-out gap with all columns as they are.
    asked : ndarray of int
        Numbers of the columns that were shuffled.
    loss, spread : ndarray
        Mean loss of each, and its standard deviation over the shuffles.
    n_folds, n_shuffles : int
        Folds, and shuffles of each column in each.
    """

    gap: float
    asked: NDArray[np.intp]
    loss: Float
    spread: Float
    n_folds: int
    n_shuffles: int


def column_importance(
    estimator: Any,
    X: Any,
    side: Float,
    labels: NDArray[np.int64],
    columns: Sequence[NDArray[np.intp]],
    *,
    groups: NDArray[np.intp] | None,
    random_state: np.random.Generator,
    progress: Callable[[int, int], None] | None = None,
) -> Importance:
    """Shuffle each column of the held-out samples, and see how much of the gap is lost.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Cloned for each fold, never changed.
    X : ndarray or csr_array
        Samples as the method sees them.
    side : ndarray
        Membership: +1 for A, -1 for B.
    labels : ndarray of int
        Labels; where there are many columns, those are asked whose values differ most between them.
    columns : sequence of ndarray of int
        Which encoded columns each column became; they are shuffled together.
    groups : ndarray of int or None
        Number of each sample's group; no fold tears one apart.
    random_state : Generator
        Draws folds and shuffles.
    progress : callable, optional
        Called with the number of folds done and to do.
    """
    from sklearn.base import clone

    estimator = for_refits(estimator)
    asked = _asked(X, labels, columns)
    n_folds = _FOLDS[len(side) <= _LARGE]
    lost = np.zeros((len(asked), _SHUFFLES))
    gap = 0.0
    with warnings.catch_warnings(), threadpool_limits(1 if len(side) <= _LARGE else None):
        warnings.simplefilter("ignore")  # what a refit has to say, the fit has said
        folds = (
            make_folds(n_folds, X, side, np.ones(len(side)), random_state)
            if groups is None
            else group_folds(n_folds, groups, side, random_state)
        )
        for number, (train, test) in enumerate(folds):
            model = clone(estimator).fit(X[train], side[train])
            test = _some(test, side, random_state)
            held, mine = X[test], side[test] > 0
            here = _gap(score_of(model, held), mine)
            gap += here / len(folds)
            for k, column in enumerate(asked):
                for shuffle in range(_SHUFFLES):
                    order = random_state.permutation(len(test))
                    shuffled = _shuffled(held, columns[column], order)
                    lost[k, shuffle] += here - _gap(score_of(model, shuffled), mine)
            if progress is not None:
                progress(number + 1, len(folds))
    lost /= len(folds)
    return Importance(
        gap=gap,
        asked=asked,
        loss=lost.mean(axis=1),
        spread=lost.std(axis=1, ddof=1),
        n_folds=len(folds),
        n_shuffles=_SHUFFLES,
    )


def _gap(scores: Float, in_a: NDArray[np.bool_]) -> float:
    positive = scores > 0
    return float(positive[in_a].mean() - positive[~in_a].mean())


def _some(test: NDArray[np.intp], side: Float, rng: np.random.Generator) -> NDArray[np.intp]:
    """Rows to score: all, or as many of each dataset as are enough."""
    parts = [test[side[test] > 0], test[side[test] < 0]]
    most = _MOST_ROWS // 2
    return np.concatenate([p if len(p) <= most else rng.permutation(p)[:most] for p in parts])


def _asked(
    X: Any, labels: NDArray[np.int64], columns: Sequence[NDArray[np.intp]]
) -> NDArray[np.intp]:
    """Columns to shuffle: all, or those whose means differ most between the labels."""
    if len(columns) <= _MOST_ASKED:
        return np.arange(len(columns))
    plus, minus = (
        np.asarray(X[mask].mean(axis=0)).ravel() if mask.any() else 0.0
        for mask in (labels > 0, labels < 0)
    )
    apart = np.abs(plus - minus)
    largest = np.array([apart[encoded].max() for encoded in columns])
    return np.sort(np.argsort(-largest, kind="stable")[:_MOST_ASKED])


def _shuffled(X: Any, encoded: NDArray[np.intp], order: NDArray[np.intp]) -> Any:
    """Copy in which these columns have their rows in another order."""
    if not sp.issparse(X):
        shuffled = X.copy()
        shuffled[:, encoded] = X[order][:, encoded]
        return shuffled
    by_column = sp.csc_array(X, copy=True)
    for column in encoded:
        inside = slice(by_column.indptr[column], by_column.indptr[column + 1])
        by_column.indices[inside] = order[by_column.indices[inside]]
    by_column.has_sorted_indices = False
    return by_column.tocsr()
