"""Held-out scores come from fits that have not seen the sample."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from unclustered import DataError
from unclustered.gap import membership_gap
from unclustered.selection.cross_fit import cross_fit, held_out_scores
from unclustered.selection.folds import group_folds

SIDE = np.repeat([1.0, -1.0], [30, 20])
X = np.random.default_rng(0).normal(size=(50, 3))
X[:, 0] += SIDE


def seeded():
    return np.random.default_rng(5)


class ByHeart(ClassifierMixin, BaseEstimator):
    """Scores +-10 what it was fitted on, by its dataset, and 1 what it has not seen."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = dict(zip(map(bytes, X), y, strict=True))
        return self

    def decision_function(self, X):
        return np.array([10 * self.seen_.get(bytes(x), 0.1) for x in X])


@pytest.mark.parametrize("n_folds", [2, 7, 20, 100])
def test_no_score_comes_from_a_fit_that_has_seen_the_sample(n_folds):
    fitted = cross_fit(ByHeart(), X, SIDE, n_folds=n_folds, n_repeats=3, random_state=seeded())
    assert fitted.scores.shape == (3, 50)
    assert (fitted.scores == 1).all()


def test_a_method_that_learns_by_heart_has_no_gap_where_nothing_differs():
    noise = np.random.default_rng(1).normal(size=(400, 2))
    side = np.repeat([1.0, -1.0], 200)
    model = KNeighborsClassifier(1)
    assert membership_gap(model.fit(noise, side).predict(noise), side) == 1
    assert abs(cross_fit(model, noise, side, random_state=seeded()).gap(side)) < 0.15


def test_the_gap_is_that_of_the_held_out_labels():
    fitted = cross_fit(LogisticRegression(), X, SIDE, n_repeats=2, random_state=seeded())
    gaps = [membership_gap(np.sign(row), SIDE) for row in fitted.scores]
    assert fitted.gap(SIDE) == pytest.approx(np.mean(gaps))
    assert 0.3 < fitted.gap(SIDE) < 0.9


def test_votes_are_shares_of_all_refits():
    fitted = cross_fit(LogisticRegression(), X, SIDE, n_folds=5, n_repeats=2, random_state=seeded())
    assert set((10 * fitted.votes).round(9)) <= set(range(11))
    sure = np.abs(fitted.scores).min(axis=0) > 1.5
    np.testing.assert_array_equal(fitted.votes[sure], fitted.scores[0][sure] > 0)


class Shrunk(LogisticRegression):
    """Says the same as another, with more or less emphasis from fit to fit."""

    def decision_function(self, X):
        return super().decision_function(X) * 10 ** (3 * self.coef_[0, 1]) + self.coef_[0, 2]


def test_in_units_of_their_own_all_fits_count_alike():
    options = {"n_folds": 5, "n_repeats": 3}
    plain, shrunk = (
        cross_fit(model, X, SIDE, **options, random_state=seeded())
        for model in (LogisticRegression(), Shrunk())
    )
    assert not np.allclose(plain.scores, shrunk.scores)
    np.testing.assert_allclose(plain.in_units, shrunk.in_units)
    assert abs(plain.in_units.mean()) < 0.1
    assert plain.in_units.std() == pytest.approx(1, abs=0.1)
    constant = DummyClassifier(strategy="constant", constant=1)
    assert (cross_fit(constant, X, SIDE, random_state=seeded()).in_units == 0).all()


@pytest.mark.parametrize("groups", [None, np.arange(50) // 5])
def test_scores_without_votes_are_the_same(groups):
    options = {"n_folds": 4, "groups": groups}
    both = cross_fit(LogisticRegression(), X, SIDE, **options, random_state=seeded())
    alone = held_out_scores(LogisticRegression(), X, SIDE, **options, random_state=seeded())
    np.testing.assert_array_equal(alone, both.scores[0])


def test_sparse_samples_give_what_dense_ones_give():
    rounded = np.where(np.abs(X) < 0.5, 0.0, X)
    dense, sparse = (
        cross_fit(LogisticRegression(), Z, SIDE, random_state=seeded()).scores
        for Z in (rounded, sp.csr_array(rounded))
    )
    np.testing.assert_allclose(dense, sparse, atol=1e-6)


def test_whatever_offers_probabilities_or_predictions_only_is_scored():
    for model in (KNeighborsClassifier(3), DummyClassifier(strategy="constant", constant=1)):
        assert (cross_fit(model, X, SIDE, random_state=seeded()).scores.mean(axis=1) > 0).all()


class Lost(LogisticRegression):
    def decision_function(self, X):
        return np.full(len(X), np.nan)


def test_scores_that_are_not_finite_are_an_error():
    with pytest.raises(DataError, match="Lost gives scores that are not finite, on 50 of 50"):
        cross_fit(Lost(), X, SIDE, random_state=seeded())


def test_no_fold_tears_a_group_apart_and_both_datasets_are_in_each():
    rng = np.random.default_rng(2)
    groups = np.r_[rng.integers(0, 6, 30), rng.integers(6, 11, 20)]
    groups = np.unique(groups, return_inverse=True)[1]
    folds = group_folds(4, groups, SIDE, seeded())
    assert sorted(np.concatenate([test for _, test in folds])) == [*range(50)]
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])
        assert len({*SIDE[train]}) == len({*SIDE[test]}) == 2
    assert len(group_folds(10, groups, SIDE, seeded())) == 5
    with pytest.raises(DataError, match="single group"):
        group_folds(3, np.where(SIDE > 0, 0, 1 + groups - groups.min()), SIDE, seeded())
