"""From the ratio of the two densities to the probability of class +1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, ParameterError
from .given import checked_priors

__all__ = ["class_posterior"]


def class_posterior(ratio: ArrayLike, priors: Any, prior: float | ArrayLike) -> NDArray[np.float64]:
    r"""Probability of class +1 where p_A / p_B is known.

    The densities of the two mixtures are two equations for those of the two classes. Solved, with
    :math:`r = p_A(x) / p_B(x)` and where class +1 has the share :math:`\pi`,

    .. math:: P(y = +1 | x) = \frac{U}{U + V}, \qquad
              U = \pi\,[(1 - \theta_B)\, r - (1 - \theta_A)], \quad
              V = (1 - \pi)\,[\theta_A - \theta_B\, r].

    No true ratio is below (1 - theta_A) / (1 - theta_B), where U = 0, or above theta_A / theta_B,
    where V = 0; an estimate that is gets the probability 0 or 1. As the first of the two is
    below 1 and the second above, U and V are never both 0.

    Parameters
    ----------
    ratio : array-like
        p_A / p_B at each sample, from 0 to infinity.
    priors : pair of float or Priors
        theta_A and theta_B.
    prior : float or array-like
        Share of class +1 where the samples come from: theta_A for a sample of A, theta_B for one
        of B, something else for new ones.

    Returns
    -------
    ndarray
        Between 0 and 1.

    Examples
    --------
    >>> from unclustered.evidence import class_posterior
    >>> class_posterior([0.25, 1.0, 4.0], (0.8, 0.2), prior=0.8)
    array([0. , 0.8, 1. ])
    """
    theta_a, theta_b = checked_priors(priors)
    r = np.asarray(ratio, dtype=np.float64)
    bad = np.flatnonzero(~(r.ravel() >= 0))
    if len(bad):
        raise DataError(
            f"ratio has {r.ravel()[bad[0]]} in row {bad[0]}: a ratio of densities is not below 0."
        )
    pi = np.asarray(prior, dtype=np.float64)
    if not np.all((pi > 0) & (pi < 1)):
        raise ParameterError(
            f"prior must be between 0 and 1, both excluded: the share of class +1; got {prior!r}."
        )
    in_b = 1.0 / (1.0 + r)  # in terms of these two shares, an infinite ratio needs no care
    in_a = 1.0 - in_b
    u = pi * np.maximum((1.0 - theta_b) * in_a - (1.0 - theta_a) * in_b, 0.0)
    v = (1.0 - pi) * np.maximum(theta_a * in_b - theta_b * in_a, 0.0)
    return np.asarray(u / (u + v))
