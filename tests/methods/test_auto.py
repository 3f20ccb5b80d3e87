"""What sets the automatic labeler apart: see test_contract.py for what every method promises."""

import time

import numpy as np
import pytest
from scipy.special import expit, logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from unclustered import DSDD, AutoLabeler, DataError, ParameterError, membership_gap
from unclustered.datasets import draw_datasets, load_benchmark, toy_problem_1
from unclustered.methods._portfolio.combine import combine
from unclustered.methods._portfolio.densities import DensityPath
from unclustered.methods._portfolio.family import Family
from unclustered.methods._portfolio.kernels import DSDDPath, LSDDPath, SVCPath
from unclustered.methods._portfolio.linear import RidgePath
from unclustered.methods._portfolio.models import Clustering, Estimator
from unclustered.methods._portfolio.origin import fitted_scores
from unclustered.methods._portfolio.problem import Problem, Samples
from unclustered.methods._portfolio.trees import TreesPath
from unclustered.methods.kmeans import KMeansLabeler
from unclustered.metrics import labeling_error_rate


def draw(name="heart", n=30, theta=0.2, seed=0):
    """Standardised samples of a benchmark set, their membership and the true labels."""
    benchmark = load_benchmark(name)
    drawn = draw_datasets(benchmark.X, benchmark.y, n, n, theta, 1 - theta, random_state=seed)
    X = (drawn.X - drawn.X.mean(axis=0)) / (drawn.X.std(axis=0) + 1e-12)
    return X, drawn.membership.astype(float), drawn.labels


@pytest.fixture(scope="module")
def problem():
    X, side, _ = draw()
    return Problem.of(Samples(X), side, 3, 2, np.random.default_rng(0))


def cut(scores):
    return np.clip(scores, -1, 1)


def in_own_unit(scores):
    return cut(scores / np.median(np.abs(scores)))


def assert_held_out(fitted, problem, number, vote):
    """Votes of a configuration are those of its fits to the folds; ``vote(train)`` makes one."""
    for k, (train, test) in enumerate(problem.folds):
        repetition = k // (len(problem.folds) // problem.n_repeats)
        np.testing.assert_allclose(
            fitted.held_out[number, repetition, test], vote(train)[test], atol=2e-3
        )


def only(number, n):
    weights = np.zeros(n)
    weights[number] = 1.0
    return weights


def new_votes(fitted, number, X):
    (voter,) = fitted.voters(only(number, len(fitted.configurations)))
    return voter.votes(X)


@pytest.mark.parametrize("intercept", [True, False])
def test_a_path_of_dsdd_is_dsdd_at_every_bandwidth_and_regularization(problem, intercept):
    fitted = DSDDPath("rkhs", intercept, (0.4, 1.1), (0.01, 1.0)).fit(problem)
    unit, new = problem.samples.unit, draw(seed=1)[0][:9]
    for number, (multiple, regularization) in enumerate(
        (m, r) for m in (0.4, 1.1) for r in (1.0, 0.01)
    ):

        def model(train, multiple=multiple, regularization=regularization):
            return DSDD(multiple * unit, regularization, "rkhs", intercept=intercept).fit(
                problem.X[train], problem.side[train]
            )

        assert_held_out(
            fitted, problem, number, lambda train: cut(model(train).decision_function(problem.X))
        )
        mean = np.mean([model(train).decision_function(new) for train, _ in problem.folds], axis=0)
        np.testing.assert_allclose(new_votes(fitted, number, new), cut(mean), atol=2e-3)


def test_a_path_of_lsdd_solves_its_equations(problem):
    fitted = LSDDPath((0.6,), (0.1, 3.0)).fit(problem)
    bandwidth = 0.6 * problem.samples.unit
    K = np.exp(-problem.samples.distances / (2 * bandwidth**2))

    def vote(train):
        h = K[:, train[problem.side[train] > 0]].mean(axis=1) - K[
            :, train[problem.side[train] < 0]
        ].mean(axis=1)
        return in_own_unit(K @ np.linalg.solve(np.sqrt(K) + 3.0 * np.eye(len(K)), h))

    assert_held_out(fitted, problem, 1, vote)


def test_a_path_of_svc_is_that_of_scikit_learn(problem):
    fitted = SVCPath((0.8,), (1.0, 10.0)).fit(problem)
    gamma = 1 / (2 * (0.8 * problem.samples.unit) ** 2)

    def model(train):
        return SVC(C=10.0, gamma=gamma, class_weight="balanced").fit(
            problem.X[train], problem.side[train]
        )

    assert_held_out(
        fitted, problem, 1, lambda train: cut(model(train).decision_function(problem.X))
    )


