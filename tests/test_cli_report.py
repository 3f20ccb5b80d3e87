"""The commands around ``label``: reports, one file for both, options in a file, test, priors."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from unclustered import label
from unclustered.cli import app
from unclustered.evidence import estimate_priors
from unclustered.tables import read_table, write_table

QUICK = ("--method", "lsdd", "--permutations", "19", "--id", "id")


def columns(n, share, name, seed):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < share * n, 1.0, -1.0)
    return {"id": [f"{name}{k}" for k in range(n)]} | {
        c: (3 * y + rng.normal(size=n)).round(3) for c in "xy"
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Working folder with a.csv, b.csv, and both in all.csv, shuffled, told apart by ``site``."""
    parts = {"a": columns(40, 0.8, "a", 0), "b": columns(30, 0.2, "b", 1)}
    for name, part in parts.items():
        write_table(part, tmp_path / f"{name}.csv")
    order = np.random.default_rng(2).permutation(70)
    together = {
        c: np.array([*parts["a"][c], *parts["b"][c]], dtype=object if c == "id" else float)[order]
        for c in ("id", "x", "y")
    }
    together["site"] = np.repeat(["north", "south"], [40, 30])[order]
    write_table(together, tmp_path / "all.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, code=0, **options):
    result = CliRunner().invoke(app, [str(a) for a in arguments], **options)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def complaint(*arguments, code=1, **options):
    result = run(*arguments, code=code, **options)
    assert result.stdout == ""
    return result.stderr


def same_file(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_report_beside_the_labels(folder):
    run("label", "a.csv", "b.csv", "--out", "l.csv", "--report", "r.json", *QUICK, "--seed", "5")
    found = json.loads((folder / "r.json").read_text())
    labels = read_table("l.csv")
    assert found["map"]["points"]["ids"] == labels["id"].tolist()
    assert found["map"]["points"]["labels"] == labels["label"].tolist()
    assert [dataset["source"] for dataset in found["datasets"]] == ["a.csv", "b.csv"]
    digest = hashlib.sha256((folder / "b.csv").read_bytes()).hexdigest()
    assert found["origin"]["inputs"][1] == {"name": "b.csv", "sha256": digest}
    assert found["origin"]["seed"] == "5"
    words = shlex.split(found["origin"]["command"])
    assert words[:2] == ["unclustered", "label"]
    first = (folder / "r.json").read_text()
    run(*words[1:])  # what the report says makes the same report
    assert (folder / "r.json").read_text() == first
    output = run("label", "a.csv", "b.csv", "--report", "r.html", *QUICK).stdout
    assert "The report is in r.html." in output
    assert (folder / "r.html").read_text().startswith("<!DOCTYPE html>")


def test_without_evidence_the_report_has_no_labels(folder):
    rng = np.random.default_rng(3)
    for name in "cd":
        write_table({c: rng.normal(size=25).round(3) for c in "xy"}, folder / f"{name}.csv")
    options = ("--method", "lsdd", "--permutations", "19")
    places = ("--report", "r.json", "--out", "l.csv", "--model", "m.unclustered")
    run("label", "c.csv", "d.csv", *places, *options, code=4)
    found = json.loads((folder / "r.json").read_text())
    assert not found["shows_labels"]
    assert found["verdict"].startswith("No evidence")
    assert not (folder / "l.csv").exists()
    assert not (folder / "m.unclustered").exists()
    run("label", "c.csv", "d.csv", "--report", "r.json", "--anyway", *options)
    assert json.loads((folder / "r.json").read_text())["shows_labels"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "r.pdf"], "must end in .html, .md or .json"),
        (["--report", "no/r.html"], "there is no folder 'no'"),
        (["--report", "r.md", "--out", "r.md"], "are the same file"),
        (["--report", "."], "it is a folder"),
    ],
)
def test_a_report_that_cannot_be_is_refused_before_any_work(folder, options, message):
    before = same_file(folder)
    assert message in complaint("label", "a.csv", "b.csv", *options)
    assert same_file(folder) == before


def test_one_file_with_a_column_that_tells(folder):
    run("label", "all.csv", "--by", "site", "--out", "one.csv", *QUICK)
    one, given = read_table("one.csv"), read_table("all.csv")
    assert one["id"].tolist() == given["id"].tolist()
    assert one["dataset"].tolist() == [{"north": "A", "south": "B"}[s] for s in given["site"]]
    by_site = [given.take(given["site"] == site).select(["x", "y"]) for site in ("north", "south")]
    result = label(*by_site, "lsdd", evidence=False)
    scores = np.zeros(70)
    scores[given["site"] == "north"] = result.scores_a
    scores[given["site"] == "south"] = result.scores_b
    np.testing.assert_array_equal(one["score"], scores)


