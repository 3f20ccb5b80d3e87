"""Distances and kernels against SciPy's, across block borders and with large offsets."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist

from unclustered.core.kernels import (
    distinct_rows,
    gaussian,
    gaussian_kernel,
    median_distance,
    squared_distances,
)


@pytest.mark.parametrize("n", [1, 2, 127, 128, 129, 300])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_distances_are_scipys(n, offset):
    rng = np.random.default_rng(n)
    X, Y = rng.standard_normal((n, 3)), rng.standard_normal((40, 3))
    # The offset itself rounds the data; what is left of them is what SciPy sees, too.
    X, Y = (X + offset) - offset, (Y + offset) - offset
    D = squared_distances(X + offset)
    np.testing.assert_allclose(D, cdist(X, X, "sqeuclidean"), atol=1e-12)
    np.testing.assert_array_equal(D, D.T)
    assert (np.diag(D) == 0).all()
    np.testing.assert_allclose(
        squared_distances(X + offset, Y + offset), cdist(X, Y, "sqeuclidean"), atol=1e-12
    )


def test_sparse_distances_are_the_dense_ones():
    rng = np.random.default_rng(0)
    X, Y = rng.poisson(0.5, (30, 8)) * 1.0, rng.poisson(0.5, (20, 8)) * 1.0
    np.testing.assert_allclose(squared_distances(sp.csr_array(X)), squared_distances(X), atol=1e-12)
    np.testing.assert_allclose(
        squared_distances(sp.csr_array(X), sp.csr_array(Y)), squared_distances(X, Y), atol=1e-12
    )
    np.testing.assert_allclose(
        gaussian_kernel(sp.csr_array(X), None, 1.5), gaussian_kernel(X, None, 1.5), atol=1e-12
    )


@pytest.mark.parametrize("n", [5, 200])
def test_the_kernel_in_one_go_is_that_of_the_distances(n):
    X = np.random.default_rng(0).standard_normal((n, 4))
    expected = np.exp(-cdist(X, X, "sqeuclidean") / (2 * 0.7**2))
    np.testing.assert_allclose(gaussian_kernel(X, None, 0.7), expected, atol=1e-12)
    np.testing.assert_allclose(gaussian_kernel(X, X[:3], 0.7), expected[:, :3], atol=1e-12)
    np.testing.assert_allclose(gaussian(squared_distances(X), 0.7), expected, atol=1e-12)


def test_median_distance_leaves_out_equal_samples():
    X = np.random.default_rng(0).standard_normal((50, 2))
    expected = np.median(pdist(X))
    assert median_distance(squared_distances(X)) == pytest.approx(expected)
    assert median_distance(np.zeros((4, 4))) == 1.0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_distinct_rows_point_back(kind):
    X = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, -0.0], [0.0, 0.0], [2.0, 0.0]])
    rows, which = distinct_rows(kind(X))
    np.testing.assert_array_equal(rows, [0, 1, 3])
    np.testing.assert_array_equal(X[rows][which], X)
    rows, which = distinct_rows(kind(X), np.array([0.0, 0, 1, 1, 1, 1]))
    np.testing.assert_array_equal(rows, [2, 3, 5])
    np.testing.assert_array_equal(which, [0, 0, 0, 1, 1, 2])
