"""One trial: what is drawn, what it depends on, what becomes of a failure."""

import numpy as np
import pytest

from unclustered.datasets import load_benchmark
from unclustered.errors import ParameterError
from unclustered.metrics import expected_random_error
from unclustered.paper import protocol as module
from unclustered.paper.lineup import contestant
from unclustered.paper.protocol import BALANCES, Protocol, run_trial

HEART = load_benchmark("heart")
LOW = BALANCES["table1"]


def drawn(monkeypatch, method="origin", balance=LOW, seed=0, repetition=0, benchmark=HEART, **how):
    """Samples and labels that a trial of the method sees."""
    seen = []
    real = module.draw_datasets

    def spy(*args, **kwargs):
        seen.append(real(*args, **kwargs))
        return seen[-1]

    with monkeypatch.context() as patch:
        patch.setattr(module, "draw_datasets", spy)
        trial = run_trial(Protocol(**how), benchmark, balance, contestant(method), seed, repetition)
    assert trial.failure is None
    return seen[0]


@pytest.mark.parametrize("balance", BALANCES.values())
def test_forty_samples_each_with_fixed_counts(monkeypatch, balance):
    draw = drawn(monkeypatch, balance=balance)
    counts = [int((labels == 1).sum()) for labels in (draw.labels_a, draw.labels_b)]
    assert counts == [round(40 * theta) for theta in balance]
    assert len(draw.A) == len(draw.B) == 40


def test_all_methods_see_the_same_draw(monkeypatch):
    draws = [drawn(monkeypatch, method).X for method in ("origin", "coin", "kmeans", "lsdd")]
    assert all(np.array_equal(draws[0], other) for other in draws[1:])


def test_the_draw_depends_on_set_balance_seed_and_repetition(monkeypatch):
    base = drawn(monkeypatch).X
    thyroid = drawn(monkeypatch, benchmark=load_benchmark("thyroid")).X
    assert thyroid.shape != base.shape
    for change in ({"seed": 1}, {"repetition": 1}, {"balance": BALANCES["table2"]}):
        assert not np.array_equal(base, drawn(monkeypatch, **change).X), change
    assert np.array_equal(base, drawn(monkeypatch).X)


def test_other_readings_share_the_draw(monkeypatch):
    assert np.array_equal(drawn(monkeypatch).X, drawn(monkeypatch, standardize="none").X)


def test_binomial_counts_vary(monkeypatch):
    counts = {
        int((drawn(monkeypatch, repetition=r, counts="binomial").labels_a == 1).sum())
        for r in range(8)
    }
    assert len(counts) > 1


def test_the_method_sees_pooled_samples_standardised(monkeypatch):
    seen = {}

    class Spy:
        def get_params(self):
            return {}

        def fit(self, X, y):
            seen["X"], seen["y"] = X, y
            self.labels_ = y
            return self

    for how in ("pooled", "range", "none", "set"):
        monkeypatch.setattr(type(contestant("origin")), "make", lambda self, seed: Spy())
        trial = run_trial(
            Protocol(standardize=how), HEART, LOW, contestant("origin"), seed=0, repetition=0
        )
        assert trial.ler == 0.2
        X = seen["X"]
        mean, std = X.mean(axis=0), X.std(axis=0)
        if how == "pooled":
            np.testing.assert_allclose(mean, 0, atol=1e-12)
            assert np.all(np.isclose(std, 1) | (std == 0))
        elif how == "range":
            assert X.min() >= 0
            assert X.max() <= 1
        elif how == "none":
            assert X[:, 0].min() > 20  # ages
        else:
            assert 0 < abs(mean).max() < 0.5


def test_origin_is_wrong_on_exactly_theta():
    for theta, balance in zip((0.2, 0.35), BALANCES.values(), strict=True):
        for repetition in range(5):
            trial = run_trial(Protocol(), HEART, balance, contestant("origin"), 0, repetition)
            assert trial.ler == pytest.approx(theta, abs=1e-12)


def test_coin_flips_reach_their_expected_error():
    coin = contestant("coin")
    rates = [run_trial(Protocol(), HEART, LOW, coin, 0, r).ler for r in range(100)]
    error = np.std(rates) / np.sqrt(len(rates))
    assert np.mean(rates) == pytest.approx(expected_random_error(80), abs=4 * error)


def test_held_out_labels_are_of_fits_that_have_not_seen_the_sample():
    # The memory of the origin baseline is worth nothing on samples it has not seen.
    how = Protocol(judged="held-out")
    rates = [run_trial(how, HEART, LOW, contestant("origin"), 0, r).ler for r in range(10)]
    assert np.mean(rates) > 0.25


def test_a_failed_trial_is_recorded_with_its_reason(monkeypatch):
    def fail(*_):
        raise FloatingPointError("out of range")

    monkeypatch.setattr(module, "_labels", fail)
    trial = run_trial(Protocol(), HEART, LOW, contestant("origin"), 0, 0)
    assert trial.ler is None
    assert trial.failure == "FloatingPointError: out of range"


def test_a_warning_of_a_fit_is_recorded():
    trial = run_trial(
        Protocol(), HEART, LOW, contestant("dsdd:max_iter=1,bandwidth=2,regularization=0.01"), 0, 0
    )
    assert trial.ler is not None
    assert trial.warning.startswith("ConvergenceWarning: DSDD did not converge")


@pytest.mark.parametrize("text", ["scale=pooled", "standardize", "counts=poisson", "n=4", "n=x"])
def test_an_unknown_reading_is_an_error(text):
    with pytest.raises(ParameterError, match="There are standardize"):
        Protocol.parse(text)


def test_readings_are_read():
    assert Protocol.parse("") == Protocol()
    parsed = Protocol.parse(" standardize = none , n=20 ")
    assert parsed == Protocol(n=20, standardize="none")
    assert parsed.name == "n=20,standardize=none"
