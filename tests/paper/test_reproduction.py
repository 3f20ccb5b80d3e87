"""The whole: from one call to the files, the same whatever happens on the way."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unclustered.datasets import openml
from unclustered.errors import DataError, ParameterError, UnclusteredError
from unclustered.paper import Progress, blocks, contestant, reproduce, runner
from unclustered.paper import protocol as protocol_module
from unclustered.paper.figures import draw_figure

SMALL = {"datasets": ["heart", "thyroid"], "methods": ["kmeans:n_init=1"], "trials": 7}


@pytest.fixture(autouse=True, scope="module")
def small_blocks():
    """Blocks of four trials, so that a few trials make several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_SIZE", 4)
        yield


def contents(folder):
    """Digest of every file of a run, but for the litter of kills."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and path.suffix != ".tmp"
    }


class Counting(Progress):
    """Counts the blocks that are run; can stop the run as Ctrl-C does."""

    def __init__(self, stop_after=None):
        self.blocks, self.stop_after, self.stopped = 0, stop_after, False

    def block(self, block, trials):
        super().block(block, trials)
        self.blocks += 1
        if self.blocks == self.stop_after:
            raise KeyboardInterrupt

    def stop(self):
        self.stopped = True


@pytest.fixture(scope="module")
def whole(tmp_path_factory, small_blocks):
    """A run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    reproduce("all", out=folder, jobs=1, **SMALL)
    return folder


