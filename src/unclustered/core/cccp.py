"""The ramp objective of DSDD and the convex-concave procedure that descends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .box_qp import Certificate, certify
from .status import Status

__all__ = [
    "STARTS",
    "JoinedFolds",
    "RampSolution",
    "fold_models",
    "held_out_scores",
    "minimise_ramp",
    "ramp_objective",
]

Float = NDArray[np.float64]
Rows = NDArray[np.intp]

STARTS: dict[str, tuple[bool, ...]] = {
    "hinge": (True,),
    "paper": (False,),
    "best": (True, False),
}
"""For each way to start, the convex problems to start from: hinge (True) or J_vex (False)."""


@dataclass(frozen=True)
class RampSolution:
    """Where the convex-concave procedure came to rest."""

    beta: Float
    """Dual variables gamma / lambda: alpha = Phi'beta, and the scores are G beta."""
    scores: Float
    """g on the samples, computed anew from beta."""
    path: Float
    """J after each convex step; never rising."""
    certificate: Certificate
    """Of the last convex step, in the units of J."""
    n_iter: int
    """Iterations of the box QP solver, all steps together."""
    status: Status
    """How the box QP solver ended, the worst of all steps."""
    converged: bool
    """Whether the procedure came to rest within its limit of steps."""

    @property
    def objective(self) -> float:
        """J at the solution."""
        return float(self.path[-1])


def ramp_objective(
    scores: Float, side: Float, weight: Float, regularization: float, beta: Float
) -> float:
    r"""J(alpha) = mean_B R(g) - mean_A R(g) + lambda/2 \|alpha\|^2, R(z) = clip(z, -1, 1).

    Parameters
    ----------
    scores : ndarray of shape (n,)
        g on the samples, G beta.
    side : ndarray of shape (n,)
        +1 on A, -1 on B.
    weight : ndarray of shape (n,)
        Weights that sum to one within A and within B.
    regularization : float
        lambda.
    beta : ndarray of shape (n,)
        With alpha = Phi'beta, so that the squared norm is beta'G beta.
    """
    ramp = np.clip(scores, -1.0, 1.0)
    return float(0.5 * regularization * (beta @ scores) - (weight * side) @ ramp)


def minimise_ramp(
    G: Float,
    side: Float,
    weight: Float,
    regularization: float,
    *,
    starts: Sequence[bool] = STARTS["hinge"],
    tol: float = 1e-6,
    max_iter: int = 50,
) -> RampSolution:
    """Descend on the ramp objective from each start, and keep the lowest end.

    Parameters
    ----------
    G : ndarray of shape (n, n)
        Gram matrix Phi Phi' of the samples' features.
    side, weight : ndarray of shape (n,)
        +1 on A, -1 on B; weights that sum to one within each.
    regularization : float
        lambda, positive.
    starts : sequence of bool
        Convex problems to start from; see :data:`STARTS`.
    tol : float
        Tolerance of each convex step, in units of the score.
    max_iter : int
        Limit of convex steps.
    """
    from . import _jit

    best: RampSolution | None = None
    for hinge in starts:
        state, path, n_iter, status, converged = _jit.cccp(
            G, side, weight, float(regularization), hinge, float(tol), int(max_iter)
        )
        beta, scores = state[_jit.BETA], state[_jit.SCORE]
        box = certify(scores, side, state[_jit.LOWER], state[_jit.UPPER], beta)
        solution = RampSolution(
            beta=beta,
            scores=scores,
            path=path,
            # gamma = lambda beta, so values of the box QP scale with lambda.
            certificate=Certificate(
                regularization * box.objective, regularization * box.dual_gap, box.kkt_residual
            ),
            n_iter=int(n_iter),
            status=Status(status),
            converged=bool(converged),
        )
        if best is None or solution.objective < best.objective:
            best = solution
    if best is None:
        raise ValueError("minimise_ramp needs at least one start.")
    return best


class JoinedFolds(NamedTuple):
    """Folds as the compiled loop takes them: rows of all folds one behind the other."""

    train: Rows
    train_ends: Rows
    test: Rows
    test_ends: Rows

    @classmethod
    def of(cls, folds: Sequence[tuple[Rows, Rows]]) -> JoinedFolds:
        """Join train and test rows of each fold.

        Examples
        --------
        >>> import numpy as np
        >>> from unclustered.core.cccp import JoinedFolds
        >>> folds = [(np.array([0, 1]), np.array([2])), (np.array([2]), np.array([0, 1]))]
        >>> joined = JoinedFolds.of(folds)
        >>> joined.train, joined.train_ends
        (array([0, 1, 2]), array([0, 2, 3]))
        """
        joined: list[Rows] = []
        for parts in zip(*folds, strict=True):
            joined += [np.concatenate(parts), np.cumsum([0, *map(len, parts)])]
        return cls(*joined)


def held_out_scores(
    G: Float,
    side: Float,
    weight: Float,
    folds: JoinedFolds,
    regularizations: Float,
    *,
    starts: Sequence[bool] = STARTS["hinge"],
    tol: float = 1e-6,
    max_iter: int = 50,
) -> Float:
    """Minus the ramp objective on held-out samples, without its penalty; higher is better.

    Returns an array of shape (len(regularizations), len(folds)). The basis functions are those of
    G in every fold: only the samples that pull at the coefficients change.
    """
    from . import _jit

    order = np.argsort(-regularizations, kind="stable")
    found: Float = _jit.held_out(
        G,
        side,
        weight,
        *folds,
        np.ascontiguousarray(regularizations[order]),
        np.array(starts, dtype=np.bool_),
        float(tol),
        int(max_iter),
    )
    scores = np.empty_like(found)
    scores[order] = found
    return scores


def fold_models(
    G: Float,
    side: Float,
    weight: Float,
    folds: JoinedFolds,
    regularizations: Float,
    *,
    starts: Sequence[bool] = STARTS["hinge"],
    tol: float = 1e-6,
    max_iter: int = 50,
) -> Float:
    """Dual variables of the fit to each fold, for each regularization; the scores are G beta.

    Returns an array of shape (len(regularizations), len(folds), n), 0 where a fold leaves a sample
    out. The regularizations must come largest first.
    """
    from . import _jit

    models: Float = _jit.fold_models(
        G,
        side,
        weight,
        folds.train,
        folds.train_ends,
        np.ascontiguousarray(regularizations, dtype=np.float64),
        np.array(starts, dtype=np.bool_),
        float(tol),
        int(max_iter),
    )
    return models
