"""CCCP with Newton steps: the exact solver's answers, and certificates that hold."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from tests import oracles
from unclustered.core.cccp import STARTS, minimise_ramp, ramp_objective
from unclustered.core.kernels import gaussian_kernel
from unclustered.core.low_rank import make_space, second_moment
from unclustered.core.low_rank_ramp import RampPass, minimise_ramp_low_rank
from unclustered.core.status import Status
from unclustered.engines import ArraySource, make_engine

ENGINE = make_engine("numpy", dtype="float64")


def problem(seed, n=120, d=3):
    rng = np.random.default_rng(seed)
    side = np.repeat([1.0, -1.0], [n // 3, n - n // 3])
    X = rng.standard_normal((n, d))
    X[:, 0] += np.where(rng.random(n) < 0.5 + 0.3 * side, 1.5, -1.5)
    weight = rng.uniform(0.5, 1.5, n)
    for value in (1.0, -1.0):
        weight[side == value] /= weight[side == value].sum()
    return X, side, weight, 10 ** rng.uniform(-0.2, 0.5), 10 ** rng.uniform(-3, -1)


def solved(X, side, weight, bandwidth, regularization, penalty="rkhs", engine=ENGINE, **options):
    moment = None
    if penalty == "coefficients":
        moment = second_moment(ENGINE, X, np.ones(len(X)), X, bandwidth)
    space = make_space(X, bandwidth, moment=moment)
    source = ArraySource(X, side, weight, part_rows=50)
    return space, minimise_ramp_low_rank(engine, source, space, regularization, **options)


@pytest.mark.parametrize("penalty", ["rkhs", "coefficients"])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("seed", range(6))
def test_it_ends_where_the_exact_solver_does(seed, start, penalty):
    X, side, weight, bandwidth, regularization = problem(seed)
    K = gaussian_kernel(X, None, bandwidth)
    G = K if penalty == "rkhs" else K @ K
    exact = minimise_ramp(G, side, weight, regularization, starts=STARTS[start])
    space, found = solved(
        X, side, weight, bandwidth, regularization, penalty, starts=STARTS[start], tol=1e-3
    )
    assert found.status is Status.CONVERGED
    scores = space.features(X) @ space.lift @ found.u
    # Computed anew; and J is not convex: another end is fine if it is no worse.
    ramp = (weight * side) @ np.clip(scores, -1, 1)
    assert found.objective == pytest.approx(0.5 * regularization * found.u @ found.u - ramp)
    assert found.objective <= exact.objective + 0.01 * abs(exact.objective)
    if abs(found.objective - exact.objective) < 1e-3:
        far = np.abs(exact.scores) > 0.2
        np.testing.assert_array_equal(np.sign(scores[far]), np.sign(exact.scores[far]))


def test_ends_are_rarely_different():
    close = []
    for seed in range(20):
        X, side, weight, bandwidth, regularization = problem(seed)
        exact = minimise_ramp(gaussian_kernel(X, None, bandwidth), side, weight, regularization)
        _, found = solved(X, side, weight, bandwidth, regularization)
        close.append(abs(found.objective - exact.objective) < 0.01 * abs(exact.objective))
    assert sum(close) >= 17


@pytest.mark.parametrize("seed", range(5))
def test_the_lower_bound_holds_for_the_next_convex_step(seed):
    X, side, weight, bandwidth, regularization = problem(seed, n=60)
    space, found = solved(X, side, weight, bandwidth, regularization, max_iter=4, tol=1e-9)
    Z = space.features(X) @ space.lift
    scores = Z @ found.u
    kept = side * scores >= -1.0  # where the hinge is not given up
    # The dual as a box QP, solved by others: gamma between -w and 0 on A where given up, and so on.
    upper = np.where(side > 0, kept * weight, ~kept * weight)
    lower = np.where(side > 0, ~kept * -weight, kept * -weight)
    best, _ = oracles.best(Z @ Z.T / regularization, side, lower, upper)
    hinge = np.where(kept, np.maximum(0, 1 - side * scores), np.maximum(0, side * scores - 1))
    here = weight @ hinge + 0.5 * regularization * found.u @ found.u
    still_to_fall = here + best  # the bound at the point, minus its minimum
    assert -1e-9 <= still_to_fall <= found.gap + 1e-9
    assert found.gap > 0


def test_the_path_never_rises_and_ends_at_the_objective():
    X, side, weight, bandwidth, regularization = problem(1)
    _, found = solved(X, side, weight, bandwidth, regularization)
    assert np.all(np.diff(found.path) <= 1e-12)
    assert found.path[-1] == found.objective
    assert found.n_iter == len(found.path) - 1


def test_swapping_the_datasets_flips_the_scores():
    X, side, weight, bandwidth, regularization = problem(2)
    _, one = solved(X, side, weight, bandwidth, regularization)
    _, other = solved(X, -side, weight, bandwidth, regularization)
    np.testing.assert_allclose(other.u, -one.u, atol=1e-8 * np.abs(one.u).max())


def test_float32_features_agree():
    X, side, weight, bandwidth, regularization = problem(3)
    _, double = solved(X, side, weight, bandwidth, regularization)
    _, single = solved(X, side, weight, bandwidth, regularization, engine=make_engine("numpy"))
    assert single.status is Status.CONVERGED
    assert single.objective == pytest.approx(double.objective, abs=2e-3)


def test_a_limit_of_passes_is_a_status():
    X, side, weight, bandwidth, regularization = problem(4)
    _, found = solved(X, side, weight, bandwidth, regularization, max_iter=2)
    assert found.status is Status.ITERATION_LIMIT
    assert found.n_iter == 2


def test_a_start_close_by_takes_fewer_passes():
    X, side, weight, bandwidth, regularization = problem(5)
    _, cold = solved(X, side, weight, bandwidth, regularization)
    _, warm = solved(X, side, weight, bandwidth, regularization, u=cold.u)
    assert warm.n_iter < cold.n_iter
    assert warm.objective <= cold.objective + 1e-3


@pytest.mark.parametrize("anchor", ["hinge", "paper", "here"])
def test_pulls_are_minus_the_gradient_and_the_gram_its_derivative(anchor):
    X, side, weight, bandwidth, _ = problem(6, n=40)
    space = make_space(X[:8], bandwidth, intercept=True)
    source = ArraySource(X, side, weight)

    def sums(v):
        return ENGINE.add_up(source, space.features, RampPass(v[:, None], 0.3, anchor))

    v = np.random.default_rng(0).normal(size=9)
    error = check_grad(lambda v: sums(v).values[1, 0], lambda v: -sums(v).pulls[:, 0], v)
    assert error < 1e-5
    step = 1e-6
    columns = [
        (sums(v - step * e).pulls[:, 0] - sums(v + step * e).pulls[:, 0]) / (2 * step)
        for e in np.eye(9)
    ]
    np.testing.assert_allclose(np.array(columns), sums(v).gram, atol=1e-6)


def test_the_values_are_those_of_the_formulas():
    X, side, weight, bandwidth, _ = problem(7)
    space = make_space(X, bandwidth)
    u = np.random.default_rng(0).normal(size=space.n_dims)
    found = ENGINE.add_up(
        ArraySource(X, side, weight), space.features, RampPass((space.lift @ u)[:, None], 1e-9)
    ).values[:, 0]
    scores = space.features(X) @ space.lift @ u
    J = ramp_objective(scores, side, weight, 0.0, np.zeros(len(X)))
    assert found[0] - 2.0 == pytest.approx(J)
    assert found[1] == pytest.approx(found[0], abs=1e-8)
