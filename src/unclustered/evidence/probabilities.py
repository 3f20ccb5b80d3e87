"""The probability of class +1 for each sample, its dataset counted as evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .calibration import Calibration, calibrate
from .given import checked_priors, checked_scores, warn_if_contradicted
from .posterior import class_posterior

__all__ = ["ClassProbabilities", "ScoreProbabilities", "class_probabilities"]

Float = NDArray[np.float64]
Label = NDArray[np.int64]

_FLAT = Calibration("flat", np.zeros(1), np.full(1, 0.5), float(np.log(2)))


@dataclass(frozen=True, eq=False, repr=False)
class ScoreProbabilities:
    """From the score of a new sample to its probability of class +1.

    Attributes
    ----------
    priors : tuple of float
        theta_A and theta_B.
    calibration : Calibration
        From score to membership; "flat" where the scores were found to be of no use.
    centre, spread : float
        What a score is brought to the units of the calibration by: less the one, over the other.
    """

    priors: tuple[float, float]
    calibration: Calibration
    centre: float = field(default=0.0, kw_only=True)
    spread: float = field(default=1.0, kw_only=True)

    def of(self, scores: ArrayLike, prior: float | ArrayLike) -> Float:
        """Probability of class +1 for new samples.

        Parameters
        ----------
        scores : array-like
            Their scores.
        prior : float or array-like
            Share of class +1 where they come from.
        """
        units = (np.asarray(scores, dtype=np.float64) - self.centre) / self.spread
        return class_posterior(self.calibration.ratio(units), self.priors, prior)

    def __repr__(self) -> str:
        theta_a, theta_b = self.priors
        return f"ScoreProbabilities(theta_A {theta_a:.2f}, theta_B {theta_b:.2f})"


@dataclass(frozen=True, eq=False, repr=False)
class ClassProbabilities(ScoreProbabilities):
    """Probabilities of class +1, and the labels they give.

    Attributes
    ----------
    posterior_a, posterior_b : ndarray
        Probability of class +1 for each sample of A and of B, given its score and its dataset.
    calibration : Calibration
        From score to membership, for samples held out; of a labelling, for new samples.
    expected_error : float
        Estimated error rate of the labels over A and B together, from the held-out scores.
    error_by_dataset : float
        Error rate of giving all of A one label and all of B one label, the likelier ones.
    """

    posterior_a: Float
    posterior_b: Float
    expected_error: float
    error_by_dataset: float

    @property
    def labels_a(self) -> Label:
        """Label of each sample of A: +1 where its probability is above 1/2, else -1."""
        return _labels(self.posterior_a)

    @property
    def labels_b(self) -> Label:
        """Label of each sample of B: +1 where its probability is above 1/2, else -1."""
        return _labels(self.posterior_b)

    def __repr__(self) -> str:
        return (
            f"ClassProbabilities(A: {int((self.labels_a > 0).sum())} of {len(self.posterior_a)} "
            f"labelled +1; B: {int((self.labels_b > 0).sum())} of {len(self.posterior_b)}; "
            f"expected error {self.expected_error:.1%}, by dataset alone "
            f"{self.error_by_dataset:.1%})"
        )


def class_probabilities(
    scores_a: ArrayLike, scores_b: ArrayLike, priors: Any
) -> ClassProbabilities:
    r"""Find the probability of class +1 for each fitted sample, from held-out scores.

    A sample of A is of class +1 with probability theta_A before anything else is known of it, one
    of B with probability theta_B: its dataset is evidence, which the sign of a score throws away.
    Its score, calibrated to p_A / p_B, adds the rest (:func:`class_posterior`).

    Parameters
    ----------
    scores_a, scores_b : array-like
        Scores of the samples of A and of B, each by a fit that has not seen it; large for A. The
        mean over several repetitions of the folds is better than one.
    priors : pair of float or Priors
        theta_A and theta_B.

    Returns
    -------
    ClassProbabilities
        Probabilities, labels and their expected error.

    Warns
    -----
    PriorsWarning
        If the gap of the scores is larger than these balances allow.

    Notes
    -----
    *Why the labels are not worse than labelling by dataset.* Two arguments, one that needs the
    calibration to be right, and one that needs nothing.

    1. Let q be the probability that the calibration gives to class +1 for a sample of A. If it is
       right, the label "+1 iff q > 1/2" errs with probability
       :math:`E \min(q, 1 - q) \le \min(E q, 1 - E q) = \min(\theta_A, 1 - \theta_A)`, as the
       minimum is concave: the error of the best single label for A. Likewise on B. The same
       argument says that no other labelling by score and dataset, the sign of the score among
       them, has a smaller error. The logistic calibration averages over slopes, none among them,
       so for scores of its form "right" is meant before the slope is known: few samples shrink q
       towards theta_A by themselves.
    2. Whatever the calibration, the error of a rule can be estimated from the memberships. If it
       labels the shares a and b of A and of B +1, then with Delta = theta_A - theta_B

       .. math:: P(+1 | y = +1) = \frac{(1 - \theta_B)\, a - (1 - \theta_A)\, b}{\Delta}, \qquad
                 P(+1 | y = -1) = \frac{\theta_A\, b - \theta_B\, a}{\Delta},

       and the error is a sum of the two with known coefficients, so the estimate is unbiased for a
       rule fixed beforehand; this one is fixed but for a curve, on scores held out. Where the
       estimate is above the error by dataset by more than its standard error
       :math:`\tau`, all samples get their dataset's label. So a rule that loses D > 0 is used with
       probability about :math:`\Phi(1 - D / \tau)` at most, and loses
       :math:`\max_D D\, \Phi(1 - D / \tau) < 0.51\, \tau` in expectation, which vanishes as
       :math:`1 / \sqrt{n}`. None at all cannot be had: scores of no use are sometimes as good as
       any on the samples at hand, so whoever ever departs from the dataset's label sometimes loses
       by it.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.evidence import class_probabilities
    >>> rng = np.random.default_rng(0)
    >>> scores_a = np.r_[rng.normal(1, 1, 80), rng.normal(-1, 1, 20)]
    >>> scores_b = np.r_[rng.normal(1, 1, 20), rng.normal(-1, 1, 80)]
    >>> found = class_probabilities(scores_a, scores_b, (0.8, 0.2))
    >>> found.expected_error < found.error_by_dataset
    True
    >>> found.of([-2, 0, 2], prior=0.5).round(2)
    array([0.01, 0.45, 0.99])
    """
    theta_a, theta_b = checked_priors(priors)
    a, b = checked_scores("scores_a", scores_a), checked_scores("scores_b", scores_b)
    warn_if_contradicted((theta_a, theta_b), a, b)
    by_dataset = _error_by_dataset(len(a), len(b), theta_a, theta_b)
    calibration = calibrate(a, b, (theta_a, theta_b))
    error, deviation = _held_out_error(calibration, a, b, theta_a, theta_b)
    if error - deviation > by_dataset:
        calibration, error = _FLAT, by_dataset
    return ClassProbabilities(
        posterior_a=class_posterior(calibration.ratio(a), (theta_a, theta_b), theta_a),
        posterior_b=class_posterior(calibration.ratio(b), (theta_a, theta_b), theta_b),
        priors=(theta_a, theta_b),
        calibration=calibration,
        expected_error=min(max(error, 0.0), 1.0),
        error_by_dataset=by_dataset,
    )


def _labels(posterior: Float) -> Label:
    return np.where(posterior > 0.5, 1, -1)


def _error_by_dataset(n_a: int, n_b: int, theta_a: float, theta_b: float) -> float:
    wrong = n_a * min(theta_a, 1 - theta_a) + n_b * min(theta_b, 1 - theta_b)
    return wrong / (n_a + n_b)


def _held_out_error(
    calibration: Calibration, a: Float, b: Float, theta_a: float, theta_b: float
) -> tuple[float, float]:
    """Estimate of the labels' error rate, and its standard error."""
    ratio_a, ratio_b = calibration.ratio(a), calibration.ratio(b)
    priors, n_a, n_b = (theta_a, theta_b), len(a), len(b)
    error = variance = 0.0
    for theta, n in ((theta_a, n_a), (theta_b, n_b)):
        # The rule of this dataset, on the samples of both.
        share_a = float((class_posterior(ratio_a, priors, theta) > 0.5).mean())
        share_b = float((class_posterior(ratio_b, priors, theta) > 0.5).mean())
        # theta (1 - P(+1 | +1)) + (1 - theta) P(+1 | -1), sorted by the two shares
        of_a = -(theta * (1 - theta_b) + (1 - theta) * theta_b) / (theta_a - theta_b)
        of_b = (theta * (1 - theta_a) + (1 - theta) * theta_a) / (theta_a - theta_b)
        weight = n / (n_a + n_b)
        error += weight * (theta + of_a * share_a + of_b * share_b)
        variance += weight**2 * (
            of_a**2 * share_a * (1 - share_a) / n_a + of_b**2 * share_b * (1 - share_b) / n_b
        )
    return error, float(np.sqrt(variance))
