"""How many labels hang on the class balances that were given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ParameterError
from .calibration import calibrate
from .given import checked_priors, checked_scores
from .posterior import class_posterior
from .priors import Priors

__all__ = ["PriorSensitivity", "sensitivity_to_priors"]

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PriorSensitivity:
    """Share of labels that move as the class balances do.

    Attributes
    ----------
    theta_a, theta_b : ndarray of shape (steps,)
        The grid.
    moved : ndarray of shape (steps, steps)
        Share of all labels that differ from those at the given balances, a row for each theta_A and
        a column for each theta_B. NaN where theta_A <= theta_B.
    """

    theta_a: Float
    theta_b: Float
    moved: Float

    @property
    def worst(self) -> float:
        """Largest share over the grid."""
        return float(np.nanmax(self.moved))

    def __repr__(self) -> str:
        ranges = ", ".join(
            f"{name} {grid[0]:.2f} to {grid[-1]:.2f}"
            for name, grid in (("theta_A", self.theta_a), ("theta_B", self.theta_b))
        )
        return f"PriorSensitivity(at most {self.worst:.1%} of the labels move; {ranges})"


def sensitivity_to_priors(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    priors: Any,
    *,
    spread: float = 0.1,
    steps: int = 5,
) -> PriorSensitivity:
    """Label all samples with other class balances and count the labels that change.

    Parameters
    ----------
    scores_a, scores_b : array-like
        Scores of the samples of A and of B, each by a fit that has not seen it; large for A.
    priors : pair of float or Priors
        theta_A and theta_B. Estimates bring their own range: their intervals.
    spread : float
        How far the grid reaches on either side of balances given as numbers, within 0.01 to 0.99.
    steps : int
        Number of values for each of the two, at least 2.

    Returns
    -------
    PriorSensitivity
        The share of labels that move, over the grid.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.evidence import sensitivity_to_priors
    >>> rng = np.random.default_rng(0)
    >>> scores_a = np.r_[rng.normal(2, 1, 80), rng.normal(-2, 1, 20)]
    >>> scores_b = np.r_[rng.normal(2, 1, 20), rng.normal(-2, 1, 80)]
    >>> sensitivity_to_priors(scores_a, scores_b, (0.8, 0.2))
    PriorSensitivity(at most 7.5% of the labels move; theta_A 0.70 to 0.90, theta_B 0.10 to 0.30)
    """
    theta_a, theta_b = checked_priors(priors)
    a, b = checked_scores("scores_a", scores_a), checked_scores("scores_b", scores_b)
    if steps < 2:
        raise ParameterError(f"steps must be at least 2, got {steps}.")
    if isinstance(priors, Priors):
        ranges = [priors.interval_a, priors.interval_b]
    elif spread > 0:
        ranges = [(theta - spread, theta + spread) for theta in (theta_a, theta_b)]
    else:
        raise ParameterError(f"spread must be above 0, got {spread}.")
    grid_a, grid_b = (np.linspace(max(low, 0.01), min(high, 0.99), steps) for low, high in ranges)
    kind: Any = calibrate(a, b, (theta_a, theta_b)).kind

    def labels(pair: tuple[float, float]) -> NDArray[np.bool_]:
        curve = calibrate(a, b, pair, kind=kind)
        return np.concatenate(
            [
                class_posterior(curve.ratio(mine), pair, theta) > 0.5
                for mine, theta in zip((a, b), pair, strict=True)
            ]
        )

    given = labels((theta_a, theta_b))
    moved = np.full((steps, steps), np.nan)
    for i, other_a in enumerate(grid_a.tolist()):
        for j, other_b in enumerate(grid_b.tolist()):
            if other_a > other_b:
                moved[i, j] = (labels((other_a, other_b)) != given).mean()
    return PriorSensitivity(grid_a, grid_b, moved)
