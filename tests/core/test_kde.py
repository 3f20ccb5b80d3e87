"""Densities against scikit-learn, and the criterion against numerical integration."""

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.neighbors import KernelDensity

from unclustered.core.kde import Pairs, choose_bandwidth, log_density
from unclustered.core.kernels import squared_distances


def sklearn_density(samples, weight, bandwidth):
    return KernelDensity(bandwidth=bandwidth).fit(samples, sample_weight=weight)


@pytest.mark.parametrize("d", [1, 3, 40])
def test_log_density_is_scikit_learns(d):
    rng = np.random.default_rng(d)
    samples, x = rng.normal(size=(30, d)), 2 * rng.normal(size=(8, d))
    weight = rng.dirichlet(np.ones(30))
    ours = log_density(squared_distances(x, samples), weight, 0.6, d)
    theirs = sklearn_density(samples, weight, 0.6).score_samples(x)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def criterion(samples, weight, bandwidth, integral_of_square):
    """J, with the left-out densities from scikit-learn."""
    left_out = 0.0
    for i in range(len(samples)):
        others = np.arange(len(samples)) != i
        density = sklearn_density(samples[others], weight[others], bandwidth)
        left_out += weight[i] * np.exp(density.score_samples(samples[[i]])[0])
    return integral_of_square - 2 * left_out


@pytest.mark.parametrize("bandwidth", [0.2, 0.5, 1.5])
def test_criterion_in_one_dimension(bandwidth):
    rng = np.random.default_rng(0)
    samples, weight = rng.normal(size=(12, 1)), rng.dirichlet(np.ones(12))
    density = sklearn_density(samples, weight, bandwidth)
    square = quad(lambda x: np.exp(2 * density.score_samples([[x]])[0]), -9, 9, limit=200)[0]
    J = criterion(samples, weight, bandwidth, square)
    ours = Pairs.of(squared_distances(samples), weight, 1).log_fit(bandwidth)
    assert -np.exp(ours) == pytest.approx(J, rel=1e-6)


def test_criterion_in_two_dimensions():
    rng = np.random.default_rng(1)
    samples, weight = rng.normal(size=(6, 2)), np.full(6, 1 / 6)

    side = np.linspace(-7, 7, 281)  # sums of smooth functions that vanish at the edges are exact
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    density = sklearn_density(samples, weight, 0.8).score_samples(grid)
    J = criterion(samples, weight, 0.8, np.exp(2 * density).sum() * (side[1] - side[0]) ** 2)
    ours = Pairs.of(squared_distances(samples), weight, 2).log_fit(0.8)
    assert -np.exp(ours) == pytest.approx(J, rel=1e-6)


def test_a_bandwidth_so_small_that_the_criterion_is_positive_has_no_fit():
    samples = np.array([[0.0], [1.0], [2.5]])
    assert Pairs.of(squared_distances(samples), np.full(3, 1 / 3), 1).log_fit(1e-3) == -np.inf


@pytest.mark.parametrize(("n", "d"), [(50, 1), (60, 4), (40, 30)])
def test_chosen_bandwidth_is_the_best_of_a_fine_grid(n, d):
    rng = np.random.default_rng(n)
    samples = rng.normal(size=(n, d)) + 4 * rng.integers(0, 2, (n, 1))
    D, weight = squared_distances(samples), np.full(n, 1 / n)
    choice = choose_bandwidth(D, weight, d)
    pairs = Pairs.of(D, weight, d)
    fine = max(
        pairs.log_fit(s) for s in np.geomspace(choice.bandwidth / 3, 3 * choice.bandwidth, 999)
    )
    assert choice.log_fit == pytest.approx(pairs.log_fit(choice.bandwidth))
    assert choice.log_fit >= fine - 1e-4


def test_chosen_bandwidth_nears_the_best_possible_for_a_normal_density():
    x = np.random.default_rng(3).normal(size=(2000, 1))
    choice = choose_bandwidth(squared_distances(x), np.full(2000, 1 / 2000), 1)
    assert choice.bandwidth == pytest.approx(1.06 * 2000**-0.2, rel=0.35)


def test_one_pair_of_near_copies_does_not_take_the_bandwidth_to_nothing():
    rng = np.random.default_rng(4)
    samples = rng.normal(size=(40, 25))
    before = choose_bandwidth(squared_distances(samples), np.full(40, 1 / 40), 25).bandwidth
    samples[1] = samples[0] + 1e-6
    after = choose_bandwidth(squared_distances(samples), np.full(40, 1 / 40), 25).bandwidth
    assert after > 0.3 * before


def test_a_thousand_dimensions():
    rng = np.random.default_rng(5)
    samples = rng.normal(size=(50, 1000))
    D, weight = squared_distances(samples), np.full(50, 0.02)
    choice = choose_bandwidth(D, weight, 1000)
    assert np.isfinite(choice.log_fit)
    assert 0.5 < choice.bandwidth < 3  # about sqrt(2): neighbours are sqrt(2000) away
    x = rng.normal(size=(5, 1000))
    ours = log_density(squared_distances(x, samples), weight, choice.bandwidth, 1000)
    theirs = sklearn_density(samples, weight, choice.bandwidth).score_samples(x)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)
