r"""Squared-loss mutual information between samples and their clusters, by least squares.

.. math:: \mathrm{SMI} = \tfrac12 \sum_y \int p(x)\,p(y)
          \left(\frac{p(x, y)}{p(x)\,p(y)} - 1\right)^2 dx

is 0 where the clusters tell nothing about where a sample lies, and (c - 1)/2 for c clusters that do
not overlap. LSMI (Suzuki et al., 2009) fits the ratio of densities with Gaussian kernels on the
samples of each cluster, :math:`r(x, y) = \sum_{l: y_l = y} \theta_l \psi_l(x)`, with a ridge
:math:`\delta`: a linear system a cluster,

.. math:: \theta^{(y)} = (H^{(y)} + \delta I)^{-1} h^{(y)}, \quad
          H^{(y)} = \tfrac{n_y}{n^2} \sum_i \psi(x_i)\psi(x_i)^\top, \quad
          h^{(y)} = \tfrac1n \sum_{i: y_i = y} \psi(x_i), \quad
          \widehat{\mathrm{SMI}} = \tfrac12 \sum_y h^{(y)\top}\theta^{(y)} - \tfrac12.

Width and ridge minimise :math:`\tfrac12\theta^\top H\theta - h^\top\theta` on held-out samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dsytrd

from .kernels import gaussian

__all__ = ["SMIEstimate", "estimate_smi"]

Float = NDArray[np.float64]
Clusters = NDArray[np.int64]
Rows = NDArray[np.intp]
RIDGES = np.logspace(-3, 1, 9)
MOST_CENTRES = 100
N_FOLDS = 5


@dataclass(frozen=True)
class SMIEstimate:
    """Estimated mutual information, and the width and the ridge that cross-validation chose."""

    smi: float
    bandwidth: float
    ridge: float


def estimate_smi(
    D: Float, clusterings: Sequence[Clusters], bandwidths: Float, ridges: Float = RIDGES
) -> list[SMIEstimate]:
    """LSMI of several clusterings of the same samples.

    Nothing is random: kernels sit on at most 100 samples spread evenly over the rows, and every
    fifth row is in the same fold, so bring the rows in an order that means nothing.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_samples)
        Squared distances between the samples.
    clusterings : sequence of ndarrays of shape (n_samples,)
        The cluster of each sample.
    bandwidths, ridges : ndarray
        Candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.lsmi import estimate_smi
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> D = (x[:, None] - x) ** 2
    >>> halves, parity = (x > 0).astype(int), np.arange(200) % 2
    >>> told, nothing = estimate_smi(D, [halves, parity], np.array([0.2, 0.5, 1.0]))
    >>> round(told.smi, 1), round(abs(nothing.smi), 1)
    (0.5, 0.0)
    """
    n_samples = len(D)
    centres = np.unique(np.linspace(0, n_samples - 1, min(n_samples, MOST_CENTRES)).astype(np.intp))
    n_folds = min(N_FOLDS, n_samples)
    best = [(np.inf, 0.0, 0.0)] * len(clusterings)
    for bandwidth in bandwidths.tolist():
        Psi = gaussian(D[:, centres], bandwidth)
        for number, clusters in enumerate(clusterings):
            costs = _held_out(Psi, n_folds, clusters, centres, ridges)
            ridge = int(np.argmin(costs))
            best[number] = min(best[number], (float(costs[ridge]), bandwidth, float(ridges[ridge])))
    return [
        SMIEstimate(
            _smi(gaussian(D[:, centres], bandwidth), clusters, centres, ridge), bandwidth, ridge
        )
        for clusters, (_, bandwidth, ridge) in zip(clusterings, best, strict=True)
    ]


def _held_out(Psi: Float, n_folds: int, clusters: Clusters, centres: Rows, ridges: Float) -> Float:
    """Mean over the folds of the held-out error of every ridge; every n-th row is in a fold."""
    n_samples = len(Psi)
    costs = np.zeros(len(ridges))
    for cluster in np.unique(clusters):
        basis = Psi[:, clusters[centres] == cluster]
        inside = (clusters == cluster).astype(float)
        moment, total, count = basis.T @ basis, inside @ basis, inside.sum()
        for fold in range(n_folds):
            held, inside_held = basis[fold::n_folds], inside[fold::n_folds]
            h_held, count_held = inside_held @ held, inside_held.sum()
            n_train = n_samples - len(held)
            H = (moment - held.T @ held) * ((count - count_held) / n_train**2)
            theta = _ridge_path(H, (total - h_held) / n_train, ridges)
            fitted = theta @ held.T
            costs += (0.5 * count_held / len(held) ** 2) * np.einsum("ri,ri->r", fitted, fitted)
            costs -= theta @ h_held / len(held)
    return costs / n_folds


def _ridge_path(H: Float, h: Float, ridges: Float) -> Float:
    """Solution of (H + ridge I) theta = h for every ridge.

    A tridiagonal form serves all ridges as eigenvectors would, at a sixth of the price.
    """
    from ._lsmi_jit import ridge_path

    if len(h) < 2:
        return np.asarray(h / (H[0] + ridges[:, None]))
    reflectors, diagonal, beside, tau, _ = dsytrd(H, lower=1)
    return np.asarray(ridge_path(reflectors.T, tau, diagonal, beside, h, ridges))


def _smi(Psi: Float, clusters: Clusters, centres: Rows, ridge: float) -> float:
    n_samples = len(Psi)
    total = -0.5
    for cluster in np.unique(clusters):
        basis = Psi[:, clusters[centres] == cluster]
        inside = clusters == cluster
        H = basis.T @ basis * (inside.sum() / n_samples**2)
        h = basis[inside].sum(axis=0) / n_samples
        H[np.diag_indices_from(H)] += ridge
        total += 0.5 * float(h @ np.linalg.solve(H, h))
    return total
