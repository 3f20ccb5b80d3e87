from __future__ import annotations

import numpy as np
import pytest

from unclustered.datasets import draw_datasets, load_benchmark
from unclustered.errors import DataError, ParameterError, PriorsWarning
from unclustered.evidence import Priors, estimate_priors, priors, priors_from_scores


@pytest.fixture
def few_resamples(monkeypatch):
    monkeypatch.setattr(priors, "_RESAMPLES", 20)


def mixture(rng, n_plus, n_minus, distance=5.0):
    plus, minus = rng.normal(distance / 2, 1, n_plus), rng.normal(-distance / 2, 1, n_minus)
    return np.concatenate([plus, minus])


def record(kappa_a, kappa_b):
    return Priors(0.5, 0.5, (0, 1), (0, 1), kappa_a, kappa_b, kappa_a, kappa_b, 0.95, "curve")


@pytest.mark.parametrize("method", ["curve", "best_bin"])
@pytest.mark.parametrize(("theta_a", "theta_b"), [(0.8, 0.2), (0.5, 0.05), (0.9, 0.6)])
def test_balances_of_separate_classes_are_found(few_resamples, method, theta_a, theta_b):
    rng = np.random.default_rng(0)
    n_a, n_b = round(1000 * theta_a), round(1000 * theta_b)
    found = priors_from_scores(
        mixture(rng, n_a, 1000 - n_a), mixture(rng, n_b, 1000 - n_b), method=method
    )
    assert tuple(found) == pytest.approx((theta_a, theta_b), abs=0.03)
    assert found.interval_a[0] <= found.theta_a <= found.interval_a[1]
    assert found.interval_b[0] <= found.theta_b <= found.interval_b[1]
    assert found.kappa_a <= found.kappa_a_high <= (1 - theta_a) / (1 - theta_b) + 0.1
    assert found.kappa_b <= found.kappa_b_high <= theta_b / theta_a + 0.1
    assert found.method == method


def test_swapping_a_and_b_swaps_the_classes(few_resamples):
    rng = np.random.default_rng(1)
    a, b = mixture(rng, 700, 300), mixture(rng, 100, 900)
    forward, backward = priors_from_scores(a, b), priors_from_scores(-b, -a)
    assert backward.theta_a == pytest.approx(1 - forward.theta_b, abs=3e-3)
    assert backward.theta_b == pytest.approx(1 - forward.theta_a, abs=3e-3)


def test_the_same_seed_gives_the_same_record(few_resamples):
    rng = np.random.default_rng(2)
    a, b = mixture(rng, 70, 30), mixture(rng, 30, 70)
    assert priors_from_scores(a, b) == priors_from_scores(a, b, random_state=0)
    assert priors_from_scores(a, b) != priors_from_scores(a, b, random_state=1)


def test_a_higher_confidence_gives_wider_intervals(few_resamples):
    rng = np.random.default_rng(3)
    a, b = mixture(rng, 70, 30), mixture(rng, 30, 70)
    wide, narrow = (priors_from_scores(a, b, confidence=c) for c in (0.99, 0.5))
    assert wide.interval_a[0] < narrow.interval_a[0] < narrow.interval_a[1] < wide.interval_a[1]
    assert wide.difference_bound < narrow.difference_bound


def test_reducible_classes_stay_within_the_feasible_set(few_resamples):
    """Each class looks like the other with density 1/5 at least, so the estimate cannot be right.

    The density ratio of the classes is between 1/4 and 4, which makes the balances 0.9 and 0.1
    look like 0.74 and 0.26.
    """
    rng = np.random.default_rng(4)

    def scores(n, theta):
        plus = rng.random(n) < theta
        return np.where(rng.random(n) < np.where(plus, 0.8, 0.2), 1.0, -1.0) + rng.random(n) / 10

    found = priors_from_scores(scores(2000, 0.9), scores(2000, 0.1))
    assert found.theta_a == pytest.approx(0.74, abs=0.03)
    assert found.allows(0.9, 0.1)
    assert not found.allows(0.6, 0.4)
    assert 0.4 < found.difference_bound < 0.52 < 0.8


