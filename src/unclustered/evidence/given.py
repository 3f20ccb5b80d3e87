"""What a user gives: held-out scores and class balances, and whether they can be right."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, ParameterError, PriorsWarning
from .interval import newcombe_interval

__all__ = ["checked_priors", "checked_scores", "warn_if_contradicted"]

Float = NDArray[np.float64]


def checked_scores(name: str, scores: ArrayLike) -> Float:
    """Check scores of one dataset: a finite number for each of at least two samples."""
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers: {error}") from error
    if values.ndim != 1 or len(values) < 2:
        raise DataError(
            f"{name} must hold one number for each of at least two samples, got shape "
            f"{values.shape}. Average repetitions first: scores.mean(axis=0)."
        )
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise DataError(f"{name} has {values[bad[0]]} in row {bad[0]}: scores must be finite.")
    return values


def checked_priors(priors: Any) -> tuple[float, float]:
    """Check theta_A and theta_B: shares between 0 and 1, the first the larger one.

    Examples
    --------
    >>> from unclustered.evidence.given import checked_priors
    >>> checked_priors([0.8, 0.2])
    (0.8, 0.2)
    """
    try:
        theta_a, theta_b = (float(theta) for theta in priors)
    except (TypeError, ValueError):
        raise ParameterError(
            f"priors must be two numbers, the share of class +1 in A and in B; got {priors!r}."
        ) from None
    for name, theta in (("A", theta_a), ("B", theta_b)):
        if not 0 < theta < 1:
            raise ParameterError(
                f"The share of class +1 in {name} must be between 0 and 1, both excluded; got "
                f"{theta:g}."
            )
    if theta_a == theta_b:
        raise ParameterError(
            f"priors are equal ({theta_a:g}): then A and B have the same distribution, and nothing "
            "tells the classes apart."
        )
    if theta_a < theta_b:
        raise ParameterError(
            f"priors must be the shares of class +1, which is over-represented in A, so the first "
            f"must be the larger; got {theta_a:g} and {theta_b:g}. For the same two shares of the "
            f"other class give {1 - theta_a:g} and {1 - theta_b:g}."
        )
    return theta_a, theta_b


def warn_if_contradicted(priors: tuple[float, float], scores_a: Float, scores_b: Float) -> None:
    """Warn if the held-out gap is larger than theta_A - theta_B lets any labelling's be."""
    share_a, share_b = float((scores_a > 0).mean()), float((scores_b > 0).mean())
    low, _ = newcombe_interval(share_a, share_b, len(scores_a), len(scores_b), 0.99)
    difference = priors[0] - priors[1]
    if low > difference:
        warnings.warn(
            f"The class balances {priors[0]:g} and {priors[1]:g} are {difference:.2f} apart, but "
            f"the held-out gap is {share_a - share_b:.2f} (99% interval from {low:.2f}), and no "
            "gap is larger than that difference. Either the balances are wrong, or the classes "
            "themselves differ between A and B.",
            PriorsWarning,
            stacklevel=3,
        )
