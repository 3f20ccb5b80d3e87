r"""What the dataset of a fitted sample adds to what its place says.

A share v of the votes for +1 stands for the probability of the class at a place, up to how sharp
the votes are: :math:`\mathrm{logit}\,q = a\,\mathrm{logit}\,v`. With the class balances
:math:`(1 \pm \Delta)/2` in A and B, a sample at that place is of A with probability
:math:`1/2 + \Delta (q - 1/2)`, so the membership tells which sharpness and which difference
the data allow; few samples leave them where they are expected. Averaged over these, Bayes' rule
gives the class of a sample from its place and its dataset.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

__all__ = ["FittedScores", "fitted_scores"]

Float = NDArray[np.float64]
_DIFFERENCES = np.linspace(0.04, 0.96, 24)
_LOG_SHARPNESS = np.linspace(-1.5, 2.1, 15)
_SPREAD_OF_DIFFERENCE = 0.1
_LEAST_PRIOR = 0.05  # of any difference, where the expected one has 1
_SPREAD_OF_LOG_SHARPNESS = 0.5
_SUREST = 0.995


class FittedScores(NamedTuple):
    """Scores of samples whose dataset is known, and the balances they rest on."""

    scores: Float
    """Between -2 and 2; the sign is the label."""
    difference: float
    """Posterior mean of the difference of the class balances."""


def fitted_scores(
    votes: Float,
    side: Float,
    difference: float,
    pooled_share: float | None,
    held_out: NDArray[np.intp] | None = None,
) -> FittedScores:
    """Scores by Bayes' rule from held-out votes and the dataset of each sample.

    Parameters
    ----------
    votes : ndarray of shape (n_samples,)
        Mean of held-out votes, between -1 and 1.
    side : ndarray of shape (n_samples,)
        +1 on A, -1 on B.
    difference : float
        Expected difference of the two class balances; 0 leaves the dataset out.
    pooled_share : float or None
        Expected share of the class +1 in A and B together.
    held_out : ndarray of int, optional
        The samples whose votes are held-out ones, which alone say how sharp votes are; all of them
        by default.

    Examples
    --------
    Where the votes are unsure, the dataset decides:

    >>> import numpy as np
    >>> from unclustered.methods._portfolio.origin import fitted_scores
    >>> votes, side = np.array([0.9, -0.1, -0.9, 0.1]), np.array([1.0, 1, -1, -1])
    >>> found = fitted_scores(votes, side, 0.4, None)
    >>> np.sign(found.scores)
    array([ 1.,  1., -1., -1.])
    """
    if difference == 0.0:
        probability, expected = 0.5 + 0.5 * votes, 0.0
    else:
        probability, expected = _posterior(votes, side, difference, held_out)
    scores = 2.0 * probability - 1.0
    if pooled_share is not None:
        scores = scores - _threshold(scores, pooled_share)
    return FittedScores(scores, expected)


def _posterior(
    votes: Float, side: Float, difference: float, held_out: NDArray[np.intp] | None
) -> tuple[Float, float]:
    """Probability of the class +1 of each sample, and the mean difference of the balances."""
    logit = 2.0 * np.arctanh(np.clip(votes, -_SUREST, _SUREST))
    seen, seen_side = (logit, side) if held_out is None else (logit[held_out], side[held_out])
    logs = np.empty((len(_DIFFERENCES), len(_LOG_SHARPNESS)))
    prior = np.exp(-0.5 * ((_DIFFERENCES - difference) / _SPREAD_OF_DIFFERENCE) ** 2)
    logs[:] = np.log(prior + _LEAST_PRIOR)[:, None]
    logs -= 0.5 * (_LOG_SHARPNESS / _SPREAD_OF_LOG_SHARPNESS) ** 2
    for k, log_sharpness in enumerate(_LOG_SHARPNESS):
        toward = seen_side * (expit(np.exp(log_sharpness) * seen) - 0.5)
        for j, delta in enumerate(_DIFFERENCES):
            logs[j, k] += np.log1p(2.0 * delta * toward).sum()
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    probability = np.zeros(len(votes))
    for k, log_sharpness in enumerate(_LOG_SHARPNESS):
        sharpened = np.exp(log_sharpness) * logit
        for j, delta in enumerate(_DIFFERENCES):
            if weights[j, k] > 1e-6:
                probability += weights[j, k] * expit(sharpened + 2.0 * np.arctanh(delta) * side)
    return probability, float(weights.sum(axis=1) @ _DIFFERENCES)


def _threshold(scores: Float, pooled_share: float) -> float:
    """Threshold that brings the share above it nearer to the expected one.

    Its price are the sizes of the scores that it goes past: samples that are nearly at zero change
    sides, sure ones do not.
    """
    n = len(scores)
    ordered = np.sort(scores)
    middles = 0.5 * (ordered[1:] + ordered[:-1])
    # From zero outwards, so that of two equally good ones the smaller is taken.
    thresholds = np.r_[0.0, middles[np.argsort(np.abs(middles), kind="stable")]]
    below = np.searchsorted(ordered, thresholds, side="right")
    sums = np.r_[0.0, np.cumsum(ordered)]
    price = np.abs(sums[below] - sums[np.searchsorted(ordered, 0.0, side="right")]) / n
    cost = price + ((n - below) / n - pooled_share) ** 2
    return float(thresholds[np.argmin(cost)])
