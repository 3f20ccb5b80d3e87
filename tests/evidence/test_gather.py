"""The evidence for real methods: there where something differs, absent where nothing does."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from unclustered import DSDD, LSDD, DataError, OriginLabeler, ParameterError
from unclustered.datasets import toy_problem_1
from unclustered.evidence import gather_evidence

LR = LogisticRegression()


def toy(n, theta, seed=0):
    drawn = toy_problem_1(n, priors=(theta, 1 - theta), random_state=seed)
    return drawn.X, drawn.membership


@pytest.mark.parametrize("method", [DSDD(), LR], ids=lambda m: type(m).__name__)
def test_a_difference_is_found(method):
    evidence, fitted = gather_evidence(method, *toy(40, 0.9), permutations=19)
    assert evidence.trustworthy
    assert evidence.p_value == evidence.smallest_p == 1 / 20
    low, high = evidence.gap_interval
    assert 0.2 < low < evidence.gap < high < 1
    assert evidence.gap == pytest.approx(fitted.gap(toy(40, 0.9)[1]))
    assert evidence.error_bound == (1 - low) / 2
    assert evidence.balance_difference_bound == low
    assert (evidence.test, evidence.stopped_early) == ("refit", False)
    assert evidence.verdict.startswith("The labels show a real difference between A and B (held")


@pytest.mark.parametrize("method", [KNeighborsClassifier(1), OriginLabeler(), LR])
def test_none_is_found_where_there_is_none(method):
    trusted = 0
    for seed in range(10):
        evidence, _ = gather_evidence(method, *toy(30, 0.5, seed), permutations=19)
        trusted += evidence.trustworthy
    assert trusted <= 3  # 1 of 20 is expected; more than 3 of 10 comes once in 1,000 times
    assert evidence.verdict.startswith("No evidence: ")
    assert evidence.rests_on is None


def test_the_same_seed_gives_the_same_evidence_whatever_the_threads():
    X, y = toy(30, 0.7)
    found = [
        gather_evidence(LR, X, y, permutations=30, random_state=3, n_jobs=n_jobs)[0].to_dict()
        for n_jobs in (1, 2)
    ]
    assert found[0] == found[1]
    other = gather_evidence(LR, X, y, permutations=30, random_state=4)[0].to_dict()
    assert other["null_gaps"] != found[0]["null_gaps"]
    assert json.loads(json.dumps(other)) == other


def test_few_samples_are_held_out_by_fifths_and_more_by_halves():
    asked = []

    class Counting(LogisticRegression):
        def fit(self, X, y):
            asked.append(len(y))
            return super().fit(X, y)

    for n, test_size, permutations in ((40, 16, 199), (150, 150, 99)):
        asked.clear()
        evidence, _ = gather_evidence(Counting(), *toy(n, 0.9))
        assert evidence.test == "refit"
        assert evidence.smallest_p == 1 / (1 + permutations)
        assert {*asked[20:]} == {2 * n - test_size}
        assert len(asked) == 20 + (1 + len(evidence.null_gaps)) * (2 * n // test_size)


def test_many_samples_are_tested_half_against_half():
    evidence, _ = gather_evidence(LR, *toy(600, 0.6))
    assert (evidence.test, evidence.trustworthy) == ("split", True)
    assert len(evidence.null_gaps) > 5000
    assert not gather_evidence(LR, *toy(600, 0.5))[0].trustworthy


@pytest.mark.slow
def test_the_test_half_against_half_keeps_its_level():
    found = [gather_evidence(LR, *toy(501, 0.5, seed))[0].trustworthy for seed in range(400)]
    assert sum(found) <= 30  # 20 would be 5 %; twice the median stays below


def test_groups_are_what_counts():
    """Every donor has a value of its own: single rows differ, donors do not."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(12), 15)
    y = np.where(groups < 6, 1, -1)
    X = rng.normal(3.0 * rng.normal(size=(12, 2))[groups], 1.0)
    blind, _ = gather_evidence(LR, X, y, permutations=99)
    aware, _ = gather_evidence(LR, X, y, permutations=99, groups=[f"donor {g}" for g in groups])
    assert blind.trustworthy
    assert not aware.trustworthy
    assert np.diff(aware.gap_interval) > 2 * np.diff(blind.gap_interval)
    assert {part.part for part in aware.sensitivity} <= {f"group 'donor {g}'" for g in range(12)}


def test_too_few_groups_can_show_nothing():
    X, y = toy(30, 0.9)
    evidence, _ = gather_evidence(LSDD(), X, y, groups=np.repeat(np.arange(6), 10))
    assert evidence.p_value == evidence.smallest_p == 2 / 20
    assert evidence.verdict.startswith("No evidence possible: with so few groups no p-value can")


def test_a_gap_that_rests_on_one_clump_is_said_to():
    rng = np.random.default_rng(3)
    y = np.repeat([1, -1], 60)
    X = rng.normal(size=(120, 2))
    X[:30] = [8.0, 8.0] + 0.1 * rng.normal(size=(30, 2))  # half of A; the rest is alike
    evidence, _ = gather_evidence(KNeighborsClassifier(5), X, y, permutations=39)
    assert evidence.trustworthy
    assert evidence.rests_on is not None
    assert evidence.rests_on.n_rows == 30
    assert "But it all rests on cluster" in evidence.verdict
    spread, _ = gather_evidence(LR, *toy(100, 0.9), permutations=19)
    assert spread.rests_on is None


def test_what_makes_no_sense_is_refused():
    X, y = toy(10, 0.8)
    with pytest.raises(ParameterError, match="permutations must be at least 1"):
        gather_evidence(LR, X, y, permutations=0)
    with pytest.raises(DataError, match="one group a sample, 20 in all"):
        gather_evidence(LR, X, y, groups=[1, 2])
    with pytest.raises(DataError, match=r"Group 3 has samples in A and in B \(1 such groups"):
        gather_evidence(LR, X, y, groups=[*range(10), 3, *range(10, 19)])