def test_a_path_of_densities_is_their_log_ratio(problem):
    fitted = DensityPath((0.5,)).fit(problem)
    X, side = problem.X, problem.side
    a, b = (
        0.5 * np.median(D[D > 0])
        for D in (
            np.sqrt(((X[side == s][:, None] - X[side == s]) ** 2).sum(axis=2)) for s in (1, -1)
        )
    )

    def log_density(train, value, bandwidth):
        rows = train[side[train] == value]
        D = ((X[:, None] - X[rows]) ** 2).sum(axis=2)
        log_sum = logsumexp(-D / (2 * bandwidth**2), axis=1) - np.log(len(rows))
        return log_sum - X.shape[1] * np.log(bandwidth)

    assert_held_out(
        fitted,
        problem,
        0,
        lambda train: in_own_unit(log_density(train, 1, a) - log_density(train, -1, b)),
    )


def test_a_path_of_ridges_is_least_squares(problem):
    fitted = RidgePath((0.5,)).fit(problem)

    def vote(train):
        X, side = problem.X[train], problem.side[train]
        weight = np.where(side > 0, 0.5 / (side > 0).sum(), 0.5 / (side < 0).sum())
        middle = weight @ X
        covariance = (X - middle).T @ np.diag(weight) @ (X - middle)
        ridge = 0.5 * np.trace(covariance) / X.shape[1] * np.eye(X.shape[1])
        coef = np.linalg.solve(covariance + ridge, (X - middle).T @ (weight * side))
        return in_own_unit((problem.X - middle) @ coef)

    assert_held_out(fitted, problem, 0, vote)


def test_trees_taken_apart_score_as_scikit_learn_does():
    X, side, _ = draw("banana", n=100)
    problem = Problem.of(Samples(X), side, 3, 1, np.random.default_rng(0))
    fitted = TreesPath((8,), 20, seed=0).fit(problem)
    new = draw("banana", n=50, seed=1)[0]
    scores = []
    for train, _ in problem.folds:
        model = HistGradientBoostingClassifier(
            max_iter=20, max_leaf_nodes=8, early_stopping=False, random_state=0
        ).fit(X[train], side[train], problem.weight[train])
        scores.append(model.decision_function(new) / np.median(np.abs(model.decision_function(X))))
    np.testing.assert_allclose(new_votes(fitted, 0, new), cut(np.mean(scores, axis=0)), atol=1e-12)


