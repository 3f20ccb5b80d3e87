"""Ratios of kernel densities at all bandwidths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.kernels import log_kernel_sums, median_distance
from .family import FittedPath
from .problem import Problem
from .voters import DensityVoter, as_votes, own_unit

__all__ = ["DensityPath"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class DensityPath:
    """Log ratio of two kernel densities; bandwidths in units of each side's median distance."""

    multiples: tuple[float, ...]
    method: str = "kde"
    variant: str = ""

    def fit(self, problem: Problem) -> FittedPath:
        """Fit every configuration to every fold."""
        D, X = problem.samples.distances, problem.X
        rows_a, rows_b = (np.flatnonzero(problem.side == value) for value in (1.0, -1.0))
        unit_a, unit_b = (median_distance(D[np.ix_(rows, rows)]) for rows in (rows_a, rows_b))
        share_a, share_b = (problem.train_weights[rows] for rows in (rows_a, rows_b))
        offset = X.shape[1] * float(np.log(unit_b / unit_a))
        parts, held_out = [], []
        for multiple in self.multiples:
            bandwidth_a, bandwidth_b = multiple * unit_a, multiple * unit_b
            scores = (
                log_kernel_sums(D[:, rows_a], bandwidth_a, share_a)
                - log_kernel_sums(D[:, rows_b], bandwidth_b, share_b)
                + offset
            ).T
            scale = own_unit(scores)
            held_out.append(problem.held_out(as_votes(scores, scale[:, None])[None]))
            parts.append(
                DensityVoter(
                    samples_a=X[rows_a],
                    samples_b=X[rows_b],
                    bandwidth_a=bandwidth_a,
                    bandwidth_b=bandwidth_b,
                    share_a=share_a.mean(axis=1),
                    share_b=share_b.mean(axis=1),
                    offset=offset,
                    scale=float(scale.mean()),
                    weight=1.0,
                )
            )
        names = [f"bandwidths={p.bandwidth_a:.3g} and {p.bandwidth_b:.3g}" for p in parts]
        return FittedPath(names, np.concatenate(held_out), parts)
