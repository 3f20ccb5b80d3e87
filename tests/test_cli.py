"""The command line as a person meets it: what is printed, what is written, how it exits."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from time import monotonic

import numpy as np
import pytest
from typer.testing import CliRunner

import unclustered
from unclustered import label
from unclustered.cli import app
from unclustered.methods import method_names
from unclustered.tables import read_table, write_table


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Working folder with a.csv and b.csv."""
    rng = np.random.default_rng(0)
    for name, share, n in (("a", 0.8, 40), ("b", 0.2, 30)):
        y = np.where(np.arange(n) < share * n, 1.0, -1.0)
        write_table(
            {
                "id": [f"0{name}{k}" for k in range(n)],
                "x": (3 * y + rng.normal(size=n)).round(3),
                "y": (3 * y + rng.normal(size=n)).round(3),
                "phase": np.where(rng.random(n) < 0.5, "S", "G1"),
                "batch": ["7"] * n,
            },
            tmp_path / f"{name}.csv",
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def complaint(*arguments, code=1):
    """The one line that says what is wrong."""
    result = run(*arguments, code=code)
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    return line


LSDD = ("--method", "lsdd", "--no-evidence")
WITH_EVIDENCE = ("--method", "lsdd", "--permutations", "19")


def test_labels_are_those_of_the_library(folder):
    output = run("label", "a.csv", "b.csv", "--out", "l.csv", *LSDD).stdout
    a, b = (read_table(name).select(["x", "y", "phase"]) for name in ("a.csv", "b.csv"))
    result = label(a, b, "lsdd", evidence=False)
    written = read_table("l.csv")
    assert list(written) == ["dataset", "row", "label", "score"]
    assert written["dataset"].tolist() == ["A"] * 40 + ["B"] * 30
    assert written["row"].tolist() == [*range(1, 41), *range(1, 31)]
    np.testing.assert_array_equal(written["label"], [*result.labels_a, *result.labels_b])
    np.testing.assert_array_equal(written["score"], [*result.scores_a, *result.scores_b])
    plus = [int((labels > 0).sum()) for labels in (result.labels_a, result.labels_b)]
    assert f"A  a.csv    40  {plus[0]:2d}  {40 - plus[0]:2d}" in output
    assert f"B  b.csv    30  {plus[1]:2d}  {30 - plus[1]:2d}" in output
    assert "Columns used: x, y, phase (2 levels)" in output
    assert "Columns left out: id (every value is different), batch (constant)" in output
    assert "Method: lsdd" in output
    assert "the sign is known, the name of the class is not" in output
    assert "Labels and scores are in l.csv." in output
    assert sorted(p.name for p in folder.iterdir()) == ["a.csv", "b.csv", "l.csv"]


def test_the_default_method_works(folder):
    assert "Method: auto" in run("label", "a.csv", "b.csv").stdout


def test_without_out_the_first_rows_are_shown(folder):
    output = run("label", "a.csv", "b.csv", *LSDD).stdout
    lines = output.splitlines()
    assert sum(line.startswith("A  ") for line in lines) == 1 + 5
    assert sum(line.startswith("B  ") for line in lines) == 1 + 5
    assert "All rows: add --out" in output


def test_json_is_one_object(folder):
    found = json.loads(run("label", "a.csv", "b.csv", "--json", *LSDD).stdout)
    assert found["version"] == unclustered.__version__
    assert found["datasets"]["A"]["file"] == "a.csv"
    assert found["datasets"]["B"]["rows"] == 30
    for dataset in found["datasets"].values():
        assert dataset["positive"] + dataset["negative"] == dataset["rows"]
    assert found["columns"] == {
        "numeric": ["x", "y"],
        "categorical": {"phase": ["G1", "S"]},
        "dropped": {"id": "every value is different", "batch": "constant"},
    }
    assert (found["method"], found["out"]) == ("lsdd", None)
    assert len(found["labels"]) == 70
    assert found["labels"][40]["dataset"] == "B"
    assert found["labels"][40]["row"] == 1
    run("label", "a.csv", "b.csv", "--json", "--out", "l.csv", *LSDD)
    assert read_table("l.csv")["score"][40] == found["labels"][40]["score"]


def no_difference(folder):
    """Two files that hold the same mixture."""
    rng = np.random.default_rng(5)
    for name in ("c", "d"):
        write_table(
            {"x": rng.normal(size=25).round(3), "y": rng.normal(size=25).round(3)},
            folder / f"{name}.csv",
        )


def test_labels_come_with_evidence(folder):
    output = run("label", "a.csv", "b.csv", *WITH_EVIDENCE).stdout
    assert "Evidence: The labels show a real difference between A and B (held-out gap 0." in output
    found = json.loads(run("label", "a.csv", "b.csv", "--json", *WITH_EVIDENCE).stdout)
    assert found["evidence"]["trustworthy"] is True
    assert found["evidence"]["permutations"] == 19
    assert set(found["labels"][0]) == {"dataset", "row", "label", "score", "confidence"}
    skipped = json.loads(run("label", "a.csv", "b.csv", "--json", *LSDD).stdout)
    assert skipped["evidence"] is None


def test_without_evidence_no_labels_are_given(folder):
    no_difference(folder)
    result = run("label", "c.csv", "d.csv", "--out", "l.csv", *WITH_EVIDENCE, code=4)
    assert result.stderr.startswith("warning: No evidence: shuffling the samples between A and B")
    assert "No labels are given. To have them all the same: --anyway." in result.stdout
    assert not (folder / "l.csv").exists()
    found = json.loads(run("label", "c.csv", "d.csv", "--json", *WITH_EVIDENCE, code=4).stdout)
    assert found["labels"] is None
    assert found["evidence"]["trustworthy"] is False
    run("label", "c.csv", "d.csv", "--out", "l.csv", "--anyway", *WITH_EVIDENCE)
    assert read_table("l.csv").n_rows == 50
    run("label", "c.csv", "d.csv", "--out", "m.csv", *LSDD)
    assert read_table("m.csv").n_rows == 50


def test_groups_are_shuffled_as_wholes_and_not_used(folder):
    for name in ("a", "b"):
        table = read_table(f"{name}.csv")
        donors = [f"{name}{k % 3}" for k in range(table.n_rows)]
        write_table({**table, "donor": donors}, f"{name}.csv")
    result = run("label", "a.csv", "b.csv", "--groups", "donor", "--json", *WITH_EVIDENCE, code=4)
    found = json.loads(result.stdout)
    assert found["evidence"]["smallest_p"] == 0.1
    assert "donor" not in found["columns"]["categorical"]
    assert "with so few groups no p-value can be below 0.1" in result.stderr
    assert "no such column" in complaint(
        "label", "a.csv", "b.csv", "--groups", "shop", *WITH_EVIDENCE
    )


def test_the_least_sure_can_go_without_a_label(folder):
    run("label", "a.csv", "b.csv", "--abstain", "0.2", "--out", "l.csv", *WITH_EVIDENCE)
    assert (read_table("l.csv")["label"] == 0).sum() == 14


def test_known_balances_give_probabilities(folder):
    options = ("--priors", "0.8", "0.2", "--out", "l.csv", *WITH_EVIDENCE)
    run("label", "a.csv", "b.csv", *options)
    written = read_table("l.csv")
    assert ((written["probability"] > 0.5) == (written["label"] > 0)).all()
    line = complaint("label", "a.csv", "b.csv", "--priors", "0.8", "0.2", "--estimate-priors")
    assert "--priors and --estimate-priors cannot both be given" in line
    line = complaint("label", "a.csv", "b.csv", "--priors", "0.5", "0.5", *WITH_EVIDENCE)
    assert "0.5" in line


def test_long_work_says_how_far_it_is(capsys, monkeypatch):
    from unclustered.cli import _frame

    monkeypatch.setattr(_frame, "_PATIENCE", 0.01)
    monkeypatch.setattr(_frame, "_BETWEEN", 0.01)

    def heard(pattern):
        text, start = "", monotonic()
        while not re.search(pattern, text, re.MULTILINE) and monotonic() - start < 60:
            text += capsys.readouterr().err
        return re.search(pattern, text, re.MULTILINE)

    with _frame.waiting("permutations", first="fitting") as tell:
        assert heard(r"^fitting: \d+ s$")
        tell(3, 199)
        assert heard(r"^permutations: 3 of at most 199$")
        tell(4, 199)
        assert heard(r"^permutations: 4 of at most 199, about \d+ s left$")
    assert _frame._count("x", [(50.0, 1, 9), (58.0, 5, 9)]) == "x: 5 of at most 9, about 8 s left"
    capsys.readouterr()
    with _frame.waiting("permutations", quiet=True) as tell:
        assert tell is None
    monkeypatch.setattr(_frame, "_PATIENCE", 60.0)
    with _frame.waiting("permutations") as tell:
        tell(3, 199)
    assert capsys.readouterr().err == ""


def test_identifiers_are_copied_as_they_are_written(folder):
    for name in ("a", "b"):  # identifiers that look like numbers
        path = folder / f"{name}.csv"
        path.write_text(path.read_text().replace(f"0{name}", "00"))
    run("label", "a.csv", "b.csv", "--id", "id", "--out", "l.csv", *LSDD)
    written = read_table("l.csv", as_text=["id"])
    assert list(written) == ["dataset", "id", "label", "score"]
    assert written["id"][0] == "000"
    assert written["id"][-1] == "0029"


def test_columns_are_chosen_by_name(folder):
    def used(*options):
        found = json.loads(run("label", "a.csv", "b.csv", "--json", *LSDD, *options).stdout)
        return found["columns"]["numeric"] + [*found["columns"]["categorical"]]

    assert used("--columns", "x", "--columns", "phase") == ["x", "phase"]
    assert used("--columns", "x, phase") == ["x", "phase"]
    assert used("--drop", "x,phase") == ["y"]
    assert used("--columns", "x,y", "--drop", "x") == ["y"]
    assert used("--id", "phase") == ["x", "y"]


def test_a_column_of_one_file_can_be_dropped(folder):
    table = read_table("a.csv")
    write_table({**table, "extra": table["x"]}, "a2.csv")
    assert "it lacks 'extra'" in complaint("label", "a2.csv", "b.csv", *LSDD)
    run("label", "a2.csv", "b.csv", "--drop", "extra", *LSDD)


def test_missing_values_are_refused_or_imputed(folder):
    lines = (folder / "a.csv").read_text().splitlines()
    lines[4] = "0a3,,1.5,S,7"
    (folder / "a.csv").write_text("\n".join(lines))
    line = complaint("label", "a.csv", "b.csv", *LSDD)
    assert "A (a.csv): column 'x' in line 5" in line
    assert "--missing impute" in line
    run("label", "a.csv", "b.csv", "--missing", "impute", *LSDD)


def test_the_same_seed_gives_the_same_file(folder):
    for name in ("one.csv", "two.csv"):
        run(
            "label",
            "a.csv",
            "b.csv",
            "--seed",
            3,
            "--out",
            name,
            "--method",
            "kmeans",
            "--no-evidence",
        )
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()


def test_the_options_reach_the_library(folder, monkeypatch):
    seen = []
    monkeypatch.setattr("unclustered.labeling.label", lambda a, b, **o: seen.append(o) or 1 / 0)
    options = ("--seed", 3, "--missing", "impute", "--permutations", 7, "--abstain", 0.1)
    run("label", "a.csv", "b.csv", *options, *LSDD, code=3)
    run("label", "a.csv", "b.csv", code=3)
    run("label", "a.csv", "b.csv", "--estimate-priors", code=3)
    assert seen.pop()["priors"] == "estimate"
    given, usual = ({k: v for k, v in o.items() if k != "progress"} for o in seen)
    assert given == {
        "method": "lsdd",
        "missing": "impute",
        "evidence": False,
        "permutations": 7,
        "groups": None,
        "priors": None,
        "abstain": 0.1,
        "random_state": 3,
        "n_jobs": -1,
    }
    assert usual == {
        "method": "auto",
        "missing": "error",
        "evidence": True,
        "permutations": None,
        "groups": None,
        "priors": None,
        "abstain": 0.0,
        "random_state": None,
        "n_jobs": -1,
    }


@pytest.mark.parametrize("method", method_names())
def test_every_method_runs(folder, method):
    run("label", "a.csv", "b.csv", "--method", method, "--no-evidence")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no.csv", "b.csv"), "no.csv: there is no such file"),
        (("a.csv", "."), ". is a folder"),
        (("a.csv", "b.txt"), "b.txt: there is no such file"),
        (("a.csv", "a.csv"), "hold the same rows"),
        (("a.csv", "b.csv", "--method", "svm"), "There are: auto, dsdd, "),
        (("a.csv", "b.csv", "--drop", "z"), "--drop z: there is no such column. There are: id, x"),
        (("a.csv", "b.csv", "--columns", "x,z"), "--columns z: there is no such column"),
        (("a.csv", "b.csv", "--id", "z"), "--id z: a.csv has no such column"),
        (("a.csv", "b.csv", "--columns", "x", "--drop", "x"), "leave no column"),
        (("a.csv", "b.csv", "--columns", "batch"), "No column can be used: 'batch' (constant)"),
        (("a.csv", "b.csv", "--out", "no/l.csv"), "there is no folder 'no'"),
        (("a.csv", "b.csv", "--out", "l.txt"), "l.txt: the name does not end in"),
        (("a.csv", "b.csv", "--out", "a.csv"), "would overwrite the data"),
        (("a.csv", "b.csv", "--out", "./b.csv"), "would overwrite the data"),
    ],
)
def test_what_cannot_be_used_is_named_in_one_line(folder, arguments, message):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert message in complaint("label", *arguments)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_the_line_of_a_mistake_is_named(folder):
    text = (folder / "b.csv").read_text().splitlines()
    (folder / "b.csv").write_text("\n".join([*text[:6], "0b9,one,2,S,7", *text[7:]]))
    line = complaint("label", "a.csv", "b.csv")
    assert "Column 'x' holds numbers in A (a.csv), but in B (b.csv) line 7 holds 'one'" in line
    (folder / "b.csv").write_text("\n".join([*text[:6], "1,2", *text[7:]]))
    assert "b.csv, line 7: 2 fields, but the header has 5" in complaint("label", "a.csv", "b.csv")


