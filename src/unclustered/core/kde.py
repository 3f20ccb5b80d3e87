r"""Gaussian kernel density estimates, in logarithms, and the bandwidth by least squares.

With weights w_i that sum to one, the estimate is
:math:`p(x) = \sum_i w_i\,(2\pi\sigma^2)^{-d/2}\exp(-\|x-x_i\|^2/2\sigma^2)`. Least-squares
cross-validation estimates :math:`\int (p - p_{\text{true}})^2` up to a constant by

.. math:: J(\sigma) = \sum_{ij} w_i w_j (4\pi\sigma^2)^{-d/2} e^{-\|x_i-x_j\|^2/4\sigma^2}
          - 2 \sum_i w_i \sum_{j \ne i} \tfrac{w_j}{1-w_i}
          (2\pi\sigma^2)^{-d/2} e^{-\|x_i-x_j\|^2/2\sigma^2}.

The second term leaves out each sample in turn. Equal samples are left out together: a copy of the
sample would otherwise praise every bandwidth the more, the smaller it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

__all__ = ["BandwidthChoice", "choose_bandwidth", "log_density", "log_fit"]

Float = NDArray[np.float64]
_GRID_STEP = 1.15
_GRID_LARGEST = 80


@dataclass(frozen=True)
class BandwidthChoice:
    """A bandwidth and how well it fits."""

    bandwidth: float
    log_fit: float
    """log(-J), the largest found: J is negative at its minimum."""
    at_floor: bool
    """Whether the search ended at the smallest bandwidth it would consider."""


def log_density(D: Float, weight: Float, bandwidth: float, n_features: int) -> Float:
    """Log density at samples, from their squared distances D to the fitted ones.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.kde import log_density
    >>> log_density(np.zeros((1, 1)), np.ones(1), 1.0, 1000).round(3)
    array([-918.939])
    """
    exponent = D * (-0.5 / bandwidth**2)
    return np.asarray(
        logsumexp(exponent, axis=1, b=weight) - 0.5 * n_features * np.log(2 * np.pi * bandwidth**2)
    )


def log_fit(pairs: Float, i: Float, j: Float, bandwidth: float, n_features: int) -> float:
    """log(-J) of a bandwidth, or minus infinity where J is not negative.

    Parameters
    ----------
    pairs : ndarray of shape (n_pairs,)
        Squared distance of every pair of distinct samples.
    i, j : ndarray of shape (n_pairs,)
        Weights of its two samples.
    bandwidth : float
        The bandwidth.
    n_features : int
        Number of features.
    """
    both = i * j
    return _log_fit(
        pairs, both, both / (1 - i) + both / (1 - j), 1 - 2 * both.sum(), bandwidth, n_features
    )


def _log_fit(
    pairs: Float, both: Float, left_out: Float, own: float, bandwidth: float, n_features: int
) -> float:
    nearest = pairs.min()  # factored out, so that the smallest bandwidths do not underflow
    half = np.exp((nearest - pairs) * (0.25 / bandwidth**2))
    log_square = np.log(own + 2 * np.exp(-0.25 * nearest / bandwidth**2) * (both @ half))
    log_left_out = np.log(left_out @ (half * half)) - 0.5 * nearest / bandwidth**2
    log_square -= 0.5 * n_features * np.log(4 * np.pi * bandwidth**2)
    log_left_out += np.log(2) - 0.5 * n_features * np.log(2 * np.pi * bandwidth**2)
    if log_square >= log_left_out:
        return -np.inf
    return float(log_left_out + np.log1p(-np.exp(log_square - log_left_out)))


def choose_bandwidth(D: Float, weight: Float, n_features: int) -> BandwidthChoice:
    """Bandwidth by least-squares cross-validation: a grid, then Brent's method around its best.

    The search starts at half the distance of typical nearest neighbours (per feature). J has a
    second, useless minimum below, at a width where only the few closest pairs still see each other:
    in many dimensions one pair of near-copies is enough.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_samples)
        Squared distances between the samples, of which no two are equal.
    weight : ndarray of shape (n_samples,)
        Weights that sum to one.
    n_features : int
        Number of features.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.kde import choose_bandwidth
    >>> x = np.random.default_rng(0).normal(size=500)
    >>> choice = choose_bandwidth((x[:, None] - x) ** 2, np.full(500, 0.002), 1)
    >>> round(choice.bandwidth, 1)  # the best for a normal density is about 1.06 n^(-1/5) = 0.31
    0.3
    """
    rows, columns = np.triu_indices(len(D), 1)
    pairs = D[rows, columns]
    both = weight[rows] * weight[columns]
    left_out = both / (1 - weight[rows]) + both / (1 - weight[columns])
    own = float(weight @ weight)

    def cost(log_bandwidth: float) -> float:
        return -_log_fit(pairs, both, left_out, own, float(np.exp(log_bandwidth)), n_features)

    to_nearest = np.sqrt((D + np.diag(np.full(len(D), np.inf))).min(axis=1))
    lowest = 0.5 * float(np.median(to_nearest)) / np.sqrt(n_features)
    highest = 3.0 * float(np.sqrt(pairs.mean() / n_features))
    steps = int(np.ceil(np.log(highest / lowest) / np.log(_GRID_STEP)))
    grid = np.linspace(np.log(lowest), np.log(highest), min(max(steps, 3), _GRID_LARGEST))
    costs = [cost(g) for g in grid]
    best = int(np.argmin(costs))
    around = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    refined = minimize_scalar(cost, bounds=around, method="bounded", options={"xatol": 1e-5})
    log_bandwidth, value = min((costs[best], grid[best]), (refined.fun, refined.x))[::-1]
    return BandwidthChoice(float(np.exp(log_bandwidth)), -float(value), best == 0)
