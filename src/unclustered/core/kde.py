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
from scipy.special import logsumexp

__all__ = ["BandwidthChoice", "Pairs", "choose_bandwidth", "log_density"]

Float = NDArray[np.float64]
_COARSEST_STEP = np.log(1.3)
_ZOOMS = 4


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


@dataclass(frozen=True)
class Pairs:
    """Every pair of samples: how far apart, and what it weighs in the two terms of J."""

    squared: Float
    in_square: Float
    left_out: Float
    own: float
    n_features: int

    @classmethod
    def of(cls, D: Float, weight: Float, n_features: int) -> Pairs:
        """Pairs of samples of which no two are equal.

        Parameters
        ----------
        D : ndarray of shape (n_samples, n_samples)
            Squared distances between the samples.
        weight : ndarray of shape (n_samples,)
            Weights that sum to one.
        n_features : int
            Number of features.
        """
        i, j = np.triu_indices(len(D), 1)
        both = weight[i] * weight[j]
        left_out = both / (1 - weight[i]) + both / (1 - weight[j])
        return cls(D[i, j], 2 * both, left_out, float(weight @ weight), n_features)

    def log_fit(self, bandwidth: float) -> float:
        """log(-J) at a bandwidth; minus infinity where J is not negative."""
        nearest = self.squared.min()  # factored out: the sums do not underflow
        half = np.exp((nearest - self.squared) * (0.25 / bandwidth**2))
        decay = -0.25 * nearest / bandwidth**2
        log_square = np.log(self.own + np.exp(decay) * (self.in_square @ half))
        log_square -= 0.5 * self.n_features * np.log(4 * np.pi * bandwidth**2)
        log_left_out = np.log(2 * (self.left_out @ (half * half))) + 2 * decay
        log_left_out -= 0.5 * self.n_features * np.log(2 * np.pi * bandwidth**2)
        if log_square >= log_left_out:
            return -np.inf
        return float(log_left_out + np.log1p(-np.exp(log_square - log_left_out)))


@dataclass(frozen=True)
class BandwidthChoice:
    """A bandwidth and how well it fits."""

    bandwidth: float
    log_fit: float
    """log(-J); J is negative at its minimum."""


def choose_bandwidth(D: Float, weight: Float, n_features: int) -> BandwidthChoice:
    """Bandwidth by least-squares cross-validation: a grid, refined around its best.

    The search starts at half the distance of typical nearest neighbours (per feature). J can have a
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
    pairs = Pairs.of(D, weight, n_features)
    to_nearest = np.sqrt((D + np.diag(np.full(len(D), np.inf))).min(axis=1))
    low = float(np.log(0.5 * np.median(to_nearest) / np.sqrt(n_features)))
    high = float(np.log(3.0 * np.sqrt(pairs.squared.mean() / n_features)))
    grid = np.linspace(low, high, 2 + int((high - low) / _COARSEST_STEP))
    for _ in range(1 + _ZOOMS):
        fits = [pairs.log_fit(bandwidth) for bandwidth in np.exp(grid)]
        best = int(np.argmax(fits))
        chosen = BandwidthChoice(float(np.exp(grid[best])), fits[best])
        grid = np.linspace(grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)], 7)
    return chosen
