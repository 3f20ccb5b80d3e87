"""DSDD as a user meets it: its attributes, its symmetries, and what it finds."""

import numpy as np
import pytest
import scipy.sparse as sp

from unclustered import DSDD, ConvergenceWarning, DataError, ParameterError
from unclustered.core.kernels import gaussian, squared_distances
from unclustered.datasets import bayes_labels, bayes_score, toy_problem_1, toy_problem_2
from unclustered.metrics import labeling_error_rate

PENALTIES = ("coefficients", "rkhs")
FIXED = {"bandwidth": 1.3, "regularization": 0.05}


@pytest.fixture
def drawn():
    return toy_problem_2(n=30, random_state=4)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("centers", [None, 25])
@pytest.mark.parametrize("intercept", [False, True])
def test_attributes_belong_to_one_solution(drawn, penalty, centers, intercept):
    model = DSDD(penalty=penalty, centers=centers, intercept=intercept).fit(
        drawn.X, drawn.membership
    )
    K = gaussian(squared_distances(drawn.X, model.centers_), model.bandwidth_)
    scores = K @ model.coef_ + model.intercept_
    np.testing.assert_allclose(model.decision_function(drawn.X), scores, atol=1e-9)
    np.testing.assert_array_equal(model.labels_, np.where(scores > 0, 1, -1))
    assert (model.intercept_ != 0) == intercept

    K_centres = gaussian(squared_distances(model.centers_), model.bandwidth_)
    norm = model.coef_ @ (model.coef_ if penalty == "coefficients" else K_centres @ model.coef_)
    ramp = np.clip(scores, -1, 1)
    J = (
        ramp[drawn.membership < 0].mean()
        - ramp[drawn.membership > 0].mean()
        + model.regularization_ / 2 * (norm + model.intercept_**2)
    )
    assert model.objective_ == pytest.approx(J, abs=1e-7)
    assert model.objective_ == model.objective_path_[-1]
    assert (np.diff(model.objective_path_) <= 0).all()
    assert model.n_iter_ == len(model.objective_path_)
    assert model.converged_
    assert model.kkt_residual_ <= model.tol
    assert 0 <= model.dual_gap_ <= model.tol
    assert model.centers_.shape == (centers or 60, 2)


def test_cv_results_hold_every_candidate_and_the_best_is_taken(drawn):
    model = DSDD(cv=4).fit(drawn.X, drawn.membership)
    results = model.cv_results_
    n = len(results["params"])
    assert n == 72
    best = int(np.argmin(results["rank_test_score"]))
    assert results["params"][best] == {
        "bandwidth": model.bandwidth_,
        "regularization": model.regularization_,
    }
    splits = np.stack([results[f"split{k}_test_score"] for k in range(4)])
    np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
    assert "split4_test_score" not in results


def test_a_number_fixes_a_parameter_and_the_other_is_chosen(drawn):
    model = DSDD(bandwidth=2.0).fit(drawn.X, drawn.membership)
    assert model.bandwidth_ == 2.0
    assert len(model.cv_results_["params"]) == 9
    both = DSDD(**FIXED).fit(drawn.X, drawn.membership)
    assert (both.bandwidth_, both.regularization_) == (1.3, 0.05)
    assert not hasattr(both, "cv_results_")


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("params", [{}, FIXED, {"centers": 20}, {"intercept": False}])
def test_swapping_a_and_b_flips_every_score(drawn, penalty, params):
    one = DSDD(penalty=penalty, **params).fit(drawn.X, drawn.membership)
    two = DSDD(penalty=penalty, **params).fit(drawn.X, -drawn.membership)
    np.testing.assert_allclose(
        two.decision_function(drawn.X), -one.decision_function(drawn.X), atol=1e-7
    )
    np.testing.assert_array_equal(two.labels_, -one.labels_)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("params", [{}, FIXED, {"centers": 20}, {"start": "best"}])
def test_shuffling_rows_or_columns_changes_nothing(drawn, penalty, params):
    rng = np.random.default_rng(0)
    rows = rng.permutation(60)
    one = DSDD(penalty=penalty, **params).fit(drawn.X, drawn.membership)
    two = DSDD(penalty=penalty, **params).fit(drawn.X[rows][:, ::-1], drawn.membership[rows])
    assert two.bandwidth_ == pytest.approx(one.bandwidth_, rel=1e-12)
    assert two.regularization_ == one.regularization_
    np.testing.assert_allclose(
        two.decision_function(drawn.X[:, ::-1]), one.decision_function(drawn.X), atol=1e-6
    )