def test_rows_of_one_file_are_counted_there(folder):
    options = ("--method", "lsdd", "--no-evidence", "--drop", "id")
    run("label", "all.csv", "--by", "site", "--out", "one.csv", *options)
    assert read_table("one.csv")["row"].tolist() == [*range(1, 71)]
    output = run("label", "all.csv", "--by", "site", *options).stdout
    assert "all.csv, site = north" in output


def test_numbers_and_numbered_columns_can_tell(folder):
    given = read_table("all.csv", as_text=["id"])
    truth = given["site"] == "south"
    for values, formats in ((truth.astype(int), "csv"), (truth, "parquet")):
        if formats == "parquet":
            pytest.importorskip("pyarrow")
        write_table({"x": given["x"], "y": given["y"], "late": values}, f"n.{formats}")
        found = json.loads(
            run(
                "label", f"n.{formats}", "--by", "late", "--json", *QUICK[:2], "--no-evidence"
            ).stdout
        )
        assert [found["datasets"][name]["rows"] for name in "AB"] == [40, 30]
        assert [row["dataset"] == "B" for row in found["labels"]] == truth.tolist()


def test_sparse_rows_are_told_apart_by_what_is_known_of_them(folder):
    rows = ["+1 1:2.5 2:1", "-1 1:-2 3:1", "+1 1:2 2:.5", "-1 1:-3", "+1 1:3", "-1 1:-2.2 2:1"]
    (folder / "s.svm").write_text("\n".join(rows * 5) + "\n")
    found = run("info", "s.svm", "--json").stdout
    (target,) = [c["name"] for c in json.loads(found)["columns"] if c["about_rows"]]
    found = json.loads(
        run("label", "s.svm", "--by", target, "--method", "lsdd", "--no-evidence", "--json").stdout
    )
    assert [found["datasets"][name]["rows"] for name in "AB"] == [15, 15]


@pytest.mark.parametrize(
    ("site", "message"),
    [
        (["n", "s", "w"], "must have two values, and o.csv has 3 (n, s, w)"),
        (["n", "n", "n"], "must have two values, and o.csv has 1 (n)"),
        (["n", "", "s"], "no value in it in line 3 (1 rows in all)"),
        (["1", "", "2"], "no value in it in line 3 (1 rows in all)"),
    ],
)
def test_a_column_that_does_not_tell_is_refused(folder, site, message):
    write_table({"x": [1, 2, 3], "site": [s or None for s in site]}, "o.csv")
    assert message in complaint("label", "o.csv", "--by", "site")


def test_one_file_needs_the_column_and_two_need_none(folder):
    assert "--by" in complaint("label", "a.csv", code=2)
    assert "--by" in complaint("label", "a.csv", "b.csv", "--by", "site", code=2)
    assert "there is no such column in all.csv" in complaint("label", "all.csv", "--by", "no")


def test_options_in_a_file(folder):
    (folder / "run.toml").write_text(
        'a = "a.csv"\nb = "b.csv"\nid = "id"\nmethod = "lsdd"\npermutations = 19\n'
        'priors = [0.8, 0.2]\ndrop = "y"\nout = "file.csv"\nseed = 4\n'
    )
    run("label", "--config", "run.toml")
    line = ("--priors", "0.8", "0.2", "--drop", "y", "--out", "line.csv", "--seed", "4")
    run("label", "a.csv", "b.csv", *QUICK, *line)
    assert (folder / "file.csv").read_text() == (folder / "line.csv").read_text()
    run("label", "--config", "run.toml", "--drop", "x", "--out", "other.csv", "--report", "r.json")
    assert (folder / "other.csv").read_text() != (folder / "line.csv").read_text()
    command = json.loads((folder / "r.json").read_text())["origin"]["command"]
    assert "--config" not in command
    (folder / "run.toml").unlink()
    (folder / "other.csv").rename(folder / "before.csv")
    run(*shlex.split(command)[1:])  # complete without the file
    assert (folder / "before.csv").read_text() == (folder / "other.csv").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metod = 'lsdd'", "there is no option 'metod'. There are: a, b, by"),
        ("debug = true", "there is no option 'debug'"),
        ("method = ", "is no TOML: "),
        ("[method]\nname = 1", "method must be a value, not a table"),
        (None, "No such file"),
    ],
)
def test_a_file_of_options_that_cannot_be_used(folder, text, message):
    if text is not None:
        (folder / "run.toml").write_text(text)
    assert message in complaint("label", "a.csv", "b.csv", "--config", "run.toml")


def test_a_wrong_value_in_a_file_is_not_understood(folder):
    (folder / "run.toml").write_text("seed = 'x'\n")
    assert "seed" in complaint("label", "a.csv", "b.csv", "--config", "run.toml", code=2)


