"""From a score to the probability that the sample is from A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ..errors import ParameterError
from .given import checked_priors, checked_scores

__all__ = ["Calibration", "calibrate"]

Float = NDArray[np.float64]
Curve = tuple[Float, Float]
"""Scores in rising order, and the membership at each."""

_FOLDS = 5
# Slopes of the logistic curve for scores of deviation 1: from none to nearly a step.
_SLOPES = np.concatenate([[0.0], np.geomspace(0.1, 12.0, 14)])
# Share of class +1 in the pooled samples, more or less than the balances say. The samples at hand
# deviate from them by chance, and the balances themselves are rarely exact.
_DEVIATIONS = np.linspace(-0.15, 0.15, 21)
_KNOTS = 300  # of the logistic curve; between them it is as good as straight


@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """A curve from the score to the membership: how likely the sample is from A rather than B.

    A and B are weighed alike, however many samples each has. Between the scores that the curve was
    fitted to it is linear, beyond them constant.

    Attributes
    ----------
    kind : {"logistic", "isotonic", "flat"}
        The family of the curve; "flat" says that scores tell nothing.
    scores, memberships : ndarray
        Points of the curve.
    log_loss : float
        Mean of -log of the probability given to the true membership, on samples held out; log 2 is
        knowing nothing.
    """

    kind: str
    scores: Float
    memberships: Float
    log_loss: float

    def membership(self, scores: ArrayLike) -> Float:
        """Probability that a sample is from A, were A and B equally likely.

        Parameters
        ----------
        scores : array-like
            Scores, of samples that the model was not fitted on.
        """
        return np.interp(np.asarray(scores, dtype=np.float64), self.scores, self.memberships)

    def ratio(self, scores: ArrayLike) -> Float:
        """Estimate of p_A / p_B where the samples are.

        Parameters
        ----------
        scores : array-like
            Scores, of samples that the model was not fitted on.
        """
        membership = self.membership(scores)
        return np.asarray(membership / (1.0 - membership))

    def __repr__(self) -> str:
        return f"Calibration({self.kind}; held-out log loss {self.log_loss:.3f}, by chance 0.693)"


def calibrate(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    priors: Any,
    *,
    kind: Literal["best", "logistic", "isotonic"] = "best",
) -> Calibration:
    r"""Turn held-out scores into probabilities of the membership.

    The balances bound how well anything can tell A from B: the membership s lies between
    :math:`s_0 = (1 - \theta_A) / (2 - \theta_A - \theta_B)`, where all samples are of class -1, and
    :math:`s_1 = \theta_A / (\theta_A + \theta_B)`. Two families of rising curves keep within:

    - *isotonic*: the rising curve of least squared error that does;
    - *logistic*: :math:`s = s_0 + (s_1 - s_0)\,\sigma(\beta g + \gamma)`, where :math:`\sigma` is
      the probability of class +1 in the pooled samples. Its mean is about
      :math:`(\theta_A + \theta_B) / 2`, which leaves little choice of :math:`\gamma`. The slope
      :math:`\beta` is not estimated: the curves of a row of slopes, none among them, and of a few
      :math:`\gamma` each, are averaged with weights in proportion to their likelihood. Few samples
      leave many slopes possible, and the mean is then near 1/2.

    Parameters
    ----------
    scores_a, scores_b : array-like
        Scores of the samples of A and of B, each by a fit that has not seen it; large for A.
    priors : pair of float or Priors
        theta_A and theta_B.
    kind : {"best", "logistic", "isotonic"}
        "best" compares their log loss on held-out samples in five folds (of a seed of their own, so
        that the answer is always the same) and takes the logistic curve unless the isotonic one is
        better by more than two standard errors of the difference.

    Returns
    -------
    Calibration
        The curve.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.evidence import calibrate
    >>> rng = np.random.default_rng(0)
    >>> scores_a = np.r_[rng.normal(1, 1, 80), rng.normal(-1, 1, 20)]
    >>> scores_b = np.r_[rng.normal(1, 1, 20), rng.normal(-1, 1, 80)]
    >>> curve = calibrate(scores_a, scores_b, (0.8, 0.2))
    >>> curve.membership([-9, 0, 9]).round(2)  # the balances bound it by 0.2 and 0.8
    array([0.2 , 0.47, 0.8 ])
    """
    families = {"logistic": _logistic, "isotonic": _isotonic}
    if kind != "best" and kind not in families:
        raise ParameterError(f"kind must be best, logistic or isotonic, got {kind!r}.")
    theta_a, theta_b = checked_priors(priors)
    a = np.sort(checked_scores("scores_a", scores_a))
    b = np.sort(checked_scores("scores_b", scores_b))
    tried = families if kind == "best" else {kind: families[kind]}
    losses = {name: _held_out_losses(fit, a, b, theta_a, theta_b) for name, fit in tried.items()}
    best = kind
    if kind == "best":
        gain = losses["logistic"] - losses["isotonic"]
        error = gain.std() * np.sqrt(len(gain))
        best = "isotonic" if gain.sum() > 2.0 * error else "logistic"
    return Calibration(best, *families[best](a, b, theta_a, theta_b), float(losses[best].sum()))


def _bounds(theta_a: float, theta_b: float) -> tuple[float, float]:
    return (1.0 - theta_a) / (2.0 - theta_a - theta_b), theta_a / (theta_a + theta_b)


def _logistic(a: Float, b: Float, theta_a: float, theta_b: float) -> Curve:
    low, high = _bounds(theta_a, theta_b)
    scores, counts_a, counts_b = _thinned(*_counted(a, b))
    weight = (counts_a / len(a) + counts_b / len(b)) / 2
    centred = scores - weight @ scores
    unit = np.sqrt(weight @ centred**2) or 1.0
    slopes, deviations = (part.ravel() for part in np.meshgrid(_SLOPES, _DEVIATIONS))
    shares = np.clip((theta_a + theta_b) / 2 + deviations, 0.01, 0.99)
    z = slopes[:, np.newaxis] * (centred / unit)
    memberships = low + (high - low) * expit(z + _offsets(z, weight, shares)[:, np.newaxis])
    from_a, from_b = len(a) * memberships, len(b) * (1.0 - memberships)
    log_likelihood = np.log(from_a) @ counts_a + np.log(from_b) @ counts_b
    log_likelihood -= np.log(from_a + from_b) @ (counts_a + counts_b)
    likelihood = np.exp(log_likelihood - log_likelihood.max())
    return scores, np.asarray(likelihood @ memberships / likelihood.sum())


def _offsets(z: Float, weight: Float, means: Float) -> Float:
    """Numbers to add to each row of z so that the weighted means of sigma are as given."""
    reach = np.abs(z).max(axis=1) + 10.0
    low, high = -reach, reach
    for _ in range(16):
        middle = (low + high) / 2
        too_small = expit(z + middle[:, np.newaxis]) @ weight < means
        low, high = np.where(too_small, middle, low), np.where(too_small, high, middle)
    return np.asarray((low + high) / 2)


def _isotonic(a: Float, b: Float, theta_a: float, theta_b: float) -> Curve:
    from sklearn.isotonic import IsotonicRegression

    low, high = _bounds(theta_a, theta_b)
    scores, counts_a, counts_b = _counted(a, b)
    share_a, share_b = counts_a / len(a), counts_b / len(b)
    weight = share_a + share_b
    model = IsotonicRegression(y_min=low, y_max=high)
    return scores, model.fit_transform(scores, share_a / weight, sample_weight=weight)


def _counted(a: Float, b: Float) -> tuple[Float, Float, Float]:
    """Sort the different scores, and count the samples of A and of B that have each."""
    scores, value = np.unique(np.concatenate([a, b]), return_inverse=True)
    counts_a = np.bincount(value[: len(a)], minlength=len(scores)).astype(np.float64)
    counts_b = np.bincount(value[len(a) :], minlength=len(scores)).astype(np.float64)
    return scores, counts_a, counts_b


def _thinned(scores: Float, counts_a: Float, counts_b: Float) -> tuple[Float, Float, Float]:
    """Join neighbouring scores until there are no more than the curve has knots."""
    if len(scores) <= _KNOTS:
        return scores, counts_a, counts_b
    counts = counts_a + counts_b
    middles = np.cumsum(counts) - counts / 2
    _, knot = np.unique((middles * (_KNOTS / counts.sum())).astype(np.intp), return_inverse=True)
    n_a, n_b, total = (
        np.bincount(knot, part).astype(np.float64) for part in (counts_a, counts_b, counts * scores)
    )
    return total / (n_a + n_b), n_a, n_b


def _held_out_losses(fit: Any, a: Float, b: Float, theta_a: float, theta_b: float) -> Float:
    """Log loss of each membership on the folds left out; A and B weigh the same, the sum counts."""
    n_folds = min(_FOLDS, len(a), len(b))
    rng = np.random.default_rng(0)
    fold_a, fold_b = (rng.permutation(len(part)) % n_folds for part in (a, b))
    of_a, of_b = np.empty(len(a)), np.empty(len(b))
    for fold in range(n_folds):
        out_a, out_b = fold_a == fold, fold_b == fold
        curve = fit(a[~out_a], b[~out_b], theta_a, theta_b)
        of_a[out_a] = -np.log(np.interp(a[out_a], *curve)) / (2 * len(a))
        of_b[out_b] = -np.log1p(-np.interp(b[out_b], *curve)) / (2 * len(b))
    return np.concatenate([of_a, of_b])
