"""The convex-concave procedure: it descends on the ramp objective as the paper defines it."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tests import oracles
from unclustered.core.cccp import (
    STARTS,
    JoinedFolds,
    held_out_scores,
    minimise_ramp,
    ramp_objective,
)
from unclustered.core.kernels import gaussian, median_distance, squared_distances
from unclustered.core.status import Status


def problem(seed, n=60, penalty="coefficients"):
    rng = np.random.default_rng(seed)
    side = np.repeat([1.0, -1.0], [n // 2, n - n // 2])
    X = rng.standard_normal((n, 3))
    X[:, 0] += np.where(rng.random(n) < 0.5 + 0.3 * side, 2.0, -2.0)
    D = squared_distances(X)
    K = gaussian(D, median_distance(D) * 10 ** rng.uniform(-0.5, 0.3))
    weight = np.where(side > 0, 1 / (side > 0).sum(), 1 / (side < 0).sum())
    G = K @ K.T if penalty == "coefficients" else K
    return G, side, weight, 10 ** rng.uniform(-3, 0), K


def J(scores, side, regularization, alpha):
    """The objective, written out from the paper."""
    ramp = np.minimum(1.0, np.maximum(-1.0, scores))
    return ramp[side < 0].mean() - ramp[side > 0].mean() + regularization / 2 * np.sum(alpha**2)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("start", STARTS)
def test_it_descends_on_the_papers_objective(seed, start):
    G, side, weight, regularization, K = problem(seed)
    found = minimise_ramp(G, side, weight, regularization, starts=STARTS[start])
    assert found.status is Status.CONVERGED
    assert found.converged
    assert (np.diff(found.path) <= 0).all()
    alpha = K.T @ found.beta
    assert found.objective == pytest.approx(J(K @ alpha, side, regularization, alpha), abs=1e-10)
    assert found.objective == pytest.approx(
        ramp_objective(G @ found.beta, side, weight, regularization, found.beta), abs=1e-12
    )
    assert found.certificate.kkt_residual <= 1e-6
    assert 0 <= found.certificate.dual_gap <= 1e-6


@pytest.mark.parametrize("seed", range(10))
def test_the_first_step_is_the_convex_problem_it_is_named_after(seed):
    G, side, weight, regularization, K = problem(seed)

    def bound(hinge):
        # A: C_1(g) - c (g + 1) + 1 and B: C_{-1}(g) - b (g - 1) - 1, with R = C_{-1} - C_1 - 1.
        def value(alpha):
            g = K @ alpha
            on_a = np.maximum(0, g - 1) - hinge * (g + 1) + 1
            on_b = np.maximum(0, g + 1) - 1
            return (
                on_a[side > 0].mean() + on_b[side < 0].mean() + regularization / 2 * alpha @ alpha
            )

        return value

    for start, hinge in (("hinge", 1.0), ("paper", 0.0)):
        first = minimise_ramp(G, side, weight, regularization, starts=STARTS[start], max_iter=1)
        alpha = K.T @ first.beta
        value = bound(hinge)
        # No descent from there: neither by a general optimiser nor along random directions.
        lower = minimize(value, alpha, method="Powell", options={"maxiter": 3}).fun
        assert value(alpha) <= lower + 1e-9
        rng = np.random.default_rng(seed)
        for _ in range(50):
            assert value(alpha) <= value(alpha + 1e-3 * rng.standard_normal(len(alpha))) + 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_every_step_agrees_with_oracles(seed):
    """The whole procedure once more, each convex step by another solver."""
    G, side, weight, regularization, _ = problem(seed, penalty="rkhs")
    slope = (side > 0).astype(float)
    for _ in range(50):
        _, gamma = oracles.best(G / regularization, side, weight * (slope - 1), weight * slope)
        g = G @ gamma / regularization
        new = (g >= -side).astype(float)
        if (new == slope).all():
            break
        slope = new
    found = minimise_ramp(G, side, weight, regularization)
    expected = ramp_objective(g, side, weight, regularization, gamma / regularization)
    assert found.objective == pytest.approx(expected, abs=1e-8)
    np.testing.assert_allclose(G @ found.beta, g, atol=1e-4)


def test_best_keeps_the_lower_of_both_ends():
    better = 0
    for seed in range(20):
        G, side, weight, regularization, _ = problem(seed)
        ends = {
            start: minimise_ramp(G, side, weight, regularization, starts=flags).objective
            for start, flags in STARTS.items()
        }
        assert ends["best"] == min(ends["hinge"], ends["paper"])
        better += ends["hinge"] != ends["paper"]
    assert better  # the starts do lead to different ends, or the test would show nothing


@pytest.mark.parametrize("start", STARTS)
def test_held_out_scores_are_those_of_fits_on_the_training_part(start):
    G, side, weight, _, _ = problem(3)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(side))
    folds = [(np.sort(np.delete(order, np.s_[k::4])), order[k::4]) for k in range(4)]
    grid = np.array([0.01, 1.0, 0.1])
    joined = JoinedFolds.of(folds)
    scores = held_out_scores(G, side, weight, joined, grid, starts=STARTS[start])
    assert scores.shape == (3, 4)
    for i, regularization in enumerate(grid):
        for k, (train, test) in enumerate(folds):
            w = weight[train].copy()
            for value in (1.0, -1.0):
                w[side[train] == value] /= w[side[train] == value].sum()
            inner = np.ascontiguousarray(G[np.ix_(train, train)])
            fit = minimise_ramp(inner, side[train], w, regularization, starts=STARTS[start])
            ramp = np.clip(G[np.ix_(test, train)] @ fit.beta, -1, 1)
            expected = ramp[side[test] > 0].mean() - ramp[side[test] < 0].mean()
            assert scores[i, k] == pytest.approx(expected, abs=1e-6)


def test_a_limit_of_steps_is_said():
    G, side, weight, _, _ = problem(1)
    assert len(minimise_ramp(G, side, weight, 0.003).path) > 2
    short = minimise_ramp(G, side, weight, 0.003, max_iter=1)
    assert not short.converged
    assert len(short.path) == 1
