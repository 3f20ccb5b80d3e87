"""What a gap, and its interval, say of the error and of the class balances."""

from __future__ import annotations

from ..errors import ParameterError
from ..selection.interval import newcombe_interval

__all__ = ["balance_difference_bound", "balanced_error", "error_bound", "newcombe_interval"]


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
