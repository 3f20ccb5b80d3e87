from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from unclustered.errors import DataError, ParameterError
from unclustered.evidence import check_shared_classes


def draw(rng, n_a, n_b, distance, theta_a=0.8, theta_b=0.2, shift=0.0):
    """Scores of A and of B; ``shift`` moves all of B, as another instrument would."""

    def one(n, theta):
        return rng.normal(np.where(rng.random(n) < theta, distance / 2, -distance / 2), 1)

    return one(n_a, theta_a), one(n_b, theta_b) - shift


@pytest.mark.parametrize("distance", [1.0, 3.0, 8.0])
@pytest.mark.parametrize(("n_a", "n_b"), [(100, 100), (300, 60)])
def test_mixtures_of_the_same_classes_are_rarely_rejected(distance, n_a, n_b):
    """At level 0.05. The farthest classes are the hardest case: their tails are pure."""
    rng = np.random.default_rng(0)
    rejected = [
        check_shared_classes(*draw(rng, n_a, n_b, distance), (0.8, 0.2)).p_value <= 0.05
        for _ in range(200)
    ]
    assert np.mean(rejected) <= 0.05


def test_classes_that_moved_are_found():
    rng = np.random.default_rng(1)
    a, b = draw(rng, 300, 300, 3.0, 0.6, 0.4, shift=3.0)
    assert check_shared_classes(a, b, (0.6, 0.4)).p_value < 1e-3


def test_a_difference_within_the_balances_cannot_be_found():
    """B's instrument drifts, but no region holds more of A than the balances allow."""
    rng = np.random.default_rng(2)
    a, b = draw(rng, 1000, 1000, 1.0, 0.9, 0.1, shift=0.5)
    assert check_shared_classes(a, b, (0.9, 0.1)).p_value > 0.05


def test_balances_that_are_too_close_are_found_at_both_ends():
    rng = np.random.default_rng(3)
    found = check_shared_classes(*draw(rng, 400, 400, 6.0), (0.6, 0.4))
    by_dataset = {
        name: min(tail.p_value for tail in found.tails if tail.dataset == name) for name in "AB"
    }
    assert max(by_dataset.values()) < 1e-3
    assert found.p_value == pytest.approx(10 * min(by_dataset.values()))
    assert "allowed" in repr(found)


def test_each_tail_is_a_binomial_test():
    a = np.concatenate([np.full(40, 2.0), np.full(20, 1.0), np.full(40, 0.0)])
    b = np.concatenate([np.full(5, 2.0), np.full(15, 1.0), np.full(180, 0.0)])
    found = check_shared_classes(a, b, (0.75, 0.4))
    tail = found.tails[2]  # the upper 10 % of 300: all 45 that tie at the top
    assert (tail.dataset, tail.n_samples, tail.share) == ("A", 45, 40 / 45)
    largest = 0.75 * 100 / (0.75 * 100 + 0.4 * 200)
    assert tail.largest == pytest.approx(largest)
    assert tail.p_value == pytest.approx(binomtest(40, 45, largest, alternative="greater").pvalue)
    lower = found.tails[-1]
    assert (lower.dataset, lower.n_samples) == ("B", 220)
    largest = 0.6 * 200 / (0.6 * 200 + 0.25 * 100)
    expected = binomtest(180, 220, largest, alternative="greater").pvalue
    assert lower.p_value == pytest.approx(expected)


def test_swapping_a_and_b_changes_nothing_but_names():
    a, b = draw(np.random.default_rng(4), 80, 120, 2.0, 0.7, 0.4)
    one, other = check_shared_classes(a, b, (0.7, 0.4)), check_shared_classes(-b, -a, (0.6, 0.3))
    assert other.p_value == pytest.approx(one.p_value)


def test_too_few_samples_and_impossible_balances_are_refused():
    with pytest.raises(DataError, match="too few"):
        check_shared_classes([0.0, 1.0], [0.0, 1.0], (0.8, 0.2))
    with pytest.raises(ParameterError, match="are equal"):
        check_shared_classes(np.arange(9.0), np.arange(9.0), (0.5, 0.5))
