"""An interval for the gap, and what it says of the error and of the class balances."""

from __future__ import annotations

import math

from scipy.special import ndtri

from ..errors import ParameterError

__all__ = ["balance_difference_bound", "balanced_error", "error_bound", "newcombe_interval"]


def newcombe_interval(
    share_a: float, share_b: float, n_a: float, n_b: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Interval for the difference of two shares, from independent samples.

    Newcombe's: Wilson's score intervals of the two shares, put together. It never leaves [-1, 1]
    and keeps its promise for small samples and for shares near 0 and 1.

    Parameters
    ----------
    share_a, share_b : float
        Observed shares.
    n_a, n_b : float
        Numbers of samples they come from.
    confidence : float
        How often such intervals hold the true difference.

    Returns
    -------
    tuple of float
        Lower and upper end.

    References
    ----------
    R. G. Newcombe, "Interval estimation for the difference between independent proportions",
    Statistics in Medicine 17, 1998 (method 10).

    Examples
    --------
    >>> from unclustered.evidence import newcombe_interval
    >>> [round(end, 4) for end in newcombe_interval(56 / 70, 48 / 80, 70, 80)]
    [0.0524, 0.3339]
    """
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must be between 0 and 1, got {confidence!r}.")
    z = float(ndtri(0.5 + confidence / 2))
    low_a, high_a = _wilson(share_a, n_a, z)
    low_b, high_b = _wilson(share_b, n_b, z)
    gap = share_a - share_b
    return (
        gap - math.hypot(share_a - low_a, high_b - share_b),
        gap + math.hypot(high_a - share_a, share_b - low_b),
    )


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def error_bound(gap_low: float) -> float:
    r"""Largest balanced error rate that a gap leaves possible.

    gap = Delta (1 - 2 BER) and Delta <= 1, so BER <= (1 - gap) / 2. With a lower bound of the gap
    that holds with some confidence, the bound of the error holds with the same.

    Parameters
    ----------
    gap_low : float
        Lower bound of the gap.

    Returns
    -------
    float
        Between 0 and 1/2: no gap bounds nothing.

    Examples
    --------
    >>> from unclustered.evidence import error_bound
    >>> round(error_bound(0.4), 3)
    0.3
    """
    return min(0.5, (1.0 - max(0.0, gap_low)) / 2.0)


def balance_difference_bound(gap_low: float) -> float:
    r"""Smallest difference of the class balances that a gap leaves possible.

    Delta = theta_A - theta_B >= gap, as no labelling beats the true labels.

    Parameters
    ----------
    gap_low : float
        Lower bound of the gap.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from unclustered.evidence import balance_difference_bound
    >>> balance_difference_bound(0.4), balance_difference_bound(-0.1)
    (0.4, 0.0)
    """
    return max(0.0, gap_low)


def balanced_error(gap: float, priors: tuple[float, float]) -> float:
    r"""Balanced error rate where the class balances are known: 1/2 - gap / (2 Delta).

    Parameters
    ----------
    gap : float
        Held-out gap.
    priors : tuple of float
        theta_A and theta_B.

    Returns
    -------
    float
        Between 0 and 1; above 1/2 the labels are worse than coin flips.

    Examples
    --------
    >>> from unclustered.evidence import balanced_error
    >>> round(balanced_error(0.3, (0.8, 0.2)), 3)
    0.25
    """
    theta_a, theta_b = priors
    if not (0 <= theta_a <= 1 and 0 <= theta_b <= 1) or theta_a == theta_b:
        raise ParameterError(
            f"priors must be two different shares between 0 and 1, got {theta_a} and {theta_b}: "
            "with equal balances the gap says nothing about the error."
        )
    return min(1.0, max(0.0, 0.5 - gap / (2.0 * (theta_a - theta_b))))