def test_one_call_writes_every_output(whole):
    names = {path.name for path in whole.iterdir()}
    kinds = [f"tables.{kind}" for kind in ("md", "tex", "csv", "json")]
    pictures = [f"figure{k}.{kind}" for k in (1, 2) for kind in ("svg", "png")]
    assert names == {*kinds, *pictures, "index.html", "trials"}
    assert (whole / "figure2.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (whole / "figure1.svg").read_bytes()


def without_figures(folder):
    return {k: v for k, v in contents(folder).items() if "figure" not in k and k != "index.html"}


def run_both_tables(out, **options):
    """Both tables, without the figures, which take longer than all else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unclustered.paper.reproduction.draw_figure", lambda name, seed: {})
        return reproduce("all", out=out, **{"jobs": 1, **SMALL, **options})


def test_figures_have_the_same_bytes_each_time(whole):
    for name in ("figure1", "figure2"):
        for kind, content in draw_figure(name, seed=0).items():
            assert (whole / f"{name}.{kind}").read_bytes() == content
    assert draw_figure("figure1", seed=1)["svg"] != (whole / "figure1.svg").read_bytes()


def test_processes_change_nothing(whole, tmp_path):
    run_both_tables(tmp_path, jobs=2)
    assert without_figures(tmp_path) == without_figures(whole)


def test_a_stopped_run_goes_on_and_ends_the_same(whole, tmp_path):
    stopped = Counting(stop_after=5)
    with pytest.raises(KeyboardInterrupt):
        run_both_tables(tmp_path, progress=stopped)
    assert stopped.stopped
    rest = Counting()
    run_both_tables(tmp_path, progress=rest)
    # Two tables, two sets, three methods, two blocks each.
    assert rest.blocks == 2 * 2 * 3 * 2 - 5
    assert rest.trials_found == 5 * 4
    assert without_figures(tmp_path) == without_figures(whole)


def test_a_finished_run_is_not_run_again_unless_asked(whole, tmp_path):
    reproduce("table1", out=tmp_path, jobs=1, **SMALL)
    again, fresh = Counting(), Counting()
    reproduce("table1", out=tmp_path, jobs=1, progress=again, **SMALL)
    reproduce("table1", out=tmp_path, jobs=1, progress=fresh, fresh=True, **SMALL)
    assert (again.blocks, fresh.blocks) == (0, 2 * 3 * 2)


def test_another_seed_gives_other_figures(whole, tmp_path):
    run_both_tables(tmp_path, seed=1)
    assert contents(whole)["tables.csv"] != contents(tmp_path)["tables.csv"]


def test_methods_do_not_disturb_one_another(whole, tmp_path):
    more = reproduce(
        "table1", out=tmp_path, jobs=1, **SMALL | {"methods": ["kde", "kmeans:n_init=1"]}
    )
    alone = reproduce("table1", out=whole, jobs=1, **SMALL)
    for ours, theirs in zip(more.tables[0].rows, alone.tables[0].rows, strict=True):
        means = {cell.contestant.name: cell.mean for cell in ours.cells}
        for cell in theirs.cells:
            assert means[cell.contestant.name] == cell.mean


def test_a_set_that_nobody_delivers_is_left_out_and_said_so(tmp_path, monkeypatch):
    def fail(data_id, positive, advice):
        raise openml.NotDeliveredError(f"OpenML did not deliver {data_id}. {advice}")

    monkeypatch.setattr(openml, "fetch", fail)
    monkeypatch.delenv("UNCLUSTERED_DATA", raising=False)
    asked = {**SMALL, "datasets": ["australian", "heart"], "trials": 2}
    done = reproduce("table1", out=tmp_path, jobs=1, **asked)
    assert [row.dataset for row in done.tables[0].rows] == ["heart"]
    assert "download it from" in done.left_out["australian"]
    for kind in ("md", "json", "html", "tex"):
        text = (tmp_path / f"table1.{kind}").read_text(encoding="utf-8")
        assert "australian" in text
        assert "download it from" in text
    with pytest.raises(DataError, match="download it from"):
        reproduce("table1", out=tmp_path, **{**asked, "datasets": ["australian"]})


def test_a_cut_file_is_an_error_not_a_missing_set(tmp_path):
    (tmp_path / "heart.csv").write_text("f1,f2,label\n1,2,1\n")
    with pytest.raises(DataError, match=r"heart\.csv"):
        reproduce("table1", out=tmp_path / "out", data_dir=tmp_path, jobs=1, **SMALL)


def test_failed_trials_are_shown_in_every_output(tmp_path, monkeypatch):
    real = protocol_module._labels

    def labels(protocol, benchmark, drawn, player, seed):
        if player.name == "kmeans:n_init=1" and seed % 2:
            raise ValueError("odd seed")
        return real(protocol, benchmark, drawn, player, seed)

    monkeypatch.setattr(protocol_module, "_labels", labels)
    done = reproduce("table1", out=tmp_path, jobs=1, **{**SMALL, "trials": 12})
    cells = done.tables[0].column("kmeans:n_init=1")
    assert all(0 < cell.failures < 12 and not cell.best for cell in cells)
    for kind in ("md", "html", "tex"):
        text = (tmp_path / f"table1.{kind}").read_text(encoding="utf-8")
        assert f"{cells[0].failures} failed" in text
    assert "odd seed" in (tmp_path / "table1.json").read_text()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"what": "table3"}, "no 'table3'"),
        ({"trials": 0}, "trials must be"),
        ({"seed": -1}, "seed must be"),
        ({"jobs": -2}, "jobs must be"),
        ({"datasets": ["hart"]}, "no benchmark set 'hart'"),
        ({"methods": ["kmean"]}, "no method 'kmean'"),
        ({"protocol": "counts=few"}, "no part of the protocol"),
    ],
)
def test_mistakes_are_errors_before_anything_runs(tmp_path, wrong, says):
    with pytest.raises(ParameterError, match=says):
        reproduce(**{"what": "table1", "out": tmp_path / "out", **SMALL, **wrong})
    assert not list(tmp_path.rglob("*.json"))


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnclusteredError, match="cannot be made"):
        reproduce("table1", out=tmp_path / "file" / "out", **SMALL)


def test_a_killed_worker_is_an_error_that_says_what_to_do(tmp_path, monkeypatch):
    from unclustered.paper.results import Plan
    from unclustered.paper.store import Store

    class Deadly(Store):
        def write(self, block, trials):
            os.kill(os.getpid(), signal.SIGKILL)

    plan = Plan(
        ("table1",), ("heart",), (contestant("origin"),), 100, 0, protocol_module.Protocol(), {}
    )
    with pytest.raises(UnclusteredError, match="start again, with fewer jobs"):
        list(runner.run_blocks(plan.blocks(), Deadly(tmp_path), jobs=2))


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_at_ten_random_moments_it_ends_with_the_same_bytes(tmp_path, jobs):
    options = "--datasets heart,banana --methods lsdd,kmeans --trials 500 --seed 3"
    command = [sys.executable, "-m", "unclustered", "reproduce", "all", *options.split()]
    undisturbed, folder = tmp_path / "undisturbed", tmp_path / "killed"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([*command, "--out", undisturbed, "--jobs", "2"], check=True, **quiet)

    moments, kills = random.Random(jobs), 0
    while kills < 10:
        done = len(list(folder.rglob("*.json")))
        process = subprocess.Popen(
            [*command, "--out", folder, "--jobs", str(jobs)], start_new_session=True, **quiet
        )
        # From anywhere in the start to a while after the first new block.
        if moments.random() < 0.8:
            while process.poll() is None and len(list(folder.rglob("*.json"))) <= done:
                time.sleep(0.01)
            time.sleep(moments.uniform(0, 0.8))
        else:
            time.sleep(moments.uniform(0, 3))
        assert process.poll() is None, "the run was over before it was killed often enough"
        if moments.random() < 0.5:
            process.kill()  # the parent first, its workers a moment later
            time.sleep(moments.uniform(0, 0.3))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    unfinished = contents(folder)
    subprocess.run([*command, "--out", folder, "--jobs", str(jobs)], check=True, **quiet)
    assert 0 < len(unfinished) < len(contents(folder))
    assert contents(folder) == contents(undisturbed)
