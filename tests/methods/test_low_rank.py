"""DSDD beyond what fits into a square matrix: the low-rank solver behind the same estimator."""

import numpy as np
import pytest

from unclustered import DSDD, LSDD, ConvergenceWarning, ParameterError
from unclustered.engines import ArraySource
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


def test_lsdd_agrees_with_the_exact_solver():
    X, side, _ = draw(400)
    given = {"bandwidth": 2.0, "regularization": 0.1}
    exact = LSDD(solver="exact", **given).fit(X, side)
    low = LSDD(solver="lowrank", rank=300, **given).fit(X, side)
    assert (exact.solver_, low.solver_) == ("exact", "lowrank")
    scores, expected = low.decision_function(X), exact.decision_function(X)
    np.testing.assert_allclose(scores, expected, atol=0.01 * np.abs(expected).max())
    assert low.log_l2_distance_ == pytest.approx(exact.log_l2_distance_, abs=0.02)
    assert low.residual_ < 1e-6
    far = np.abs(expected) > 0.01 * np.abs(expected).max()
    np.testing.assert_array_equal(low.labels_[far], exact.labels_[far])


def test_lsdd_chooses_too(monkeypatch):
    monkeypatch.setattr(_low_rank, "CHOSEN_ON", 200)
    X, side, true = draw(700)
    model = LSDD(solver="lowrank", rank=128).fit(X, side)
    assert (model.labels_ == true).mean() > 0.85
    assert len(model.cv_results_["params"]) == 48


def test_lsdd_changes_over():
    assert LSDD()._solver(5000) == "exact"
    assert LSDD()._solver(5001) == "lowrank"
    assert LSDD(centers=1000)._solver(100_000) == "exact"
    assert LSDD(centers=1000)._solver(100_001) == "lowrank"
    assert LSDD(solver="exact")._solver(10**6) == "exact"


@pytest.mark.parametrize("method", [DSDD, LSDD])
def test_a_source_is_as_good_as_arrays(method):
    X, side, _ = draw(300)
    source = ArraySource(X, side, np.full(600, 1 / 300))
    given = {"bandwidth": 2.0, "regularization": 0.05, "rank": 64}
    streamed = method(**given).fit_source(source)
    arrays = method(**given, solver="lowrank").fit(X, side)
    np.testing.assert_array_equal(streamed.coef_, arrays.coef_)
    np.testing.assert_array_equal(streamed.classes_, [-1, 1])
    assert not hasattr(streamed, "labels_")
    with pytest.raises(ParameterError, match="bandwidth"):
        method(bandwidth=-1.0).fit_source(source)
