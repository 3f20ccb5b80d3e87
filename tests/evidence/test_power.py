"""The number of samples asked for is the one that shows the gap."""

from __future__ import annotations

import pytest

from tests.evidence.simulations import Task, cover_once, null_once, repeat
from unclustered import ParameterError
from unclustered.evidence import required_n


def test_smaller_gaps_more_power_and_smaller_levels_take_more_samples():
    assert required_n(0.1) > 3.5 * required_n(0.2)
    assert required_n(0.3, power=0.95) > required_n(0.3)
    assert required_n(0.3, level=0.01) > required_n(0.3)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("gap", {"gap": 0}),
        ("gap", {"gap": 1.5}),
        ("power", {"power": 0.3}),
        ("level", {"level": 1}),
    ],
)
def test_what_makes_no_sense_is_refused(name, options):
    with pytest.raises(ParameterError, match=f"{name} must be between"):
        required_n(**{"gap": 0.3, **options})


@pytest.mark.slow
@pytest.mark.parametrize(("n", "theta"), [(25, 0.8), (60, 0.65)])
def test_power_is_what_it_says(n, theta):
    tasks = [Task("gaussians", "logistic", n, theta, 39, seed) for seed in range(200)]
    *_, gaps = repeat(cover_once, tasks[:100], jobs=2)
    *_, shown = repeat(null_once, tasks, jobs=2)
    power = shown.mean()
    assert 0.6 <= power <= 0.98  # or the comparison would say little
    assert required_n(gaps.mean(), power) == pytest.approx(n, rel=0.25)
