"""The benchmarks run, and what they write can be trusted. No test asserts a time."""

import dataclasses
import json
import platform
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
rivals = pytest.importorskip("benchmarks.rivals", reason="the rivals come with the extra bench")

from benchmarks import __main__ as command  # noqa: E402
from benchmarks import problems, report  # noqa: E402
from benchmarks.families import dsdd_fit, lsdd_fit  # noqa: E402
from benchmarks.results import Curve, Row, growth_exponent  # noqa: E402
from benchmarks.timing import Timing, in_turns  # noqa: E402
from unclustered import DSDD  # noqa: E402
from unclustered.core.box_qp import solve_box_qp  # noqa: E402


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    arguments = ["--smoke", "--only", "convex_step", "lsdd_fit", "--out", str(out)]
    assert command.main(arguments) == 0
    return out


def test_every_family_is_found():
    assert command.names() == ["convex_step", "dsdd_fit", "lsdd_fit", "start_up", "whole_fit"]


def test_smoke_writes_the_table_the_raw_times_and_the_plot(smoke):
    page = (smoke / "performance.md").read_text()
    assert "| convex step, 20 samples" in page
    assert page.startswith(command.PAGE.read_text().split(report.BEGIN)[0])
    for name in ("light", "dark"):
        assert (smoke / "_static" / f"scaling-{name}.svg").stat().st_size > 1000
    content = json.loads((smoke / "_static" / "performance.json").read_text())
    assert content["machine"]["smoke"] is True
    cells = content["rows"][0]["detail"]["cells"]
    assert all(len(cell["ours"]["seconds"]) >= 3 for cell in cells)
    assert all(cell["kkt_residual"] <= rivals.TOL for cell in cells)


def test_what_is_written_names_no_machine_and_no_folder(smoke):
    for path in (smoke / "performance.md", smoke / "_static" / "performance.json"):
        text = path.read_text()
        assert str(Path(command.__file__).parents[1]) not in text
        assert str(smoke) not in text
        assert platform.node() not in text.split()


def test_a_run_that_is_not_full_spares_the_committed_page():
    for arguments in (["--smoke"], ["--only", "convex_step"]):
        options = command._parser().parse_args(arguments)
        folder = command._folder(options)
        assert folder != command.PAGE.parent
        folder.rmdir()
    assert command._folder(command._parser().parse_args([])) == command.PAGE.parent


def test_a_rival_counts_only_with_an_answer_to_the_tolerance():
    X, side = problems.toy(10, seed=0)
    step = problems.convex_step(problems.gram(X, 0.8, "rkhs"), side, 0.01)
    back_end = rivals.BackEnd("piqp")
    solution = back_end.attempt(step.G, step.t, step.lower, step.upper)
    answer = rivals.judge(solution, step)
    ours = solve_box_qp(step.G, step.t, step.lower, step.upper)
    assert answer.good
    assert answer.objective == pytest.approx(ours.certificate.objective, rel=1e-5)
    solution.x = solution.x + 1e-3
    assert not rivals.judge(solution, step).good
    assert rivals.judge(None, step) is None


class OurSolver:
    """Stands in for a rival: exact, so the rival's loop must give exactly what DSDD gives."""

    name = "ours"

    def prepare(self, G):
        return G

    def solve(self, G, t, lower, upper):
        return solve_box_qp(G, t, lower, upper, tol=1e-10)


def test_the_loop_over_rivals_is_that_of_dsdd():
    X, side = problems.benchmark_set("heart", 20, seed=0)
    ours = DSDD(cv=3, tol=1e-10).fit(X, side)
    task = dsdd_fit.Task.of(X, side, 3)
    solver = OurSolver()
    prepared = dsdd_fit.prepare(task, solver)
    answer = dsdd_fit.grid_search(task, solver, prepared)
    compared = dsdd_fit.compare(ours, task, solver, prepared, answer)
    assert compared["same_choice"]
    assert compared["scores"] < 1e-7
    assert compared["objective"] < 1e-9
    other = dataclasses.replace(answer, objective=answer.objective + 1e-4)
    assert not dsdd_fit.compare(ours, task, solver, prepared, other)["agrees"]


def test_sharing_factors_does_not_change_lsdd():
    X, side = problems.toy(10, seed=1)
    slow, fast = (lsdd_fit.search(X, side, shared=shared) for shared in (False, True))
    assert slow[:2] == fast[:2]
    np.testing.assert_allclose(slow[2], fast[2])


def test_timings_take_turns_and_keep_every_repeat():
    calls = []
    timings = in_turns(
        {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, repeats=4, patience=100
    )
    assert {len(timing.seconds) for timing in timings.values()} == {4}
    rounds = "".join(calls)[2:]
    assert rounds.startswith("a")
    assert rounds.replace("aa", "a").replace("bb", "b") != rounds
    order = [rounds[0]] + [x for x, y in zip(rounds[1:], rounds, strict=False) if x != y]
    assert "".join(order) == "abababab"


def test_median_spread_and_growth():
    timing = Timing((1.0, 2.0, 3.0, 4.0, 100.0))
    assert timing.median == 3.0
    assert timing.spread == 2.0
    assert growth_exponent([10, 100, 1000], [1.0, 50.0, 2500.0]) == pytest.approx(np.log10(50))


def test_results_that_differ_are_never_a_goal_met():
    row = Row("work", Timing((1.0,)), outcome="30x", goal=">= 20x", met=True, agrees=False)
    assert report.verdict(row) == "**results differ**"
    assert "differ" in report.markdown([row])


def test_durations_read_well():
    assert report.duration(Timing((0.010, 0.012, 0.014))) == "12.0 ms (2.00)"
    assert report.duration(Timing((3e-5,))) == "30.0 µs (0)"
    assert report.duration(Timing((12.0, 14.0))) == "13.0 s (1.00)"
    assert report.duration(None) == "-"


def test_json_keeps_what_it_is_given():
    row = Row("work", Timing((1.0, 2.0)), detail={"n": np.int64(3), "x": np.arange(2.0)})
    content = json.loads(json.dumps(report.plain([row, Curve("p", "ours", (1,), (0.5,))])))
    assert content[0]["ours"] == {"median": 1.5, "spread": 0.5, "seconds": [1.0, 2.0]}
    assert content[0]["detail"] == {"n": 3, "x": [0.0, 1.0]}
    assert content[1]["sizes"] == [1]
