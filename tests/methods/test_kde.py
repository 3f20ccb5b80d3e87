"""KDEDifference as a user meets it."""

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

from unclustered import DataError, KDEDifference, TooLargeError, memory
from unclustered.datasets import toy_problem_1


@pytest.fixture
def drawn():
    return toy_problem_1(n=40, random_state=2)


def test_score_is_the_difference_of_two_normalised_log_densities(drawn):
    X, y = drawn.X, drawn.membership
    X, y = np.r_[X, X[:5]], np.r_[y, y[:5]]  # datasets of different sizes, with copies
    model = KDEDifference().fit(X, y)
    assert model.bandwidths_[0] != model.bandwidths_[1]
    new = np.random.default_rng(0).normal(size=(20, 2))
    low, high = (
        KernelDensity(bandwidth=bandwidth).fit(X[y == value]).score_samples(new)
        for value, bandwidth in zip(model.classes_, model.bandwidths_, strict=True)
    )
    np.testing.assert_allclose(model.decision_function(new), high - low, rtol=1e-9)


def test_a_given_bandwidth_serves_both(drawn):
    model = KDEDifference(bandwidth=0.7).fit(drawn.X, drawn.membership)
    assert model.bandwidths_.tolist() == [0.7, 0.7]


def test_a_thousand_dimensions_do_not_underflow():
    rng = np.random.default_rng(1)
    true = rng.choice([-1, 1], 200)
    X = rng.normal(size=(200, 1000)) + 0.12 * true[:, None]
    y = rng.random(200) < 0.5 + 0.45 * true
    new_true = rng.choice([-1, 1], 200)
    new = rng.normal(size=(200, 1000)) + 0.12 * new_true[:, None]
    scores = KDEDifference().fit(X, y).decision_function(new)
    assert np.isfinite(scores).all()
    assert np.mean(np.sign(scores) == new_true) > 0.8
    far = KDEDifference().fit(X, y).decision_function(1000 * new)
    assert np.isfinite(far).all()


def test_copies_do_not_take_the_bandwidth_to_nothing(drawn):
    X, y = drawn.X, drawn.membership
    one = KDEDifference().fit(X, y)
    doubled = KDEDifference().fit(np.r_[X, X], np.r_[y, y])
    weighted = KDEDifference().fit(X, y, np.full(80, 2.0))
    np.testing.assert_allclose(doubled.bandwidths_, one.bandwidths_)
    np.testing.assert_allclose(doubled.decision_function(X), one.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(weighted.decision_function(X), one.decision_function(X), atol=1e-9)
    rounded = KDEDifference().fit(np.round(X), y)
    assert (rounded.bandwidths_ > 0.1).all()


def test_a_dataset_of_one_distinct_sample_takes_the_others_bandwidth(drawn):
    X, y = drawn.X[39:], drawn.membership[39:]
    model = KDEDifference().fit(X, y)
    assert (y == y[0]).sum() == 1
    assert model.bandwidths_[0] == model.bandwidths_[1]
    with pytest.raises(DataError, match="single distinct sample"):
        KDEDifference().fit(X[:2], y[:2])
    assert KDEDifference(bandwidth=1.0).fit(X[:2], y[:2]).labels_.tolist() == [1, -1]


def test_what_would_not_fit_is_said_before_it_is_tried(drawn, monkeypatch):
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 10_000)
    with pytest.raises(TooLargeError, match="Give bandwidth"):
        KDEDifference().fit(drawn.X, drawn.membership)
