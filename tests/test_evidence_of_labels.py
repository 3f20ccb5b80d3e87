"""What ``label`` says of the labels it gives."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from unclustered import (
    DataError,
    NoEvidenceWarning,
    ParameterError,
    UnclusteredWarning,
    label,
)
from unclustered.datasets import toy_problem_1
from unclustered.evidence import estimate_priors, sensitivity_to_priors

LR = LogisticRegression()
TOY = toy_problem_1(60, priors=(0.85, 0.15), random_state=0)
SAME = toy_problem_1(60, priors=(0.5, 0.5), random_state=1)


def test_labels_come_with_evidence():
    result = label(TOY.A, TOY.B, LR, permutations=39)
    assert result.evidence.trustworthy
    assert repr(result).endswith("method LogisticRegression; trustworthy)")
    assert "trustworthy" in result._repr_html_()
    for confidence, labels, true in (
        (result.confidence_a, result.labels_a, TOY.labels_a),
        (result.confidence_b, result.labels_b, TOY.labels_b),
    ):
        assert confidence.shape == labels.shape
        assert (confidence >= 0).all()
        assert (confidence <= 1).all()
        unsure = confidence < 0.9
        if unsure.any():
            assert (labels == true)[unsure].mean() <= (labels == true)[~unsure].mean()
    assert [*result.to_frame("polars").columns] == [
        "dataset",
        "row",
        "label",
        "score",
        "confidence",
    ]


def test_without_evidence_there_is_a_warning():
    with pytest.warns(NoEvidenceWarning, match="No evidence: shuffling the samples between A and"):
        result = label(SAME.A, SAME.B, LR, permutations=39)
    assert not result.evidence.trustworthy
    assert repr(result).endswith("; no evidence)")


def test_evidence_can_be_skipped():
    result = label(SAME.A, SAME.B, LR, evidence=False)
    assert result.evidence is result.confidence_a is result.confidence_b is None
    assert repr(result).endswith("method LogisticRegression)")
    with_evidence = label(TOY.A, TOY.B, LR, permutations=19)
    without = label(TOY.A, TOY.B, LR, evidence=False)
    np.testing.assert_array_equal(with_evidence.scores_a, without.scores_a)
    np.testing.assert_array_equal(with_evidence.labels_b, without.labels_b)


@pytest.mark.parametrize("evidence", [True, False])
def test_the_least_sure_can_go_without_a_label(evidence):
    whole = label(TOY.A, TOY.B, LR, evidence=evidence, permutations=19)
    part = label(TOY.A, TOY.B, LR, evidence=evidence, permutations=19, abstain=0.25)
    labels, scores = np.r_[part.labels_a, part.labels_b], np.r_[part.scores_a, part.scores_b]
    without = labels == 0
    assert without.sum() == 30
    np.testing.assert_array_equal(labels[~without], np.r_[whole.labels_a, whole.labels_b][~without])
    assert np.abs(scores[without]).max() < np.median(np.abs(scores[~without]))
    true = TOY.labels
    assert np.mean(labels[~without] == true[~without]) > np.mean(
        np.r_[whole.labels_a, whole.labels_b] == true
    )


def test_too_few_rows_to_hold_any_out_is_a_warning():
    with pytest.warns(NoEvidenceWarning, match="A has 3 rows and B 60, too few to hold any out"):
        result = label(TOY.A[:3], TOY.B, LR)
    assert result.evidence is None
    assert repr(result).endswith("method LogisticRegression)")


def test_groups_are_given_for_both_tables():
    groups = (np.repeat(["a", "b", "c", "d", "e"], 12), np.repeat(["v", "w", "x", "y", "z"], 12))
    result = label(TOY.A, TOY.B, LR, groups=groups)
    assert result.evidence.trustworthy
    assert result.evidence.smallest_p == pytest.approx(1 / 200)
    with pytest.raises(DataError, match=r"one name for each row of A.*\(60 and 60\)"):
        label(TOY.A, TOY.B, LR, groups=(groups[0][:-1], groups[1]))
    with pytest.raises(DataError, match="has samples in A and in B"):
        label(TOY.A, TOY.B, LR, groups=(groups[0], groups[0]))


@pytest.mark.parametrize("abstain", [-0.1, 1, 2])
def test_impossible_shares_are_refused(abstain):
    with pytest.raises(ParameterError, match="abstain must be at least 0 and below 1"):
        label(TOY.A, TOY.B, LR, abstain=abstain)


def test_progress_is_told():
    told = []
    label(TOY.A, TOY.B, LR, permutations=19, progress=lambda *numbers: told.append(numbers))
    assert told[-1] == (19, 19)


def test_known_balances_give_probabilities_and_the_labels_that_follow():
    overlapping = toy_problem_1(150, priors=(0.8, 0.2), random_state=2)
    plain = label(overlapping.A, overlapping.B, LR)
    result = label(overlapping.A, overlapping.B, LR, priors=(0.8, 0.2))
    probability = result.to_frame("pandas")["probability"].to_numpy()
    labels = np.r_[result.labels_a, result.labels_b]
    np.testing.assert_array_equal(labels, np.where(probability > 0.5, 1, -1))
    true = overlapping.labels
    assert (labels != true).mean() <= (np.r_[plain.labels_a, plain.labels_b] != true).mean()
    assert abs(probability.mean() - (true > 0).mean()) < 0.05
    new = toy_problem_1(400, priors=(0.5, 0.5), random_state=3)
    chance = result.predict_proba(new.A, prior=0.5)
    assert ((chance >= 0) & (chance <= 1)).all()
    assert np.mean((chance > 0.5) == (new.labels_a > 0)) > 0.85
    assert result.predict_proba(new.A, prior=0.1).mean() < chance.mean()
    unsure = label(overlapping.A, overlapping.B, LR, priors=(0.8, 0.2), abstain=0.1)
    zero = np.r_[unsure.labels_a, unsure.labels_b] == 0
    assert zero.sum() == 30
    assert np.abs(probability - 0.5)[zero].max() <= np.abs(probability - 0.5)[~zero].min()


def test_probabilities_need_priors_and_priors_need_evidence():
    with pytest.raises(ParameterError, match="no probabilities without the class balances"):
        label(TOY.A, TOY.B, LR, evidence=False).predict_proba(TOY.A, 0.5)
    with pytest.raises(ParameterError, match="No label hangs on the class balances"):
        label(TOY.A, TOY.B, LR, evidence=False).sensitivity_to_priors()
    with pytest.raises(ParameterError, match=r'priors must be two shares or "estimate", got'):
        label(TOY.A, TOY.B, LR, priors="guess")
    with pytest.raises(ParameterError, match="they need evidence=True"):
        label(TOY.A, TOY.B, LR, evidence=False, priors=(0.8, 0.2))
    with pytest.raises(ParameterError):
        label(TOY.A, TOY.B, LR, permutations=19, priors=(0.5, 0.5))


WIDE = toy_problem_1(400, priors=(0.8, 0.3), random_state=4)


@pytest.fixture(scope="module")
def estimated():
    return label(WIDE.A, WIDE.B, LR, priors="estimate", random_state=0)


def test_balances_can_be_estimated_on_the_way(estimated):
    alone = estimate_priors(WIDE.A, WIDE.B, random_state=0)
    assert tuple(estimated.priors) == tuple(alone) == estimated.probabilities.priors
    given = label(WIDE.A, WIDE.B, LR, priors=tuple(alone), random_state=0)
    assert given.priors is None
    np.testing.assert_array_equal(given.labels_a, estimated.labels_a)
    np.testing.assert_array_equal(
        given.predict_proba(WIDE.A, 0.5), estimated.predict_proba(WIDE.A, 0.5)
    )


def test_labels_move_with_the_balances_over_their_intervals(estimated):
    moved = estimated.sensitivity_to_priors(steps=3)
    for grid, interval in (
        (moved.theta_a, estimated.priors.interval_a),
        (moved.theta_b, estimated.priors.interval_b),
    ):
        np.testing.assert_allclose(grid[[0, -1]], interval)
    expected = sensitivity_to_priors(
        estimated.held_out_a, estimated.held_out_b, estimated.priors, steps=3
    )
    np.testing.assert_array_equal(moved.moved, expected.moved)
    passed = label(WIDE.A, WIDE.B, LR, priors=estimated.priors)
    assert passed.priors is estimated.priors
    given = label(WIDE.A, WIDE.B, LR, priors=(0.8, 0.3)).sensitivity_to_priors(spread=0.05)
    np.testing.assert_allclose(given.theta_a[[0, -1]], [0.75, 0.85])


def test_estimates_hold_groups_out_as_wholes():
    """Each donor has a place of its own; rows alone would say that A and B are pure."""
    rng = np.random.default_rng(0)
    places = rng.normal(size=(40, 2)) * 5
    donors = np.repeat(np.arange(40), 15)
    X = rng.normal(places[donors])
    groups = donors[:300], donors[300:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnclusteredWarning)
        single = label(X[:300], X[300:], LR, priors="estimate")
        whole = label(X[:300], X[300:], LR, priors="estimate", groups=groups)
    assert single.priors.difference_bound > whole.priors.difference_bound + 0.3


def test_probabilities_of_new_samples_are_right_though_those_fitted_are_averages():
    drawn = toy_problem_1(150, priors=(0.75, 0.25), random_state=5)
    new = toy_problem_1(2000, priors=(0.5, 0.5), random_state=6)
    result = label(drawn.A, drawn.B, "lsdd", priors=(0.75, 0.25))
    chance = result.predict_proba(new.A, 0.5)
    order = np.array_split(np.argsort(chance), 8)
    off = [abs(chance[rows].mean() - (new.labels_a[rows] > 0).mean()) for rows in order]
    assert np.mean(off) < 0.06


def test_threads_change_nothing_and_no_warning_is_lost():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(25, 2)), rng.normal(size=(25, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        before = list(warnings.filters)
        with pytest.warns(NoEvidenceWarning):
            one = label(A, B, "lsdd", permutations=19, random_state=1)
        with pytest.warns(NoEvidenceWarning):
            two = label(A, B, "lsdd", permutations=19, random_state=1, n_jobs=2)
        assert warnings.filters == before
    assert one.evidence.to_dict() == two.evidence.to_dict()
    np.testing.assert_array_equal(one.confidence_a, two.confidence_a)
