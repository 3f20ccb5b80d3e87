import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from unclustered.selection.cv_results import best_candidate, cv_results


def test_same_table_as_scikit_learns_search():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat([0, 1], 20)
    search = GridSearchCV(SVC(), [{"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}], cv=4)
    theirs = search.fit(X, y).cv_results_
    folds = [theirs[f"split{k}_test_score"] for k in range(4)]
    ours = cv_results([0.1, 1.0, 10.0], [0.1, 1.0], np.stack(folds, axis=1).reshape(3, 2, 4))
    for key in ("mean_test_score", "std_test_score", "rank_test_score", "split2_test_score"):
        np.testing.assert_allclose(ours[key], theirs[key], rtol=1e-14)
        assert ours[key].dtype == theirs[key].dtype
    np.testing.assert_array_equal(ours["param_bandwidth"], theirs["param_C"].astype(float))
    assert [list(p.values()) for p in ours["params"]] == [
        list(p.values()) for p in theirs["params"]
    ]


def test_best_candidate_is_the_highest_mean():
    scores = np.random.default_rng(1).normal(size=(5, 4, 3))
    b, r = best_candidate(scores)
    assert scores.mean(axis=2)[b, r] == scores.mean(axis=2).max()


def test_a_tie_by_rounding_goes_to_the_smoother_candidate():
    scores = np.full((2, 2, 1), -0.3)
    scores[0, 0] += 1e-16
    assert best_candidate(scores) == (1, 1)
