"""An interval for the gap."""

from __future__ import annotations

import math

from scipy.special import ndtri

from ..errors import ParameterError

__all__ = ["newcombe_interval"]


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
