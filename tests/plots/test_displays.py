"""Every display: scikit-learn's convention, and pictures that show the numbers they were given."""

from __future__ import annotations

import io
import subprocess
import sys
import warnings
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from unclustered import (
    DataError,
    DroppedColumnWarning,
    MissingExtraError,
    ParameterError,
    label,
    load_model,
    membership_gap,
    plots,
)
from unclustered.evidence import priors_from_scores
from unclustered.plots import (
    DecisionMapDisplay,
    GapNullDisplay,
    LeaderboardDisplay,
    PriorsDisplay,
    ScoreDistributionDisplay,
)

RNG = np.random.default_rng(0)


def draw(n, share):
    first = np.arange(n) < share * n
    return pd.DataFrame(
        {
            "batch": "7",
            "length": 100 + 2 * first + RNG.normal(size=n),
            "phase": np.where(RNG.random(n) < 0.2 + 0.6 * first, "S", "G1"),
            "width": first + RNG.normal(size=n),
            "depth": first + RNG.normal(size=n),
        }
    )


A, B = draw(60, 0.8), draw(40, 0.2)
NUMBERS = ["length", "width"]
X, Y = np.r_[A[NUMBERS], B[NUMBERS]], np.repeat(["z in A", "in B"], [60, 40])
BOARD = {
    "method": ["kmeans", "dsdd", "origin"],
    "configuration": ["", "penalty=rkhs", ""],
    "gap": [0.21, 0.34, -0.05],
    "gap_low": [0.12, 0.25, -0.2],
    "gap_high": [0.3, 0.43, 0.1],
    "weight": [0.25, 0.75, np.nan],
    "seconds": [0.125, 20.0, np.nan],
}


@pytest.fixture(scope="module")
def result():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedColumnWarning)
        return label(A, B, "lsdd", evidence=False)


EVIDENCE = SimpleNamespace(
    gap=0.4, gap_interval=(0.3, 0.5), null_gaps=RNG.normal(0, 0.1, 199), p_value=0.005
)
MAKERS = {
    "ScoreDistributionDisplay": lambda: ScoreDistributionDisplay([1.0, 2.0, -1.0], [-1.0, 0.5]),
    "GapNullDisplay": lambda: GapNullDisplay(0.4, (0.3, 0.5), EVIDENCE.null_gaps, 0.005),
    "DecisionMapDisplay": lambda: DecisionMapDisplay(
        *np.meshgrid([0.0, 1.0], [0.0, 1.0]), [[1, -1], [1, -1]], [[0, 0]], [[1, 1]], ("u", "v")
    ),
    "LeaderboardDisplay": lambda: LeaderboardDisplay(BOARD),
    "PriorsDisplay": lambda: PriorsDisplay(
        0.8, 0.2, (0.7, 0.9), (0.1, 0.3), [(0.75, 0.25), (0.7, 0), (1, 0), (1, 0.3)]
    ),
}


@pytest.mark.parametrize("name", plots.__all__)
def test_every_display_draws_on_the_axes_given_or_on_new_ones(name):
    display = MAKERS[name]()
    assert display.plot() is display
    assert display.figure_ is display.ax_.figure is plt.gcf()
    ax = Figure().subplots()
    assert display.plot(ax).ax_ is ax
    assert display.figure_ is ax.figure
    for style in ("default", "dark_background"):
        with plt.style.context(style):
            stream = io.BytesIO()
            display.plot().figure_.savefig(stream)
            assert stream.getvalue().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", plots.__all__)
def test_the_extra_is_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r'pip install "unclustered\[plot\]"'):
        MAKERS[name]().plot()


def test_matplotlib_is_not_loaded_before_something_is_drawn():
    code = "import sys, unclustered.plots; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def shares(display):
    """Share of A and of B labelled +1, by the area of the bars; and the edges of the bars."""
    bars = display.ax_.patches
    plus = [bar for bar in bars if bar.get_x() >= 0]
    assert {bar.get_facecolor() for bar in plus} == {to_rgba("#0072B2")}
    assert all(bar.get_x() + bar.get_width() <= 1e-12 for bar in bars if bar not in plus)
    heights = [bar.get_height() for bar in plus]
    return sum(h for h in heights if h > 0), -sum(h for h in heights if h < 0)


def test_bars_right_of_zero_are_the_shares_labelled_plus(result):
    display = ScoreDistributionDisplay.from_labeling(result)
    above, below = shares(display)
    assert above == pytest.approx((result.labels_a > 0).mean())
    assert below == pytest.approx((result.labels_b > 0).mean())
    assert sum(abs(bar.get_height()) for bar in display.ax_.patches) == pytest.approx(2)
    words = {text.get_text() for text in display.ax_.texts}
    assert f"A: {above:.0%} labelled +1" in words
    assert f"B: {1 - below:.0%} labelled \N{MINUS SIGN}1" in words


def test_a_score_of_zero_is_labelled_minus():
    assert shares(ScoreDistributionDisplay([0.0, 1.0, -1.0], [0.0, 2.0]).plot()) == (1 / 3, 0.5)