def test_a_clustering_is_fitted_once_and_named_by_every_fold(problem):
    fitted = Clustering("kmeans", KMeansLabeler()).fit(problem)
    model = KMeansLabeler().fit(problem.X, problem.side)
    scores = model.decision_function(problem.X)
    votes = cut(3 * scores / np.median(np.abs(scores)))
    names = []
    for k, (train, test) in enumerate(problem.folds):
        names.append(np.sign(membership_gap(votes[train], problem.side[train])))
        np.testing.assert_allclose(fitted.held_out[0, k // 3, test], names[-1] * votes[test])
    (voter,) = fitted.voters(np.ones(1))
    np.testing.assert_allclose(voter.votes(problem.X), np.mean(names) * votes)


class Tried:
    """A candidate that was fitted; each of its configurations has the held-out gap asked for."""

    configurations = ("",)

    def __init__(self, side, gap, labels=None):
        wrong = np.arange(len(side)) % 50 < 25 * (1 - gap)  # as many in A as in B
        self.held_out = np.where(wrong, -side, side)[None, None]
        self.labels = labels


def test_weights_follow_from_the_gaps():
    side = np.repeat([1.0, -1.0], 50)
    gaps = (0.6, 0.52, 0.08)
    fitted = [Tried(side, gap) for gap in gaps]
    (one,) = combine([(Family(()), fitted)], side, 0.4).weights[:1]
    together = combine([(Family(()), fitted)], side, 0.4)
    np.testing.assert_allclose(
        np.concatenate(together.weights[:2]) / one, [1.0, np.exp(50 * (0.52**2 - 0.6**2))]
    )
    assert together.weights[2] == 0  # below a thousandth of the largest
    np.testing.assert_allclose(sum(w.sum() for w in together.weights), 1.0)
    apart = combine([(Family(()), [one]) for one in fitted], side, 0.4)
    ratio = float(apart.weights[1][0] / apart.weights[0][0])
    np.testing.assert_allclose(ratio, np.exp(0.5 * 50 * (0.52**2 - 0.6**2)))


def test_votes_that_call_nearly_all_samples_alike_weigh_little():
    side = np.repeat([1.0, -1.0], 50)
    even, one_sided = Tried(side, 0.1), Tried(side, 0.1)
    even_gap = membership_gap(even.held_out[0, 0], side)
    one_sided.held_out = np.ones((1, 1, 100))
    one_sided.held_out[0, 0, -10:] = -1.0  # a gap of 0.2, with 95 % of all votes for +1
    weights = combine([(Family(()), [even]), (Family(()), [one_sided])], side, 0.4).weights
    ratio = np.exp(0.5 * 50 * (0.2**2 - even_gap**2)) * (4 * 0.9 * 0.1) ** 2
    np.testing.assert_allclose(weights[1] / weights[0], ratio, rtol=0.01)


def test_clusterings_weigh_more_the_better_they_agree():
    side = np.repeat([1.0, -1.0], 50)
    rng = np.random.default_rng(0)
    one = np.where(rng.random(100) < 0.5, 1, -1)
    other = np.where(np.arange(100) % 10 == 0, -one, one)
    density = Tried(side, 0.3)

    def weight(labels):
        clusters = [Tried(side, 0.3, one), Tried(side, 0.3, labels)]
        families = [(Family(()), [density]), (Family((), clusters=True), clusters)]
        return combine(families, side, 0.4).weights[1].sum()

    assert weight(one) > weight(other) > weight(rng.permutation(one))
    assert weight(other) == weight(-other)  # what clusters are called makes no difference


def test_fitted_scores_follow_bayes_rule():
    rng = np.random.default_rng(1)
    votes, side = rng.uniform(-0.9, 0.9, 30), rng.permutation(np.repeat([1.0, -1.0], 15))
    found = fitted_scores(votes, side, 0.5, None)
    # Straight from the model: every difference and sharpness, every sample, its joint probability.
    total, plus, mean = 0.0, np.zeros(30), 0.0
    for delta in np.linspace(0.04, 0.96, 24):
        for log_a in np.linspace(-1.5, 2.1, 15):
            q = expit(np.exp(log_a) * 2 * np.arctanh(votes))
            theta = (1 + delta * side) / 2
            likelihood = theta * q + (1 - theta) * (1 - q)
            prior = np.exp(-0.5 * ((delta - 0.5) / 0.1) ** 2) + 0.05
            weight = prior * np.exp(-0.5 * (log_a / 0.5) ** 2) * np.prod(2 * likelihood)
            total += weight
            plus += weight * theta * q / likelihood
            mean += weight * delta
    np.testing.assert_allclose(found.scores, 2 * plus / total - 1, atol=1e-4)
    np.testing.assert_allclose(found.difference, mean / total, rtol=1e-9)


def test_the_difference_of_the_balances_is_learnt_where_samples_are_many():
    rng = np.random.default_rng(0)
    for delta in (0.2, 0.6, 0.9):
        side = np.repeat([1.0, -1.0], 4000)
        true = np.where(rng.random(8000) < (1 + delta * side) / 2, 1, -1)
        votes = np.clip(0.9 * true + 0.2 * rng.normal(size=8000), -1, 1)
        assert abs(fitted_scores(votes, side, 0.4, 0.5).difference - delta) < 0.06


def test_an_expected_share_moves_unsure_samples_only():
    side = np.repeat([1.0, -1.0], 10)
    sure = np.r_[np.full(14, 0.9), np.full(6, -0.9)]
    np.testing.assert_array_equal(fitted_scores(sure, side, 0.0, 0.5).scores > 0, sure > 0)
    unsure = np.r_[np.linspace(0.01, 0.3, 14), np.full(6, -0.9)]
    assert (fitted_scores(unsure, side, 0.0, 0.5).scores > 0).sum() in (10, 11)
    assert (fitted_scores(unsure, side, 0.0, None).scores > 0).sum() == 14


def test_the_leaderboard_says_what_was_tried():
    X, side, _ = draw(n=40)
    model = AutoLabeler(budget="fast").fit(X, side)
    board = model.leaderboard_
    assert [*board] == [
        "method",
        "configuration",
        "gap",
        "gap_low",
        "gap_high",
        "weight",
        "seconds",
    ]
    assert board["gap"] == sorted(board["gap"], reverse=True)
    np.testing.assert_allclose(sum(board["weight"]), 1.0)
    assert all(
        low < gap < high
        for low, gap, high in zip(board["gap_low"], board["gap"], board["gap_high"], strict=True)
    )
    assert set(board["method"]) == {"dsdd", "lsdd", "kde", "kmeans", "spectral", "smic"}
    assert "best of 25: bandwidth=" in " ".join(board["configuration"])
    assert model.failures_ == {}


def test_more_samples_have_more_candidates():
    X, side, _ = draw("banana", n=210)
    board = AutoLabeler(budget="fast").fit(X, side).leaderboard_
    assert {"linear", "svc", "trees"} < set(board["method"])
    assert "smic" not in board["method"]


class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("no luck")


class Unbounded(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.full(len(X), np.inf)


def test_candidates_that_fail_are_told_of_and_change_nothing():
    X, side, _ = draw()
    alone = AutoLabeler(["dsdd"], budget="fast").fit(X, side)
    model = AutoLabeler([("broken", Broken()), "dsdd", Unbounded()], budget="fast").fit(X, side)
    assert model.failures_ == {
        "broken": "RuntimeError: no luck",
        "Unbounded": "DataError: Unbounded gives scores that are not finite.",
    }
    np.testing.assert_array_equal(model.fitted_scores_, alone.fitted_scores_)


def test_where_all_fail_the_reasons_are_given():
    X, side, _ = draw()
    with pytest.raises(DataError, match=r"Every candidate failed. Broken: RuntimeError: no luck"):
        AutoLabeler([Broken()]).fit(X, side)


def test_candidates_of_the_user_join_the_default_ones():
    X, side, _ = draw(n=40)
    user = ("logistic", LogisticRegression(C=0.1))
    model = AutoLabeler(["default", user], budget="fast").fit(X, side)
    board = model.leaderboard_
    assert {"logistic", "dsdd"} < set(board["method"])
    problem = Problem.of(Samples(X), side, 5, 1, np.random.default_rng(0))
    assert_held_out(
        Estimator(*user).fit(problem),
        problem,
        0,
        lambda train: in_own_unit(
            LogisticRegression(C=0.1).fit(X[train], side[train]).decision_function(X)
        ),
    )
    assert set(AutoLabeler(["kmeans", "origin"]).fit(X, side).leaderboard_["method"]) == {
        "kmeans",
        "origin",
    }


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ([], "candidates is empty"),
        (["auto"], "cannot hold 'auto'"),
        (["nonsense"], "no method 'nonsense'"),
        ([3], "names of methods, or pairs of a name and a classifier; got 3"),
        ([("name", "dsdd")], "got 'dsdd'"),
        ("dsdd", "'candidates' parameter"),
    ],
)
def test_candidates_that_make_no_sense_are_refused(candidates, message):
    X, side, _ = draw()
    with pytest.raises(ParameterError, match=message):
        AutoLabeler(candidates).fit(X, side)


class Slow(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        time.sleep(0.01)
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


def test_no_candidate_is_begun_when_the_time_is_over():
    X, side, _ = draw()
    model = AutoLabeler([("first", Slow()), ("second", Slow())], max_time=0.001).fit(X, side)
    assert model.leaderboard_["method"] == ["first"]
    assert "max_time" in model.failures_["second"]


def test_threads_change_nothing():
    X, side, _ = draw(n=40)
    one, two = (AutoLabeler(budget="fast", n_jobs=jobs).fit(X, side) for jobs in (1, 2))
    np.testing.assert_array_equal(one.fitted_scores_, two.fitted_scores_)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_samples_beyond_the_budget_are_labelled_as_new_ones_are():
    toy = toy_problem_1(n=700, priors=(0.8, 0.2), random_state=0)
    model = AutoLabeler(["lsdd", "kmeans"], budget="fast").fit(toy.X, toy.membership)
    assert (model.labels_ == toy.labels).mean() > 0.9
    assert model.voters_[0].centers.shape[0] == 1000 if hasattr(model.voters_[0], "centers") else 1


def test_the_scorer_for_permutations_agrees_with_the_fit():
    X, side, _ = draw(n=40)
    score = AutoLabeler(budget="fast")._held_out_scorer(X, None)
    gap = membership_gap(score(side), side)
    assert abs(gap - AutoLabeler(budget="fast").fit(X, side).gap_) < 0.15
    shuffled = np.random.default_rng(3).permutation(side)
    assert membership_gap(score(shuffled), shuffled) < gap
    np.testing.assert_array_equal(score(side), score(side))


def test_the_scorer_for_permutations_holds_groups_out_as_wholes():
    X, side, _ = draw(n=20)
    groups = np.arange(40) // 4
    drawn = Problem.of(Samples(X), side, 5, 2, np.random.default_rng(0), groups)
    assert len(drawn.folds) == 10
    for train, test in drawn.folds:
        assert not set(groups[train]) & set(groups[test])
    scores = AutoLabeler(["lsdd", "kmeans"])._held_out_scorer(X, groups)(side)
    assert scores.shape == (40,)


@pytest.mark.slow
def test_it_beats_dsdd_and_the_best_of_the_others_on_average():
    """Twenty draws of five sets at both balances; docs/auto.md has all ten, 200 draws each."""
    errors = {"auto": [], "dsdd": []}
    for name in ("banana", "heart", "image", "thyroid", "twonorm"):
        for theta in (0.2, 0.35):
            for seed in range(20):
                X, side, true = draw(name, n=40, theta=theta, seed=seed)
                for method, model in (("auto", AutoLabeler()), ("dsdd", DSDD())):
                    labels = model.fit(X, side).labels_
                    errors[method].append(labeling_error_rate(true, labels))
    assert np.mean(errors["auto"]) < 0.85 * np.mean(errors["dsdd"])
