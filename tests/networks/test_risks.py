"""The risks against what they estimate, computed from labels that they never see."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from unclustered.networks.risks import CORRECTIONS, LOSSES, SYMMETRIC, Risk  # noqa: E402


def tensor(values):
    return torch.tensor(np.asarray(values, dtype=float))


@pytest.mark.parametrize("name", sorted(SYMMETRIC))
def test_symmetric_losses_add_up_to_one(name):
    z = tensor(np.linspace(-9.5, 9.5, 77))
    np.testing.assert_allclose(LOSSES[name](z) + LOSSES[name](-z), 1.0, atol=1e-12)


def test_the_logistic_loss_is_the_logarithm_and_never_overflows():
    z = np.array([-700.0, -3.0, 0.0, 2.0, 700.0])
    np.testing.assert_allclose(LOSSES["logistic"](tensor(z)), np.logaddexp(0, -z), rtol=1e-12)


def test_every_loss_falls_with_the_margin():
    z = tensor(np.linspace(-9, 9, 181))
    for loss in LOSSES.values():
        assert (np.diff(loss(z)) <= 1e-12).all()


def test_the_ramp_is_the_objective_of_dsdd():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.5, 1, 50), rng.normal(-0.5, 1, 70)
    J = np.clip(b, -1, 1).mean() - np.clip(a, -1, 1).mean()
    assert 4 * Risk("ramp")(tensor(a), tensor(b)).item() - 2 == pytest.approx(J)


@pytest.mark.parametrize("loss", sorted(LOSSES))
@pytest.mark.parametrize("target", [0.5, 0.3])
def test_the_unbiased_risk_is_the_risk_of_telling_the_classes_apart(loss, target):
    # Two scores a class, A and B made of them in exact shares: then the averages are expectations.
    plus, minus = np.array([2.0, -0.5]), np.array([-1.5, 0.75])
    theta_a, theta_b = 0.75, 0.25
    a = np.r_[np.tile(plus, 3), minus]
    b = np.r_[plus, np.tile(minus, 3)]
    ell = LOSSES[loss]
    expected = target * ell(tensor(plus)).mean() + (1 - target) * ell(tensor(-minus)).mean()
    risk = Risk(loss, (theta_a, theta_b), target, "none")(tensor(a), tensor(b))
    assert risk.item() == pytest.approx(expected.item(), rel=1e-12)


def test_a_symmetric_loss_needs_no_balances():
    # The balanced risk of the datasets is the one of the classes, shrunk by the difference.
    rng = np.random.default_rng(1)
    a, b = tensor(rng.normal(size=60)), tensor(rng.normal(size=40))
    membership = Risk("sigmoid")(a, b).item()
    classes = Risk("sigmoid", (0.7, 0.2), 0.5, "none")(a, b).item()
    assert membership - 0.5 == pytest.approx((0.7 - 0.2) * (classes - 0.5), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "at_minus_2"), [("none", -2.0), ("relu", 0.0), ("abs", 2.0), ("leaky", 0.2)]
)
def test_corrections_change_negative_values_only(name, at_minus_2):
    found = CORRECTIONS[name](tensor([-2.0, 0.0, 3.0]))
    np.testing.assert_allclose(found, [at_minus_2, 0.0, 3.0])


def test_correction_is_of_each_part():
    a, b = tensor([5.0, 5.0]), tensor([5.0, -5.0])  # the share of -1 in A would be below zero
    raw = Risk("sigmoid", (0.9, 0.1), 0.5, "none")(a, b).item()
    corrected = Risk("sigmoid", (0.9, 0.1), 0.5, "relu")(a, b).item()
    assert corrected > raw + 0.01
