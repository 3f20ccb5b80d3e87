"""The samples, their membership and the folds that all candidates share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...core.kernels import median_distance, squared_distances
from ...selection.folds import Fold, canonical_order, group_folds, make_folds

__all__ = ["Problem", "Samples", "as_dense", "some_rows"]

Float = NDArray[np.float64]


def as_dense(X: Any) -> Float:
    """Make samples without gaps of those of whatever kind.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from unclustered.methods._portfolio.problem import as_dense
    >>> as_dense(sp.csr_array([[0.0, 2.0]]))
    array([[0., 2.]])
    """
    return np.asarray(X.toarray() if sp.issparse(X) else X)


class Samples:
    """Samples, and what is computed from them whatever their membership is, once.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        Samples.
    """

    def __init__(self, X: Any) -> None:
        self.X = X
        self._clustered: dict[str, Any] = {}

    @cached_property
    def dense(self) -> Float:
        """The samples as an array without gaps, for candidates that take no sparse ones."""
        return as_dense(self.X)

    @cached_property
    def distances(self) -> Float:
        """Squared distances between the samples."""
        return squared_distances(self.X)

    @cached_property
    def unit(self) -> float:
        """Median distance between distinct samples, the unit of bandwidths."""
        return median_distance(self.distances)

    def clustered(self, name: str, fit: Callable[[], Any]) -> Any:
        """Ask a clustering of this name what it makes of the samples, once."""
        if name not in self._clustered:
            self._clustered[name] = fit()
        return self._clustered[name]


@dataclass(frozen=True)
class Problem:
    """Samples to label, and the folds of all repetitions, one behind the other.

    Attributes
    ----------
    samples : Samples
        Samples.
    side : ndarray of shape (n_samples,)
        +1 on A, -1 on B.
    weight : ndarray of shape (n_samples,)
        Sums to one within each side.
    folds : list of (train, test)
        Those of all repetitions.
    n_repeats : int
        Repetitions.
    """

    samples: Samples
    side: Float
    weight: Float
    folds: list[Fold]
    n_repeats: int

    @classmethod
    def of(
        cls,
        samples: Samples,
        side: Float,
        cv: int,
        n_repeats: int,
        random_state: np.random.Generator,
        groups: NDArray[np.intp] | None = None,
    ) -> Problem:
        """Draw the folds, which tear no group apart."""
        weight = np.where(side > 0, 1.0 / (side > 0).sum(), 1.0 / (side < 0).sum())
        folds: list[Fold] = []
        for _ in range(n_repeats):
            folds += (
                make_folds(cv, samples.X, side, weight, random_state)
                if groups is None
                else group_folds(cv, groups, side, random_state)
            )
        return cls(samples, side, weight, folds, n_repeats)

    @property
    def X(self) -> Any:  # noqa: N802
        """The samples."""
        return self.samples.X

    @cached_property
    def train_weights(self) -> Float:
        """Weights of the fitted samples, a column a fold: one within each side, else 0."""
        weights = np.zeros((len(self.side), len(self.folds)))
        for column, (train, _) in zip(weights.T, self.folds, strict=True):
            np.add.at(column, train, self.weight[train])  # a row that is named twice counts twice
            for value in (1.0, -1.0):
                column[self.side == value] /= column[self.side == value].sum()
        return weights

    def held_out(self, votes: Float) -> Float:
        """Votes on the samples that a fold model has not seen, from its votes on all.

        Parameters
        ----------
        votes : ndarray of shape (n_configurations, n_folds, n_samples)
            How the model of each fold votes.

        Returns
        -------
        ndarray of shape (n_configurations, n_repeats, n_samples)
            A sample that no fold of a repetition holds out has the vote 0 there.
        """
        found = np.zeros((len(votes), self.n_repeats, votes.shape[2]))
        per_repeat = len(self.folds) // self.n_repeats
        for number, (_, test) in enumerate(self.folds):
            found[:, number // per_repeat, test] = votes[:, number, test]
        return found


def some_rows(
    X: Any, side: Float, n_most: int, random_state: np.random.Generator
) -> NDArray[np.intp]:
    """At most so many rows, of both datasets in proportion; which, does not depend on their order.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.methods._portfolio.problem import some_rows
    >>> side = np.repeat([1.0, -1.0], [30, 10])
    >>> rows = some_rows(np.arange(40.0)[:, None], side, 8, np.random.default_rng(0))
    >>> len(rows), int((side[rows] > 0).sum())
    (8, 6)
    """
    n = len(side)
    if n <= n_most:
        return np.arange(n)
    order = canonical_order(X)
    first = side[order[0]]  # so that swapping A and B chooses the same
    kept = []
    for value in (first, -first):
        mine = order[side[order] == value]
        kept.append(random_state.permutation(mine)[: max(2, round(n_most * len(mine) / n))])
    return np.sort(np.concatenate(kept))
