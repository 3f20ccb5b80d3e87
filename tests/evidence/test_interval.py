"""Newcombe's intervals against his table, and the bounds against what they must hold for."""

from __future__ import annotations

import pytest

from unclustered import ParameterError
from unclustered.evidence import (
    balance_difference_bound,
    balanced_error,
    error_bound,
    newcombe_interval,
)

# Newcombe (1998), table II, method 10.
PUBLISHED = [
    (56, 70, 48, 80, 0.0524, 0.3339),
    (9, 10, 3, 10, 0.1705, 0.8090),
    (6, 7, 2, 7, 0.0582, 0.8062),
    (5, 56, 0, 29, -0.0381, 0.1926),
    (0, 10, 0, 20, -0.1611, 0.2775),
    (0, 10, 0, 10, -0.2775, 0.2775),
    (10, 10, 0, 20, 0.6791, 1.0),
    (10, 10, 0, 10, 0.6075, 1.0),
]


@pytest.mark.parametrize("row", PUBLISHED)
def test_intervals_are_the_published_ones(row):
    a, n_a, b, n_b, low, high = row
    assert newcombe_interval(a / n_a, b / n_b, n_a, n_b) == pytest.approx((low, high), abs=5e-5)


def test_more_confidence_is_a_wider_interval_and_swapping_mirrors_it():
    low, high = newcombe_interval(0.7, 0.4, 50, 60, 0.9)
    lower, higher = newcombe_interval(0.7, 0.4, 50, 60, 0.99)
    assert lower < low < 0.3 < high < higher
    assert newcombe_interval(0.4, 0.7, 60, 50, 0.9) == pytest.approx((-high, -low))


@pytest.mark.parametrize("confidence", [0, 1, -0.5, float("nan")])
def test_impossible_confidence_is_refused(confidence):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        newcombe_interval(0.5, 0.5, 10, 10, confidence)


@pytest.mark.parametrize("delta", [0.1, 0.6, 1.0])
@pytest.mark.parametrize("error", [0.0, 0.2, 0.5])
def test_bounds_hold_for_every_error_and_balance(delta, error):
    gap = delta * (1 - 2 * error)
    assert error_bound(gap) >= error - 1e-12
    assert balance_difference_bound(gap) <= delta + 1e-12
    theta_b = (1 - delta) / 2
    assert balanced_error(gap, (theta_b + delta, theta_b)) == pytest.approx(error)
    assert balanced_error(-gap, (theta_b, theta_b + delta)) == pytest.approx(error)


def test_a_gap_below_zero_bounds_nothing():
    assert error_bound(-0.2) == 0.5
    assert balance_difference_bound(-0.2) == 0.0


@pytest.mark.parametrize("priors", [(0.5, 0.5), (1.2, 0.1), (0.3, -0.1)])
def test_impossible_priors_are_refused(priors):
    with pytest.raises(ParameterError, match="two different shares"):
        balanced_error(0.3, priors)
