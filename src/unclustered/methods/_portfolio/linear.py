"""Least squares on the membership with a ridge: Fisher's discriminant, shrunk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .family import FittedPath
from .problem import Problem
from .voters import LinearVoter, as_votes, own_unit

__all__ = ["RidgePath"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class RidgePath:
    """Linear scores at all ridges, in units of the mean variance of a column."""

    ridges: tuple[float, ...]
    method: str = "linear"
    variant: str = ""

    def fit(self, problem: Problem) -> FittedPath:
        """Fit every configuration to every fold."""
        X, side = problem.samples.dense, problem.side
        n_features = X.shape[1]
        coefs = np.empty((len(self.ridges), n_features, len(problem.folds)))
        intercepts = np.empty((len(self.ridges), len(problem.folds)))
        for k, weight in enumerate(problem.train_weights.T):
            middle = 0.5 * weight @ X
            Z = X - middle
            covariance = 0.5 * (Z * weight[:, None]).T @ Z
            direction = 0.5 * Z.T @ (weight * side)
            unit = max(float(np.trace(covariance)) / n_features, np.finfo(float).tiny)
            values, vectors = np.linalg.eigh(covariance)
            turned = vectors.T @ direction
            for j, ridge in enumerate(self.ridges):
                coefs[j, :, k] = vectors @ (turned / (np.maximum(values, 0.0) + ridge * unit))
                intercepts[j, k] = -middle @ coefs[j, :, k]
        parts, held_out = [], []
        for coef, intercept in zip(coefs, intercepts, strict=True):
            scores = (X @ coef + intercept).T
            scale = own_unit(scores)
            held_out.append(problem.held_out(as_votes(scores, scale[:, None])[None]))
            parts.append(
                LinearVoter((coef / scale).mean(axis=1), float((intercept / scale).mean()), 1.0)
            )
        names = [f"ridge={ridge:.3g}" for ridge in self.ridges]
        return FittedPath(names, np.concatenate(held_out), parts)
