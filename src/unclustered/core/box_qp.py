"""The convex step of DSDD: a quadratic programme whose only constraints are a box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .status import Status

__all__ = ["BoxQPSolution", "Certificate", "certify", "solve_box_qp"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Certificate:
    """How far a point is from optimal, computed from the problem itself."""

    objective: float
    """Value of the objective at the point."""
    dual_gap: float
    """Upper bound on how far that value is above the minimum."""
    kkt_residual: float
    """Largest gradient that the box does not excuse, in units of the score."""


@dataclass(frozen=True)
class BoxQPSolution:
    """Solution of a box QP and its certificate."""

    x: Float
    certificate: Certificate
    n_iter: int
    status: Status


def certify(scores: Float, t: Float, lower: Float, upper: Float, x: Float) -> Certificate:
    r"""Certificate of a point of the box, for min 1/2 x'Qx - t'x over lower <= x <= upper.

    ``scores`` is Qx, computed anew. With the gradient r = Qx - t, convexity gives f(x) - f* <= the
    largest r'(x - y) over the box = sum r^+ (x - lower) + r^- (upper - x). The residual is the
    largest r^+ above the lower and r^- below the upper bound.
    """
    from . import _jit

    return Certificate(*_jit.certificate(scores, t, lower, upper, x))


def solve_box_qp(
    Q: Float,
    t: Float,
    lower: Float,
    upper: Float,
    *,
    tol: float = 1e-6,
    max_iter: int | None = None,
) -> BoxQPSolution:
    """Minimise 1/2 x'Qx - t'x over lower <= x <= upper, exactly.

    An active-set method: the free variables are solved for with a Cholesky factor that is updated
    as they come and go, and the worst violators of the optimality conditions come in a few at a
    time. It stops on optimality: no gradient larger than ``tol`` that the box does not excuse.

    Parameters
    ----------
    Q : ndarray of shape (n, n)
        Symmetric positive semidefinite, with a positive diagonal.
    t, lower, upper : ndarray of shape (n,)
        Linear term and box.
    tol : float
        Largest gradient left.
    max_iter : int, optional
        Limit of iterations; generous by default.

    Returns
    -------
    BoxQPSolution

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.box_qp import solve_box_qp
    >>> solution = solve_box_qp(np.eye(2), np.array([0.5, 3.0]), np.zeros(2), np.ones(2))
    >>> solution.x
    array([0.5, 1. ])
    >>> solution.certificate.dual_gap
    0.0
    """
    from . import _jit

    Q, t, lower, upper = (
        np.array(a, dtype=np.float64, order="C", ndmin=1) if not _plain(a) else a
        for a in (Q, t, lower, upper)
    )
    limit = 100 + 50 * len(t) if max_iter is None else int(max_iter)
    state, n_iter, status = _jit.solve(Q, t, lower, upper, float(tol), limit)
    x = state[_jit.BETA]
    return BoxQPSolution(
        x, certify(state[_jit.SCORE], t, lower, upper, x), int(n_iter), Status(status)
    )


def _plain(a: Float) -> bool:
    """Whether the compiled loop takes the array as it is."""
    return a.dtype == np.float64 and a.flags.c_contiguous and a.flags.writeable and a.flags.aligned
