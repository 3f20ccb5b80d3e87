"""Files of every kind on the command line."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.tables.samples import SAMPLES
from unclustered import label
from unclustered.cli import app
from unclustered.tables import read_table, write_table

QUICK = ("--method", "lsdd", "--no-evidence")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Working folder; A and B as arrays are in its columns x, y of a.csv, b.csv."""
    rng = np.random.default_rng(0)
    for name, share, n in (("a", 0.8, 40), ("b", 0.2, 30)):
        y = np.where(np.arange(n) < share * n, 1.0, -1.0)
        columns = {"id": [f"0{k}" for k in range(n)]}
        columns |= {c: (3 * y + rng.normal(size=n)).round(3) for c in "xy"}
        write_table(columns, tmp_path / f"{name}.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def expected(folder):
    tables = [read_table(f"{name}.csv").select("xy") for name in "ab"]
    result = label(*tables, "lsdd", evidence=False)
    return [*result.scores_a, *result.scores_b]


def run(*arguments, code=0, given=None):
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=given)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def complaint(*arguments, **options):
    result = run(*arguments, code=1, **options)
    assert result.stdout == ""
    return result.stderr


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".jsonl.gz", ".tsv.zst", ".npz"])
def test_formats_in_and_out(folder, expected, suffix):
    if suffix in (".parquet", ".arrow"):
        pytest.importorskip("pyarrow")
    if suffix.endswith(".zst"):
        pytest.importorskip("zstandard")
    for name in "ab":
        table = read_table(f"{name}.csv", as_text=["id"])
        write_table(table, f"{name}{suffix}")
    files = [f"a{suffix}", f"b{suffix}"]
    run("label", *files, "--id", "id", "--out", f"labels{suffix}", *QUICK)
    found = read_table(f"labels{suffix}", as_text=["id"])
    assert found["id"][:2].tolist() == ["00", "01"]
    np.testing.assert_array_equal(found["score"], expected)


def test_standard_input_and_output(folder, expected):
    content = (folder / "a.csv").read_bytes()
    result = run("label", "-", "b.csv", "--id", "id", "--out", "-", *QUICK, given=content)
    (folder / "out.csv").write_text(result.stdout)
    np.testing.assert_array_equal(read_table("out.csv")["score"], expected)
    assert "Method: lsdd" in result.stderr
    options = ("--id", "id", "--out", "-", "--format", "jsonl", *QUICK)
    lines = run("label", "a.csv", "b.csv", *options).stdout.splitlines()
    assert [json.loads(line)["score"] for line in lines] == expected
    assert sorted(p.name for p in folder.iterdir()) == ["a.csv", "b.csv", "out.csv"]


def test_a_name_that_tells_nothing(folder, expected):
    (folder / "a.csv").rename("a.data")
    run("label", "a.data", "b.csv", "--id", "id", "--out", "l.csv", *QUICK)
    np.testing.assert_array_equal(read_table("l.csv")["score"], expected)
    assert "no proper" in complaint("label", "a.data", "b.csv", "--format", "fits")


def test_a_model_labels_files_of_any_format(folder, expected):
    run("label", "a.csv", "b.csv", "--drop", "id", "--model", "m.model", *QUICK)
    write_table(read_table("a.csv"), "new.jsonl")
    content = (folder / "new.jsonl").read_bytes()
    out = run("predict", "m.model", "-", "--out", "-", given=content).stdout
    (folder / "out.csv").write_text(out)
    np.testing.assert_allclose(read_table("out.csv")["score"], expected[:40])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-", "-"), "A and B cannot both be standard input"),
        (("a.csv", "b.csv", "--out", "-", "--json"), "--json and --out - cannot both"),
        (("a.csv", "b.csv", "--out", "l.root"), "l.root cannot be written: this format is only"),
        (("a.csv", "b.csv", "--out", "l.xyz"), "does not end in a known format"),
        (("a.csv", "b.csv", "--format", "cvs"), "There is no format 'cvs'"),
        (("a.csv", "b.csv", "--part", "x"), "a.csv has no parts"),
        (("*.parquet", "b.csv"), "none that fits the pattern"),
    ],
)
def test_what_cannot_be_used_is_named(folder, arguments, message):
    before = sorted(folder.iterdir())
    assert message in complaint("label", *arguments)
    assert sorted(folder.iterdir()) == before


def test_a_package_for_the_output_is_missed_before_anything_is_computed(folder, monkeypatch):
    monkeypatch.setattr("unclustered.labeling.label", lambda *_, **__: 1 / 0)
    for module in [m for m in sys.modules if m.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = complaint("label", "a.csv", "b.csv", "--out", "l.parquet", *QUICK)
    assert 'pip install "unclustered[parquet]"' in message


def test_what_is_told_about_the_rows_is_used_only_when_asked_for(folder):
    from sklearn.datasets import dump_svmlight_file

    rng = np.random.default_rng(0)
    for name, share in (("a", 0.8), ("b", 0.2)):
        y = rng.random(40) < share
        block = rng.poisson(np.where(y[:, None], 3, 1), (40, 5)).astype(float)
        dump_svmlight_file(block, y, f"{name}.svm")

    def used(*options):
        found = json.loads(run("label", "a.svm", "b.svm", "--json", *QUICK, *options).stdout)
        return found["columns"]["numeric"], found["labels"][0]

    assert used()[0] == ["0", "1", "2", "3", "4"]
    assert used("--id", "target")[1]["target"] in (0.0, 1.0)
    assert used("--drop", "2,3")[0] == ["0", "1", "4"]
    message = complaint("label", "a.svm", "b.svm", "--columns", "0,target", *QUICK)
    assert "'target' cannot be used beside its sparse columns" in message


def test_info_tells_what_is_in_a_file(folder):
    (folder / "c.csv").write_text("size,phase,\x1b[31mred\n1.5,G1,true\n,S,\nNA,,false\n")
    output = run("info", "c.csv").stdout
    assert "c.csv: csv" in output
    assert "3 rows, 3 columns" in output
    lines = [line.split() for line in output.splitlines()]
    assert ["size", "numbers", "2"] in lines
    assert ["phase", "text", "1"] in lines
    assert "\x1b" not in output
    found = json.loads(run("info", "c.csv", "--json").stdout)
    assert (found["format"], found["rows"]) == ("csv", 3)
    assert found["columns"][1] == {
        "name": "phase",
        "type": "text",
        "missing": 1,
        "about_rows": False,
    }
    assert "no.csv: there is no such file" in complaint("info", "no.csv")


def test_info_of_a_sparse_file(folder):
    (folder / "a.svm").write_bytes(SAMPLES["svmlight"].make())
    lines = run("info", "a.svm").stdout.splitlines()
    assert lines[0] == "a.svm: svmlight"
    assert lines[1] == "5 rows, 2 columns"
    assert any(
        line.split() == ["target", "numbers,", "about", "the", "rows", "0"] for line in lines
    )
    assert any(line.split() == ["1", "sparse", "numbers", "0"] for line in lines)
    found = json.loads(run("info", "-", "--json", given=SAMPLES["jsonl"].make()).stdout)
    assert (found["file"], found["format"]) == ("standard input", "jsonl")


def test_info_of_many_columns_is_short(folder):
    np.save("wide.npy", np.zeros((2, 500)))
    assert len(run("info", "wide.npy").stdout.splitlines()) < 50
    assert len(json.loads(run("info", "wide.npy", "--json").stdout)["columns"]) == 500


def test_nothing_on_standard_input(folder):
    assert "standard input is empty" in complaint("info", "-", given=b"")
