from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import beta

from unclustered.evidence.kappa import best_bin_kappas, curve_kappas

BOTH = pytest.mark.parametrize("kappas", [curve_kappas, best_bin_kappas])


def mixture(rng, n_plus, n_minus, distance):
    """Scores that are normal within each class, the classes apart by so many deviations."""
    plus, minus = rng.normal(distance / 2, 1, n_plus), rng.normal(-distance / 2, 1, n_minus)
    return np.concatenate([plus, minus])


@BOTH
@pytest.mark.parametrize(("theta_a", "theta_b"), [(0.8, 0.2), (0.6, 0.1), (0.95, 0.5)])
def test_both_find_the_ratios_that_separate_classes_have(kappas, theta_a, theta_b):
    rng = np.random.default_rng(0)
    a = mixture(rng, int(2000 * theta_a), 2000 - int(2000 * theta_a), 6)
    b = mixture(rng, int(2000 * theta_b), 2000 - int(2000 * theta_b), 6)
    expected = ((1 - theta_a) / (1 - theta_b), theta_b / theta_a)
    assert kappas(a, b) == pytest.approx(expected, abs=0.03)


def test_the_curve_reads_the_ends_of_overlapping_classes():
    errors = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        found = curve_kappas(mixture(rng, 1600, 400, 2.5), mixture(rng, 400, 1600, 2.5))
        errors.append(np.subtract(found, 0.25))
    assert np.abs(errors).mean() < 0.03


@BOTH
def test_only_the_order_of_the_scores_matters(kappas):
    rng = np.random.default_rng(1)
    a, b = mixture(rng, 160, 40, 3), mixture(rng, 40, 160, 3)
    assert kappas(np.exp(a), np.exp(b)) == kappas(a, b)


@BOTH
def test_swapping_a_and_b_swaps_the_two(kappas):
    rng = np.random.default_rng(2)
    a, b = mixture(rng, 350, 150, 3), mixture(rng, 50, 450, 3)
    assert kappas(-b, -a) == pytest.approx(kappas(a, b)[::-1], abs=2e-3)


@pytest.mark.parametrize("seed", range(6))
def test_the_curve_is_the_most_likely_one(seed):
    """Against scipy from many starts, on scores from telling to nearly useless."""
    rng = np.random.default_rng(seed)
    distance = (0.3, 1.0, 3.0)[seed % 3]
    a, b = mixture(rng, 240, 60, distance), mixture(rng, 60, 240, distance)
    scores = np.concatenate([a, b])
    ranks = (np.argsort(np.argsort(scores)) + 0.5) / len(scores)
    member = np.arange(len(scores)) < len(a)

    def minus_log_likelihood(s_0, s_1, nu_excess):
        m = (s_1 - 0.5) / (s_1 - s_0)
        nu = 1 / min(m, 1 - m) + nu_excess
        s = s_0 + (s_1 - s_0) * beta.cdf(ranks, m * nu, (1 - m) * nu)
        return -np.where(member, np.log(s), np.log(1 - s)).mean()

    def free(z):
        return minus_log_likelihood(expit(z[0]) / 2, 1 - expit(z[1]) / 2, np.exp(z[2]))

    starts = [(p, q, r) for p in (-2, 1) for q in (-2, 1) for r in (-1, 3)]
    box = [(-8, 6), (-8, 6), (-5, 6)]
    best = min(minimize(free, z, method="L-BFGS-B", bounds=box).fun for z in starts)
    kappa_a, kappa_b = curve_kappas(a, b)
    s_0, s_1 = kappa_a / (1 + kappa_a), 1 / (1 + kappa_b)
    mine = min(minus_log_likelihood(s_0, s_1, nu) for nu in np.exp(np.linspace(-5, 6, 400)))
    assert mine <= best + 2e-4


def test_the_best_bin_is_the_one_of_a_plain_search():
    rng = np.random.default_rng(3)
    a, b = mixture(rng, 160, 40, 3).round(1), mixture(rng, 40, 160, 3).round(1)

    def plain(mixture, component):
        noise = sum(np.sqrt(np.log(40) / (2 * len(z))) for z in (mixture, component))
        tried = []
        for threshold in component:
            part, whole = (mixture >= threshold).mean(), (component >= threshold).mean()
            tried.append((part / whole + 1.01 * noise / whole, part / whole))
        return min(1.0, min(tried)[1])

    assert best_bin_kappas(a, b) == pytest.approx((plain(-a, -b), plain(b, a)))


@BOTH
def test_scores_that_all_tie_say_that_nothing_is_known(kappas):
    kappa_a, kappa_b = kappas(np.zeros(50), np.zeros(40))
    assert min(kappa_a, kappa_b) > 0.9


@BOTH
def test_two_samples_a_side_are_no_reason_to_fail(kappas):
    found = kappas(np.array([1.0, 2.0]), np.array([0.0, 1.5]))
    assert all(0 <= kappa <= 1 for kappa in found)