@pytest.mark.parametrize("penalty", PENALTIES)
def test_duplicating_all_rows_equals_weight_two(drawn, penalty):
    X, y = drawn.X, drawn.membership
    model = DSDD(penalty=penalty, **FIXED)
    once = model.fit(X, y).decision_function(X)
    weighted = model.fit(X, y, sample_weight=np.full(60, 2.0)).decision_function(X)
    twice = model.fit(np.r_[X, X], np.r_[y, y]).decision_function(X)
    np.testing.assert_allclose(weighted, once, atol=1e-9)
    np.testing.assert_allclose(twice, once, atol=1e-6)


def test_weights_count_as_repetitions_also_when_choosing(drawn):
    X, y = drawn.X, drawn.membership
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3, 60)
    fold = rng.integers(0, 3, 60)
    rows = np.repeat(np.arange(60), weight)

    def splits(of):
        return [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(3)]

    one = DSDD(cv=splits(fold)).fit(X, y, sample_weight=weight)
    two = DSDD(cv=splits(fold[rows])).fit(X[rows], y[rows])
    assert (one.bandwidth_, one.regularization_) == (two.bandwidth_, two.regularization_)
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-6)


def test_the_seed_and_the_threads(drawn):
    X, y = drawn.X, drawn.membership

    def scores(**params):
        return DSDD(centers=20, **params).fit(X, y).decision_function(X)

    np.testing.assert_array_equal(scores(random_state=3), scores(random_state=3, n_jobs=2))
    np.testing.assert_array_equal(scores(), scores(random_state=0))
    assert not np.array_equal(scores(random_state=3), scores(random_state=4))


def test_sparse_and_dense_agree():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, (50, 12)).astype(float)
    y = rng.integers(0, 2, 50)
    fold = np.arange(50) % 3
    cv = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    dense = DSDD(cv=cv).fit(X, y)
    sparse = DSDD(cv=cv).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(
        sparse.decision_function(sp.csr_matrix(X)), dense.decision_function(X), atol=1e-7
    )


def test_not_converging_is_said_once(drawn):
    with pytest.warns(ConvergenceWarning, match="max_iter") as caught:
        model = DSDD(bandwidth=0.5, regularization=0.001, max_iter=1).fit(drawn.X, drawn.membership)
    assert len(caught) == 1
    assert not model.converged_


@pytest.mark.parametrize(
    "params",
    [
        {"bandwidth": 0.0},
        {"bandwidth": -1},
        {"regularization": 0},
        {"regularization": np.nan},
        {"penalty": "l1"},
        {"start": "random"},
        {"centers": 0},
        {"cv": 1},
        {"tol": 0},
        {"max_iter": 0},
        {"random_state": "seed"},
    ],
    ids=str,
)
def test_a_parameter_that_makes_no_sense_is_named(drawn, params):
    with pytest.raises(ParameterError, match=next(iter(params))):
        DSDD(**params).fit(drawn.X, drawn.membership)


def test_one_sample_on_a_side_needs_fixed_parameters():
    X = np.random.default_rng(0).standard_normal((6, 2))
    y = np.array([1, 0, 0, 0, 0, 0])
    with pytest.raises(DataError, match="cross-validation needs at least 2"):
        DSDD().fit(X, y)
    assert DSDD(**FIXED).fit(X, y).converged_


def test_too_large_is_refused_before_it_is_allocated(drawn, monkeypatch):
    from unclustered import TooLargeError, memory

    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(TooLargeError, match=r"GiB.*subset"):
        DSDD().fit(drawn.X, drawn.membership)


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "toy"), [(1, toy_problem_1), (2, toy_problem_2)])
def test_toys_at_2000_a_side_are_labelled_as_bayes_would(problem, toy):
    drawn = toy(n=2000, random_state=0)
    labels = DSDD(n_jobs=2).fit(drawn.X, drawn.membership).labels_
    best = bayes_labels(drawn.X, problem)
    away = np.abs(bayes_score(drawn.X, problem)) > 1.0
    agreement = np.mean(labels[away] == best[away])
    assert max(agreement, 1 - agreement) >= 0.97
    bayes = labeling_error_rate(drawn.labels, best)
    assert abs(labeling_error_rate(drawn.labels, labels) - bayes) <= 0.02
