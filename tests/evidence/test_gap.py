"""The interval of the gap: rows of a group count for less than rows of their own."""

from __future__ import annotations

import numpy as np
import pytest

from unclustered.evidence import held_out_gap, newcombe_interval
from unclustered.selection.cross_fit import CrossFit

SIDE = np.repeat([1.0, -1.0], 40)


def fit_of(scores):
    scores = np.atleast_2d(scores)
    folds = np.zeros(scores.shape, dtype=np.intp)
    return CrossFit(scores, folds, (scores > 0).mean(axis=0), scores)


def test_single_rows_have_newcombes_interval():
    scores = np.where(np.arange(80) % 4 == 0, -SIDE, SIDE)
    found = held_out_gap(fit_of(scores), SIDE, confidence=0.9)
    assert found.gap == pytest.approx(0.5)
    assert found.interval == pytest.approx(newcombe_interval(0.75, 0.25, 40, 40, 0.9))


def test_copies_in_groups_count_once():
    rng = np.random.default_rng(0)
    scores = np.where(rng.random(80) < 0.3, -SIDE, SIDE)
    once = held_out_gap(fit_of(scores), SIDE)
    copied = held_out_gap(
        fit_of(np.repeat(scores, 5)), np.repeat(SIDE, 5), groups=np.repeat(np.arange(80), 5)
    )
    assert copied.gap == once.gap
    np.testing.assert_allclose(copied.interval, once.interval, atol=0.01)
    blind = held_out_gap(fit_of(np.repeat(scores, 5)), np.repeat(SIDE, 5))
    assert blind.interval[0] > once.interval[0] + 0.05


def test_groups_of_one_mind_in_all_rows_count_as_their_number():
    found = held_out_gap(fit_of(SIDE), SIDE, groups=np.repeat(np.arange(8), 10))
    assert found.interval == pytest.approx(newcombe_interval(1, 0, 4, 4))
