from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from unclustered.errors import DataError, ParameterError
from unclustered.evidence import class_posterior


@pytest.mark.parametrize("prior", [0.05, 0.5, 0.8])
@pytest.mark.parametrize("priors", [(0.8, 0.2), (0.6, 0.5), (0.99, 0.7)])
def test_it_is_bayes_theorem_where_the_densities_are_known(priors, prior):
    x = np.linspace(-4, 4, 41)
    plus, minus = norm.pdf(x, 1), norm.pdf(x, -1)
    p_a, p_b = (theta * plus + (1 - theta) * minus for theta in priors)
    expected = prior * plus / (prior * plus + (1 - prior) * minus)
    assert class_posterior(p_a / p_b, priors, prior) == pytest.approx(expected, abs=1e-12)


def test_each_sample_may_have_a_prior_of_its_own():
    both = class_posterior([2.0, 2.0], (0.8, 0.2), [0.8, 0.2])
    assert both[0] == class_posterior(2.0, (0.8, 0.2), 0.8)
    assert both[1] == class_posterior(2.0, (0.8, 0.2), 0.2)


def test_a_ratio_that_tells_nothing_gives_the_prior_back():
    assert class_posterior(1.0, (0.7, 0.4), 0.35) == pytest.approx(0.35)


def test_impossible_ratios_are_certain_and_nothing_is_undefined():
    ratios = np.array([0.0, 1e-300, 0.25, 4.0, 1e300, np.inf])
    found = class_posterior(ratios, (0.8, 0.2), 0.5)
    assert found.tolist() == pytest.approx([0, 0, 0, 1, 1, 1], abs=1e-12)


def test_the_label_changes_where_the_threshold_formula_says():
    """+1 iff r > [(1-pi) theta_A + pi (1-theta_A)] / [(1-pi) theta_B + pi (1-theta_B)]."""
    theta_a, theta_b, pi = 0.7, 0.4, 0.2
    threshold = ((1 - pi) * theta_a + pi * (1 - theta_a)) / (
        (1 - pi) * theta_b + pi * (1 - theta_b)
    )
    below, above = class_posterior([threshold - 1e-6, threshold + 1e-6], (theta_a, theta_b), pi)
    assert below < 0.5 < above


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ((0.5, 0.5), "are equal"),
        ((0.2, 0.8), "give 0.8 and 0.2"),
        ((1.0, 0.2), "in A must be between 0 and 1"),
        ((0.8, 0.0), "in B must be between 0 and 1"),
        ((float("nan"), 0.2), "in A must be between 0 and 1"),
        ((0.8,), "two numbers"),
        ("ab", "two numbers"),
        (0.8, "two numbers"),
    ],
)
def test_impossible_balances_are_refused(priors, message):
    with pytest.raises(ParameterError, match=message):
        class_posterior(1.0, priors, 0.5)


@pytest.mark.parametrize("prior", [0.0, 1.0, float("nan"), [0.5, 2.0]])
def test_an_impossible_prior_is_refused(prior):
    with pytest.raises(ParameterError, match="prior must be between 0 and 1"):
        class_posterior([1.0, 1.0], (0.8, 0.2), prior)


def test_a_ratio_below_zero_is_named():
    with pytest.raises(DataError, match=r"ratio has -1\.0 in row 1"):
        class_posterior([1.0, -1.0], (0.8, 0.2), 0.5)
    with pytest.raises(DataError, match="ratio has nan in row 0"):
        class_posterior(np.nan, (0.8, 0.2), 0.5)