@pytest.mark.parametrize("scores", [[3.0, 3.0], [-1e-9, -2e-9], [0.0], [1e-3, 1e9, -1e9, 5.0]])
def test_any_scores_can_be_drawn(scores):
    display = ScoreDistributionDisplay(scores, [-2.0, 1.0]).plot()
    assert len(display.ax_.patches) <= 2 * 125
    display.figure_.canvas.draw()


@pytest.mark.parametrize("scores", [[], [np.nan, 1.0]])
def test_no_scores_are_refused(scores):
    with pytest.raises(DataError, match="scores of B must be at least one finite number"):
        ScoreDistributionDisplay([1.0], scores)


@pytest.mark.parametrize("estimator", [LinearSVC(), GaussianNB()])
def test_scores_of_any_classifier_of_the_membership(estimator):
    estimator.fit(X, Y)
    above, below = shares(ScoreDistributionDisplay.from_estimator(estimator, X, Y))
    in_a = estimator.predict(X) == "z in A"  # classes_[1]
    assert above - below == pytest.approx(membership_gap(in_a, Y))


def test_classifiers_without_scores_or_with_more_memberships_are_refused():
    three = KNeighborsClassifier().fit(X, np.arange(100) % 3)
    with pytest.raises(ParameterError, match="fitted on 3 memberships"):
        ScoreDistributionDisplay.from_estimator(three, X, Y)
    silent = SimpleNamespace(classes_=["a", "b"])
    with pytest.raises(ParameterError, match="neither decision_function nor predict_proba"):
        ScoreDistributionDisplay.from_estimator(silent, X, Y)


def test_the_gap_and_its_interval_stand_where_they_should():
    display = GapNullDisplay.from_labeling(SimpleNamespace(evidence=EVIDENCE))
    assert sum(bar.get_height() for bar in display.ax_.patches) == 199
    drawn = [line.get_xdata().tolist() for line in display.ax_.lines]
    assert [0.4, 0.4] in drawn
    assert [0.3, 0.5] in drawn
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert words == ["memberships shuffled", "gap 0.40 (0.30 to 0.50), p = 0.005"]


def test_the_evidence_of_a_labelling_is_drawn():
    found = label(A[NUMBERS], B[NUMBERS], "kmeans", permutations=19)
    display = GapNullDisplay.from_labeling(found)
    assert display.gap == found.evidence.gap
    assert sum(bar.get_height() for bar in display.ax_.patches) == len(found.evidence.null_gaps)


def test_without_evidence_there_is_nothing_to_draw(result):
    with pytest.raises(ParameterError, match=r"label\(\.\.\., evidence=True\)"):
        GapNullDisplay.from_labeling(result)


@pytest.mark.parametrize("columns", [None, ("depth", "length")])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_maps_hold_the_other_columns_at_typical_values(result, columns, make):
    display = DecisionMapDisplay.from_labeling(result, make(A), make(B), columns=columns)
    first, second = columns or ("length", "width")
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == (first, second)
    both = pd.concat([A, B])
    rows = pd.DataFrame(
        {name: [both[name].median()] * display.xx.size for name in ("length", "width", "depth")}
        | {"phase": both["phase"].mode()[0]}
    )
    rows[first], rows[second] = display.xx.ravel(), display.yy.ravel()
    np.testing.assert_array_equal(display.scores.ravel(), result.score_samples(rows))
    np.testing.assert_array_equal(display.points_a, A[[first, second]])
    np.testing.assert_array_equal(display.points_b, B[[first, second]])
    for axis, grid in ((0, display.xx), (1, display.yy)):
        points = np.r_[display.points_a, display.points_b][:, axis]
        assert grid.min() < points.min() < points.max() < grid.max()


@pytest.mark.parametrize("often", ["G1", "S"])
def test_maps_hold_text_at_its_most_frequent_value(often):
    rare = {"G1": "S", "S": "G1"}[often]
    a, b = (t.assign(phase=np.where(np.arange(len(t)) % 3, often, rare)) for t in (A, B))
    with pytest.warns(DroppedColumnWarning):
        found = label(a, b, "lsdd", evidence=False)
    display = DecisionMapDisplay.from_labeling(found, a, b)
    rows = {name: np.full(display.xx.size, pd.concat([a, b])[name].median()) for name in ["depth"]}
    rows |= {"length": display.xx.ravel(), "width": display.yy.ravel()}
    rows |= {"phase": [often] * display.xx.size}
    np.testing.assert_array_equal(display.scores.ravel(), found.score_samples(rows))


