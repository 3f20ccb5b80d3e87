"""``unclustered label --model`` and ``unclustered predict``: a model kept, and used again."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import unclustered
from unclustered import label, load_model
from unclustered.cli import app
from unclustered.models import model_facts
from unclustered.tables import read_table, write_table

LABEL = ("label", "a.csv", "b.csv", "--method", "lsdd", "--id", "id", "--no-evidence", "--anyway")


def table(n, share, seed):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < share * n, 1.0, -1.0)
    return {
        "id": [f"0{k}" for k in range(n)],
        "x": (3 * y + rng.normal(size=n)).round(3),
        "phase": np.where(rng.random(n) < 0.5, "S", "G1"),
        "batch": ["7"] * n,
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for seed, (name, share) in enumerate((("a", 0.8), ("b", 0.2), ("new", 0.5))):
        write_table(table(40, share, seed), tmp_path / f"{name}.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def model(folder):
    run(*LABEL, "--model", "m.unclustered")
    return load_model("m.unclustered")


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def complaint(*arguments):
    result = run(*arguments, code=1)
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    return line


def test_the_model_is_the_one_that_labelled(folder):
    output = run(*LABEL, "--model", "m.unclustered", "--out", "l.csv").stdout
    assert "The model is in m.unclustered." in output
    model = load_model("m.unclustered")
    a, b, new = (read_table(f"{name}.csv").select(["x", "phase"]) for name in ("a", "b", "new"))
    result = label(a, b, "lsdd", evidence=False)
    np.testing.assert_array_equal(model.score_samples(new), result.score_samples(new))
    record = json.loads(run(*LABEL, "--model", "m.unclustered", "--json").stdout)
    assert record["model"] == "m.unclustered"


def test_new_rows_get_labels_and_scores(folder, model):
    output = run("predict", "m.unclustered", "new.csv", "--id", "id", "--out", "l.csv").stdout
    scores = model.score_samples(read_table("new.csv").select(["x", "phase"]))
    written = read_table("l.csv", as_text=["id"])
    assert list(written) == ["id", "label", "score"]
    assert written["id"].tolist() == [f"0{k}" for k in range(40)]
    np.testing.assert_array_equal(written["score"], scores)
    np.testing.assert_array_equal(written["label"], np.where(scores > 0, 1, -1))
    plus = int((scores > 0).sum())
    assert f"new.csv    40  {plus}  {40 - plus}" in output
    assert "Model: m.unclustered (LSDD)" in output
    assert "Labels and scores are in l.csv." in output
    assert "do not know" not in output


def test_without_out_the_first_rows_are_shown(folder, model):
    output = run("predict", "m.unclustered", "new.csv", "--id", "id").stdout
    first = [line.split()[0] for line in output.splitlines() if line.lstrip().startswith("0")]
    assert first == ["00", "01", "02", "03", "04"]
    assert "All rows: add --out" in output


def test_json_is_one_object(folder, model):
    record = json.loads(run("predict", "m.unclustered", "new.csv", "--json").stdout)
    assert record["rows"] == 40 == record["positive"] + record["negative"]
    assert record["ignored"] == ["id"]
    scores = model.score_samples(read_table("new.csv").select(["x", "phase"]))
    assert [row["score"] for row in record["labels"]] == scores.tolist()
    assert record["labels"][39]["row"] == 40
    record = json.loads(
        run("predict", "m.unclustered", "new.csv", "--json", "--out", "l.csv").stdout
    )
    assert "labels" not in record
    assert record["out"] == "l.csv"


def test_columns_that_the_model_does_not_know_are_named_and_left_out(folder, model):
    more = {**read_table("new.csv"), "colour": ["red"] * 40}
    write_table(dict(reversed(more.items())), "more.csv")
    output = run("predict", "m.unclustered", "more.csv", "--out", "more_l.csv").stdout
    assert "Columns that the model does not know: colour, id" in output
    run("predict", "m.unclustered", "new.csv", "--out", "l.csv")
    assert (folder / "l.csv").read_bytes() == (folder / "more_l.csv").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("predict", "no.unclustered", "new.csv"), "no.unclustered: there is no such file"),
        (("predict", "a.csv", "new.csv"), "a.csv is not a model file that can be used"),
        (("predict", "m.unclustered", "no.csv"), "no.csv: there is no such file"),
        (("predict", "m.unclustered", "lacking.csv"), "it lacks 'x'"),
        (("predict", "m.unclustered", "other.csv"), "no column name in common with A"),
        (("predict", "m.unclustered", "new.csv", "--id", "name"), "new.csv has no such column"),
        (("predict", "m.unclustered", "new.csv", "--id", "x"), "it lacks 'x'"),
        (("predict", "m.unclustered", "new.csv", "--out", "l.doc"), "does not end in a known"),
        (("predict", "m.unclustered", "new.csv", "--out", "no/l.csv"), "there is no folder 'no'"),
        (("predict", "m.unclustered", "new.csv", "--out", "new.csv"), "would overwrite the data"),
        ((*LABEL, "--model", "no/m"), "there is no folder 'no'"),
        ((*LABEL, "--model", "a.csv"), "--model a.csv would overwrite the data"),
        ((*LABEL, "--model", "l.csv", "--out", "l.csv"), "are the same file"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(folder, model, arguments, said):
    write_table({"phase": ["S", "G1"], "id": ["a", "b"]}, "lacking.csv")
    write_table({"depth": [1.0, 2.0]}, "other.csv")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert said in complaint(*arguments)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_info_tells_what_a_model_is(folder, model):
    output = run("info", "m.unclustered").stdout
    assert output.startswith(f"m.unclustered: model, by unclustered {unclustered.__version__}\n")
    assert "Columns used: x, phase (2 levels)" in output
    assert "Columns left out: batch (constant)" in output
    assert "Method: lsdd" in output
    assert f"Fit: bandwidth {model.model.bandwidth_:.4g}" in output
    assert "Missing values are an error." in output
    facts = json.loads(run("info", "m.unclustered", "--json").stdout)
    assert facts == {"file": "m.unclustered", "format": "model", **model_facts("m.unclustered")}
    (folder / "m.unclustered").write_bytes((folder / "m.unclustered").read_bytes()[:-30])
    assert "m.unclustered is not a model file that can be used" in complaint(
        "info", "m.unclustered"
    )
    np.savez("arrays.npz", header=np.ones(3))
    assert "model" not in run("info", "arrays.npz").stdout


def test_where_there_is_no_evidence_no_model_is_written(folder):
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        write_table({"x": rng.normal(size=20), "y": rng.normal(size=20)}, f"{name}.csv")
    arguments = ("label", "a.csv", "b.csv", "--method", "kmeans", "--permutations", 19)
    run(*arguments, "--model", "m.unclustered", code=4)
    assert not (folder / "m.unclustered").exists()
    run(*arguments, "--model", "m.unclustered", "--anyway")
    assert load_model("m.unclustered").evidence["trustworthy"] is False


def test_known_balances_give_new_rows_probabilities(folder):
    with_evidence = [o for o in LABEL if o != "--no-evidence"]
    options = ("--permutations", "19", "--priors", "0.8", "0.2", "--model", "p.unclustered")
    run(*with_evidence, *options)
    run("predict", "p.unclustered", "new.csv", "--prior", "0.3", "--out", "n.csv")
    model, new = load_model("p.unclustered"), read_table("new.csv").select(["x", "phase"])
    expected = model.predict_proba(new, prior=0.3)
    found = read_table("n.csv")
    np.testing.assert_array_equal(found["probability"], expected)
    np.testing.assert_array_equal(found["label"], np.where(expected > 0.5, 1, -1))
    assert "probability" in run("predict", "p.unclustered", "new.csv", "--prior", "0.3").stdout
    run("predict", "p.unclustered", "new.csv", "--out", "plain.csv")
    assert "probability" not in read_table("plain.csv")


def test_without_balances_there_are_no_probabilities(model):
    line = complaint("predict", "m.unclustered", "new.csv", "--prior", "0.3")
    assert "--priors" in line
