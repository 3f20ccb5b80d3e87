"""Slow, independent solutions that the library's own are judged by."""

from __future__ import annotations

import warnings

import numpy as np
import qpsolvers

# Each solver at (nearly) the accuracy it can reach; the best of the answers counts.
_SETTINGS = {
    "cvxopt": {"abstol": 1e-12, "reltol": 1e-12, "feastol": 1e-12, "maxiters": 200},
    "clarabel": {"tol_gap_abs": 1e-13, "tol_gap_rel": 1e-13, "tol_feas": 1e-13},
    "piqp": {"eps_abs": 1e-12, "eps_rel": 1e-13},
    "osqp": {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 20_000},
}


def objective(Q, t, x):
    return 0.5 * x @ Q @ x - t @ x


def by_solver(name, Q, t, lower, upper):
    """Solution of the box QP by one of the qpsolvers back ends, put into the box."""
    import scipy.sparse as sp

    P = sp.csc_matrix(Q) if name in ("clarabel", "osqp") else Q
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = qpsolvers.solve_qp(P, -t, lb=lower, ub=upper, solver=name, **_SETTINGS[name])
    return None if x is None else np.clip(x, lower, upper)


def by_projected_gradient(Q, t, lower, upper, steps=3000):
    """The same by projected gradient with Nesterov's momentum, restarted where it climbs."""
    length = 1.0 / np.linalg.norm(Q, 2)
    x = y = np.clip(np.zeros(len(t)), lower, upper)
    momentum = 1.0
    for _ in range(steps):
        new = np.clip(y - length * (Q @ y - t), lower, upper)
        if (y - new) @ (new - x) > 0:
            momentum, y = 1.0, x
            continue
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        y = new + (momentum - 1.0) / following * (new - x)
        x, momentum = new, following
    return x


def best(Q, t, lower, upper):
    """The lowest objective that any of the solvers reaches inside the box, and where."""
    answers = [by_solver(name, Q, t, lower, upper) for name in _SETTINGS]
    answers.append(by_projected_gradient(Q, t, lower, upper))
    x = min((a for a in answers if a is not None), key=lambda a: objective(Q, t, a))
    return objective(Q, t, x), x
