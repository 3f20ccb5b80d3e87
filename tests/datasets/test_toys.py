from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from unclustered import DataError, ParameterError
from unclustered.datasets import (
    bayes_labels,
    bayes_score,
    mixture_density,
    toy_problem_1,
    toy_problem_2,
)
from unclustered.metrics import labeling_error_rate

TOYS = {1: toy_problem_1, 2: toy_problem_2}
POINTS = np.random.default_rng(0).normal(scale=3, size=(200, 2))


def _class_density(problem: int, label: int, points: np.ndarray) -> np.ndarray:
    """The paper's definition, written out with another library's Gaussian."""
    means = {
        (1, 1): [(-1, -1)],
        (1, -1): [(1, 1)],
        (2, 1): [(3, 0), (-3, 0)],
        (2, -1): [(0, 3), (0, -3)],
    }[problem, label]
    return np.mean([multivariate_normal(m, np.eye(2)).pdf(points) for m in means], axis=0)


@pytest.mark.parametrize("problem", TOYS)
def test_samples_follow_the_papers_definition(problem):
    n = 40_000
    A, B, labels_a, labels_b = TOYS[problem](n=n, random_state=7)
    for X, labels, prior in ((A, labels_a, 0.3), (B, labels_b, 0.7)):
        assert X.shape == (n, 2)
        assert set(labels) == {-1, 1}
        assert abs((labels == 1).mean() - prior) < 4 * np.sqrt(prior * (1 - prior) / n)
        for label in (-1, 1):
            drawn = X[labels == label]
            for moment, expected in _moments(problem, label).items():
                values = moment(drawn)
                error = 4.5 * values.std(axis=0) / np.sqrt(len(drawn))
                assert np.all(np.abs(values.mean(axis=0) - expected) < error)


def _moments(problem, label):
    first, second, fourth = lambda X: X, lambda X: X**2, lambda X: X**4
    product = lambda X: X[:, 0] * X[:, 1]  # noqa: E731
    if problem == 1:  # N(-label, 1) in each coordinate, independent
        return {first: -label, second: 2, fourth: 10, product: 1}
    spread, narrow = ((9 + 1), 81 + 6 * 9 + 3), (1, 3)
    order = 1 if label == 1 else -1
    seconds, fourths = zip(*[spread, narrow][::order], strict=True)
    return {first: 0, second: seconds, fourth: fourths, product: 0}


@pytest.mark.parametrize("problem", TOYS)
def test_class_counts_are_those_of_independent_draws(problem):
    counts = [(TOYS[problem](n=30, random_state=s).labels_a == 1).sum() for s in range(400)]
    assert abs(np.mean(counts) - 9) < 4 * np.sqrt(30 * 0.21 / 400)
    assert np.var(counts) == pytest.approx(30 * 0.21, rel=0.3)  # 0 if they were fixed


@pytest.mark.parametrize("problem", TOYS)
def test_the_score_is_the_log_ratio_of_the_class_densities(problem):
    expected = np.log(_class_density(problem, 1, POINTS) / _class_density(problem, -1, POINTS))
    assert bayes_score(POINTS, problem) == pytest.approx(expected)


def test_the_scores_closed_forms_hold_far_out_where_densities_underflow():
    far = POINTS * 40
    assert bayes_score(far, 1) == pytest.approx(-2 * far.sum(axis=1))
    log_two_cosh = np.logaddexp(3 * far, -3 * far)
    assert bayes_score(far, 2) == pytest.approx(log_two_cosh[:, 0] - log_two_cosh[:, 1])


@pytest.mark.parametrize("problem", TOYS)
def test_the_labels_are_the_sign_of_the_density_difference(problem):
    p_a = mixture_density(POINTS, problem, 0.7)
    p_b = mixture_density(POINTS, problem, 0.3)
    assert np.array_equal(bayes_labels(POINTS, problem), np.sign(p_a - p_b))


@pytest.mark.parametrize("problem", TOYS)
def test_the_mixture_density_is_a_density_and_the_papers(problem):
    expected = 0.3 * _class_density(problem, 1, POINTS) + 0.7 * _class_density(problem, -1, POINTS)
    assert mixture_density(POINTS, problem, 0.3) == pytest.approx(expected)
    grid = np.linspace(-12, 12, 241)
    lattice = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    assert mixture_density(lattice, problem, 0.3).sum() * 0.1**2 == pytest.approx(1.0)


def test_bayes_labels_err_as_theory_says():
    # Problem 1: the distance of a mean to the boundary is sqrt(2). Problem 2: turned by 45 degrees,
    # a sample errs when exactly one of two independent N(3 / sqrt(2), 1) coordinates is negative.
    miss = norm.cdf(-3 / np.sqrt(2))
    theory = {1: norm.cdf(-np.sqrt(2)), 2: 2 * miss * (1 - miss)}
    n = 100_000
    for problem, expected in theory.items():
        drawn = TOYS[problem](n=n, random_state=9)
        error = labeling_error_rate(drawn.labels, bayes_labels(drawn.X, problem))
        assert abs(error - expected) < 4 * np.sqrt(expected * (1 - expected) / (2 * n))


def test_defaults_and_seeds():
    drawn = toy_problem_1()
    assert drawn.A.shape == drawn.B.shape == (30, 2)
    assert np.array_equal(drawn.X, toy_problem_1(random_state=0).X)
    assert not np.array_equal(drawn.X, toy_problem_1(random_state=1).X)
    assert not np.array_equal(drawn.A, drawn.B)
    assert (toy_problem_2(priors=(1, 0)).membership == toy_problem_2(priors=(1, 0)).labels).all()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: toy_problem_1(n=0), ParameterError, "n must be at least 1"),
        (lambda: toy_problem_1(n=3.5), ParameterError, "n must be a whole number"),
        (lambda: toy_problem_2(priors=(0.3, 1.7)), ParameterError, r"priors\[1\] must be"),
        (lambda: toy_problem_2(priors=0.3), ParameterError, "priors must be two numbers"),
        (lambda: toy_problem_2(priors=(0.1, 0.2, 0.3)), ParameterError, "priors must be two"),
        (lambda: bayes_labels([[0, 0]], 3), ParameterError, "problem must be 1 or 2"),
        (lambda: bayes_score([[0, 0, 0]], 1), DataError, r"shape \(n, 2\)"),
        (lambda: bayes_score([["x", "y"]], 1), DataError, "numbers"),
        (lambda: mixture_density([[0, 0]], 1, 2.0), ParameterError, "prior must be"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
