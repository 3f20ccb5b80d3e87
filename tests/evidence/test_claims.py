"""What docs/evidence.md claims, on reduced numbers of runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.evidence.simulations import (
    Task,
    cover_once,
    labels_once,
    null_once,
    power_once,
    repeat,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("n", "runs"), [(40, 150), (200, 60)])
@pytest.mark.parametrize("problem", ["gaussians", "heart", "german"])
def test_p_values_are_uniform_where_nothing_differs(problem, n, runs):
    tasks = [Task(problem, "dsdd", n, 0.5, 19, seed) for seed in range(runs)]
    _, p_values, trusted = repeat(null_once, tasks, jobs=2)
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    assert trusted.sum() <= stats.binom(runs, 0.05).ppf(0.995)


@pytest.mark.parametrize("problem", ["banana", "heart", "thyroid", "twonorm"])
def test_a_clear_difference_is_found(problem):
    tasks = [Task(problem, "dsdd", 200, 0.8, 19, seed) for seed in range(20)]
    _, trusted, error = repeat(power_once, tasks, jobs=2)
    assert error.mean() <= 0.25
    assert trusted.sum() >= 18


@pytest.mark.parametrize(
    ("problem", "method", "n", "theta"),
    [
        ("gaussians", "dsdd", 40, 0.8),
        ("banana", "dsdd", 40, 0.8),
        ("twonorm", "dsdd", 40, 0.65),
        ("gaussians", "logistic", 200, 0.8),
        ("twonorm", "lsdd", 100, 0.65),
    ],
)
def test_intervals_and_bounds_hold_as_often_as_they_say(problem, method, n, theta):
    runs = 200
    tasks = [Task(problem, method, n, theta, 0, seed) for seed in range(runs)]
    covered, bounded, _ = repeat(cover_once, tasks, jobs=2)
    assert 0.91 <= covered.mean() <= 0.99  # 95 % give or take 2.6 standard errors
    assert bounded.mean() >= 0.95


@pytest.mark.parametrize(
    ("problem", "n", "theta"),
    [
        ("diabetes", 40, 0.65),
        ("german", 40, 0.8),
        ("heart", 40, 0.65),
        ("saheart", 40, 0.8),
        ("twonorm", 40, 0.8),
        ("ionosphere", 100, 0.65),
    ],
)
def test_labels_by_probability_are_not_worse_than_by_dataset_or_sign(problem, n, theta):
    tasks = [Task(problem, "dsdd", n, theta, 0, seed) for seed in range(30)]
    *others, probability = repeat(labels_once, tasks, jobs=2)
    for other in others:
        excess = probability - other
        assert excess.mean() <= 2 * excess.std(ddof=1) / np.sqrt(len(excess))
