r"""The ramp objective of DSDD in few dimensions: CCCP whose convex steps are Newton steps.

In the primal a convex step of CCCP minimises

.. math:: P(u) = \sum_i w_i \ell_i(m_i) + \tfrac\lambda2 |u|^2, \quad m_i = t_i\,g(x_i), \quad
          \ell_i(m) = \max(0, 1-m) \text{ or } \max(0, m-1),

the latter where :math:`m_i < -1` at the point at which the concave part was made linear. The hinges
are rounded off within :math:`\delta` of their kink. Then a pass over the data gives, at several
points at once, the objective, its gradient, and at one of them a Hessian. To that only samples
contribute whose margin is close to the kink: within :math:`\delta`, where the hinge is a parabola,
with :math:`1/2\delta`, and further out, as far as steps turn out to reach, with the curvature
:math:`1/2|1-m|` of the parabola that lies above the hinge and touches it there.

The linear part is renewed in every pass, so P touches J at the current point: a Newton step on P
descends on J, and there is no inner loop. A multiplier :math:`\gamma_i = -w_i t_i \ell_i'(m_i)` of
each sample is feasible for the dual of the convex step, whose value is a lower bound:

.. math:: \min P \ge \sum_i t_i \gamma_i - \tfrac1{2\lambda} \Big|\sum_i \gamma_i \phi(x_i)\Big|^2.

It is made of the sums that the step needs anyway. So every pass ends with a certificate: by how
much, at most, the next convex step of CCCP could still fall. Where that is within the tolerance,
CCCP is at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..engines import Engine, Rows, Source
from .cccp import STARTS
from .low_rank import Space
from .status import Status

__all__ = ["LowRankSolution", "RampPass", "minimise_ramp_low_rank"]

Float = NDArray[np.float64]
Anchor = Literal["hinge", "paper", "here"]

_STEPS = np.array([4.0, 2.0, 1.0, 0.6, 0.3, 0.1, 0.03, 0.0])  # of a Newton step, all in one pass
_WIDEST, _NARROWEST, _NARROWER = 2.0, 0.01, 0.35  # delta: from, to, by this factor
_WARM = 0.2  # delta where the start is close
_HINGE_TOL = 1e-2  # the convex problem at the start need not be solved more exactly
_PATIENCE = 6  # passes without any progress
_SMALL = 0.05  # objectives below are not worth the digits: the tolerance is absolute there


@dataclass(frozen=True, eq=False)
class RampPass:
    """What a step needs of every sample, at several points.

    Attributes
    ----------
    coef : ndarray of shape (n_outputs, n_points)
        The points. The Hessian is taken at the first.
    delta : float
        Half the width within which hinges are round.
    anchor : {"hinge", "paper", "here"}
        Where the concave part is made linear: nowhere below -1, as in a support vector machine;
        so that A has no hinge, the paper's start; or at each point itself.
    reach : float
        Samples within this many deltas of the kink have curvature.
    """

    coef: Float
    delta: float
    anchor: Anchor = "here"
    reach: float = 1.0

    def rows(self, scores: Any, side: Any, weight: Any) -> Rows:
        """Objective, rounded objective, bound, dual term; multipliers; curvature."""
        w, delta = weight[:, None], self.delta
        m = side[:, None] * scores
        z = 1.0 - m
        hinge = z.clip(0.0, None)
        # Slope and value of the rounded hinge: a parabola from -delta to delta.
        slope = (z + delta).clip(0.0, 2.0 * delta) / (2.0 * delta)
        rounded = delta * slope * slope + (z - delta).clip(0.0, None)
        beyond = (z - 2.0).clip(0.0, None)  # what the ramp leaves out, where m < -1
        if self.anchor == "here":
            given_up = 1.0 * (m < -1.0)
        elif self.anchor == "paper":
            given_up = (0.5 + 0.5 * side)[:, None] + 0.0 * m
        else:
            given_up = 0.0 * m
        # max(0, m - 1) = max(0, 1 - m) - (1 - m), rounded or not.
        multiplier = w * (slope - given_up)
        bound = w * (hinge - given_up * z)
        smooth = w * (rounded - (beyond if self.anchor == "here" else given_up * z))
        distance = abs(z[:, 0])
        return Rows(
            (w * (hinge - beyond), smooth, bound, multiplier),
            side[:, None] * multiplier,
            weight * (distance < self.reach * delta) / (2.0 * distance.clip(delta, None)),
        )


@dataclass(frozen=True, eq=False)
class LowRankSolution:
    """Where the descent ended, and its certificate."""

    u: Float
    """Coordinates of the scores."""
    objective: float
    """J."""
    lower_bound: float
    """No convex step of CCCP from here can fall below."""
    path: Float
    """The rounded objective after each pass, never rising; the objective itself comes last."""
    n_iter: int
    """Passes over the data."""
    status: Status

    @property
    def gap(self) -> float:
        """By how much the next convex step could still fall, at most."""
        return self.objective - self.lower_bound


def minimise_ramp_low_rank(
    engine: Engine,
    source: Source,
    space: Space,
    regularization: float,
    *,
    starts: Sequence[bool] = STARTS["hinge"],
    u: Float | None = None,
    tol: float = 1e-3,
    max_iter: int = 50,
) -> LowRankSolution:
    """Descend on the ramp objective from each start, and keep the lowest end.

    Parameters
    ----------
    engine : Engine
        Where the passes run.
    source : Source
        The samples; weights sum to one within A and within B.
    space : Space
        The space of the scores.
    regularization : float
        lambda, positive.
    starts : sequence of bool
        Convex problems to start from; see :data:`unclustered.core.cccp.STARTS`.
    u : ndarray of shape (n_dims,), optional
        A point close to the solution to start from instead.
    tol : float
        Where the lower bound is closer than this share of the objective, the descent ends.
    max_iter : int
        Limit of passes over the data from each start.
    """
    descent = _Descent(engine, source, space, regularization)
    if u is not None:
        return descent.run(u, "here", _WARM, tol, max_iter)
    best: LowRankSolution | None = None
    for hinge in starts:
        anchor: Anchor = "hinge" if hinge else "paper"
        convex = descent.run(np.zeros(space.n_dims), anchor, _WIDEST, _HINGE_TOL, max_iter)
        found = descent.run(convex.u, "here", _WARM, tol, max_iter)
        if best is None or found.objective < best.objective:
            best = found
    if best is None:
        raise ValueError("minimise_ramp_low_rank needs at least one start.")
    return best


@dataclass(frozen=True, eq=False)
class _Descent:
    engine: Engine
    source: Source
    space: Space
    regularization: float

    def run(
        self, u: Float, anchor: Anchor, delta: float, tol: float, max_iter: int
    ) -> LowRankSolution:
        """Newton steps until the lower bound is close."""
        lam, lift = self.regularization, self.space.lift
        direction, first, reach, path, stalled = None, 2, 1.0, [], 0
        status = Status.ITERATION_LIMIT
        for _ in range(max_iter):
            # The Hessian is taken at the point that is likely to be chosen.
            steps = np.zeros(1) if direction is None else np.roll(_STEPS, -first)
            points = u[:, None] + (0.0 if direction is None else np.outer(direction, steps))
            sums = self.engine.add_up(
                self.source, self.space.features, RampPass(lift @ points, delta, anchor, reach)
            )
            penalty = 0.5 * lam * (points * points).sum(axis=0)
            # R(m) = 1 - min(hinge, 2), and the weights of A and of B sum to one each.
            ramp, rounded, bound, dual = sums.values
            pulls = lift.T @ sums.pulls
            best = int(np.argmin(rounded + penalty))
            u = points[:, best]
            objective = float(ramp[best] + penalty[best]) - 2.0
            path.append(float(rounded[best] + penalty[best]) - 2.0)
            gradient = lam * u - pulls[:, best]
            # Primal minus dual value: what the rounding costs, and what is left of the gradient.
            rounding = float(bound[best] - dual[best] + u @ pulls[:, best])
            gap = rounding + float(gradient @ gradient) / (2.0 * lam)
            enough = tol * max(abs(objective), _SMALL)
            if gap <= enough:
                status = Status.CONVERGED
                break
            stalled = stalled + 1 if steps[best] == 0.0 else 0
            if stalled == _PATIENCE:
                status = Status.STALLED
                break
            if direction is not None:
                if steps[best] < 0.3:
                    reach *= 3.0
                elif steps[best] >= 0.6:
                    reach = max(1.0, reach / 3.0)
            first = int(np.searchsorted(-_STEPS, -steps[best]))
            assert sums.gram is not None
            direction = self.engine.newton_direction(lift, sums.gram, lam, gradient)
            decrement = -0.5 * float(gradient @ direction)
            if rounding > 0.5 * enough and decrement < max(0.1 * rounding, 0.3 * enough):
                delta = max(delta * _NARROWER, _NARROWEST)
                reach /= _NARROWER
        return LowRankSolution(
            u, objective, objective - gap, np.array([*path, objective]), len(path), status
        )