@pytest.mark.parametrize(
    "arguments",
    [
        ("label", "a.csv"),
        ("label", "a.csv", "b.csv", "--seed", "-1"),
        ("label", "a.csv", "b.csv", "--missing", "drop"),
        ("label", "a.csv", "b.csv", "--nope"),
        ("lable", "a.csv", "b.csv"),
    ],
)
def test_a_command_that_is_not_understood_exits_with_2(folder, arguments):
    assert "Error" in run(*arguments, code=2).stderr


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "stopped: "),
        (ZeroDivisionError("division"), 3, "error: ZeroDivisionError: division. This is a bug"),
        (MemoryError(), 1, "error: there is not enough memory"),
        (OSError(28, "No space left on device"), 1, "error: No space left on device."),
        (RecursionError("deep\nstack"), 3, "error: RecursionError: deep stack."),
    ],
)
def test_whatever_happens_there_is_one_line_and_no_file(folder, monkeypatch, error, code, message):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("unclustered.labeling.label", fail)
    result = run("label", "a.csv", "b.csv", "--out", "l.csv", code=code)
    assert result.stdout == ""
    assert result.stderr.startswith(message)
    assert len(result.stderr.splitlines()) == 1
    assert not (folder / "l.csv").exists()


def test_debug_shows_where_an_error_arose(folder):
    result = CliRunner().invoke(app, ["label", "no.csv", "b.csv", "--debug"])
    assert isinstance(result.exception, unclustered.DataError)