def test_maps_of_arrays_and_of_models_from_files(tmp_path):
    a, b = RNG.normal(1, 1, (30, 3)), RNG.normal(-1, 1, (30, 3))
    found = label(a, b, "dsdd", evidence=False)
    found.save(tmp_path / "m.unclustered")
    model = load_model(tmp_path / "m.unclustered")
    one = DecisionMapDisplay.from_labeling(found, a, b, columns=(2, 0))
    other = DecisionMapDisplay.from_labeling(model, a, b, columns=("2", "0"))
    np.testing.assert_array_equal(one.scores, other.scores)
    assert one.ax_.get_xlabel() == "column 2"
    rows = np.column_stack(
        [one.yy.ravel(), np.full(one.xx.size, np.median(np.r_[a, b][:, 1])), one.xx.ravel()]
    )
    np.testing.assert_array_equal(one.scores.ravel(), found.score_samples(rows))


def test_maps_of_rows_with_text():
    a, b = (part[["length", "phase", "width"]].values.tolist() for part in (A, B))
    found = label(a, b, "lsdd", evidence=False)
    display = DecisionMapDisplay.from_labeling(found, a, b)
    assert display.ax_.get_ylabel() == "column 2"


@pytest.mark.parametrize(
    "columns", [("length", "phase"), ("length",), ("width", "width"), ("x", "y")]
)
def test_maps_need_two_columns_of_numbers(result, columns):
    with pytest.raises(ParameterError, match="which are length, width, depth; got"):
        DecisionMapDisplay.from_labeling(result, A, B, columns=columns)


def test_maps_of_sparse_samples_are_refused():
    a, b = (sp.csr_array(np.maximum(part[NUMBERS].to_numpy(), 0)) for part in (A, B))
    with pytest.raises(ParameterError, match="sparse"):
        DecisionMapDisplay.from_labeling(label(a, b, "lsdd", evidence=False), a, b)


@pytest.mark.parametrize(
    "make",
    [np.asarray, lambda x: pd.DataFrame(x, columns=NUMBERS), lambda x: pl.DataFrame(x, NUMBERS)],
)
def test_maps_of_estimators(make):
    table = make(X)
    estimator = LogisticRegression().fit(table, Y)
    display = DecisionMapDisplay.from_estimator(estimator, table, Y)
    points = np.column_stack([display.xx.ravel(), display.yy.ravel()])
    np.testing.assert_array_equal(
        display.scores.ravel() > 0, estimator.predict(make(points)) == "z in A"
    )
    assert len(display.points_a) == 60
    assert len(display.ax_.collections) == 4  # regions, the line between them, A and B
    assert display.ax_.get_xlabel() in ("length", "column 0")


def test_a_map_of_one_label_has_no_line():
    xx, yy = np.meshgrid([0.0, 1.0], [0.0, 1.0])
    display = DecisionMapDisplay(xx, yy, np.ones((2, 2)), [[0, 0]], [[1, 1]], ("u", "v")).plot()
    assert len(display.ax_.collections) == 3


def test_maps_of_estimators_need_two_columns():
    with pytest.raises(ParameterError, match=r"two columns, got the shape \(100, 3\)"):
        DecisionMapDisplay.from_estimator(LogisticRegression(), np.ones((100, 3)), Y)


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_the_leaderboard_is_sorted_and_complete(make):
    display = LeaderboardDisplay(make(BOARD)).plot()
    names = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    assert names == ["dsdd\npenalty=rkhs", "kmeans", "origin"]
    top, bottom = display.ax_.get_ylim()[::-1]
    assert top < bottom  # the first row is on top
    assert [text.get_text() for text in display.ax_.texts] == [
        *("weight", "75%", "25%", ""),
        *("seconds", "20", "0.125", ""),
    ]
    dots = [line.get_xdata().tolist() for line in display.ax_.lines if line.get_marker() == "o"]
    assert dots == [[0.34, 0.21], [-0.05]]  # with a weight, without


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gap": None}, "The leaderboard lacks the columns gap"),
        ({"seconds": ["fast", "slow", "slow"]}, "must hold numbers in seconds"),
    ],
)
def test_tables_that_are_no_leaderboard_are_refused(change, said):
    table = {name: values for name, values in (BOARD | change).items() if values is not None}
    with pytest.raises(DataError, match=said):
        LeaderboardDisplay(table)


def test_balances_are_drawn_on_what_is_feasible():
    rng = np.random.default_rng(0)
    a, b = (rng.normal(np.where(rng.random(400) < share, 2, -2)) for share in (0.8, 0.3))
    priors = priors_from_scores(a, b, random_state=0)
    ax = PriorsDisplay.from_priors(priors).ax_
    (feasible,) = ax.patches
    np.testing.assert_array_equal(feasible.get_xy()[:4], priors.feasible_corners)
    _, across, up, point = (line.get_xydata() for line in ax.lines)
    np.testing.assert_array_equal(point, [[priors.theta_a, priors.theta_b]])
    np.testing.assert_array_equal(across[:, 0], priors.interval_a)
    np.testing.assert_array_equal(up[:, 1], priors.interval_b)
    assert feasible.contains_point(feasible.get_transform().transform(point[0]))


def test_balances_that_were_not_estimated_cannot_be_drawn(result):
    with pytest.raises(ParameterError, match=r'label\(\.\.\., priors="estimate"\)'):
        PriorsDisplay.from_labeling(result)
