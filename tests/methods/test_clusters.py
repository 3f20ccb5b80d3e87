"""The methods that cluster first, and the baseline that does not even do that."""

import numpy as np
import pytest
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import make_moons
from sklearn.neighbors import KNeighborsClassifier

from unclustered import (
    SMIC,
    DataError,
    KMeansLabeler,
    OriginLabeler,
    SpectralLabeler,
    TooLargeError,
    memory,
)
from unclustered.datasets import draw_datasets, toy_problem_1, toy_problem_2
from unclustered.metrics import labeling_error_rate

CLUSTERERS = [SMIC(), KMeansLabeler(), SpectralLabeler()]
every_clusterer = pytest.mark.parametrize("method", CLUSTERERS, ids=lambda m: type(m).__name__)


def agree(labels, clusters):
    return max(np.mean((labels > 0) == clusters), np.mean((labels > 0) != clusters))


@pytest.fixture
def apart():
    """Two clouds far apart, 60 % of the first in dataset 1 and 30 % of the second."""
    rng = np.random.default_rng(0)
    true = np.repeat([1, -1], 50)
    X = rng.normal(size=(100, 3)) + 5 * true[:, None]
    return X, np.r_[np.arange(50) < 30, np.arange(50) < 15].astype(int), true


@every_clusterer
def test_clusters_are_named_by_the_gap(method, apart):
    X, y, true = apart
    np.testing.assert_array_equal(method.fit(X, y).labels_, true)
    np.testing.assert_array_equal(method.fit(X, 1 - y).labels_, -true)
    # One cluster in both datasets alike but for a few: still the sign of the difference.
    y = np.r_[np.arange(50) < 25, np.arange(50) < 26].astype(int)
    np.testing.assert_array_equal(method.fit(X, y).labels_, -true)


@every_clusterer
def test_the_membership_has_no_part_in_the_clusters(method, apart):
    X = np.random.default_rng(1).normal(size=(60, 2))
    labels = [
        method.fit(X, np.random.default_rng(seed).integers(0, 2, 60)).labels_ for seed in range(5)
    ]
    assert all(abs(labels[0] @ other) == 60 for other in labels)


@every_clusterer
def test_copies_are_labelled_alike(method):
    X = np.random.default_rng(2).integers(0, 4, (90, 2)).astype(float)
    labels = method.fit(X, np.arange(90) % 2).labels_
    for row in np.unique(X, axis=0):
        assert len(set(labels[(row == X).all(axis=1)])) == 1


@every_clusterer
def test_equal_samples_cannot_be_clustered(method):
    with pytest.raises(DataError, match="All 6 samples are equal"):
        method.fit(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])
    assert set(method.fit(np.arange(2.0)[:, None], [0, 1]).labels_) == {-1, 1}


def test_k_means_is_scikit_learns():
    drawn = toy_problem_1(n=80, random_state=0)
    model = KMeansLabeler().fit(drawn.X, drawn.membership)
    theirs = KMeans(2, n_init=20, random_state=1).fit(drawn.X)
    assert agree(model.labels_, theirs.labels_) == 1
    new = np.random.default_rng(0).normal(size=(500, 2))
    assert agree(model.decision_function(new), theirs.predict(new)) == 1
    to_centres = np.sort(theirs.transform(new), axis=1)
    # The plane between the centres: |d1^2 - d2^2| / (2 |c1 - c2|).
    apart = np.linalg.norm(np.diff(theirs.cluster_centers_, axis=0))
    distance = (to_centres[:, 1] ** 2 - to_centres[:, 0] ** 2) / (2 * apart)
    np.testing.assert_allclose(np.abs(model.decision_function(new)), distance, atol=1e-9)
    np.testing.assert_allclose(
        np.sort(model.cluster_centers_, axis=0), np.sort(theirs.cluster_centers_, axis=0)
    )


