"""Every QP solver that qpsolvers finds here, told to stop at the same tolerance as ours.

The tolerance is each solver's own: its primal and dual residuals at most 1e-6, and a duality gap of
1e-6 relative to the objective. That is the rivals' most favourable reading: interior points keep
away from the bounds, so by the strict measure of ours (no gradient that the box does not excuse)
their answers are worse. Both are recorded.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import qpsolvers
import scipy.sparse as sp

from unclustered.core.box_qp import certify

from .problems import ConvexStep, Float

TOL = 1e-6
SLACK = 2.0  # solvers measure their residuals on scaled data: allow for that
SNAP = 1e-9  # of the width of the box: closer to a bound is on it

_OPTIONS: dict[str, dict[str, Any]] = {
    "clarabel": {"tol_feas": TOL, "tol_gap_abs": TOL, "tol_gap_rel": TOL},
    "cvxopt": {"feastol": TOL, "abstol": TOL, "reltol": TOL},
    "daqp": {},  # active sets: exact, or not at all
    "highs": {},
    "osqp": {"eps_abs": TOL, "eps_rel": 0.0, "max_iter": 100_000},
    "piqp": {
        "eps_abs": TOL,
        "eps_rel": 0.0,
        "eps_duality_gap_abs": TOL,
        "eps_duality_gap_rel": TOL,
    },
    "proxqp": {"eps_abs": TOL, "eps_rel": 0.0},
    "qpalm": {"eps_abs": TOL, "eps_rel": 0.0},
    "quadprog": {},
    "scs": {"eps_abs": TOL, "eps_rel": 0.0},
}
_SPARSE = {"clarabel", "highs", "osqp", "qpalm", "scs"}


@dataclass(frozen=True)
class Answer:
    """How good a rival's answer is."""

    primal_residual: float
    dual_residual: float
    relative_gap: float
    kkt_residual: float
    """By the measure that ours stops on, the answer snapped to the bounds."""
    objective: float

    @property
    def good(self) -> bool:
        own = max(self.primal_residual, self.dual_residual, self.relative_gap)
        return bool(own <= SLACK * TOL)

    def facts(self) -> dict[str, Any]:
        return {**asdict(self), "good": self.good}


def names() -> list[str]:
    """Solvers that are installed and that have options above."""
    return [name for name in qpsolvers.available_solvers if name in _OPTIONS]


def versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in [*names(), "qpsolvers"]:
        package = {"highs": "highspy", "proxqp": "proxsuite"}.get(name, name)
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


@contextmanager
def quietly() -> Iterator[None]:
    """Without the warnings of solvers about their input; not thread-safe, so outside the clock."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class BackEnd:
    """One solver behind qpsolvers."""

    def __init__(self, name: str) -> None:
        self.name = name

    def prepare(self, G: Float) -> Any:
        """The matrix in the form this solver wants; once a matrix, outside the clock."""
        return sp.csc_matrix(G) if self.name in _SPARSE else G

    def solve(self, G: Any, t: Float, lower: Float, upper: Float) -> qpsolvers.Solution:
        problem = qpsolvers.Problem(G, -t, lb=lower, ub=upper)
        return qpsolvers.solve_problem(problem, solver=self.name, **_OPTIONS[self.name])

    def attempt(self, G: Any, t: Float, lower: Float, upper: Float) -> qpsolvers.Solution | None:
        """Solve, or None where the solver gives up."""
        try:
            return self.solve(G, t, lower, upper)
        except Exception:  # whatever it is that a rival raises
            return None


def judge(solution: qpsolvers.Solution | None, step: ConvexStep) -> Answer | None:
    """How good an answer is; None where there is none."""
    if solution is None or not solution.found or solution.x is None:
        return None
    x = np.clip(np.ravel(solution.x), step.lower, step.upper)
    width = step.upper - step.lower
    x = np.where(x - step.lower <= SNAP * width, step.lower, x)
    x = np.where(step.upper - x <= SNAP * width, step.upper, x)
    certificate = certify(step.G @ x, step.t, step.lower, step.upper, x)
    gap = abs(solution.duality_gap()) / (1.0 + abs(certificate.objective))
    return Answer(
        primal_residual=float(solution.primal_residual()),
        dual_residual=float(solution.dual_residual()),
        relative_gap=float(gap),
        kkt_residual=certificate.kkt_residual,
        objective=certificate.objective,
    )
