"""LSDD as a user meets it."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from unclustered import LSDD, ParameterError, TooLargeError, UnclusteredWarning, memory
from unclustered.core.kernels import squared_distances
from unclustered.datasets import toy_problem_1, toy_problem_2
from unclustered.methods.lsdd import MULTIPLES, REGULARIZATIONS
from unclustered.metrics import labeling_error_rate
from unclustered.selection.folds import make_folds


@pytest.fixture
def drawn():
    return toy_problem_2(n=30, random_state=1)


def test_density_difference_and_distance_at_given_parameters(drawn):
    X, y = drawn.X, drawn.membership
    sigma, ridge = 1.7, 0.2
    model = LSDD(bandwidth=sigma, regularization=ridge).fit(X, y)
    H = np.pi * sigma**2 * np.exp(-squared_distances(X) / (4 * sigma**2))
    Psi = np.exp(-squared_distances(X) / (2 * sigma**2))
    h = Psi[y == y.max()].mean(axis=0) - Psi[y == y.min()].mean(axis=0)
    theta = np.linalg.solve(H + ridge * np.pi * sigma**2 * np.eye(60), h)
    np.testing.assert_allclose(model.decision_function(X) * np.exp(-model.log_volume_), Psi @ theta)
    assert model.l2_distance_ == pytest.approx(2 * theta @ h - theta @ H @ theta)
    assert model.residual_ < 1e-12
    assert not hasattr(model, "cv_results_")


def test_cross_validation_is_the_papers_solved_one_by_one(drawn):
    X, y = drawn.X, drawn.membership
    model = LSDD(cv=4, random_state=9).fit(X, y)
    side = np.where(y == y.max(), 1.0, -1.0)
    folds = make_folds(4, X, side, np.ones(60), np.random.default_rng(9))
    D, results = squared_distances(X), model.cv_results_
    criterion = []
    for params in results["params"]:
        sigma, ridge = params["bandwidth"], params["regularization"]
        H = np.pi * sigma**2 * np.exp(-D / (4 * sigma**2))
        Psi = np.exp(-D / (2 * sigma**2))
        each = []
        for train, test in folds:
            h, h_test = (
                Psi[rows[side[rows] > 0]].mean(axis=0) - Psi[rows[side[rows] < 0]].mean(axis=0)
                for rows in (train, test)
            )
            theta = np.linalg.solve(H + ridge * np.pi * sigma**2 * np.eye(60), h)
            each.append(2 * theta @ h_test - theta @ H @ theta)
        criterion.append(np.mean(each))
    unit = np.pi * model.bandwidth_**2
    np.testing.assert_allclose(results["mean_test_score"], unit * np.array(criterion), atol=1e-9)
    best = results["params"][int(np.argmax(criterion))]
    assert best == {"bandwidth": model.bandwidth_, "regularization": model.regularization_}
    assert results["rank_test_score"][np.argmax(criterion)] == 1
    assert len(criterion) == len(MULTIPLES) * len(REGULARIZATIONS)


def test_a_given_parameter_is_kept_and_the_other_chosen(drawn):
    model = LSDD(bandwidth=2.0).fit(drawn.X, drawn.membership)
    assert model.bandwidth_ == 2.0
    assert len(model.cv_results_["params"]) == len(REGULARIZATIONS)
    model = LSDD(regularization=0.5).fit(drawn.X, drawn.membership)
    assert model.regularization_ == 0.5
    assert len(model.cv_results_["params"]) == len(MULTIPLES)


def test_units_of_the_columns_do_not_matter(drawn):
    model = LSDD().fit(drawn.X, drawn.membership)
    scaled = LSDD().fit(1000 * drawn.X, drawn.membership)
    np.testing.assert_array_equal(model.labels_, scaled.labels_)
    assert scaled.bandwidth_ == pytest.approx(1000 * model.bandwidth_)
    assert scaled.regularization_ == model.regularization_


def test_duplicating_all_rows_is_weight_two_and_no_weight_is_no_row(drawn):
    X, y = drawn.X, drawn.membership
    fixed = LSDD(bandwidth=1.0, regularization=0.1)
    scores = fixed.fit(X, y).decision_function(X)
    np.testing.assert_allclose(fixed.fit(np.r_[X, X], np.r_[y, y]).decision_function(X), scores)
    np.testing.assert_allclose(fixed.fit(X, y, np.full(60, 2.0)).decision_function(X), scores)

    weight = np.where(np.arange(60) % 7 == 0, 0.0, 1.0)
    with_zeros = LSDD().fit(X, y, weight)
    without = LSDD().fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(with_zeros.decision_function(X), without.decision_function(X))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_some_of_the_samples_as_centres(drawn, n_jobs):
    X, y = drawn.X, drawn.membership
    one = LSDD(centers=20, random_state=3, n_jobs=n_jobs).fit(X, y)
    assert one.centers_.shape == (20, 2)
    assert len(one.coef_) == 20
    rows = np.random.default_rng(0).permutation(60)
    other = LSDD(centers=20, random_state=3).fit(X[rows], y[rows])
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-9)
    seeds = [LSDD(centers=20, random_state=s).fit(X, y).centers_.sum() for s in (1, 2)]
    assert seeds[0] != seeds[1]


def test_a_thousand_dimensions():
    rng = np.random.default_rng(0)

    def draw(n):
        true = rng.choice([-1, 1], n)
        return rng.normal(size=(n, 1000)) + 0.1 * true[:, None], true

    X, true = draw(200)
    new, true_new = draw(200)
    y = rng.random(200) < 0.5 + 0.4 * true
    model = LSDD().fit(X, y)
    assert np.isfinite(model.decision_function(new)).all()
    assert np.mean(np.sign(model.decision_function(new)) == true_new) > 0.85
    assert np.isfinite(model.log_l2_distance_)
    for key in ("mean_test_score", "std_test_score"):
        assert np.isfinite(model.cv_results_[key]).all()
    assert model.cv_results_["mean_test_score"].max() > 0
    with pytest.warns(UnclusteredWarning, match="log_l2_distance_"):
        assert model.l2_distance_ == 0.0
    with pytest.warns(UnclusteredWarning, match="outside the range"):
        assert LSDD().fit(X / 1e3, y).l2_distance_ == np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0 < LSDD().fit(X[:, :3], y).l2_distance_ < np.inf


def test_sparse_centres_stay_sparse(drawn):
    X = np.where(np.abs(drawn.X) < 1, 0.0, drawn.X)
    model = LSDD().fit(sp.csr_array(X), drawn.membership)
    assert sp.issparse(model.centers_)
    assert model.labels_.shape == (60,)


@pytest.mark.parametrize("problem", [toy_problem_1, toy_problem_2])
def test_toy_problems(problem):
    drawn = problem(n=200, random_state=0)
    model = LSDD().fit(drawn.X, drawn.membership)
    assert labeling_error_rate(drawn.labels, model.labels_) < 0.15


def test_what_would_not_fit_is_said_before_it_is_tried(drawn, monkeypatch):
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 10_000)
    with pytest.raises(TooLargeError, match="centers=1000"):
        LSDD().fit(drawn.X, drawn.membership)


@pytest.mark.parametrize("params", [{"bandwidth": 0}, {"centers": 0}, {"cv": "five"}, {"cv": 1}])
def test_bad_parameters(drawn, params):
    with pytest.raises(ParameterError, match=next(iter(params))):
        LSDD(**params).fit(drawn.X, drawn.membership)
