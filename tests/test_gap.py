from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score

import unclustered
from unclustered import DataError, membership_gap

two_labelings = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n),
        st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n).filter(
            lambda member: len(set(member)) == 2
        ),
        st.lists(st.floats(0.1, 10.0), min_size=n, max_size=n),
    )
)


@given(two_labelings)
def test_it_is_twice_the_balanced_accuracy_of_the_membership_minus_one(drawn):
    labels, membership, weight = drawn
    expected = 2 * balanced_accuracy_score(membership, labels) - 1
    assert membership_gap(labels, membership) == pytest.approx(expected, abs=1e-12)
    weighted = 2 * balanced_accuracy_score(membership, labels, sample_weight=weight) - 1
    assert membership_gap(labels, membership, sample_weight=weight) == pytest.approx(
        weighted, abs=1e-12
    )


def test_an_integer_weight_counts_as_that_many_copies():
    rng = np.random.default_rng(3)
    labels, membership = rng.choice([-1, 1], (2, 60))
    weight = rng.integers(0, 4, 60)
    assert membership_gap(labels, membership, sample_weight=weight) == pytest.approx(
        membership_gap(np.repeat(labels, weight), np.repeat(membership, weight))
    )


def test_the_larger_membership_is_a():
    labels = [1, 1, 1, -1]
    assert membership_gap(labels, [2, 2, 1, 1]) == 0.5
    assert membership_gap(labels, [1, 1, 2, 2]) == -0.5
    assert membership_gap(labels, ["b", "b", "a", "a"]) == 0.5


def test_it_estimates_delta_times_one_minus_twice_the_balanced_error():
    # The identity on which the library rests, on draws with known truth.
    rng = np.random.default_rng(11)
    n, theta_a, theta_b, miss_positive, miss_negative = 1_000_000, 0.7, 0.25, 0.1, 0.3
    membership = np.repeat([1, -1], n)
    labels_true = np.where(rng.random(2 * n) < np.repeat([theta_a, theta_b], n), 1, -1)
    miss = np.where(labels_true == 1, miss_positive, miss_negative)
    labels = np.where(rng.random(2 * n) < miss, -labels_true, labels_true)
    balanced_error = (miss_positive + miss_negative) / 2
    expected = (theta_a - theta_b) * (1 - 2 * balanced_error)
    assert membership_gap(labels, membership) == pytest.approx(expected, abs=4 * 0.7e-3)


@pytest.mark.parametrize(
    ("labels", "membership", "weight", "message"),
    [
        ([1, -1], [1, -1, 1], None, "same length"),
        ([[1, -1]], [[1, -1]], None, "one-dimensional"),
        ([1, -1], [1, 1], None, "exactly two values"),
        ([1, -1, 1], [1, 2, 3], None, "exactly two values"),
        ([1, -1], [1, np.nan], None, "exactly two values"),
        ([1, np.nan], [1, -1], None, r"NaN\) in row 1"),
        (["yes", "no"], [1, -1], None, "must be numbers"),
        ([1, -1], [1, -1], [1.0], "one number for each sample"),
        ([1, -1], [1, -1], [1.0, -1.0], "not below zero"),
        ([1, -1], [1, -1], [1.0, 0.0], "zero on every sample of the dataset -1"),
    ],
)
def test_bad_input_is_refused(labels, membership, weight, message):
    with pytest.raises(DataError, match=message):
        membership_gap(labels, membership, sample_weight=weight)


def test_it_is_a_public_name_and_one_of_the_metrics():
    assert unclustered.metrics.membership_gap is membership_gap
