"""The front door: any table, any classifier, and a result that cannot be changed."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, LinearSVC

from unclustered import (
    ConvergenceWarning,
    DataError,
    Labeling,
    ParameterError,
)
from unclustered import label as label_with_evidence
from unclustered.methods import method_names

label = partial(label_with_evidence, evidence=False)  # test_evidence_of_labels.py has the rest


def draw(n, theta, seed, d=2):
    """Samples of two far classes, a share theta of the first, and their labels."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < round(theta * n), 1, -1)
    return rng.normal(3.0 * y[:, None], 1.0, (n, d)), y


A, Y_A = draw(60, 0.8, 0)
B, Y_B = draw(50, 0.2, 1)


def frame(X):
    return pd.DataFrame({"u": X[:, 0], "v": X[:, 1], "sign": np.where(X[:, 0] > 0, "p", "n")})


def agreement(result):
    return np.mean(np.r_[result.labels_a, result.labels_b] == np.r_[Y_A, Y_B])


CLASSIFIERS = [
    LogisticRegression(),
    SVC,
    LinearSVC(),
    GaussianNB(),
    RandomForestClassifier(max_depth=2, n_estimators=20),
    make_pipeline(PolynomialFeatures(), StandardScaler(), LogisticRegression()),
    GridSearchCV(SVC(), {"C": [0.1, 1.0]}, scoring="balanced_accuracy", cv=3),
]


@pytest.mark.parametrize("method", CLASSIFIERS, ids=lambda m: str(m)[:25])
def test_any_classifier_is_a_method(method):
    result = label(A, B, method, random_state=0)
    assert isinstance(result, Labeling)
    assert agreement(result) > 0.95
    for labels, scores, n in (
        (result.labels_a, result.scores_a, 60),
        (result.labels_b, result.scores_b, 50),
    ):
        assert labels.shape == scores.shape == (n,)
        assert labels.dtype == np.int64
        assert set(labels) == {-1, 1}
        np.testing.assert_array_equal(labels, np.where(scores > 0, 1, -1))
    assert result.predict([[3.0, 3.0], [-3.0, -3.0]]).tolist() == [1, -1]


@pytest.mark.parametrize("method", ["dsdd", "lsdd", "kmeans"])
@pytest.mark.parametrize("make", [frame, lambda X: pl.DataFrame(frame(X)), lambda X: X])
def test_our_methods_label_any_table(method, make):
    result = label(make(A), make(B), method)
    assert agreement(result) > 0.9
    new = make(np.array([[3.0, 3.0], [-3.0, -3.0]]))
    assert result.predict(new).tolist() == [1, -1]
    assert result.score_samples(new)[0] > 0


@pytest.mark.parametrize("method", method_names())
def test_the_labels_are_the_methods_own(method):
    result = label(A[:40], B[:40], method)
    labels = np.r_[result.labels_a, result.labels_b]
    np.testing.assert_array_equal(labels, result.model.labels_)
    assert result.method == type(result.model).__name__


def test_the_automatic_labeler_is_the_default():
    assert label(A[:20], B[-20:]).method == "AutoLabeler"


