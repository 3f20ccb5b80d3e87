"""Averages over fits to halves, none of which has seen the sample."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from unclustered import DSDD, DataError
from unclustered.datasets import draw_datasets, load_benchmark, toy_problem_1
from unclustered.evidence import bagged_scores
from unclustered.selection.cross_fit import cross_fit

TOY = toy_problem_1(40, priors=(0.85, 0.15), random_state=0)
GROUPS = np.arange(80) // 4


class Remembering(ClassifierMixin, BaseEstimator):
    """Scores what it was fitted on; everything else is 0. And counts its fits."""

    fits: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.fits.append(len(y))
        self.classes_ = np.unique(y)
        self.seen_ = {bytes(x) for x in X}
        return self

    def decision_function(self, X):
        return np.array([float(bytes(x) in self.seen_) for x in X])


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_only_fits_that_have_not_seen_a_sample_score_it(groups):
    Remembering.fits.clear()
    scores = bagged_scores(Remembering(), TOY.X, TOY.membership, groups=groups)
    np.testing.assert_allclose(scores, -1)  # in units: half are 0 and half are 1
    assert Remembering.fits == [40] * 40


def test_groups_stay_together():
    class Neighbours(Remembering):
        def decision_function(self, X):
            return np.repeat(super().decision_function(X).reshape(-1, 4).mean(axis=1), 4)

    X = TOY.X[np.argsort(-TOY.membership, kind="stable")]
    assert (bagged_scores(Neighbours(), X, TOY.membership, groups=GROUPS) == -1).all()
    with pytest.raises(DataError, match="has samples in A and in B"):
        bagged_scores(LogisticRegression(), X, TOY.membership, groups=np.arange(80) % 9)


def test_it_is_seeded():
    one, same, other = (
        bagged_scores(LogisticRegression(), TOY.X, TOY.membership, random_state=seed)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_the_average_is_better_than_one_round_of_folds():
    data = load_benchmark("heart")
    wins = 0.0
    for seed in range(8):
        drawn = draw_datasets(data.X, data.y, 40, 40, 0.75, 0.25, random_state=seed)
        X, side = (drawn.X - drawn.X.mean(axis=0)) / drawn.X.std(axis=0), drawn.membership
        once = cross_fit(DSDD(), X, side, n_folds=5, random_state=np.random.default_rng(seed))
        bagged = bagged_scores(DSDD(), X, side, random_state=seed)
        in_order = [
            np.greater.outer(s[drawn.labels > 0], s[drawn.labels < 0]).mean()
            for s in (bagged, once.scores[0])
        ]
        wins += in_order[0] > in_order[1]
    assert wins >= 7