def test_k_means_counts_copies():
    # Once each, 1.1 is with 2.0; twenty copies of 2.0 hold their centre too fast for that.
    x = np.r_[0.0, 1.1, np.full(20, 2.0)][:, None]
    labels = KMeansLabeler(n_init=50).fit(x, np.arange(22) % 2).labels_
    assert agree(labels, np.arange(22) < 2) == 1
    labels = KMeansLabeler().fit(x[:3], [0, 1, 0]).labels_
    assert agree(labels, np.arange(3) < 1) == 1


def test_k_means_fails_on_toy_problem_2_as_the_paper_shows():
    drawn = toy_problem_2(n=200, random_state=0)
    model = KMeansLabeler().fit(drawn.X, drawn.membership)
    assert labeling_error_rate(drawn.labels, model.labels_) > 0.3


def test_spectral_is_scikit_learns_where_the_graph_is_connected():
    X = np.random.default_rng(3).normal(size=(120, 2)) + np.repeat([[0, 0], [3, 1]], 60, axis=0)
    model = SpectralLabeler(n_neighbors=10).fit(X, np.arange(120) % 2)
    theirs = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=10, random_state=0)
    assert agree(model.labels_, theirs.fit(X).labels_) == 1


@pytest.mark.parametrize("method", [SMIC(), SpectralLabeler()])
def test_moons_that_no_plane_divides(method):
    X, true = make_moons(200, noise=0.03, random_state=0)
    y = (np.random.default_rng(1).random(200) < 0.2 + 0.6 * true).astype(int)
    model = method.fit(X, y)
    assert np.mean((model.labels_ > 0) == true) > 0.98
    new, true_new = make_moons(100, noise=0.03, random_state=1)
    assert np.mean(model.predict(new) == true_new) > 0.98


def test_parts_of_a_graph_are_tied_together_before_it_is_cut():
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal(c, 0.1, (10, 1)) for c in (0, 1, 2, 20, 21, 22)])
    labels = SpectralLabeler(n_neighbors=5).fit(X, np.arange(60) % 7 < 3).labels_
    assert abs(labels @ np.repeat([1, -1], 30)) == 60


@pytest.mark.parametrize("method", [SMIC(), SpectralLabeler(), OriginLabeler()])
def test_new_samples_are_labelled_as_their_nearest_fitted_one(method, apart):
    X, y, _ = apart
    model = method.fit(X, y)
    new = 6 * np.random.default_rng(5).normal(size=(300, 3))
    nearest = KNeighborsClassifier(1).fit(X, model.labels_).predict(new)
    np.testing.assert_array_equal(np.where(model.decision_function(new) > 0, 1, -1), nearest)


def test_origin_repeats_the_membership_and_errs_as_often_as_the_datasets_are_mixed():
    X = np.random.default_rng(0).normal(size=(200, 2))
    drawn = draw_datasets(X, np.repeat([1, -1], 100), 40, 40, 0.35, 0.65, random_state=0)
    model = OriginLabeler().fit(drawn.X, drawn.membership)
    np.testing.assert_array_equal(model.labels_, drawn.membership)
    assert labeling_error_rate(drawn.labels, model.labels_) == pytest.approx(0.35)


def test_smic_takes_the_neighbours_of_most_information():
    drawn = toy_problem_1(n=30, random_state=0)
    model = SMIC().fit(drawn.X, drawn.membership)
    assert len(model.smi_) == 10
    assert model.n_neighbors_ == 1 + np.argmax(model.smi_)
    fixed = SMIC(n_neighbors=model.n_neighbors_).fit(drawn.X, drawn.membership)
    np.testing.assert_array_equal(fixed.labels_, model.labels_)
    assert not hasattr(fixed, "smi_")
    many = SMIC(n_neighbors=500).fit(drawn.X, drawn.membership)
    assert many.n_neighbors_ == 59


def test_what_would_not_fit_is_said_before_it_is_tried(monkeypatch):
    drawn = toy_problem_1(n=30, random_state=0)
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 10_000)
    with pytest.raises(TooLargeError, match="SMIC on 60 samples"):
        SMIC().fit(drawn.X, drawn.membership)