def test_swapping_a_and_b_flips_the_signs():
    one, other = label(A, B, "lsdd"), label(B, A, "lsdd")
    np.testing.assert_allclose(other.scores_b, -one.scores_a, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(other.labels_a, -one.labels_b)


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers what it was given; offers only predict."""

    def fit(self, X, y):
        self.seen_ = X.copy(), y.copy()
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X[:, 0] > 0, 1, -1)


def test_fit_sees_the_samples_and_the_membership_only():
    result = label(frame(A), frame(B), Spy())
    X, y = result.model.seen_
    assert X.shape == (110, 4)
    np.testing.assert_array_equal(X, result.encoding.transform(pd.concat([frame(A), frame(B)])))
    np.testing.assert_array_equal(y, np.repeat([1, -1], [60, 50]))
    assert y.dtype.kind == "i"
    np.testing.assert_array_equal(result.scores_a, result.labels_a)  # predict is all there is


class Transductive(Spy):
    """Labels its own samples otherwise than new ones."""

    def fit(self, X, y):
        self.labels_ = np.where(X[:, 1] > 3, 1, -1)
        return super().fit(X, y)


def test_labels_of_the_methods_own_come_before_those_of_its_scores():
    result = label(A, B, Transductive(), standardize=False)
    np.testing.assert_array_equal(result.labels_a, np.where(A[:, 1] > 3, 1, -1))
    np.testing.assert_array_equal(result.predict(A), np.where(A[:, 0] > 0, 1, -1))
    assert (result.labels_a != result.predict(A)).any()  # or this test would tell nothing


def test_probabilities_become_scores_that_point_to_a():
    result = label(A, B, GaussianNB())
    probability = result.model.predict_proba(result.encoding.transform(A))[:, 1]
    np.testing.assert_allclose(result.scores_a, probability - 0.5)


def test_parameters_reach_the_method_and_the_estimator_stays_as_it_was():
    mine = make_pipeline(StandardScaler(), SVC(C=1.0))
    result = label(A, B, mine, svc__C=7.0)
    assert result.model["svc"].C == 7.0
    assert mine["svc"].C == 1.0
    assert not hasattr(mine["svc"], "support_")
    assert label(A, B, SVC, C=3.0).model.C == 3.0
    assert label(A, B, "lsdd", bandwidth=1.0, regularization=0.1).model.bandwidth == 1.0


@pytest.mark.parametrize("state", [5, np.int64(5), np.random.default_rng(5)])
def test_the_seed_reaches_all_that_takes_one(state):
    result = label(A, B, make_pipeline(StandardScaler(), SGDClassifier()), random_state=state)
    seed = result.model["sgdclassifier"].random_state
    assert isinstance(seed, int)
    assert seed == 5 or not isinstance(state, int | np.integer)
    kept = label(A, B, SGDClassifier(random_state=3))
    assert kept.model.random_state == 3
    assert label(A, B, SVC(), random_state=5).model.random_state == 5
    label(A, B, GaussianNB(), random_state=5)  # takes none


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "dsd"}, "no method 'dsd'; there are: auto, dsdd, "),
        ({"method": 3}, "method must be one of auto, dsdd, .* or a scikit-learn classifier, got 3"),
        ({"method": KMeans()}, "must be a classifier, which KMeans is not"),
        ({"method": LinearRegression}, "must be a classifier, which LinearRegression is not"),
        ({"method": GridSearchCV}, "GridSearchCV cannot be made"),
        ({"method": "lsdd", "width": 1}, "LSDD has no parameter width; it has: bandwidth, "),
        ({"method": SVC(), "c": 1}, "SVC has no parameter c; it has: C, "),
        ({"method": SVC, "c": 1}, "SVC has no parameter c; it has: C, "),
        ({"method": SVC(), "random_state": "x"}, "random_state must be None"),
        ({"method": SVC(), "missing": "drop"}, "missing must be"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        label(A, B, **options)


def test_sparse_samples_go_where_they_are_taken():
    S_a, S_b = sp.csr_matrix(np.maximum(A, 0)), sp.csr_matrix(np.maximum(B, 0))
    result = label(S_a, S_b, LogisticRegression())
    assert result.labels_a.shape == (60,)
    assert result.predict(S_b).shape == (50,)
    with pytest.raises(DataError, match="GaussianNB cannot use sparse samples"):
        label(S_a, S_b, GaussianNB())


def test_the_result_cannot_be_changed():
    result = label(A, B, LogisticRegression())
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.labels_a = None
    for array in (result.labels_a, result.labels_b, result.scores_a, result.scores_b):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("make", "library"),
    [
        (frame, pd.DataFrame),
        (lambda X: pl.DataFrame(frame(X)), pl.DataFrame),
        (lambda X: pa.table(frame(X)), pa.Table),
        (lambda X: X, pd.DataFrame),
        (lambda X: dict(frame(X)), pd.DataFrame),
    ],
)
def test_frames_come_back_as_they_went_in(make, library):
    result = label(make(A), make(B), LogisticRegression())
    table = result.to_frame()
    assert isinstance(table, library)
    table = pl.DataFrame(table)
    assert table.columns == ["dataset", "row", "label", "score"]
    assert table["dataset"].to_list() == ["A"] * 60 + ["B"] * 50
    assert table["row"].to_list() == [*range(60), *range(50)]
    assert table["label"].to_list() == [*result.labels_a, *result.labels_b]
    assert table["score"].to_list() == [*result.scores_a, *result.scores_b]
    assert isinstance(result.to_frame("pyarrow"), pa.Table)


def test_a_library_that_is_not_there_is_named():
    code = (
        "import sys\n"
        "class WithoutPandas:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'pandas':\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, WithoutPandas())\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from unclustered import label\n"
        "result = label([[1.0], [2.0]], [[3.0], [4.0]], LogisticRegression(), evidence=False)\n"
        "print(type(result.to_frame('polars')))\n"
        "result.to_frame()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "polars" in done.stdout
    last = done.stderr.splitlines()[-1]
    assert last.startswith("unclustered.errors.MissingExtraError: pandas is not installed: `pip ")


def test_what_is_no_library_is_refused():
    with pytest.raises(ParameterError, match="backend='excel' makes no data frame"):
        label(A, B, LogisticRegression()).to_frame("excel")


class Hasty(LogisticRegression):
    """Says that it did not converge; has a name that HTML must not run."""

    def fit(self, X, y):
        warnings.warn("stopped early", ConvergenceWarning, stacklevel=2)
        self.converged_ = False
        return super().fit(X, y)


def test_what_is_shown_is_short_and_true():
    result = label(A, B, LogisticRegression())
    plus = [int((labels > 0).sum()) for labels in (result.labels_a, result.labels_b)]
    assert repr(result) == (
        f"Labeling(A: {plus[0]} of 60 labelled +1; B: {plus[1]} of 50 labelled +1; "
        "method LogisticRegression)"
    )
    assert result.converged is None
    with pytest.warns(ConvergenceWarning):
        hasty = label(A, B, type("<b>Hasty", (Hasty,), {})())
    assert hasty.converged is False
    assert "did not converge" in repr(hasty)
    html = hasty._repr_html_()
    assert "&lt;b&gt;Hasty" in html
    assert "<b>" not in html
    assert f"<th>A</th><td>{plus[0]}</td><td>{60 - plus[0]}</td><td>60</td>" in html


def test_bad_samples_are_refused_by_predict():
    result = label(frame(A), frame(B), LogisticRegression())
    with pytest.raises(DataError, match="it lacks 'sign'"):
        result.predict(frame(A).drop(columns="sign"))
    with pytest.raises(DataError, match="X has no rows"):
        result.score_samples(frame(A).iloc[:0])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (
            np.random.default_rng(0).normal(size=(6, 400)),
            np.random.default_rng(1).normal(size=(5, 400)),
        ),
        (A[:2], B[-2:]),
        (A.astype(np.float32), B.astype(np.float32)),
        (A + 1e8, B + 1e8),
        (np.repeat(A, 20, axis=0), B[-2:]),
        (np.asfortranarray(A)[::2], B[::-1]),
    ],
    ids=["p >> n", "two each", "float32", "offset", "imbalance", "strides"],
)
def test_hard_shapes_and_types_work(a, b):
    result = label(a, b, "lsdd")
    assert np.isfinite(result.scores_a).all()
    assert len(result.labels_b) == len(b)
