"""DSDD, LSDD and SVC at all bandwidths and regularizations, each kernel computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from ...core.cccp import JoinedFolds, fold_models
from ...core.features import make_features
from ...core.kernels import gaussian
from ...core.lsdd import solve_ridge
from .problem import Problem
from .voters import KernelVoter, Voter, as_votes, own_unit

__all__ = ["DSDDPath", "LSDDPath", "SVCPath"]

Float = NDArray[np.float64]
_TOL = 1e-4  # of a convex step: votes need no more


class _AtBandwidth(NamedTuple):
    """Every regularization in every fold, at one bandwidth."""

    bandwidth: float
    coef: Float  # (n_regularizations, n_folds, n_samples)
    intercept: Float  # (n_regularizations, n_folds)
    scale: Float  # the same


@dataclass(frozen=True)
class _Path:
    configurations: Sequence[str]
    held_out: Float
    problem: Problem
    parts: list[_AtBandwidth]

    def voters(self, weights: Float) -> list[Voter]:
        found: list[Voter] = []
        for part, mine in zip(self.parts, np.split(weights, len(self.parts)), strict=True):
            kept = mine > 0
            if not kept.any():
                continue
            scale = part.scale[kept]
            found.append(
                KernelVoter(
                    centers=self.problem.X,
                    bandwidth=part.bandwidth,
                    coef=(part.coef[kept] / scale[:, :, None]).mean(axis=1).T.copy(),
                    intercept=(part.intercept[kept] / scale).mean(axis=1),
                    weight=mine[kept],
                )
            )
        return found


def _path(
    problem: Problem,
    parts: list[_AtBandwidth],
    scores: list[Float],
    steps: Float,
    step: str = "regularization",
) -> _Path:
    held_out = [
        problem.held_out(as_votes(found, part.scale[:, :, None]))
        for part, found in zip(parts, scores, strict=True)
    ]
    names = [f"bandwidth={p.bandwidth:.3g}, {step}={r:.3g}" for p in parts for r in steps]
    return _Path(names, np.concatenate(held_out), problem, parts)


@dataclass(frozen=True)
class DSDDPath:
    """DSDD with one penalty, with or without intercept; bandwidths in units of the median."""

    penalty: str
    intercept: bool
    multiples: tuple[float, ...]
    regularizations: tuple[float, ...]
    method: str = "dsdd"

    @property
    def variant(self) -> str:
        """Penalty, and whether there is an intercept."""
        return f"{self.penalty}, {'' if self.intercept else 'no '}intercept"

    def fit(self, problem: Problem) -> _Path:
        """Fit every configuration to every fold."""
        everyone = np.arange(len(problem.side))
        folds = JoinedFolds.of(problem.folds)
        steps = np.sort(self.regularizations)[::-1]
        parts, scores = [], []
        for bandwidth in problem.samples.unit * np.array(self.multiples):
            features = make_features(
                gaussian(problem.samples.distances, bandwidth),
                everyone,
                everyone,
                self.penalty,
                self.intercept,
            )
            beta = fold_models(features.gram, problem.side, problem.weight, folds, steps, tol=_TOL)
            found = beta.reshape(-1, len(everyone)) @ features.gram
            coef = beta if features.lift.ndim == 1 else beta @ features.lift
            intercept = beta.sum(axis=2) * float(self.intercept)
            scores.append(found.reshape(beta.shape))
            parts.append(_AtBandwidth(float(bandwidth), coef, intercept, np.ones(intercept.shape)))
        return _path(problem, parts, scores, steps)


@dataclass(frozen=True)
class LSDDPath:
    """LSDD; bandwidths in units of the median."""

    multiples: tuple[float, ...]
    regularizations: tuple[float, ...]
    method: str = "lsdd"
    variant: str = ""

    def fit(self, problem: Problem) -> _Path:
        """Fit every configuration to every fold."""
        steps = np.array(self.regularizations)
        right = problem.train_weights * problem.side[:, None]
        parts, scores = [], []
        for bandwidth in problem.samples.unit * np.array(self.multiples):
            K = gaussian(problem.samples.distances, bandwidth)
            h = K @ right
            overlaps = np.sqrt(K)
            coef = np.stack([solve_ridge(overlaps, h, r).T for r in steps])
            found = (coef.reshape(-1, len(K)) @ K).reshape(coef.shape)
            scale = own_unit(found)
            scores.append(found)
            parts.append(_AtBandwidth(float(bandwidth), coef, np.zeros(scale.shape), scale))
        return _path(problem, parts, scores, steps)


@dataclass(frozen=True)
class SVCPath:
    """scikit-learn's support vector machine (LIBSVM); bandwidths in units of the median."""

    multiples: tuple[float, ...]
    costs: tuple[float, ...]
    method: str = "svc"
    variant: str = ""

    def fit(self, problem: Problem) -> _Path:
        """Fit every configuration to every fold."""
        side, folds = problem.side, problem.folds
        parts, scores = [], []
        for bandwidth in problem.samples.unit * np.array(self.multiples):
            K = gaussian(problem.samples.distances, bandwidth)
            coef = np.zeros((len(self.costs), len(folds), len(side)))
            intercept = np.empty(coef.shape[:2])
            for k, (train, _) in enumerate(folds):
                inner = np.ascontiguousarray(K[np.ix_(train, train)])
                for j, cost in enumerate(self.costs):
                    model = SVC(C=cost, kernel="precomputed", class_weight="balanced")
                    model.fit(inner, side[train])
                    coef[j, k, train[model.support_]] = model.dual_coef_[0]
                    intercept[j, k] = model.intercept_[0]
            found = (coef.reshape(-1, len(side)) @ K).reshape(coef.shape) + intercept[:, :, None]
            scores.append(found)
            parts.append(_AtBandwidth(float(bandwidth), coef, intercept, np.ones(intercept.shape)))
        return _path(problem, parts, scores, np.array(self.costs), "cost")
