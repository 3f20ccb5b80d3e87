"""The class balances of A and B, estimated without a label."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bags import pool
from ..errors import ParameterError, PriorsWarning
from ..seeds import as_generator
from ..selection.cross_fit import held_out_scores
from .given import checked_scores
from .kappa import Kappas, best_bin_kappas, curve_kappas

__all__ = ["Priors", "estimate_priors", "priors_from_scores"]

Float = NDArray[np.float64]

_METHODS = {"curve": curve_kappas, "best_bin": best_bin_kappas}
_RESAMPLES = 200
_FOLDS = 5
_NO_DIFFERENCE = 1.645  # standard errors; fewer, and A and B may well be alike


@dataclass(frozen=True, repr=False)
class Priors:
    r"""Estimates of theta_A and theta_B, and which pairs of values the data leave possible.

    The estimate is right if the classes are *mutually irreducible*: some samples of each class look
    like none of the other. If they are not, the balances are further apart than estimated: all
    that is known is that they lie in the feasible set. ``theta_a, theta_b = priors`` unpacks it.

    Attributes
    ----------
    theta_a, theta_b : float
        Share of class +1 in A and in B, for irreducible classes.
    interval_a, interval_b : tuple of float
        Their intervals, from the bootstrap and from how much the two methods disagree.
    kappa_a, kappa_b : float
        Estimates of inf p_A / p_B and inf p_B / p_A.
    kappa_a_high, kappa_b_high : float
        Upper ends of their intervals.
    confidence : float
        Of the intervals.
    method : str
        How kappa was estimated.
    """

    theta_a: float
    theta_b: float
    interval_a: tuple[float, float]
    interval_b: tuple[float, float]
    kappa_a: float
    kappa_b: float
    kappa_a_high: float
    kappa_b_high: float
    confidence: float
    method: str

    def __iter__(self) -> Iterator[float]:
        return iter((self.theta_a, self.theta_b))

    @property
    def difference_bound(self) -> float:
        """Smallest theta_A - theta_B in the feasible set, irreducible or not."""
        theta_a, theta_b = _irreducible(self.kappa_a_high, self.kappa_b_high)
        return theta_a - theta_b

    @property
    def feasible_corners(self) -> Float:
        """Corners (theta_A, theta_B) of the feasible set, which is a quadrilateral.

        The first is the one of least difference, the last but one the pure datasets (1, 0).
        """
        return np.array(
            [
                _irreducible(self.kappa_a_high, self.kappa_b_high),
                (1.0 - self.kappa_a_high, 0.0),
                (1.0, 0.0),
                (1.0, self.kappa_b_high),
            ]
        )

    def allows(self, theta_a: float, theta_b: float) -> bool:
        r"""Whether a pair of balances is in the feasible set.

        No ratio of the densities can be below (1 - theta_A) / (1 - theta_B) nor above
        theta_A / theta_B, so the smallest ones seen, kappa_A and kappa_B, bound these two from
        above. Their upper ends are used, so the set holds the truth with the record's confidence.

        Parameters
        ----------
        theta_a, theta_b : float
            Share of class +1 in A and in B.
        """
        return bool(
            0 <= theta_b < theta_a <= 1
            and 1 - theta_a <= self.kappa_a_high * (1 - theta_b)
            and theta_b <= self.kappa_b_high * theta_a
        )

    def __repr__(self) -> str:
        a, b = (
            f"{name} {theta:.2f} [{low:.2f}, {high:.2f}]"
            for name, theta, (low, high) in (
                ("theta_A", self.theta_a, self.interval_a),
                ("theta_B", self.theta_b, self.interval_b),
            )
        )
        return f"Priors({a}, {b}; at least {self.difference_bound:.2f} apart in any case)"


def estimate_priors(
    A: Any,
    B: Any,
    *,
    estimator: Any = None,
    method: Literal["curve", "best_bin"] = "curve",
    confidence: float = 0.95,
    standardize: bool = True,
    missing: Literal["error", "impute"] = "error",
    random_state: Any = None,
) -> Priors:
    """Estimate the class balances of two unlabelled datasets.

    Parameters
    ----------
    A, B : table or array
        The samples, as :func:`unclustered.label` takes them.
    estimator : scikit-learn classifier, optional
        Learns to tell A from B; its scores of held-out samples are all that is used. By default
        extremely randomised trees with leaves of at least 10 samples, whose ends are purer than
        those of the other classifiers tried.
    method : {"curve", "best_bin"}
        How the ends of the scores are read; see :func:`priors_from_scores`.
    confidence : float
        Of the intervals.
    standardize, missing : bool, {"error", "impute"}
        As in :func:`unclustered.label`.
    random_state : None, int, Generator or RandomState
        Draws folds, trees and the bootstrap.

    Returns
    -------
    Priors
        Estimates, intervals and the feasible set.

    Examples
    --------
    >>> from unclustered.datasets import draw_datasets, load_benchmark
    >>> from unclustered.evidence import estimate_priors
    >>> twonorm = load_benchmark("twonorm")
    >>> drawn = draw_datasets(twonorm.X, twonorm.y, 500, 500, 0.8, 0.2, random_state=0)
    >>> priors = estimate_priors(drawn.A, drawn.B)
    >>> abs(priors.theta_a - 0.8) < 0.05, abs(priors.theta_b - 0.2) < 0.05
    (True, True)
    """
    bags, _ = pool(A, B, standardize=standardize, missing=missing)
    return priors_from_samples(
        bags.X,
        bags.side.astype(np.float64),
        estimator=estimator,
        method=method,
        confidence=confidence,
        random_state=random_state,
    )


def priors_from_samples(
    X: Any,
    side: Float,
    *,
    estimator: Any = None,
    method: Literal["curve", "best_bin"] = "curve",
    confidence: float = 0.95,
    groups: NDArray[np.intp] | None = None,
    random_state: Any = None,
) -> Priors:
    """Estimate the class balances from samples that are numbers already, +1 on A and -1 on B.

    Groups, numbered from 0, are held out as wholes; the rest is as in :func:`estimate_priors`.
    """
    rng = as_generator(random_state)
    if estimator is None:
        from sklearn.ensemble import ExtraTreesClassifier

        estimator = ExtraTreesClassifier(
            200, min_samples_leaf=10, random_state=int(rng.integers(2**31))
        )
    scores = held_out_scores(estimator, X, side, n_folds=_FOLDS, groups=groups, random_state=rng)
    return priors_from_scores(
        scores[side > 0],
        scores[side < 0],
        method=method,
        confidence=confidence,
        random_state=rng,
    )


def priors_from_scores(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    method: Literal["curve", "best_bin"] = "curve",
    confidence: float = 0.95,
    random_state: Any = None,
) -> Priors:
    r"""Estimate the class balances from held-out scores.

    With :math:`\kappa_A = \inf p_A / p_B` and :math:`\kappa_B = \inf p_B / p_A`, classes that are
    mutually irreducible have

    .. math:: \theta_A = \frac{1 - \kappa_A}{1 - \kappa_A \kappa_B}, \qquad
              \theta_B = \kappa_B\, \theta_A.

    For p_A / p_B rises with the odds of class +1, from (1 - theta_A) / (1 - theta_B), where these
    are zero, to theta_A / theta_B, where they are infinite. Solve the two for the thetas.

    Parameters
    ----------
    scores_a, scores_b : array-like
        Scores of the samples of A and of B, each by a fit that has not seen it; large for A. Only
        their order matters.
    method : {"curve", "best_bin"}
        "curve" fits a smooth curve of the membership over the ranks
        (:func:`~unclustered.evidence.kappa.curve_kappas`), "best_bin" takes the best threshold at
        each end (:func:`~unclustered.evidence.kappa.best_bin_kappas`). The curve had the smaller
        error in all simulations.
    confidence : float
        Of the intervals.
    random_state : None, int, Generator or RandomState
        Draws the bootstrap.

    Returns
    -------
    Priors
        Estimates, intervals and the feasible set.

    Warns
    -----
    PriorsWarning
        If the scores hardly tell A from B, so that nothing can be known of the balances.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.evidence import priors_from_scores
    >>> rng = np.random.default_rng(0)
    >>> def scores(n_plus, n_minus):
    ...     return np.r_[rng.normal(2, 1, n_plus), rng.normal(-2, 1, n_minus)]
    >>> priors_from_scores(scores(700, 300), scores(100, 900))
    Priors(theta_A 0.69 [0.66, 0.72], theta_B 0.10 [0.08, 0.12]; at least 0.55 apart in any case)
    """
    from threadpoolctl import threadpool_limits

    if method not in _METHODS:
        raise ParameterError(f"method must be one of {', '.join(_METHODS)}, got {method!r}.")
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must be between 0 and 1, got {confidence!r}.")
    a, b = checked_scores("scores_a", scores_a), checked_scores("scores_b", scores_b)
    _warn_if_alike(a, b)
    rng = as_generator(random_state)
    with threadpool_limits(1):  # the arrays are small: waiting for threads takes longer
        estimates = {name: _with_kappas(read(a, b)) for name, read in _METHODS.items()}
        resampled = [
            _with_kappas(_METHODS[method](rng.choice(a, len(a)), rng.choice(b, len(b))))
            for _ in range(_RESAMPLES)
        ]
    estimate = estimates.pop(method)
    (other,) = estimates.values()
    low, high = np.quantile(resampled, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    # What the bootstrap cannot see: how much hangs on the way in which the ends are read.
    low = estimate - np.hypot(np.maximum(estimate - low, 0.0), other - estimate)
    high = estimate + np.hypot(np.maximum(high - estimate, 0.0), other - estimate)
    low, high = np.clip(low, 0.0, 1.0).tolist(), np.clip(high, 0.0, 1.0).tolist()
    theta_a, theta_b, kappa_a, kappa_b = estimate.tolist()
    return Priors(
        theta_a=theta_a,
        theta_b=theta_b,
        interval_a=(low[0], high[0]),
        interval_b=(low[1], high[1]),
        kappa_a=kappa_a,
        kappa_b=kappa_b,
        kappa_a_high=high[2],
        kappa_b_high=high[3],
        confidence=confidence,
        method=method,
    )


def _with_kappas(kappas: Kappas) -> Float:
    return np.array([*_irreducible(*kappas), *kappas])


def _irreducible(kappa_a: float, kappa_b: float) -> Kappas:
    """theta_A and theta_B; their limit where A and B are alike."""
    if kappa_a * kappa_b >= 1:
        return 0.5, 0.5
    theta_a = (1 - kappa_a) / (1 - kappa_a * kappa_b)
    return theta_a, kappa_b * theta_a


def _warn_if_alike(a: Float, b: Float) -> None:
    """Compare the share of pairs in the right order with 1/2: the test of Mann and Whitney."""
    from scipy.stats import rankdata

    n_a, n_b = len(a), len(b)
    above = rankdata(np.concatenate([a, b]))[:n_a].sum() - n_a * (n_a + 1) / 2
    excess = above / (n_a * n_b) - 0.5
    if excess < _NO_DIFFERENCE * np.sqrt((n_a + n_b + 1) / (12 * n_a * n_b)):
        warnings.warn(
            f"The held-out scores hardly tell A from B ({0.5 + excess:.1%} of all pairs are in the "
            "right order, 50% by chance), so the class balances cannot be estimated: do not use "
            "these. More samples, or another estimator, may help.",
            PriorsWarning,
            stacklevel=3,
        )
