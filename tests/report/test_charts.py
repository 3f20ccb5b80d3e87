"""Charts: marks stand where the numbers of the record say."""

from __future__ import annotations

import numpy as np
import pytest

from unclustered.report.charts import (
    column_chart,
    gap_chart,
    interval_chart,
    loss_chart,
    score_chart,
)
from unclustered.report.histograms import score_histogram
from unclustered.report.maps import map_charts
from unclustered.report.record import Histogram


def marks(drawing, kind):
    """Elements with this class."""
    return [e for e in drawing.iter() if kind in (e.get("class") or "").split()]


def numbers(element, *names):
    return [float(element.get(name)) for name in names]


def places(path):
    return np.array(
        [[float(v) for v in dot.split("h")[0].split()] for dot in path.get("d").split("M")[1:]]
    )


def test_each_sample_is_one_dot_of_its_kind(summary):
    points = summary.map.points
    by_dataset, by_label = (chart.drawing for chart in map_charts(summary.map))
    labels = np.array(points.labels)
    groups = {"a": np.arange(80) < 40, "b": np.arange(80) >= 40}
    groups |= {"plus": labels > 0, "minus": labels < 0}
    for kind, rows in groups.items():
        (path,) = marks(by_dataset if kind in "ab" else by_label, kind)
        found = places(path)
        assert len(found) == rows.sum()
        for axis, values, sign in ((0, points.x, 1), (1, points.y, -1)):  # y points down
            expected = sign * np.array(values)[rows]
            assert np.corrcoef(found[:, axis], expected)[0, 1] > 0.9999


def test_the_gap_stands_in_its_interval_beside_chance():
    evidence = {
        "gap": 0.3,
        "gap_interval": [0.2, 0.6],
        "null": {"edges": [-0.2, -0.1, 0.0, 0.1], "counts": [3, 9, 0]},
    }
    drawing = gap_chart(evidence)
    (dot,) = marks(drawing, "gapdot")
    line = max(marks(drawing, "gap"), key=lambda e: float(e.get("x2")) - float(e.get("x1")))
    low, high = numbers(line, "x1", "x2")
    (x,) = numbers(dot, "cx")
    assert (x - low) / (high - low) == pytest.approx(0.25, abs=0.01)
    first, second = [e for e in marks(drawing, "null") if "mark" in e.get("class")]
    assert float(second.get("height")) == pytest.approx(3 * float(first.get("height")), rel=0.01)
    assert float(second.get("x")) + float(second.get("width")) < low  # chance reaches 0 only


def test_scores_stand_on_their_side_of_zero():
    rng = np.random.default_rng(0)
    scores_a, scores_b = rng.normal(0.5, 1, 200), rng.normal(-0.5, 1, 100)
    drawing = score_chart(score_histogram(scores_a, scores_b))
    (zero,) = [float(e.get("x1")) for e in marks(drawing, "dash")]
    sides = {"plus": (zero, np.inf), "minus": (-np.inf, zero)}
    for kind, (low, high) in sides.items():
        for bar in marks(drawing, kind):
            x, width = numbers(bar, "x", "width")
            assert low - 0.2 <= x < x + width <= high + 0.2
    told = {e.text for e in drawing.iter("text")}
    assert f"A: {(scores_a > 0).mean():.0%} above 0" in told
    assert f"B: {(scores_b <= 0).mean():.0%} below 0" in told


def test_values_by_label_go_both_ways():
    up_more = Histogram(("+1", "-1"), ((0.2, 0.8), (0.9, 0.1)), edges=(0.0, 1.0, 2.0))
    drawing = column_chart(up_more)
    plus, minus = (marks(drawing, kind) for kind in ("plus", "minus"))
    assert float(plus[1].get("height")) == pytest.approx(4 * float(plus[0].get("height")), rel=0.02)
    bottom = float(plus[0].get("y")) + float(plus[0].get("height"))
    assert all(float(bar.get("y")) == pytest.approx(bottom, abs=0.2) for bar in minus)


def test_levels_have_bars_as_long_as_their_shares():
    values = Histogram(("+1", "-1"), ((0.5, 0.5), (0.25, 0.75)), levels=("u", "v"))
    drawing = column_chart(values)
    plus, minus = ([float(e.get("width")) for e in marks(drawing, k)] for k in ("plus", "minus"))
    assert plus[0] == plus[1] == pytest.approx(2 * minus[0], rel=0.01)
    assert minus[1] == pytest.approx(3 * minus[0], rel=0.01)
    assert {"50%", "25%", "75%", "u", "v"} <= {e.text for e in drawing.iter("text")}


def test_rows_of_tables_share_a_scale():
    one, two = (interval_chart(g, g - 0.1, g + 0.1, (-0.2, 0.8)) for g in (0.1, 0.5))
    (x1,), (x2,) = (numbers(marks(d, "gapdot")[0], "cx") for d in (one, two))
    assert x2 - x1 == pytest.approx(0.4 / 1.0 * 152, abs=0.2)
    gain, loss = (loss_chart(v, 0.05, (-0.2, 0.4)) for v in (-0.1, 0.2))
    assert numbers(marks(loss, "bar")[0], "width")[0] == pytest.approx(
        2 * numbers(marks(gain, "bar")[0], "width")[0], rel=0.02
    )
