"""What an engine does, and what it is asked to add up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.linalg as sl
from numpy.typing import NDArray

from ._data import Part, Source
from ._features import FeatureMap

__all__ = ["Engine", "Reduction", "Rows", "Sums"]

Float = NDArray[np.float64]


class Rows(NamedTuple):
    """What a reduction says of the rows of a block; arrays of the engine's kind, one line a row."""

    values: tuple[Any, ...]
    """Numbers to add up: arrays of one shape, (n_rows, n_points)."""
    pulls: Any
    """Factors of the features, shape (n_rows, n_pulls)."""
    curvature: Any = None
    """Factors of the outer products, shape (n_rows,); None where none are wanted."""


class Sums(NamedTuple):
    """Sums over all rows, in float64."""

    values: Float
    """Shape (n_values, n_points): a line for each of the arrays."""
    pulls: Float
    """Phi' pulls, shape (n_outputs, n_pulls)."""
    gram: Float | None
    """Phi' diag(curvature) Phi, shape (n_outputs, n_outputs)."""


class Reduction(Protocol):
    """What to make of each row, given its scores: data, and one pure function of them.

    ``rows`` must be written in operators and methods that arrays of every kind have: arithmetic,
    comparisons, ``@``, slices, ``.clip(low, high)``, ``abs()``, ``.sum(axis)``. It makes no
    arrays of its own out of nothing, so that it runs where its arguments live. Multiply a
    comparison by a number to use it: True counts as 1. The engine hands it float64.
    """

    @property
    def coef(self) -> Float:
        """Points at which scores are wanted, a column each: shape (n_outputs, n_points)."""
        ...

    def rows(self, scores: Any, side: Any, weight: Any) -> Rows:
        """Values, pulls and curvature of the rows of a block.

        Parameters
        ----------
        scores : array of shape (n_rows, n_points)
            Phi @ coef.
        side, weight : array of shape (n_rows,)
            +1 on A and -1 on B; weights that sum to one within each.
        """
        ...


class Engine(ABC):
    """A machine that passes over data. The answer is the same on all, up to rounding."""

    def each(self, task: Callable[[int, Part], Any], source: Source) -> Iterator[Any]:
        """Results of a task for each part of the source, in order.

        Parameters
        ----------
        task : callable
            From the number of a part, counted from 0, and the part to what is small enough to be
            sent back. It can be pickled.
        source : Source
            The data.
        """
        for number, part in enumerate(source.parts()):
            yield task(number, part)

    @abstractmethod
    def add_up(self, source: Source, features: FeatureMap, reduction: Reduction) -> Sums:
        """One pass over the data: features, scores, what the reduction makes of them, sums.

        Parts are added up in their order, or in a tree of fixed shape: the same data gives the
        same bits, however many workers there are.
        """

    def eigh(self, matrix: Float) -> tuple[Float, Float]:
        """Eigenvalues, ascending, and eigenvectors of a symmetric matrix."""
        values, vectors = np.linalg.eigh(matrix)
        return values, vectors

    def newton_direction(self, lift: Float, gram: Float, ridge: float, gradient: Float) -> Float:
        """Minus the inverse of (lift' gram lift + ridge) on the gradient.

        At a rank of some thousands this takes the processors longer than a GPU takes to pass over
        millions of samples. The ridge grows where rounding left the matrix indefinite.

        Parameters
        ----------
        lift : ndarray of shape (n_outputs, n_dims)
            From coordinates to coefficients.
        gram : ndarray of shape (n_outputs, n_outputs)
            Outer products, as :meth:`add_up` gives them.
        ridge : float
            Positive.
        gradient : ndarray of shape (n_dims,)
            Gradient.
        """
        H = lift.T @ (gram @ lift)
        while True:
            A = H.copy()
            A.ravel()[:: len(A) + 1] += ridge
            try:
                return -np.asarray(sl.cho_solve(sl.cho_factor(A, overwrite_a=True), gradient))
            except np.linalg.LinAlgError:
                ridge *= 10.0

    @abstractmethod
    def scores(self, source: Source, features: FeatureMap, coef: Float) -> Iterator[Float]:
        """Scores Phi @ coef, part by part, in order.

        Parameters
        ----------
        source : Source
            The samples; sides and weights are not looked at.
        features : FeatureMap
            The features.
        coef : ndarray of shape (n_outputs,)
            Coefficients.
        """
