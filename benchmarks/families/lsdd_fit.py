"""A full fit of LSDD beside the paper's procedure written down in NumPy.

One linear system a bandwidth, regularization and fold. (The package alibi-detect computes LSDD too,
but its releases require NumPy 1, so it cannot be installed beside this library's.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.linalg as sl

from unclustered import LSDD
from unclustered.core.kernels import median_distance, squared_distances
from unclustered.core.lsdd import log_volume
from unclustered.methods.lsdd import MULTIPLES, REGULARIZATIONS
from unclustered.seeds import as_generator
from unclustered.selection.folds import make_folds

from ..problems import Float, toy
from ..results import Row, Setup, speedup
from ..timing import in_turns

SAME = 1e-6


def run(setup: Setup) -> Iterator[Row]:
    for n in setup.pick((40, 2000), (10, 20)):
        X, side = toy(n, setup.seed)
        answers: dict[str, Any] = {}

        def ours(X: Float = X, side: Float = side, answers: Any = answers) -> None:
            model = LSDD().fit(X, side)
            answers["ours"] = (model.bandwidth_, model.regularization_, model.coef_)

        def paper(X: Float = X, side: Float = side, answers: Any = answers) -> None:
            answers["paper"] = search(X, side, shared=False)

        def shared(X: Float = X, side: Float = side, answers: Any = answers) -> None:
            answers["shared"] = search(X, side, shared=True)

        timings = in_turns(
            {"ours": ours, "paper": paper, "shared": shared}, repeats=setup.repeats, patience=20.0
        )
        for name, title, goal in (
            ("paper", "NumPy, one solve a bandwidth, lambda and fold", 5.0),
            ("shared", "SciPy, one Cholesky factor a bandwidth and lambda", None),
        ):
            ratio = speedup(timings["ours"], timings[name])
            agrees = _same(answers["ours"], answers[name])
            yield Row(
                work=f"full LSDD fit, 2 x {n:,}",
                ours=timings["ours"],
                rival=title,
                rivals=timings[name],
                outcome=f"{ratio:.1f}x",
                goal=f">= {goal:g}x" if goal else "-",
                met=ratio >= goal and agrees if goal else None,
                agrees=agrees,
                remarks=f"same choice and coefficients: {'yes' if agrees else 'no'}",
                detail={"timings": timings},
            )


def search(X: Float, side: Float, *, shared: bool) -> tuple[float, float, Float]:
    """Choose bandwidth and lambda by the held-out squared error, then solve.

    With ``shared``, what a careful programmer would share: one factor serves all folds.
    """
    weight = np.where(side > 0, 1 / (side > 0).sum(), 1 / (side < 0).sum())
    folds = make_folds(5, X, side, weight, as_generator(None))
    D = squared_distances(X)
    bandwidths = MULTIPLES * median_distance(D)
    mean_of = [tuple(_mean(side, rows) for rows in fold) for fold in folds]
    inside = np.stack([train for train, _ in mean_of], axis=1)
    outside = np.stack([test for _, test in mean_of], axis=1)
    errors = np.empty((len(bandwidths), len(REGULARIZATIONS), len(folds)))
    for i, bandwidth in enumerate(bandwidths):
        volume = np.exp(log_volume(bandwidth, X.shape[1]))
        Psi = np.exp(D / (-2 * bandwidth**2))
        H = volume * np.exp(D / (-4 * bandwidth**2))
        h, h_out = Psi @ inside, Psi @ outside
        for j, regularization in enumerate(REGULARIZATIONS):
            ridge = volume * regularization
            if shared:
                theta = sl.solve(_plus(H, ridge), h, assume_a="pos", overwrite_a=True)
                errors[i, j] = np.sum(theta * (H @ theta - 2 * h_out), axis=0)
                continue
            for k in range(len(folds)):
                theta = np.linalg.solve(_plus(H, ridge), h[:, k])
                errors[i, j, k] = theta @ H @ theta - 2 * theta @ h_out[:, k]
    i, j = np.unravel_index(errors.mean(axis=2).argmin(), errors.shape[:2])
    bandwidth, regularization = float(bandwidths[i]), float(REGULARIZATIONS[j])
    # In units of the volume, as ours: (G + regularization I) coef = h.
    G = np.exp(D / (-4 * bandwidth**2))
    h = np.exp(D / (-2 * bandwidth**2)) @ (side * weight)
    return bandwidth, regularization, np.linalg.solve(_plus(G, regularization), h)


def _mean(side: Float, rows: Any) -> Float:
    """Weights whose product with the kernels is mean over A minus mean over B, in these rows."""
    signs = np.zeros(len(side))
    for value in (1.0, -1.0):
        mine = rows[side[rows] == value]
        signs[mine] = value / len(mine)
    return signs


def _plus(H: Float, ridge: float) -> Float:
    A = H.copy()
    A[np.diag_indices_from(A)] += ridge
    return A


def _same(ours: Any, other: Any) -> bool:
    scale = np.abs(ours[2]).max()
    return bool(
        np.isclose(ours[0], other[0])
        and np.isclose(ours[1], other[1])
        and np.abs(ours[2] - other[2]).max() <= SAME * scale
    )
