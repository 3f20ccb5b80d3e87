"""DSDD beyond what fits into a square matrix: the low-rank solver behind the same estimator."""

import numpy as np
import pytest

from unclustered import DSDD, ConvergenceWarning
from unclustered.methods import _low_rank, dsdd


def draw(n, seed=0, d=4):
    rng = np.random.default_rng(seed)
    side = np.repeat([1.0, -1.0], n)
    true = np.where(rng.random(2 * n) < 0.5 + 0.25 * side, 1.0, -1.0)
    X = rng.normal(size=(2 * n, d))
    X[:, 0] += 1.5 * true
    return X, side, true


@pytest.mark.parametrize("penalty", ["coefficients", "rkhs"])
def test_it_agrees_with_the_exact_solver(penalty):
    X, side, _ = draw(400)
    given = {"bandwidth": 2.0, "regularization": 0.05, "penalty": penalty}
    exact = DSDD(solver="exact", **given).fit(X, side)
    low = DSDD(solver="lowrank", rank=200, **given).fit(X, side)
    assert (exact.solver_, low.solver_) == ("exact", "lowrank")
    assert len(low.centers_) <= 200
    assert low.objective_ == pytest.approx(exact.objective_, rel=0.01)
    assert 0 <= low.dual_gap_ <= 1e-3 * abs(low.objective_)
    far = np.abs(exact.decision_function(X)) > 0.1
    np.testing.assert_array_equal(low.labels_[far], exact.labels_[far])
    np.testing.assert_array_equal(low.labels_, np.where(low.decision_function(X) > 0, 1, -1))


def test_few_centres_are_the_same_model():
    X, side, _ = draw(300)
    given = {"bandwidth": 2.0, "regularization": 0.01, "centers": 20, "penalty": "coefficients"}
    low = DSDD(solver="lowrank", **given).fit(X, side)
    assert len(low.centers_) <= 20
    assert low.converged_


def test_auto_changes_over_where_the_exact_one_would_cost_more(monkeypatch):
    X, side, _ = draw(60)
    given = {"bandwidth": 2.0, "regularization": 0.05}
    monkeypatch.setattr(dsdd, "_EXACT", 100)
    monkeypatch.setattr(dsdd, "_EXACT_GIVEN", 110)
    assert DSDD(**given).fit(X, side).solver_ == "lowrank"
    assert DSDD(**given).fit(X[10:], side[10:]).solver_ == "lowrank"
    assert DSDD(**given, penalty="rkhs").fit(X[10:], side[10:]).solver_ == "exact"
    assert DSDD(penalty="rkhs").fit(X[10:], side[10:]).solver_ == "lowrank"
    assert DSDD(**given).fit(X[20:], side[20:]).solver_ == "exact"


def test_what_is_not_given_is_chosen_and_confirmed(monkeypatch):
    monkeypatch.setattr(_low_rank, "CHOSEN_ON", 100)
    X, side, true = draw(700)
    model = DSDD(solver="lowrank", rank=64).fit(X, side)
    assert len(model.cv_results_["params"]) == 72
    assert (model.labels_ == true).mean() > 0.88
    again = DSDD(solver="lowrank", rank=64, n_jobs=2).fit(X, side)
    np.testing.assert_array_equal(model.coef_, again.coef_)


def test_a_large_fit_starts_on_a_sample(monkeypatch):
    X, side, _ = draw(1500)
    given = {"bandwidth": 2.0, "regularization": 0.01, "solver": "lowrank", "rank": 64}
    direct = DSDD(**given).fit(X, side)
    monkeypatch.setattr(_low_rank, "_STARTED_ON", 500)
    started = DSDD(**given).fit(X, side)
    assert started.n_iter_ < direct.n_iter_
    assert started.objective_ == pytest.approx(direct.objective_, rel=0.01)


def test_weights_count():
    X, side, _ = draw(200)
    weight = np.random.default_rng(0).integers(0, 3, 400).astype(float)
    given = {"bandwidth": 2.0, "regularization": 0.05, "penalty": "rkhs"}
    low = DSDD(solver="lowrank", engine="numpy", **given).fit(X, side, sample_weight=weight)
    exact = DSDD(solver="exact", **given).fit(X, side, sample_weight=weight)
    assert low.objective_ == pytest.approx(exact.objective_, rel=0.01)


def test_not_converging_is_said():
    X, side, _ = draw(100)
    with pytest.warns(ConvergenceWarning, match="above what the next step reaches"):
        model = DSDD(2.0, 0.01, solver="lowrank", max_iter=2).fit(X, side)
    assert not model.converged_
