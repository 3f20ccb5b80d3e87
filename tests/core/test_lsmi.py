"""Estimated mutual information against integrals, and its system against a plain transcription."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from unclustered.core.kernels import squared_distances
from unclustered.core.lsmi import estimate_smi

BANDWIDTHS = np.array([0.3, 0.6, 1.0, 1.6])


def true_smi(share, shift):
    """SMI of a normal at 0 and one at ``shift`` that holds ``share`` of the samples."""

    def ratio_squared(x):
        joint = np.array([(1 - share) * norm.pdf(x), share * norm.pdf(x, shift)])
        return (joint**2 / np.array([1 - share, share])).sum() / joint.sum()

    return 0.5 * quad(ratio_squared, -8, 8 + shift)[0] - 0.5


@pytest.mark.parametrize(("share", "shift"), [(0.5, 0.0), (0.5, 1.0), (0.3, 2.0), (0.5, 6.0)])
def test_estimate_nears_the_integral(share, shift):
    rng = np.random.default_rng(0)
    clusters = (rng.random(1500) < share).astype(int)
    x = rng.normal(size=(1500, 1)) + shift * clusters[:, None]
    (estimate,) = estimate_smi(squared_distances(x), [clusters], BANDWIDTHS)
    assert estimate.smi == pytest.approx(true_smi(share, shift), abs=0.03)


def transcription(D, clusters, bandwidths, ridges, n_folds):
    """LSMI with one solve a bandwidth, ridge, fold and cluster; every sample carries a kernel."""
    n, fold = len(D), np.arange(len(D)) % n_folds

    def moments(Psi, own, rows):
        inside = rows & own
        H = own[rows].mean() * Psi[rows][:, own].T @ Psi[rows][:, own] / rows.sum()
        return H, Psi[inside][:, own].sum(axis=0) / rows.sum()

    best = (np.inf,)
    for bandwidth in bandwidths:
        Psi = np.exp(-D / (2 * bandwidth**2))
        for ridge in ridges:
            cost = 0.0
            for k in range(n_folds):
                for c in np.unique(clusters):
                    own = clusters == c
                    H, h = moments(Psi, own, fold != k)
                    theta = np.linalg.solve(H + ridge * np.eye(len(h)), h)
                    H, h = moments(Psi, own, fold == k)
                    cost += (0.5 * theta @ H @ theta - h @ theta) / n_folds
            best = min(best, (cost, bandwidth, ridge))
    _, bandwidth, ridge = best
    Psi, smi = np.exp(-D / (2 * bandwidth**2)), -0.5
    for c in np.unique(clusters):
        H, h = moments(Psi, clusters == c, np.ones(n, dtype=bool))
        smi += 0.5 * h @ np.linalg.solve(H + ridge * np.eye(len(h)), h)
    return smi, bandwidth, ridge


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_same_as_one_solve_for_each(n_clusters):
    rng = np.random.default_rng(1)
    clusters = rng.integers(0, n_clusters, 43)
    x = rng.normal(size=(43, 2)) + clusters[:, None]
    D, ridges = squared_distances(x), np.array([1e-3, 1e-2, 0.1, 1.0])
    other = rng.integers(0, 2, 43)
    for ours, labels in zip(
        estimate_smi(D, [clusters, other], BANDWIDTHS, ridges), (clusters, other), strict=True
    ):
        smi, bandwidth, ridge = transcription(D, labels, BANDWIDTHS, ridges, 5)
        assert ours.smi == pytest.approx(smi, rel=1e-9)
        assert (ours.bandwidth, ours.ridge) == (bandwidth, ridge)