def test_warnings_are_one_line_each(folder, monkeypatch):
    def label_with_warning(*args, **options):
        warnings.warn("stopped\nearly", unclustered.ConvergenceWarning, stacklevel=2)
        return label(*args, **options)

    monkeypatch.setattr("unclustered.labeling.label", label_with_warning)
    result = run("label", "a.csv", "b.csv", *LSDD)
    assert result.stderr == "warning: stopped early\n"


def test_names_are_shown_and_not_obeyed(folder):
    for name in ("a.csv", "b.csv"):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace("id,x,y", "id,[red]x[/red],\x1b[31my", 1))
    output = run("label", "a.csv", "b.csv", *LSDD).stdout
    assert "[red]x[/red]" in output
    assert "\x1b" not in output
    assert r"'\x1b[31my'" in output


def test_version_and_help():
    assert run("--version").stdout == f"unclustered {unclustered.__version__}\n"
    output = run("label", "--help").stdout
    assert "Exit codes: 0 done" in " ".join(output.split())
    for name in method_names():
        assert name in output


def test_examples_are_copied_and_can_be_labelled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = run("examples", "here/there").stdout
    assert output == "Now try: unclustered label here/there/a.csv here/there/b.csv\n"
    run(*output.split()[3:], "--id", "cell", *LSDD)
    run("examples", "here/there")  # the same files may be there
    (tmp_path / "here" / "there" / "b.csv").write_text("mine")
    assert "is there already" in complaint("examples", "here/there")
    (tmp_path / "file").touch()
    assert "cannot be written" in complaint("examples", "file")


HEAVY = ("numpy", "scipy", "sklearn", "numba", "narwhals", "pandas", "unclustered.labeling")


@pytest.mark.parametrize("arguments", [["--help"], ["label", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments):
    code = (
        "import sys\n"
        f"sys.argv = ['unclustered', *{arguments}]\n"
        "from unclustered.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        f"loaded = [m for m in {HEAVY} if m in sys.modules]\n"
        "sys.exit(f'loaded {loaded}' if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_methods_are_completed_without_loading_them():
    code = (
        "import sys\n"
        "from unclustered.cli._options import _complete_method\n"
        "assert _complete_method('l') == ['lsdd']\n"
        f"sys.exit(any(m in sys.modules for m in {HEAVY}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_missing_extra_is_named():
    code = "import sys\nsys.modules['typer'] = None\nfrom unclustered.__main__ import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        'error: the command line is an extra: pip install "unclustered[cli]"'
    ]


def test_the_program_runs_as_a_module(folder):
    command = [sys.executable, "-m", "unclustered", "label", "a.csv", "no.csv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: no.csv: there is no such file.\n"
