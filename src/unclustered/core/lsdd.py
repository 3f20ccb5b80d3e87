r"""Least-squares density difference: a closed form, and its cross-validation.

The model is :math:`g = \theta^\top\psi` with :math:`\psi_l(x) = \exp(-\|x-c_l\|^2/2\sigma^2)`;
:math:`\theta` minimises an estimate of :math:`\int (g - (p_A - p_B))^2` with a ridge,

.. math:: \theta = (H + \lambda I)^{-1} h, \qquad H = v\,G, \quad v = (\pi\sigma^2)^{d/2}, \quad
          G_{ll'} = \exp(-\|c_l-c_{l'}\|^2/4\sigma^2), \quad
          h = \textstyle\sum_{A} w_i\psi(x_i) - \sum_{B} w_i\psi(x_i).

The volume v leaves the range of a double when d is large. So everything here is in units of v: with
:math:`\lambda = v\rho`, :math:`v\theta = (G + \rho I)^{-1} h`, and v itself only enters, as its
logarithm, where bandwidths are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

__all__ = [
    "LSDDSolution",
    "held_out_scores",
    "in_common_units",
    "log_volume",
    "solve",
    "solve_ridge",
]

Float = NDArray[np.float64]
_LARGEST_EXPONENT = 300.0


@dataclass(frozen=True)
class LSDDSolution:
    """Coefficients of the density difference, in units of the volume v of a kernel."""

    coef: Float
    """v theta: the density difference at x is ``coef @ psi(x) / v``."""
    log_volume: float
    """log v."""
    log_l2_distance: float
    """log of 2 theta'h - theta'H theta, the estimate of the integral of (p_A - p_B)^2."""
    residual: float
    """Largest entry of (G + rho I) coef - h, in units of the largest of h."""


def log_volume(bandwidth: float, n_features: int) -> float:
    """Log of v = (pi bandwidth^2)^(n_features / 2), the integral of a squared kernel.

    Examples
    --------
    >>> from unclustered.core.lsdd import log_volume
    >>> round(log_volume(2.0, 1000), 3)
    1265.512
    """
    return 0.5 * n_features * float(np.log(np.pi * bandwidth**2))


def solve(
    G: Float, h: Float, regularization: float, bandwidth: float, n_features: int
) -> LSDDSolution:
    """Solve for the coefficients at one bandwidth and one regularization (in units of v)."""
    coef = solve_ridge(G, h, regularization)
    distance = float(coef @ h + regularization * (coef @ coef))  # as 2 theta'h - theta'H theta
    scale = float(np.abs(h).max())
    residual = float(np.abs(G @ coef + regularization * coef - h).max())
    volume = log_volume(bandwidth, n_features)
    return LSDDSolution(
        coef=coef,
        log_volume=volume,
        log_l2_distance=float(np.log(distance)) - volume if distance > 0 else -np.inf,
        residual=residual / scale if scale > 0 else residual,
    )


def held_out_scores(G: Float, train: Float, test: Float, regularizations: Float) -> Float:
    """Held-out score of every regularization in every fold, at one bandwidth.

    The centres, hence G, are the same in all folds, so one factorisation a regularization serves
    them all. (One eigendecomposition would serve all regularizations too, but it costs more than
    the 8 Cholesky factorisations it saves, at 80 samples as at 2,000.)

    Parameters
    ----------
    G : ndarray of shape (n_centers, n_centers)
        Overlaps of the kernels, in units of v.
    train, test : ndarray of shape (n_centers, n_folds)
        h on the training and on the held-out samples of each fold.
    regularizations : ndarray of shape (n_regularizations,)
        Regularizations, in units of v.

    Returns
    -------
    ndarray of shape (n_regularizations, n_folds)
        2 theta'h_test - theta'H theta in units of 1/v; higher is better.
    """
    theta = np.stack([solve_ridge(G, train, r) for r in regularizations.tolist()])
    # With G theta = train - regularization theta, so that G is not needed once more.
    gain = regularizations[:, None, None] * theta
    gain += 2.0 * test - train
    gain *= theta
    return np.asarray(gain.sum(axis=1))


def solve_ridge(G: Float, right: Float, regularization: float) -> Float:
    """Solution of (G + regularization I) x = right, for a positive semidefinite G.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.lsdd import solve_ridge
    >>> solve_ridge(np.eye(2), np.array([2.0, 4.0]), 1.0)
    array([1., 2.])
    """
    A = G.copy(order="F")
    A.ravel(order="K")[:: len(A) + 1] += regularization
    # LAPACK itself: scipy's wrappers cost more than the solution at 80 centres.
    _, solution, not_definite = dposv(A, right, lower=True, overwrite_a=True)
    if not_definite:  # the ridge is lost in the rounding of G
        values, vectors = np.linalg.eigh(G)
        shrink = 1.0 / (np.maximum(values, 0.0) + regularization)
        solution = vectors * shrink @ (vectors.T @ right)
    return np.asarray(solution)


def in_common_units(scores: Float, log_volumes: Float) -> Float:
    """Scores of all bandwidths in units of 1/v of the best one, so that they can be compared.

    Parameters
    ----------
    scores : ndarray of shape (n_bandwidths, n_regularizations, n_folds)
        Scores in units of 1/v of each bandwidth.
    log_volumes : ndarray of shape (n_bandwidths,)
        log v of each bandwidth.

    Returns
    -------
    ndarray of shape (n_bandwidths, n_regularizations, n_folds)
        The same integrals in one unit. No factor is above e^300 or below e^-300: bandwidths
        further apart than that keep their signs and their order against the best.
    """
    best_of_each = scores.mean(axis=2).max(axis=1)

    def in_logs(k: int) -> tuple[float, float]:
        score = float(best_of_each[k])
        if score == 0.0:
            return 0.0, 0.0
        sign = float(np.sign(score))
        return sign, sign * (float(np.log(abs(score))) - float(log_volumes[k]))

    unit = log_volumes[max(range(len(log_volumes)), key=in_logs)]
    exponent = np.clip(unit - log_volumes, -_LARGEST_EXPONENT, _LARGEST_EXPONENT)
    return np.asarray(scores * np.exp(exponent)[:, None, None])
