"""Any classifier on the membership, and clusterings, as candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags

from ...errors import DataError
from ...gap import membership_gap
from ...selection.scores import score_of
from .problem import Problem
from .voters import ModelVoter, Voter, as_votes, own_unit

__all__ = ["Clustering", "Estimator"]

Float = NDArray[np.float64]
_BORDER = 1 / 3  # of the unit: nearer to the border between two clusters, a vote is unsure


@dataclass(frozen=True)
class _Fitted:
    configurations: Sequence[str]
    held_out: Float
    models: list[Any]
    scale: Float
    sign: Float

    def voters(self, weights: Float) -> list[Voter]:
        (weight,) = weights.tolist()
        return [ModelVoter(self.models, self.scale, self.sign * (weight / len(self.models)))]


@dataclass(frozen=True)
class _FittedClusters(_Fitted):
    labels: NDArray[np.int64]


@dataclass(frozen=True)
class Estimator:
    """A classifier, as it is: cloned and fitted to each fold."""

    method: str
    estimator: Any
    variant: str = ""

    def fit(self, problem: Problem) -> _Fitted:
        """Fit it to every fold."""
        X = problem.X if get_tags(self.estimator).input_tags.sparse else problem.samples.dense
        models, scores = [], []
        for train, _ in problem.folds:
            models.append(clone(self.estimator).fit(X[train], problem.side[train]))
            scores.append(_finite(score_of(models[-1], X), self.method))
        scale = own_unit(np.array(scores))
        held_out = problem.held_out(as_votes(np.array(scores), scale[:, None])[None])
        return _Fitted([""], held_out, models, scale, np.ones(len(models)))


@dataclass(frozen=True)
class Clustering:
    """A method that clusters all samples, and learns from the membership only the clusters' names.

    So it is fitted once; each fold gives the names.
    """

    method: str
    estimator: Any
    variant: str = ""

    def fit(self, problem: Problem) -> _Fitted:
        """Cluster once, and name the clusters by every fold."""
        model, score = problem.samples.clustered(self.method, lambda: self._clustered(problem))
        scale = _BORDER * own_unit(score[None])
        signs = np.array(
            [
                np.sign(membership_gap(score[train] > 0, problem.side[train]))  # 0: no name
                for train, _ in problem.folds
            ]
        )
        votes = as_votes(score, scale)
        held_out = problem.held_out(signs[None, :, None] * votes[None, None, :])
        return _FittedClusters(
            [""], held_out, [model], scale, np.array([signs.mean()]), model.labels_
        )

    def _clustered(self, problem: Problem) -> tuple[Any, Float]:
        X = problem.samples.dense
        model = clone(self.estimator).fit(X, problem.side)
        return model, _finite(score_of(model, X), self.method)


def _finite(score: Float, method: str) -> Float:
    if not np.isfinite(score).all():
        raise DataError(f"{method} gives scores that are not finite.")
    return score
