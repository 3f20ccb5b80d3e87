"""Spaces of few dimensions: their inner products are those of the penalties they stand for."""

import numpy as np
import pytest

from unclustered.core.kernels import gaussian_kernel
from unclustered.core.low_rank import (
    choose_landmarks,
    make_space,
    mean_difference,
    second_moment,
    without_redundant,
)
from unclustered.engines import ArraySource, make_engine

ENGINE = make_engine("numpy", dtype="float64")


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(5.0, 1.0, (60, 2))


@pytest.mark.parametrize("penalty", ["coefficients", "rkhs"])
def test_all_samples_as_landmarks_give_the_exact_gram_matrix(X, penalty):
    bandwidth = 0.7
    K = gaussian_kernel(X, None, bandwidth)
    moment = second_moment(ENGINE, X, np.ones(60), X, bandwidth)
    np.testing.assert_allclose(moment, K @ K, atol=1e-10)
    space = make_space(X, bandwidth, moment=moment if penalty == "coefficients" else None)
    Z = space.features(X) @ space.lift
    gram = K @ K if penalty == "coefficients" else K
    np.testing.assert_allclose(Z @ Z.T, gram, atol=1e-3 * gram.max())


def test_a_few_landmarks_are_nystroems_approximation(X):
    space = make_space(X[:10], 1.5, intercept=True)
    cross, within = gaussian_kernel(X, X[:10], 1.5), gaussian_kernel(X[:10], None, 1.5)
    Z = space.features(X) @ space.lift
    expected = cross @ np.linalg.pinv(within, rcond=1e-5, hermitian=True) @ cross.T + 1.0
    np.testing.assert_allclose(Z @ Z.T, expected, atol=1e-6)


def test_coefficients_are_those_of_the_kernels(X):
    space = make_space(X[:10], 1.5, intercept=True)
    u = np.random.default_rng(1).normal(size=space.n_dims)
    coef, intercept = space.coefficients(u)
    g = gaussian_kernel(X, X[:10], 1.5) @ coef + intercept
    np.testing.assert_allclose(space.features(X) @ space.lift @ u, g, atol=1e-10)


def test_centres_may_stand_for_several(X):
    counted = second_moment(ENGINE, X, np.arange(60.0), X[:5], 1.0)
    repeated = second_moment(ENGINE, np.repeat(X, np.arange(60), axis=0), np.ones(1770), X[:5], 1.0)
    np.testing.assert_allclose(counted, repeated, rtol=1e-10)


def test_mean_difference(X):
    side, weight = np.repeat([1.0, -1.0], 30), np.full(60, 1 / 30)
    features = make_space(X[:7], 1.0).features
    h = mean_difference(ENGINE, ArraySource(X, side, weight, part_rows=11), features)
    Phi = gaussian_kernel(X, X[:7], 1.0)
    np.testing.assert_allclose(h, Phi[:30].mean(axis=0) - Phi[30:].mean(axis=0), atol=1e-12)


def test_landmarks_are_apart_and_distinct():
    rng = np.random.default_rng(3)
    clusters = np.repeat(rng.normal(0, 100, (8, 3)), 50, axis=0) + rng.normal(0, 0.1, (400, 3))
    rows = choose_landmarks(clusters, 8, np.random.default_rng(0))
    assert len(set(rows // 50)) == 8
    assert len(choose_landmarks(np.repeat(clusters[:5], 3, axis=0), 20, rng)) == 5
    assert len(choose_landmarks(np.zeros((4, 2)), 3, rng)) == 1


def test_without_redundant_landmarks_the_scores_are_the_same(X):
    kept = without_redundant(X, 2.0)
    assert len(kept) < 40
    K = gaussian_kernel(X, None, 2.0)
    part = K[:, kept]
    rest = K - part @ np.linalg.solve(part[kept], part.T)
    assert np.abs(np.diag(rest)).max() < 1e-5
