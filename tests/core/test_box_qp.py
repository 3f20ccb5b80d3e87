"""The box QP solver against four solvers and a projected gradient, and its certificate."""

import numpy as np
import pytest

from tests import oracles
from unclustered.core.box_qp import certify, solve_box_qp
from unclustered.core.kernels import gaussian, median_distance, squared_distances
from unclustered.core.status import Status

TOL = 1e-6


def random_problem(seed):
    """A convex step of CCCP: any size, width, lambda, penalty and linearisation."""
    rng = np.random.default_rng(seed)
    n_a, n_b, d = rng.integers(2, 45), rng.integers(2, 45), rng.integers(1, 12)
    n = n_a + n_b
    X = rng.standard_normal((n, d)) + 1.5 * rng.integers(0, 2, (n, 1))
    if seed % 5 == 0:  # repeated samples make Q singular
        X[rng.integers(0, n, n // 3)] = X[rng.integers(0, n, n // 3)]
    D = squared_distances(X)
    K = gaussian(D, median_distance(D) * 10 ** rng.uniform(-1, 0.7))
    regularization = 10 ** rng.uniform(-4, 1)
    G = K if seed % 2 else K @ K.T
    if seed % 3 == 0:
        G = G + 1.0
    t = np.r_[np.ones(n_a), -np.ones(n_b)]
    weight = np.r_[np.full(n_a, 1 / n_a), np.full(n_b, 1 / n_b)]
    s = (t > 0).astype(float) if seed % 4 else rng.integers(0, 2, n).astype(float)
    return G / regularization, t, weight * (s - 1), weight * s


@pytest.mark.parametrize("seed", range(200))
def test_agrees_with_the_best_of_the_oracles(seed):
    Q, t, lower, upper = random_problem(seed)
    found = solve_box_qp(Q, t, lower, upper, tol=TOL)
    lowest, x = oracles.best(Q, t, lower, upper)

    assert found.status is Status.CONVERGED
    assert (found.x >= lower).all()
    assert (found.x <= upper).all()
    value = oracles.objective(Q, t, found.x)
    assert value <= lowest + 1e-8 * abs(lowest) + 1e-13
    # The oracle's own scores are exact to the square root of its error in the objective.
    slack = max(oracles.objective(Q, t, x) - value, 0.0) + 1e-12
    np.testing.assert_allclose(
        Q @ found.x, Q @ x, atol=1e-6 + 3 * np.sqrt(2 * slack * np.diag(Q).max())
    )


@pytest.mark.parametrize("seed", range(0, 200, 10))
def test_the_certificate_is_that_of_the_problem(seed):
    Q, t, lower, upper = random_problem(seed)
    found = solve_box_qp(Q, t, lower, upper, tol=TOL)
    assert found.certificate.kkt_residual <= TOL
    anywhere = np.random.default_rng(seed).uniform(lower, upper)
    for x in (found.x, anywhere):
        certificate = certify(Q @ x, t, lower, upper, x)
        r = Q @ x - t
        # The largest decrease that the linear bound f(y) >= f(x) + r'(y - x) leaves open.
        gap = r @ (x - np.where(r > 0, lower, upper))
        assert certificate.dual_gap == pytest.approx(gap, rel=1e-9, abs=1e-12)
        assert certificate.objective == pytest.approx(oracles.objective(Q, t, x), rel=1e-9)
        pushed = ((r > 0) & (x > lower)) | ((r < 0) & (x < upper))
        residual = np.abs(r[pushed]).max(initial=0.0)
        assert certificate.kkt_residual == pytest.approx(residual, rel=1e-9, abs=1e-12)


def test_a_wrong_point_is_not_certified():
    Q, t, lower, upper = random_problem(7)
    found = solve_box_qp(Q, t, lower, upper)
    lowest, _ = oracles.best(Q, t, lower, upper)
    wrong = np.clip(found.x + 0.3 * (upper - lower), lower, upper)
    certificate = certify(Q @ wrong, t, lower, upper, wrong)
    assert certificate.kkt_residual > 1e-3
    assert certificate.dual_gap >= certificate.objective - lowest > 1e-6


def test_larger_than_the_first_factor():
    """Hundreds of free variables: the factor has to grow."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 8))
    Q = gaussian(squared_distances(X), 1.0) / 0.001
    t = np.r_[np.ones(200), -np.ones(200)]
    lower, upper = np.where(t > 0, 0, -1 / 200), np.where(t > 0, 1 / 200, 0)
    found = solve_box_qp(Q, t, lower, upper)
    assert ((found.x > lower) & (found.x < upper)).sum() > 128
    x = oracles.by_solver("piqp", Q, t, lower, upper)
    assert oracles.objective(Q, t, found.x) <= oracles.objective(Q, t, x) + 1e-12
    assert found.certificate.kkt_residual <= TOL


def test_a_limit_of_iterations_is_said():
    Q, t, lower, upper = random_problem(1)
    found = solve_box_qp(Q, t, lower, upper, max_iter=1)
    assert found.status is Status.ITERATION_LIMIT
    assert "limit" in found.status.sentence
    assert found.certificate.kkt_residual > TOL


def test_read_only_and_strided_input():
    Q, t, lower, upper = random_problem(3)
    expected = solve_box_qp(Q, t, lower, upper).x
    Q_f = np.asfortranarray(Q)
    t_ro = t.copy()
    t_ro.flags.writeable = False
    np.testing.assert_array_equal(solve_box_qp(Q_f, t_ro, lower, upper).x, expected)