@pytest.mark.parametrize(("kappa_a", "kappa_b"), [(0.25, 0.25), (0.1, 0.6), (0.01, 0.4)])
def test_the_corners_span_the_feasible_set(kappa_a, kappa_b):
    """Against its definition, two inequalities, at random points."""
    found = record(kappa_a, kappa_b)
    corners = found.feasible_corners
    rng = np.random.default_rng(5)
    for weights in rng.dirichlet(np.ones(4), 50):
        assert found.allows(*(weights @ corners))
    differences = corners[:, 0] - corners[:, 1]
    assert found.difference_bound == pytest.approx(differences.min())
    points = rng.random((500, 2))
    inside = [
        b < a and (1 - a) / (1 - b) <= kappa_a and b / a <= kappa_b for a, b in points.tolist()
    ]
    assert [found.allows(a, b) for a, b in points.tolist()] == inside
    assert 0 < sum(inside) < 500
    assert (points[inside, 0] - points[inside, 1] >= found.difference_bound - 1e-12).all()


def test_scores_that_tell_nothing_are_not_passed_over(few_resamples):
    rng = np.random.default_rng(6)
    with pytest.warns(PriorsWarning, match="hardly tell A from B"):
        priors_from_scores(rng.normal(size=100), rng.normal(size=100))
    with pytest.warns(PriorsWarning, match="hardly tell A from B"):  # larger for B
        priors_from_scores(mixture(rng, 10, 90), mixture(rng, 90, 10))


def test_scores_that_all_tie_give_numbers(few_resamples):
    for method in ("curve", "best_bin"):
        with pytest.warns(PriorsWarning):
            found = priors_from_scores(np.zeros(20), np.zeros(30), method=method)
        assert 0 <= found.theta_b <= found.theta_a <= 1


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1.0, np.nan, 2.0], [0.0, 1.0], r"scores_a has nan in row 1"),
        ([1.0, 2.0], [0.0, np.inf], r"scores_b has inf in row 1"),
        ([1.0], [0.0, 1.0], r"scores_a must hold one number for each of at least two"),
        ([[1.0, 2.0]], [0.0, 1.0], r"scores.mean\(axis=0\)"),
        (["x", "y"], [0.0, 1.0], r"scores_a must be numbers"),
    ],
)
def test_bad_scores_are_named(a, b, message):
    with pytest.raises(DataError, match=message):
        priors_from_scores(a, b)


def test_bad_parameters_are_named():
    with pytest.raises(ParameterError, match="curve, best_bin"):
        priors_from_scores([0.0, 1], [0.0, 1], method="guess")
    with pytest.raises(ParameterError, match="confidence must be between 0 and 1"):
        priors_from_scores([0.0, 1], [0.0, 1], confidence=95)


@pytest.mark.parametrize("swapped", [False, True])
def test_tables_in_balances_out(few_resamples, swapped):
    twonorm = load_benchmark("twonorm")
    shares = (0.2, 0.8) if swapped else (0.8, 0.2)
    drawn = draw_datasets(twonorm.X, twonorm.y, 300, 300, *shares, random_state=1)
    found = estimate_priors(drawn.A, drawn.B)
    # class +1 is the one over-represented in A, whichever it is
    assert tuple(found) == pytest.approx((0.8, 0.2), abs=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("distance", [3.0, 5.0])
def test_intervals_hold_the_truth(distance):
    """Nominal 95 %, 60 draws of 2,000 a side, classes that overlap a little and hardly."""
    held = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        a, b = (
            mixture(rng, k := int(rng.binomial(2000, theta)), 2000 - k, distance)
            for theta in (0.8, 0.2)
        )
        found = priors_from_scores(a, b)
        held += [
            found.interval_a[0] <= 0.8 <= found.interval_a[1],
            found.interval_b[0] <= 0.2 <= found.interval_b[1],
        ]
    assert np.mean(held) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["twonorm", "banana", "image"])
def test_balances_of_the_benchmarks_are_found(name):
    bench = load_benchmark(name)
    n = 990 if name == "image" else 2000  # all that the set allows
    errors, held = [], []
    for seed in range(10):
        shares = (0.8, 0.2) if seed % 2 else (0.2, 0.8)
        drawn = draw_datasets(bench.X, bench.y, n, n, *shares, random_state=seed)
        found = estimate_priors(drawn.A, drawn.B, random_state=seed)
        errors += np.abs(np.subtract(tuple(found), (0.8, 0.2))).tolist()
        held += [
            found.interval_a[0] <= 0.8 <= found.interval_a[1],
            found.interval_b[0] <= 0.2 <= found.interval_b[1],
        ]
    assert np.mean(errors) <= 0.05
    assert np.mean(held) >= 0.9
