"""What is left of a candidate to score new samples.

A configuration has one voice: the mean score of its fold models, each in its own unit, cut at -1
and 1. So it costs no more than one model, whatever the number of folds and repetitions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import get_tags

from ...core.expansion import distance_blocks
from ...core.kernels import gaussian, log_kernel_sums
from ...graphs import Value
from ...graphs import kernels as in_graph
from ...selection.scores import score_of
from .problem import as_dense

__all__ = [
    "DensityVoter",
    "KernelVoter",
    "LinearVoter",
    "ModelVoter",
    "TreeVoter",
    "Voter",
    "as_votes",
    "joined",
    "own_unit",
    "voter_from_state",
]

Float = NDArray[np.float64]


class Voter(Protocol):
    """A weighted sum of votes, each between -1 and 1, at any samples."""

    def votes(self, X: Any) -> Float:
        """Weighted sum at each row of X."""

    def graph(self, X: Value) -> Value:
        """Write the same as a graph."""

    def state(self, samples: list[Any]) -> list[Any]:
        """Its kind and its fields, as a model file holds them.

        Samples are put into the list where they are not there yet; their place stands for them.
        """


def as_votes(scores: Float, scale: Any = 1.0) -> Float:
    """Scores in units of a scale, cut at -1 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.methods._portfolio.voters import as_votes
    >>> as_votes(np.array([-5.0, 0.5, 3.0]), 2.0)
    array([-1.  ,  0.25,  1.  ])
    """
    return np.asarray(np.clip(scores / scale, -1.0, 1.0))


def own_unit(scores: Float) -> Float:
    """Median size of the scores along the last axis: what a model of no unit is measured in.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.methods._portfolio.voters import own_unit
    >>> float(own_unit(np.array([-4.0, 1.0, 2.0])))
    2.0
    """
    return np.asarray(np.maximum(np.median(np.abs(scores), axis=-1), np.finfo(np.float64).tiny))


_SAMPLES = ("centers", "samples_a", "samples_b")


def _place(samples: list[Any], wanted: Any) -> int:
    for place, known in enumerate(samples):
        if known is wanted:
            return place
    samples.append(wanted)
    return len(samples) - 1


@dataclass(frozen=True)
class _Stored:
    def weighing(self, weight: float) -> Any:
        """Make the same voter with another weight."""
        return replace(self, weight=weight)  # type: ignore[call-arg]

    def state(self, samples: list[Any]) -> list[Any]:
        return [
            type(self).__name__,
            *(
                _place(samples, getattr(self, field.name))
                if field.name in _SAMPLES
                else getattr(self, field.name)
                for field in fields(self)
            ),
        ]


@dataclass(frozen=True)
class KernelVoter(_Stored):
    """Sums of Gaussian kernels of one bandwidth; every column of ``coef`` is a voice."""

    centers: Any
    bandwidth: float
    coef: Float
    intercept: Float
    weight: Float

    def votes(self, X: Any) -> Float:
        values = np.empty(X.shape[0])
        for rows, D in distance_blocks(X, self.centers):
            scores = gaussian(D, self.bandwidth, out=D) @ self.coef + self.intercept
            values[rows] = as_votes(scores) @ self.weight
        return values

    def graph(self, X: Value) -> Value:
        scores = in_graph.gaussian(X, self.centers, self.bandwidth) @ self.coef + self.intercept
        return (in_graph.clipped(scores) @ self.weight[:, None]).column()


@dataclass(frozen=True)
class LinearVoter(_Stored):
    """A linear score."""

    coef: Float
    intercept: float
    weight: float

    def votes(self, X: Any) -> Float:
        return self.weight * as_votes(np.asarray(as_dense(X @ self.coef)) + self.intercept)

    def graph(self, X: Value) -> Value:
        scores = (X @ self.coef[:, None]).column() + self.intercept
        return in_graph.clipped(scores) * self.weight


@dataclass(frozen=True)
class DensityVoter(_Stored):
    """Log ratio of two kernel densities, up to a constant, in units of a scale."""

    samples_a: Any
    samples_b: Any
    bandwidth_a: float
    bandwidth_b: float
    share_a: Float
    share_b: Float
    offset: float
    scale: float
    weight: float

    def _sides(self) -> tuple[tuple[Any, float, Float], ...]:
        return (
            (self.samples_a, self.bandwidth_a, self.share_a[:, None]),
            (self.samples_b, self.bandwidth_b, self.share_b[:, None]),
        )

    def votes(self, X: Any) -> Float:
        of_a, of_b = (_log_sums(X, *side) for side in self._sides())
        return self.weight * as_votes(of_a - of_b + self.offset, self.scale)

    def graph(self, X: Value) -> Value:
        of_a, of_b = (in_graph.log_kernel_sums(X, *side) for side in self._sides())
        scores = (of_a - of_b + self.offset) / self.scale
        return in_graph.clipped(scores).column() * self.weight


def _log_sums(X: Any, samples: Any, bandwidth: float, share: Float) -> Float:
    values = np.empty(X.shape[0])
    for rows, D in distance_blocks(X, samples):
        values[rows] = log_kernel_sums(D, bandwidth, share)[:, 0]
    return values


@dataclass(frozen=True)
class TreeVoter(_Stored):
    """A sum of trees, all nodes one behind the other; a leaf is its own child."""

    feature: NDArray[np.int64]
    threshold: Float
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Float
    roots: NDArray[np.int64]
    depth: int
    baseline: float
    weight: float

    def votes(self, X: Any) -> Float:
        scores = np.empty(X.shape[0])
        step = max(1, _TREE_ENTRIES // len(self.roots))
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            block = as_dense(X[rows])
            everyone = np.arange(len(block))[:, None]
            at = np.tile(self.roots, (len(block), 1))
            for _ in range(self.depth):
                below = block[everyone, self.feature[at]] <= self.threshold[at]
                at = np.where(below, self.left[at], self.right[at])
            scores[rows] = self.value[at].sum(axis=1)
        return self.weight * as_votes(scores + self.baseline)

    def graph(self, X: Value) -> Value:
        n_trees = len(self.roots)
        # A row of zeros for each tree takes on the number of rows of X.
        at: Value = X.graph.cast(X.row_sums() @ np.zeros((1, n_trees)), np.int64) + self.roots
        for _ in range(self.depth):
            feature, threshold, left, right = (
                X.graph.apply("Gather", table, at)
                for table in (self.feature, self.threshold, self.left, self.right)
            )
            below = X.apply("GatherElements", feature, axis=1).apply("LessOrEqual", threshold)
            at = below.apply("Where", left, right)
        scores = X.graph.apply("Gather", self.value, at).row_sums().column() + self.baseline
        return in_graph.clipped(scores) * self.weight


_TREE_ENTRIES = 2**22  # places in trees at a time
_DENSE_ENTRIES = 2**22  # of samples that come sparse, at a time


@dataclass(frozen=True)
class ModelVoter(_Stored):
    """Scores of fitted models; ``weight`` has the sign that names their classes."""

    models: list[Any]
    scale: Float
    weight: Float

    def votes(self, X: Any) -> Float:
        total = np.zeros(X.shape[0])
        step = max(1, _DENSE_ENTRIES // X.shape[1]) if issparse(X) else X.shape[0]
        for model, scale, weight in zip(self.models, self.scale, self.weight, strict=True):
            takes_sparse = get_tags(model).input_tags.sparse
            for start in range(0, X.shape[0], step):
                rows = slice(start, start + step)
                block = X[rows] if takes_sparse else as_dense(X[rows])
                total[rows] += weight * as_votes(score_of(model, block), scale)
        return total

    def graph(self, X: Value) -> Value:
        total: Value | None = None
        for model, scale, weight in zip(self.models, self.scale, self.weight, strict=True):
            votes = in_graph.clipped(model._graph(X) / float(scale)) * float(weight)
            total = votes if total is None else total + votes
        assert total is not None  # a voter without models is never made
        return total


_KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (KernelVoter, LinearVoter, DensityVoter, TreeVoter, ModelVoter)
}


def voter_from_state(state: list[Any], samples: list[Any]) -> Voter:
    """Voter that has this state.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.methods._portfolio.voters import LinearVoter, voter_from_state
    >>> voter = LinearVoter(np.array([2.0]), 0.0, 1.0)
    >>> voter_from_state(voter.state([]), []).votes(np.array([[0.25]]))
    array([0.5])
    """
    kind, *values = state
    names = [field.name for field in fields(_KINDS[kind])]
    voter: Voter = _KINDS[kind](
        *(
            samples[value] if name in _SAMPLES else value
            for name, value in zip(names, values, strict=True)
        )
    )
    return voter


def joined(voters: Iterable[Voter]) -> list[Voter]:
    """Join the voters of each kernel into one, so that it is computed once."""
    found: list[Voter] = []
    kernels: dict[tuple[int, float], list[KernelVoter]] = {}
    for voter in voters:
        if isinstance(voter, KernelVoter):
            kernels.setdefault((id(voter.centers), voter.bandwidth), []).append(voter)
        else:
            found.append(voter)
    for (_, bandwidth), some in kernels.items():
        parts = {
            name: np.concatenate([getattr(voter, name) for voter in some], axis=-1)
            for name in ("coef", "intercept", "weight")
        }
        found.append(KernelVoter(some[0].centers, bandwidth, **parts))
    return found
