from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.preprocessing import StandardScaler

from unclustered import DSDD, LSDD
from unclustered.datasets import draw_datasets, load_benchmark
from unclustered.errors import DataError, ParameterError, PriorsWarning
from unclustered.evidence import Calibration, class_probabilities, probabilities
from unclustered.selection.cross_fit import cross_fit

PRIORS = (0.8, 0.2)


def draw(rng, n, distance, priors=PRIORS):
    """Scores of A and of B, and the labels behind them."""

    def one(theta):
        plus = rng.random(n) < theta
        return rng.normal(np.where(plus, distance / 2, -distance / 2), 1), np.where(plus, 1, -1)

    (a, labels_a), (b, labels_b) = one(priors[0]), one(priors[1])
    return a, b, np.concatenate([labels_a, labels_b])


def labels_of(found):
    return np.concatenate([found.labels_a, found.labels_b])


def test_the_probabilities_are_those_of_bayes_theorem():
    rng = np.random.default_rng(0)
    a, b, _ = draw(rng, 4000, 2.0)
    found = class_probabilities(a, b, PRIORS)
    for scores, theta, posterior in ((a, 0.8, found.posterior_a), (b, 0.2, found.posterior_b)):
        plus, minus = theta * norm.pdf(scores, 1), (1 - theta) * norm.pdf(scores, -1)
        assert np.abs(posterior - plus / (plus + minus)).mean() < 0.03


@pytest.mark.parametrize("priors", [(0.8, 0.2), (0.65, 0.35), (0.9, 0.6)])
def test_the_labels_beat_the_sign_and_the_dataset(priors):
    errors = []
    for seed in range(12):
        a, b, true = draw(np.random.default_rng(seed), 200, 1.5, priors)
        found = class_probabilities(a, b, priors)
        sign = np.where(np.concatenate([a, b]) > 0, 1, -1)
        errors.append([(labels_of(found) != true).mean(), (sign != true).mean()])
        by_dataset = found.error_by_dataset
    mine, of_sign = np.mean(errors, axis=0)
    assert mine < of_sign
    assert mine < by_dataset


@pytest.mark.parametrize("n", [20, 100])
def test_scores_of_no_use_leave_the_labels_by_dataset(n):
    excess = []
    for seed in range(30):
        a, b, true = draw(np.random.default_rng(seed), n, 0.0)
        wrong = labels_of(class_probabilities(a, b, PRIORS)) != true
        excess.append(wrong.mean() - (np.repeat([1, -1], n) != true).mean())
    assert np.mean(excess) < 0.02


def test_the_expected_error_is_the_error():
    """Unbiased, though no label is used: over 36 draws, within three standard errors."""
    differences = []
    for seed in range(36):
        a, b, true = draw(np.random.default_rng(seed), 100, 2.0)
        found = class_probabilities(a, b, PRIORS)
        differences.append(found.expected_error - (labels_of(found) != true).mean())
    differences = np.array(differences)
    assert abs(differences.mean()) < 3 * differences.std() / 6
    assert differences.std() < 0.1


def test_where_the_calibration_is_wrong_the_dataset_decides(monkeypatch):
    """A curve that is certain of what the scores do not know."""
    rng = np.random.default_rng(1)
    a, b, _ = draw(rng, 300, 0.0)
    wrong = Calibration("logistic", np.array([-0.1, 0.1]), np.array([0.2, 0.8]), 9.0)
    monkeypatch.setattr(probabilities, "calibrate", lambda *_: wrong)
    found = class_probabilities(a, b, PRIORS)
    assert found.calibration.kind == "flat"
    assert found.posterior_a == pytest.approx(np.full(300, 0.8))
    assert found.posterior_b == pytest.approx(np.full(300, 0.2))
    assert (found.labels_a == 1).all()
    assert (found.labels_b == -1).all()
    assert found.expected_error == found.error_by_dataset == pytest.approx(0.2)
    assert found.of([-3.0, 3.0], prior=0.4) == pytest.approx([0.4, 0.4])


def test_by_dataset_means_the_likelier_class_of_each():
    a, b, _ = draw(np.random.default_rng(2), 30, 1.0, (0.9, 0.6))
    found = class_probabilities(a, b, (0.9, 0.6))
    assert found.error_by_dataset == pytest.approx((0.1 + 0.4) / 2)