def test_evidence_only(folder):
    result = json.loads(run("test", "a.csv", "b.csv", "--json", *QUICK).stdout)
    tables = [read_table(name).select(["x", "y"]) for name in ("a.csv", "b.csv")]
    expected = label(*tables, "lsdd", permutations=19).evidence
    assert result["evidence"] == expected.to_dict()
    output = run("test", "a.csv", "b.csv", *QUICK).stdout
    assert expected.verdict in output
    low, high = expected.gap_interval
    assert f"Held-out gap: {expected.gap:.2f} (95% interval {low:.2f} to {high:.2f})" in output
    assert "Shuffled memberships: 19 " in output
    one = json.loads(run("test", "all.csv", "--by", "site", "--json", *QUICK).stdout)
    assert one["datasets"]["A"]["rows"] == 40
    assert same_file(folder) == ["a.csv", "all.csv", "b.csv"]


def test_no_evidence_is_told_by_the_exit_code(folder):
    rng = np.random.default_rng(3)
    for name in "cd":
        write_table({c: rng.normal(size=25).round(3) for c in "xy"}, folder / f"{name}.csv")
    result = run("test", "c.csv", "d.csv", *QUICK[:4], code=4)
    assert "No evidence" in result.stdout
    assert result.stderr == ""
    write_table({"x": [1.0, 2.0]}, folder / "e.csv")
    assert "at least 4" in complaint("test", "e.csv", "d.csv", "--columns", "x", *QUICK[:2])


def test_class_balances(folder, monkeypatch):
    given = []

    def once(*tables, **options):
        given.append((tables, options))
        return found

    tables = [read_table(name).select(["x", "y"]) for name in ("a.csv", "b.csv")]
    found = estimate_priors(*tables, random_state=5)
    monkeypatch.setattr("unclustered.evidence.estimate_priors", once)
    line = ("priors", "a.csv", "b.csv", "--id", "id", "--seed", "5")
    record = json.loads(run(*line, "--json").stdout)["priors"]
    assert (record["theta_a"], record["theta_b"]) == tuple(found)
    assert record["difference_bound"] == found.difference_bound
    output = run(*line).stdout
    assert re.search(rf"in A +{found.theta_a:.2f} ", output)
    assert f"--priors {found.theta_a:.2f} {found.theta_b:.2f}" in output
    for read, options in given:
        assert options == {"missing": "error", "random_state": 5}
        for one, other in zip(read, tables, strict=True):
            assert list(one) == list(other)
            np.testing.assert_array_equal(one["x"], other["x"])


def test_the_demo_shows_everything(folder):
    (folder / "here").mkdir()
    (folder / "here" / "a.csv").write_text("mine")
    assert "is there already" in complaint("demo", "here")
    assert (folder / "here" / "a.csv").read_text() == "mine"
    output = run("demo", "there").stdout
    names = {"a.csv", "b.csv", "labels.csv", "report.html"}
    assert {path.name for path in (folder / "there").iterdir()} == names
    words = shlex.split(output.splitlines()[0].removeprefix("$ "))
    page = (folder / "there" / "report.html").read_text()
    command = re.search("<pre>(.*)</pre>", page)[1]
    assert sorted(shlex.split(command)) == sorted(words)
    assert (folder / "there" / "report.html").resolve().as_uri() in output


def test_an_interrupt_while_writing_leaves_nothing(folder, monkeypatch):
    from unclustered.report import Summary

    def stop(summary):
        raise KeyboardInterrupt

    (folder / "r.md").write_text("old")
    before = same_file(folder)
    monkeypatch.setattr(Summary, "to_markdown", stop)
    result = run("label", "a.csv", "b.csv", "--report", "r.md", *QUICK, code=130)
    assert result.stderr == "stopped: nothing more was done.\n"
    assert same_file(folder) == before
    assert (folder / "r.md").read_text() == "old"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")
def test_an_interrupt_at_any_moment_leaves_nothing_half_written(folder):
    """Ctrl-C at many moments: each file that is there is whole, and no other is."""
    places = ["--out", "l.csv", "--report", "r.html", "--model", "m.unclustered"]
    words = [sys.executable, "-m", "unclustered", "label", "a.csv", "b.csv", *places, *QUICK]
    start = time.monotonic()
    subprocess.run(words, check=True, capture_output=True)
    whole = time.monotonic() - start
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    for moment in np.linspace(0.2, 1.0, 12) * whole:
        for place in places[1::2]:
            (folder / place).unlink(missing_ok=True)
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1].decode()
        # Before Python has begun to listen, the signal itself ends it.
        assert process.returncode in (0, 130, -signal.SIGINT), said
        assert "Traceback" not in said
        for path in folder.iterdir():
            assert path.stat().st_size == sizes[path.name], path.name
