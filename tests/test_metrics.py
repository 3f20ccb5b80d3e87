from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from unclustered import DataError, ParameterError
from unclustered.metrics import (
    balanced_error_rate,
    expected_random_error,
    labeling_error_rate,
    membership_gap,
)

two_labelings = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)] * 2)
)


@given(two_labelings)
def test_labeling_error_rate_is_the_error_under_the_better_naming(labelings):
    true, labels = map(np.array, labelings)
    expected = 1 - max(accuracy_score(true, labels), accuracy_score(true, -labels))
    assert labeling_error_rate(true, labels) == pytest.approx(expected)
    assert labeling_error_rate(true, labels) == labeling_error_rate(true, -labels)
    assert labeling_error_rate(labels, true) == labeling_error_rate(true, labels)
    assert 0 <= labeling_error_rate(true, labels) <= 0.5


def test_labeling_error_rate_takes_any_two_names():
    true = ["sick", "well", "well", "well", "sick"]
    assert labeling_error_rate(true, [0, 1, 1, 1, 1]) == 0.2
    assert labeling_error_rate(true, [True, False, False, False, False]) == 0.2
    assert labeling_error_rate(true, [7, 7, 7, 7, 7]) == 0.4


def test_labelling_by_the_dataset_errs_by_theta():
    # The baseline of the design: with theta_A = 0.2 and theta_B = 0.8, LER = 0.2 exactly.
    true = np.concatenate([np.repeat([1, -1], [8, 32]), np.repeat([1, -1], [32, 8])])
    assert labeling_error_rate(true, np.repeat([1, -1], 40)) == 0.2


@given(two_labelings.filter(lambda both: len(set(both[0])) == 2))
def test_balanced_error_rate_agrees_with_scikit_learn(labelings):
    true, labels = labelings
    expected = 1 - balanced_accuracy_score(true, labels)
    assert balanced_error_rate(true, labels) == pytest.approx(expected)


def test_the_gap_is_delta_times_one_minus_twice_the_balanced_error():
    # Exact when the labelling errs equally often in A and in B.
    true = np.repeat([1, -1, 1, -1], [60, 40, 20, 80])
    membership = np.repeat([1, -1], 100)
    wrong = np.concatenate(
        [np.arange(60) < 6, np.arange(40) < 8, np.arange(20) < 2, np.arange(80) < 16]
    )
    labels = np.where(wrong, -true, true)
    expected = (0.6 - 0.2) * (1 - 2 * balanced_error_rate(true, labels))
    assert membership_gap(labels, membership) == pytest.approx(expected, abs=1e-12)


def _plain_sum(n: int) -> Fraction:
    total = sum(min(i, n - i) * math.comb(n, i) for i in range(n + 1))
    return Fraction(total, 2**n * n)


def test_expected_random_error_is_the_papers():
    assert [round(expected_random_error(n), 3) for n in (40, 60, 80)] == [0.437, 0.449, 0.456]


@pytest.mark.parametrize("n", [*range(1, 60), 198, 199, 200, 201, 202, 301, 500, 999])
def test_expected_random_error_equals_the_plain_sum(n):
    assert expected_random_error(n) == pytest.approx(float(_plain_sum(n)), rel=0, abs=1.2e-16)


@pytest.mark.parametrize("n", [10_000, 10_001, 99_999])
def test_expected_random_error_is_exact_beyond_where_floats_overflow(n):
    m = n // 2
    exact = (1 - Fraction(math.comb(2 * m, m), 4**m)) / 2
    assert expected_random_error(n) == pytest.approx(float(exact), rel=0, abs=1.2e-16)


@pytest.mark.parametrize("n", [10**6, 10**7, np.int64(10**7), 10**12])
def test_expected_random_error_stays_within_walliss_bounds(n):
    m = int(n) // 2
    half_chance_of_even = 0.5 - expected_random_error(n)
    assert half_chance_of_even > 0.5 / math.sqrt(math.pi * (m + 0.5)) * (1 - 1e-9)
    assert half_chance_of_even < 0.5 / math.sqrt(math.pi * m)


def test_expected_random_error_is_what_coin_flips_give():
    rng = np.random.default_rng(5)
    n, trials = 40, 200_000
    heads = rng.binomial(n, 0.5, trials)
    rates = np.minimum(heads, n - heads) / n
    standard_error = rates.std() / math.sqrt(trials)
    assert abs(rates.mean() - expected_random_error(n)) < 4 * standard_error


@pytest.mark.parametrize("n", [0, -3, 2.5, 40.0, "40", None])
def test_expected_random_error_refuses_what_is_no_number_of_samples(n):
    with pytest.raises(ParameterError, match="n must be"):
        expected_random_error(n)


@pytest.mark.parametrize("rate", [labeling_error_rate, balanced_error_rate])
@pytest.mark.parametrize(
    ("true", "labels", "message"),
    [
        ([1, -1], [1, -1, 1], "same length"),
        ([[1, -1]], [[1, -1]], "one-dimensional"),
        ([], [], "empty"),
        ([1, -1, 1], [1, -1, 0], "labels must hold .* it holds"),
        ([3, 1, 2], [1, -1, 1], "labels_true must hold .* it holds"),
        ([1, -1, 1], [1, -1, np.nan], "labels must hold .*nan"),
    ],
)
def test_bad_labels_are_refused(rate, true, labels, message):
    with pytest.raises(DataError, match=message):
        rate(true, labels)


def test_each_metric_names_what_only_it_refuses():
    with pytest.raises(DataError, match=r"labels has a missing value \(NaN\) in row 2"):
        labeling_error_rate([1, 1, 1], [1, 1, np.nan])
    with pytest.raises(DataError, match="cannot be compared"):
        labeling_error_rate([1, 1], np.array([1, "one"], dtype=object))
    with pytest.raises(DataError, match="no sample of the class -1"):
        balanced_error_rate([1, 1], [1, -1])
