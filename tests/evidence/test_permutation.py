"""The permutation test against SciPy's, and its p-values where nothing differs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from unclustered import DataError, ParameterError
from unclustered.evidence import permutation_test

SIDE = np.repeat([1.0, -1.0], [5, 4])
X = np.array([2.1, 3.3, 1.9, 4.2, 2.8, 1.2, 2.0, 0.7, 2.5])


def difference(x):
    def statistic(side):
        return round(float(x[side > 0].mean() - x[side < 0].mean()), 12), 0.0

    return statistic


def seeded(seed=0):
    return np.random.default_rng(seed)


def scipys(x, side, **options):
    def statistic(a, b, axis):
        return a.mean(axis) - b.mean(axis)

    samples = (x[side > 0], x[side < 0])
    return stats.permutation_test(samples, statistic, alternative="greater", **options).pvalue


def test_all_arrangements_give_scipys_exact_p_value():
    found = permutation_test(
        difference(X), SIDE, permutations=200, sequential=False, random_state=seeded()
    )
    assert found.exhaustive
    assert len(found.null_gaps) == 125
    assert found.p_value == pytest.approx(scipys(X, SIDE, n_resamples=np.inf))
    assert found.smallest_p == pytest.approx(1 / 126)


def test_drawn_arrangements_come_near_it():
    rng = seeded(1)
    side = np.repeat([1.0, -1.0], 30)
    x = rng.normal(0.2 * side)
    found = permutation_test(
        difference(x), side, permutations=1999, sequential=False, random_state=rng
    )
    assert not found.exhaustive
    expected = scipys(x, side, n_resamples=20_000, random_state=np.random.default_rng(0))
    assert found.p_value == pytest.approx(expected, abs=4 * np.sqrt(expected / 1999))
    assert found.smallest_p == pytest.approx(1 / 2000)


def test_stopping_early_never_changes_the_decision():
    side = np.repeat([1.0, -1.0], 12)
    for seed in range(60):
        x = seeded(seed).normal(0.3 * side)
        whole, short = (
            permutation_test(
                difference(x), side, permutations=99, sequential=on, random_state=seeded(seed)
            )
            for on in (False, True)
        )
        assert (whole.p_value <= 0.05) == (short.p_value <= 0.05)
        if short.stopped_early:
            exceeding = (short.null_gaps >= difference(x)(side)[0]).sum()
            assert exceeding == 10
            assert short.p_value == exceeding / len(short.null_gaps) > 0.05
        else:
            np.testing.assert_array_equal(whole.null_gaps, short.null_gaps)


def test_p_values_are_uniform_where_nothing_differs():
    side = np.repeat([1.0, -1.0], 15)
    found = [
        permutation_test(
            difference(seeded(seed).normal(size=30)),
            side,
            permutations=99,
            sequential=False,
            random_state=seeded(seed),
        ).p_value
        for seed in range(200)
    ]
    assert stats.kstest(found, "uniform").pvalue > 0.01


@pytest.mark.parametrize(("n", "enough"), [(3, 10), (15, 10), (15, 2)])
def test_p_values_of_tests_that_stop_early_are_uniform_too(n, enough):
    """They have few values; a number drawn between each and the next smaller one has them all."""
    side = np.repeat([1.0, -1.0], [n, n + 1])
    rng = seeded(7)
    found = [
        permutation_test(
            difference(rng.normal(size=2 * n + 1)),
            side,
            permutations=39,
            enough=enough,
            random_state=rng,
        )
        for _ in range(1000)
    ]
    assert 100 < sum(test.stopped_early for test in found) < 960
    continuous = [test.p_value - rng.random() * (test.p_value - test.next_p) for test in found]
    assert stats.kstest(continuous, "uniform").pvalue > 0.01


def test_between_a_p_value_and_the_next_there_is_none():
    side = np.repeat([1.0, -1.0], 12)
    rng = seeded(8)
    found = [
        permutation_test(
            difference(rng.normal(size=24)), side, permutations=19, sequential=on, random_state=rng
        )
        for on in (False, True)
        for _ in range(300)
    ]
    for tests in (found[:300], found[300:]):
        values = sorted({test.p_value for test in tests} | {0.0})
        assert len(values) == 21
        assert {test.p_value: test.next_p for test in tests} == pytest.approx(
            dict(zip(values[1:], values, strict=False))
        )


def test_groups_move_as_wholes():
    side = np.repeat([1.0, -1.0], 12)
    groups = np.repeat(np.arange(6), 4)
    seen = set()

    def statistic(side):
        blocks = side.reshape(6, 4)
        assert (blocks == blocks[:, :1]).all()
        seen.add(tuple(blocks[:, 0]))
        return float(blocks[:3, 0].sum()), 0.0

    found = permutation_test(statistic, side, groups=groups, random_state=seeded())
    assert len(seen) == 20  # 6 over 3
    assert (found.p_value, found.smallest_p) == (1 / 20, 2 / 20)


def test_a_group_in_both_datasets_is_refused():
    with pytest.raises(DataError, match="Group number 1 has samples in A and in B"):
        permutation_test(
            difference(X[:4]),
            SIDE[[0, 1, 5, 6]],
            groups=np.array([0, 1, 1, 2]),
            random_state=seeded(),
        )


def test_equal_gaps_are_decided_by_the_second_value():
    calls = []

    def statistic(side):
        calls.append(0)
        return 0.5, float(len(calls) == 1)  # the true membership comes first

    found = permutation_test(statistic, np.repeat([1.0, -1.0], 20), random_state=seeded())
    assert found.p_value == 1 / 200


def test_threads_change_nothing():
    side = np.repeat([1.0, -1.0], 20)
    x = seeded(3).normal(size=40)

    def statistic(side):
        return difference(x)(side)[0], 0.0

    one, two = (
        permutation_test(statistic, side, permutations=60, random_state=seeded(4), n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    assert one.p_value == two.p_value
    np.testing.assert_array_equal(one.null_gaps, two.null_gaps)


def test_progress_is_told_and_bad_numbers_are_refused():
    told = []
    permutation_test(
        difference(X),
        SIDE,
        permutations=7,
        sequential=False,
        random_state=seeded(),
        progress=lambda *numbers: told.append(numbers),
    )
    assert told == [(k, 7) for k in range(1, 8)]
    with pytest.raises(ParameterError, match="at least 1"):
        permutation_test(difference(X), SIDE, permutations=0, random_state=seeded())
