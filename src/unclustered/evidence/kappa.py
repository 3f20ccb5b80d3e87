r"""How small the ratio of the two densities becomes at either end of the scores.

kappa_A = inf p_A / p_B and kappa_B = inf p_B / p_A decide what can be known of the class balances.
Both are properties of the ends of a ROC curve, that of telling A from B by the score, so only the
order of the scores matters.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import betainc, expit, logit

__all__ = ["best_bin_kappas", "curve_kappas"]

Float = NDArray[np.float64]
Kappas = tuple[float, float]

_BINS = 200  # of the ranks; more change no estimate by 0.002
# Logits of 2 s_0 and 2 (1 - s_1), and log of nu above its smallest value: from "A and B hardly
# differ" to "the ends are nearly pure", and from a straight line to a step.
_BOUNDS = np.array([(-8.0, 6.0), (-8.0, 6.0), (-5.0, 6.0)])


def curve_kappas(scores_a: Float, scores_b: Float) -> Kappas:
    r"""Fit a smooth curve of the membership over the ranks and read kappa off its two ends.

    Let t in [0, 1] be the rank of a score in the pooled samples, A and B weighed as halves, and
    s(t) the share of A among the samples of rank t. Whatever the score is, s rises from s_0 to s_1
    along some distribution function H of [0, 1], and as the ranks are uniform, its mean is 1/2:

    .. math:: s(t) = s_0 + (s_1 - s_0) H(t), \qquad
              \mathrm{mean}(H) = m = \frac{s_1 - 1/2}{s_1 - s_0}.

    H is the share of class +1 where the score's ends are pure. It is taken to be a Beta
    distribution of mean m, whose density vanishes at neither end faster than the data say nor
    rises there without bound: parameters m nu and (1 - m) nu, both at least 1. Maximum likelihood
    over s_0, s_1 and nu gives kappa_A = s_0 / (1 - s_0) and kappa_B = (1 - s_1) / s_1.

    Parameters
    ----------
    scores_a, scores_b : ndarray
        Held-out scores.

    Returns
    -------
    kappa_a, kappa_b : float
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.evidence.kappa import curve_kappas
    >>> scores_a = np.r_[np.linspace(0, 1, 20), np.linspace(2, 3, 80)]  # 20 % of one class
    >>> scores_b = np.r_[np.linspace(0, 1, 80), np.linspace(2, 3, 20)]  # 80 % of it
    >>> [round(kappa, 1) for kappa in curve_kappas(scores_a, scores_b)]
    [0.2, 0.2]
    """
    share_a, share_b = _over_ranks(scores_a, scores_b)

    def minus_log_likelihood(parameters: Float) -> float:
        s_0, s_1 = _ends(parameters)
        m = (s_1 - 0.5) / (s_1 - s_0)
        s = s_0 + (s_1 - s_0) * _distribution(m, np.exp(parameters[2]))
        return -float(share_a @ np.log(s) + share_b @ np.log1p(-s))

    start = _best_on_grid(share_a, share_b)
    fit = minimize(minus_log_likelihood, start, method="L-BFGS-B", bounds=_BOUNDS)
    s_0, s_1 = _ends(fit.x)
    return s_0 / (1.0 - s_0), (1.0 - s_1) / s_1


def best_bin_kappas(scores_a: Float, scores_b: Float) -> Kappas:
    r"""Take the ratio of the shares beyond the best threshold: best bin estimation.

    For each threshold c, the share of A at or below c over that of B is at least kappa_A. The
    threshold is the one with the smallest upper confidence bound of this ratio, and the estimate
    is the ratio there; for kappa_B, the same from the upper end.

    Parameters
    ----------
    scores_a, scores_b : ndarray
        Held-out scores.

    Returns
    -------
    kappa_a, kappa_b : float
        Between 0 and 1.

    References
    ----------
    S. Garg, Y. Wu, A. Smola, S. Balakrishnan and Z. Lipton, "Mixture proportion estimation and PU
    learning: a modern approach", NeurIPS 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.evidence.kappa import best_bin_kappas
    >>> scores_a = np.r_[np.linspace(0, 1, 20), np.linspace(2, 3, 80)]
    >>> scores_b = np.r_[np.linspace(0, 1, 80), np.linspace(2, 3, 20)]
    >>> [round(kappa, 2) for kappa in best_bin_kappas(scores_a, scores_b)]
    [0.24, 0.24]
    """
    return _best_bin(-scores_a, -scores_b), _best_bin(scores_b, scores_a)


def _best_bin(mixture: Float, component: Float) -> float:
    """Smallest ratio mixture / component in the upper tails of the scores."""
    thresholds = np.unique(component)
    beyond_m = 1.0 - np.searchsorted(np.sort(mixture), thresholds) / len(mixture)
    beyond_c = 1.0 - np.searchsorted(np.sort(component), thresholds) / len(component)
    # The two constants are those of the paper: confidence 0.9, and 1 % more weight on the noise.
    noise = 1.01 * sum(np.sqrt(np.log(4 / 0.1) / (2 * len(z))) for z in (mixture, component))
    best = np.argmin((beyond_m + noise) / beyond_c)
    return float(min(1.0, beyond_m[best] / beyond_c[best]))


def _ends(parameters: Float) -> tuple[float, float]:
    return 0.5 * float(expit(parameters[0])), 1.0 - 0.5 * float(expit(parameters[1]))


def _distribution(m: Any, excess: Any) -> Float:
    """H in the middle of each bin; ``excess`` is nu above the value where a parameter is 1."""
    nu = 1.0 / np.minimum(m, 1.0 - m) + excess
    return np.asarray(betainc(m * nu, (1.0 - m) * nu, (np.arange(_BINS) + 0.5) / _BINS))


@lru_cache(maxsize=1)
def _grid() -> tuple[Float, Float, Float]:
    """Values of m and of log excess, and H for each pair of them."""
    m, log_excess = (
        z.ravel() for z in np.meshgrid(np.linspace(0.05, 0.95, 31), np.linspace(-4.0, 5.5, 9))
    )
    return m, log_excess, _distribution(m[:, np.newaxis], np.exp(log_excess)[:, np.newaxis])


def _best_on_grid(share_a: Float, share_b: Float) -> Float:
    """Where to start: the likelihood has local maxima, but for a given H it is concave.

    Then s(t) = 1/2 + d (H(t) - (1 - m)) has one free number, d = s_1 - s_0; Newton's method finds
    it for every H of a grid at once.
    """
    m, log_excess, H = _grid()
    tilt = H - (1.0 - m)[:, np.newaxis]
    largest = 0.5 * (1.0 - 1e-4) / np.maximum(m, 1.0 - m)
    d = 0.5 * largest
    for _ in range(6):
        s = 0.5 + d[:, np.newaxis] * tilt
        slope = ((share_a / s - share_b / (1.0 - s)) * tilt).sum(axis=1)
        curvature = ((share_a / s**2 + share_b / (1.0 - s) ** 2) * tilt**2).sum(axis=1)
        d = np.clip(d + slope / curvature, 1e-3 * largest, largest)
    s = 0.5 + d[:, np.newaxis] * tilt
    best = int(np.argmax(np.log(s) @ share_a + np.log1p(-s) @ share_b))
    s_0 = 0.5 - d[best] * (1.0 - m[best])
    s_1 = s_0 + d[best]
    start = np.array([logit(2.0 * s_0), logit(2.0 * (1.0 - s_1)), log_excess[best]])
    return np.asarray(np.clip(start, *_BOUNDS.T))


def _over_ranks(scores_a: Float, scores_b: Float) -> tuple[Float, Float]:
    """Shares of A and of B, half each, in bins of their pooled rank; ties take their middle."""
    scores = np.concatenate([scores_a, scores_b])
    n_a, n_b = len(scores_a), len(scores_b)
    _, value = np.unique(scores, return_inverse=True)
    half_a = np.bincount(value[:n_a], minlength=value.max() + 1) / (2 * n_a)
    half_b = np.bincount(value[n_a:], minlength=value.max() + 1) / (2 * n_b)
    both = half_a + half_b
    ranks = np.cumsum(both) - both / 2
    bins = np.minimum((ranks * _BINS).astype(np.intp), _BINS - 1)
    binned_a: Float = np.bincount(bins, half_a, _BINS).astype(np.float64)
    return binned_a, np.bincount(bins, half_b, _BINS).astype(np.float64)
