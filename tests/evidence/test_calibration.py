from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from unclustered.errors import ParameterError
from unclustered.evidence import calibrate

PRIORS = (0.8, 0.2)


def draw(rng, n_a, n_b, distance=2.0, priors=PRIORS):
    """Scores, normal within each class, so that a logistic curve is the truth."""

    def one(n, theta):
        plus = rng.random(n) < theta
        return rng.normal(np.where(plus, distance / 2, -distance / 2), 1)

    return one(n_a, priors[0]), one(n_b, priors[1])


def true_membership(g, distance=2.0, priors=PRIORS):
    odds = np.exp(distance * g)  # p(g | +1) / p(g | -1)
    p_a, p_b = (theta * odds + 1 - theta for theta in priors)
    return p_a / (p_a + p_b)


@pytest.mark.parametrize("kind", ["best", "logistic", "isotonic"])
@pytest.mark.parametrize(("n_a", "n_b"), [(4000, 4000), (6000, 2000)])
def test_the_curve_is_the_true_membership(kind, n_a, n_b):
    rng = np.random.default_rng(0)
    curve = calibrate(*draw(rng, n_a, n_b), PRIORS, kind=kind)
    g = np.linspace(-2, 2, 21)
    assert np.abs(curve.membership(g) - true_membership(g)).mean() < 0.025
    ratio = true_membership(g) / (1 - true_membership(g))
    assert np.abs(np.log(curve.ratio(g) / ratio)).mean() < 0.12


def test_the_logistic_curve_is_near_the_most_likely_one():
    """Against scipy: slope and offset free, of which the mean of the curve is not told."""
    rng = np.random.default_rng(1)
    a, b = draw(rng, 3000, 3000)
    scores, member = np.concatenate([a, b]), np.repeat([True, False], 3000)

    def minus_log_likelihood(z):
        s = 0.2 + 0.6 * expit(z[0] * scores + z[1])
        return -np.where(member, np.log(s), np.log1p(-s)).sum()

    slope, offset = minimize(minus_log_likelihood, [1.0, 0.0]).x
    g = np.linspace(-3, 3, 31)
    curve = calibrate(a, b, PRIORS, kind="logistic")
    assert curve.membership(g) == pytest.approx(0.2 + 0.6 * expit(slope * g + offset), abs=0.02)


@pytest.mark.parametrize("kind", ["logistic", "isotonic"])
@pytest.mark.parametrize("priors", [(0.8, 0.2), (0.55, 0.5), (0.97, 0.6)])
def test_it_rises_and_stays_within_what_the_balances_allow(kind, priors):
    rng = np.random.default_rng(2)
    curve = calibrate(*draw(rng, 50, 80, priors=priors), priors, kind=kind)
    found = curve.membership(np.linspace(-50, 50, 401))
    assert (np.diff(found) >= 0).all()
    ratio = curve.ratio(np.linspace(-50, 50, 401))
    assert ratio.min() >= (1 - priors[0]) / (1 - priors[1]) - 1e-12
    assert ratio.max() <= priors[0] / priors[1] + 1e-12


def test_few_samples_that_tell_nothing_give_nearly_one_half():
    rng = np.random.default_rng(3)
    for _ in range(5):
        noise_a, noise_b = rng.normal(size=400), rng.normal(size=400)
        curve = calibrate(noise_a, noise_b, PRIORS)
        assert np.abs(curve.membership(np.linspace(-1, 1, 9)) - 0.5).max() < 0.1


def test_a_staircase_takes_the_isotonic_curve_and_a_logistic_truth_does_not():
    """Three steps, of which the upper two are close together: no logistic curve is so uneven."""
    rng = np.random.default_rng(4)

    def steps(shares):
        return np.repeat([-1.0, 0.9, 1.0], shares) + rng.uniform(-0.01, 0.01, sum(shares))

    a, b = steps((400, 400, 1600)), steps((1600, 400, 400))
    curve = calibrate(a, b, PRIORS)
    assert curve.kind == "isotonic"
    assert curve.membership([-1, 0.9, 1]) == pytest.approx([0.2, 0.5, 0.8], abs=0.03)
    kinds = [calibrate(*draw(rng, 100, 100), PRIORS).kind for _ in range(20)]
    assert kinds.count("logistic") >= 18


def test_the_log_loss_is_that_of_new_samples():
    rng = np.random.default_rng(5)
    curve = calibrate(*draw(rng, 1000, 1000), PRIORS)
    a, b = draw(rng, 50_000, 50_000)
    on_new = -(np.log(curve.membership(a)).mean() + np.log1p(-curve.membership(b)).mean()) / 2
    assert curve.log_loss == pytest.approx(on_new, abs=0.03)
    assert curve.log_loss < np.log(2)
    assert "logistic" in repr(curve)


def test_the_same_scores_in_another_order_give_the_same_curve():
    rng = np.random.default_rng(6)
    a, b = draw(rng, 60, 70)
    one = calibrate(a, b, PRIORS)
    other = calibrate(rng.permutation(a), rng.permutation(b), PRIORS)
    assert one.kind == other.kind
    assert one.memberships.tolist() == other.memberships.tolist()


@pytest.mark.parametrize("kind", ["best", "logistic", "isotonic"])
def test_scores_that_all_tie_and_two_samples_a_side_work(kind):
    tied = calibrate(np.zeros(9), np.zeros(5), PRIORS, kind=kind)
    assert tied.membership(3.0) == pytest.approx(0.5, abs=0.02)
    few = calibrate([1.0, 2.0], [0.0, 1.0], PRIORS, kind=kind)
    assert 0.2 - 1e-12 <= few.membership(0.0) <= few.membership(2.0) <= 0.8 + 1e-12


def test_units_and_origin_of_the_scores_do_not_matter():
    rng = np.random.default_rng(7)
    a, b = draw(rng, 60, 70)
    one, other = calibrate(a, b, PRIORS), calibrate(1e3 + 1e-3 * a, 1e3 + 1e-3 * b, PRIORS)
    assert other.memberships == pytest.approx(one.memberships, abs=1e-9)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match="best, logistic or isotonic"):
        calibrate([0.0, 1], [0.0, 1], PRIORS, kind="spline")
