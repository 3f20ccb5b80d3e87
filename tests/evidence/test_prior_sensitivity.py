from __future__ import annotations

import numpy as np
import pytest

from unclustered.errors import ParameterError
from unclustered.evidence import class_probabilities, priors_from_scores, sensitivity_to_priors


def draw(seed, n, distance, theta_a=0.8, theta_b=0.2):
    rng = np.random.default_rng(seed)
    sign_a, sign_b = (np.where(rng.random(n) < t, 1, -1) for t in (theta_a, theta_b))
    return tuple(rng.normal(distance / 2 * sign, 1) for sign in (sign_a, sign_b))


def test_each_share_is_that_of_labels_found_with_other_balances():
    a, b = draw(0, 150, 2.5)
    found = sensitivity_to_priors(a, b, (0.75, 0.3), spread=0.05, steps=3)
    assert found.theta_a == pytest.approx([0.7, 0.75, 0.8])
    assert found.theta_b == pytest.approx([0.25, 0.3, 0.35])

    def labels(priors):
        probabilities = class_probabilities(a, b, priors)
        return np.concatenate([probabilities.labels_a, probabilities.labels_b])

    assert found.moved[1, 1] == 0
    for i, theta_a in enumerate(found.theta_a):
        for j, theta_b in enumerate(found.theta_b):
            changed = (labels((theta_a, theta_b)) != labels((0.75, 0.3))).mean()
            assert found.moved[i, j] == pytest.approx(changed)
    assert found.worst == found.moved.max() > 0


def test_separate_classes_do_not_hang_on_the_balances():
    apart, touching = (
        sensitivity_to_priors(*draw(1, 200, d), (0.8, 0.2), spread=0.05, steps=3)
        for d in (8.0, 1.5)
    )
    assert apart.worst < touching.worst


def test_pairs_in_the_wrong_order_are_left_out():
    found = sensitivity_to_priors(*draw(2, 60, 2.0, 0.55, 0.45), (0.55, 0.45), spread=0.2)
    wrong = found.theta_a[:, np.newaxis] <= found.theta_b
    assert wrong.any()
    assert np.isnan(found.moved[wrong]).all()
    assert np.isfinite(found.moved[~wrong]).all()


def test_estimates_bring_their_own_range():
    a, b = draw(3, 400, 5.0)
    priors = priors_from_scores(a, b, method="best_bin")
    found = sensitivity_to_priors(a, b, priors, steps=2)
    assert tuple(found.theta_a) == pytest.approx(priors.interval_a)
    assert tuple(found.theta_b) == pytest.approx(priors.interval_b)
    assert repr(found).startswith("PriorSensitivity(at most ")


def test_the_grid_stays_within_0_and_1():
    found = sensitivity_to_priors(*draw(4, 60, 2.0), (0.95, 0.05), spread=0.3, steps=2)
    assert found.theta_a[-1] == 0.99
    assert found.theta_b[0] == 0.01


def test_impossible_grids_are_refused():
    a, b = draw(5, 20, 2.0)
    with pytest.raises(ParameterError, match="steps must be at least 2"):
        sensitivity_to_priors(a, b, (0.8, 0.2), steps=1)
    with pytest.raises(ParameterError, match="spread must be above 0"):
        sensitivity_to_priors(a, b, (0.8, 0.2), spread=0)
