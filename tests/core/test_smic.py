import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from unclustered.core.kernels import squared_distances
from unclustered.core.smic import local_scaling_kernel, two_clusters


def kernel(X, t):
    D = squared_distances(X)
    return local_scaling_kernel(D, np.argsort(D, axis=1, kind="stable"), t)


@pytest.mark.parametrize("t", [1, 3, 7])
def test_local_scaling_kernel_entry_by_entry(t):
    X = np.random.default_rng(0).normal(size=(25, 2))
    K = kernel(X, t).toarray()
    distance, index = NearestNeighbors(n_neighbors=t + 1).fit(X).kneighbors(X)
    for i in range(25):
        for j in range(25):
            near = j in index[i] or i in index[j]
            gap = np.sum((X[i] - X[j]) ** 2)
            expected = np.exp(-gap / (2 * distance[i, t] * distance[j, t])) if near else 0.0
            assert K[i, j] == pytest.approx(expected, abs=1e-12)


def test_clusters_follow_the_definition():
    K = kernel(np.random.default_rng(1).normal(size=(30, 2)), 5)
    solution = two_clusters(K)
    vectors = np.linalg.eigh(K.toarray())[1][:, [-1, -2]]
    share = np.empty((30, 2))
    for y in range(2):
        phi = vectors[:, y] if vectors[:, y].sum() >= 0 else -vectors[:, y]
        share[:, y] = np.clip(phi, 0, None) / np.clip(phi, 0, None).sum()
    np.testing.assert_allclose(solution.membership, share, atol=1e-10)
    np.testing.assert_array_equal(solution.clusters, share.argmax(axis=1))


def test_two_clouds_are_told_apart_by_either_eigensolver():
    rng = np.random.default_rng(2)
    for n in (60, 700):
        true = rng.integers(0, 2, n)
        X = rng.normal(size=(n, 2)) + 9 * true[:, None]
        clusters = two_clusters(kernel(X, 10)).clusters
        assert np.mean(clusters == true) in (0.0, 1.0)