def test_sizes_weigh_the_expected_error():
    rng = np.random.default_rng(3)
    a, _, _ = draw(rng, 300, 2.0)
    _, b, _ = draw(rng, 100, 2.0)
    assert class_probabilities(a, b, (0.8, 0.3)).error_by_dataset == pytest.approx(
        (300 * 0.2 + 100 * 0.3) / 400
    )


def test_swapping_a_and_b_swaps_the_labels():
    a, b, _ = draw(np.random.default_rng(4), 80, 2.0, (0.8, 0.3))
    one, other = class_probabilities(a, b, (0.8, 0.3)), class_probabilities(-b, -a, (0.7, 0.2))
    assert other.posterior_b == pytest.approx(1 - one.posterior_a, abs=0.03)
    assert other.posterior_a == pytest.approx(1 - one.posterior_b, abs=0.03)


def test_new_samples_take_the_prior_of_where_they_come_from():
    a, b, _ = draw(np.random.default_rng(5), 200, 2.0)
    found = class_probabilities(a, b, PRIORS)
    assert found.of(a, prior=0.8) == pytest.approx(found.posterior_a)
    rare, common = found.of([0.0, 0.0], prior=[0.05, 0.95])
    assert rare < 0.5 < common
    with pytest.raises(ParameterError, match="prior must be between"):
        found.of([0.0], prior=1.5)


def test_balances_that_the_data_contradict_are_named():
    a, b, _ = draw(np.random.default_rng(6), 300, 5.0, (0.9, 0.1))
    with pytest.warns(PriorsWarning, match=r"are 0\.20 apart, but the held-out gap is 0\.[78]"):
        class_probabilities(a, b, (0.6, 0.4))


def test_impossible_arguments_are_refused():
    with pytest.raises(ParameterError, match="are equal"):
        class_probabilities([0.0, 1.0], [0.0, 1.0], (0.5, 0.5))
    with pytest.raises(DataError, match="scores_b has nan in row 0"):
        class_probabilities([0.0, 1.0], [np.nan, 1.0], PRIORS)


def test_it_shows_what_it_found():
    a, b, _ = draw(np.random.default_rng(7), 100, 3.0)
    assert "expected error" in repr(class_probabilities(a, b, PRIORS))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heart", "ionosphere", "thyroid"])
def test_on_the_benchmarks_the_labels_lose_to_neither_baseline(name):
    """30 draws of 40 a side with true balances, the full figures are in docs/guide."""
    bench = load_benchmark(name)
    errors = []
    for seed in range(30):
        drawn = draw_datasets(bench.X, bench.y, 40, 40, *PRIORS, random_state=seed)
        X, side = StandardScaler().fit_transform(drawn.X), drawn.membership
        rng = np.random.default_rng(seed)
        held_out = (
            cross_fit(method, X, side, n_folds=5, n_repeats=4, random_state=rng).scores.mean(axis=0)
            for method in (DSDD(), LSDD())
        )
        scores = sum(score / score.std() for score in held_out)
        found = class_probabilities(scores[side > 0], scores[side < 0], PRIORS)
        sign = DSDD().fit(X, side).labels_
        errors.append([(labels != drawn.labels).mean() for labels in (labels_of(found), sign)])
    mine, of_sign = np.transpose(errors)
    assert mine.mean() <= 0.2 + mine.std() / np.sqrt(30)
    assert mine.mean() <= of_sign.mean() + (mine - of_sign).std() / np.sqrt(30)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["twonorm", "banana"])
def test_on_the_benchmarks_the_probabilities_are_calibrated(name):
    bench = load_benchmark(name)
    errors = []
    for seed in range(3):
        drawn = draw_datasets(bench.X, bench.y, 2000, 2000, *PRIORS, random_state=seed)
        side = drawn.membership
        trees = ExtraTreesClassifier(100, min_samples_leaf=10, random_state=seed)
        rng = np.random.default_rng(seed)
        scores = cross_fit(trees, drawn.X, side, n_folds=5, random_state=rng).scores[0]
        found = class_probabilities(scores[side > 0], scores[side < 0], PRIORS)
        posterior = np.concatenate([found.posterior_a, found.posterior_b])
        bins = np.array_split(np.argsort(posterior), 15)
        positive = drawn.labels > 0
        off = [abs(posterior[rows].mean() - positive[rows].mean()) * len(rows) for rows in bins]
        errors.append(sum(off) / len(posterior))
    assert np.mean(errors) <= 0.05
