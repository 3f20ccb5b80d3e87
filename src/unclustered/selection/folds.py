"""Folds that depend on what the samples are, not on the order in which they come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import DataError, ParameterError

__all__ = ["Fold", "canonical_order", "group_folds", "make_folds"]

Index = NDArray[np.intp]
Fold = tuple[Index, Index]
_DENSE_ENTRIES = 2**25


def canonical_order(X: Any) -> Index:
    """Order of the rows that is the same however rows and columns were shuffled.

    Columns are put in the order of their sorted values, then rows in lexicographic order.
    Equal rows (and columns of equal values in another arrangement) keep the order they came in.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.selection.folds import canonical_order
    >>> X = np.array([[3.0, 0.0], [1.0, 5.0], [2.0, 7.0]])
    >>> shuffled = [2, 0, 1]
    >>> same = X[shuffled][:, ::-1]
    >>> np.array_equal(X[canonical_order(X)], same[canonical_order(same)][:, ::-1])
    True
    """
    if sp.issparse(X):
        if X.shape[0] * X.shape[1] <= _DENSE_ENTRIES:
            X = X.toarray()
        else:  # a dense copy might not fit; two projections tell most rows apart
            X = np.column_stack([X.sum(axis=1), X.multiply(X).sum(axis=1)])
    X = np.asarray(X)
    columns = np.lexsort(np.sort(X, axis=0)[::-1])
    return np.lexsort(X[:, columns[::-1]].T)


def make_folds(
    cv: Any,
    X: Any,
    side: NDArray[np.float64],
    weight: NDArray[np.float64],
    random_state: np.random.Generator,
) -> list[Fold]:
    """Train and test rows of each fold; samples of no weight are in none, and change none.

    An integer ``cv`` deals each dataset's samples out evenly, at random but along their canonical
    order, so shuffling the rows or swapping A and B changes no fold; there are at most as many
    folds as the smaller dataset has samples. A splitter or an iterable of index pairs is used as it
    is.
    """
    kept = np.flatnonzero(weight > 0)
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        dealt = _dealt(int(cv), X[kept], side[kept], random_state)
        return [(kept[train], kept[test]) for train, test in dealt]
    from sklearn.model_selection import check_cv  # slow to load, and an integer needs none of it

    try:
        splitter = check_cv(cv, side, classifier=True)
        if cv is None or hasattr(cv, "split"):
            parts = splitter.split(np.zeros((len(kept), 1)), side[kept])
            folds = [(kept[train], kept[test]) for train, test in parts]
        else:  # index pairs count all rows
            pairs = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split()]
            folds = [(train[weight[train] > 0], test[weight[test] > 0]) for train, test in pairs]
    except (TypeError, ValueError, IndexError) as error:
        raise ParameterError(f"cv cannot split these samples: {error}") from error
    return _checked(folds, side)


def _dealt(
    n_splits: int, X: Any, side: NDArray[np.float64], rng: np.random.Generator
) -> list[Fold]:
    if n_splits < 2:
        raise ParameterError(f"cv must be at least 2 folds, got {n_splits}.")
    smaller = int(min((side > 0).sum(), (side < 0).sum()))
    if smaller < 2:
        raise DataError(
            f"The smaller dataset has n_samples={smaller}: cross-validation needs at least 2 "
            "in each. Give bandwidth and regularization to fit without it."
        )
    n_splits = min(n_splits, smaller)
    order = canonical_order(X)
    first = side[order[0]]
    fold_of = np.empty(len(side), dtype=np.intp)
    offset = 0
    for value in (first, -first):
        rows = order[side[order] == value]
        rows = rows[rng.permutation(len(rows))]
        fold_of[rows] = (np.arange(len(rows)) + offset) % n_splits
        offset += len(rows)
    return [(np.flatnonzero(fold_of != k), np.flatnonzero(fold_of == k)) for k in range(n_splits)]


def group_folds(
    n_splits: int,
    groups: NDArray[np.intp],
    side: NDArray[np.float64],
    random_state: np.random.Generator,
) -> list[Fold]:
    """Train and test rows of folds that tear no group apart.

    Each dataset's groups are dealt out in random order, the largest first, each to the fold that
    holds the fewest of its samples. There are at most as many folds as the dataset of fewer groups
    has.

    Parameters
    ----------
    n_splits : int
        Folds.
    groups : ndarray of int of shape (n_samples,)
        Number of each sample's group, counted from 0; a group lies within one dataset.
    side : ndarray of shape (n_samples,)
        +1 on A, -1 on B.
    random_state : Generator
        Orders the groups.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.selection.folds import group_folds
    >>> groups, side = np.array([0, 0, 1, 2, 2, 3]), np.array([1.0, 1, 1, -1, -1, -1])
    >>> [test.tolist() for _, test in group_folds(2, groups, side, np.random.default_rng(0))]
    [[0, 1, 5], [2, 3, 4]]
    """
    sizes = np.bincount(groups)
    fold_of = np.empty(len(sizes), dtype=np.intp)
    first = side[groups == 0][0]  # so that swapping A and B changes no fold
    within = [np.unique(groups[side == value]) for value in (first, -first)]
    n_splits = min(n_splits, *map(len, within))
    if n_splits < 2:
        raise DataError(
            "One of the two datasets has a single group: nothing of it could be held out. At least "
            "2 groups are needed in each."
        )
    total = np.zeros(n_splits, dtype=np.intp)
    for mine in within:
        held = np.zeros(n_splits, dtype=np.intp)
        mine = random_state.permutation(mine)
        for group in mine[np.argsort(-sizes[mine], kind="stable")]:
            fold = int(np.lexsort((total, held))[0])
            fold_of[group] = fold
            held[fold] += sizes[group]
            total[fold] += sizes[group]
    return [
        (np.flatnonzero(fold_of[groups] != k), np.flatnonzero(fold_of[groups] == k))
        for k in range(n_splits)
    ]


def _checked(folds: Iterable[Fold], side: NDArray[np.float64]) -> list[Fold]:
    checked = list(folds)
    if not checked:
        raise ParameterError("cv gives no folds.")
    for number, fold in enumerate(checked):
        for part, rows in zip(("train", "test"), fold, strict=True):
            if len(np.unique(side[rows])) < 2:
                raise ParameterError(
                    f"The {part} part of fold {number} lacks samples of one of the two datasets."
                )
    return checked
