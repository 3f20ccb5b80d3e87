"""Labels of files that are read some rows at a time."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from unclustered import (
    DataError,
    DroppedColumnWarning,
    NoEvidenceWarning,
    ParameterError,
    label_chunks,
    load_model,
)
from unclustered.tables import read_chunks, read_table, write_chunks, write_table

GIVEN = {"bandwidth": 1.5, "regularization": 0.05, "rank": 64}


def draw(n, share, seed):
    rng = np.random.default_rng(seed)
    true = np.where(rng.random(n) < share, 1, -1)
    frame = pd.DataFrame(rng.normal(size=(n, 2)) + 2 * true[:, None], columns=["x", "y"])
    frame["kind"] = np.where(rng.random(n) < 0.5 + 0.2 * true, "red", "blue")
    frame.insert(0, "id", [f"s{k:04d}" for k in range(n)])
    return frame, true


@pytest.fixture(scope="module")
def data():
    (a, true_a), (b, true_b) = draw(1500, 0.8, 1), draw(1000, 0.2, 2)
    return a, b, np.r_[true_a, true_b]


@pytest.fixture(scope="module")
def files(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("chunks")
    for name, frame in zip("ab", data[:2], strict=True):
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_csv(folder / f"{name}.tsv", index=False, sep="\t")
        frame.to_parquet(folder / f"{name}.parquet")
        np.save(folder / f"{name}.npy", frame[["x", "y"]].to_numpy())
    return folder


@pytest.mark.parametrize("end", ["csv", "tsv", "parquet", "npy"])
def test_chunks_hold_what_the_whole_file_does(files, end):
    whole = read_table(files / f"a.{end}")
    chunks = read_chunks(files / f"a.{end}", n_rows=400)
    for _ in range(2):
        tables = list(chunks)
        assert sum(table.n_rows for table in tables) == whole.n_rows
        assert {*tables[0]} == {*whole}
        for name in whole:
            joined = np.concatenate([table[name] for table in tables])
            np.testing.assert_array_equal(joined, whole[name])
    if end in ("parquet", "npy"):
        assert [table.n_rows for table in tables] == [400, 400, 400, 300]


def test_formats_that_are_read_as_a_whole_say_so(tmp_path):
    write_table({"x": [1.0]}, tmp_path / "a.npz")
    with pytest.raises(DataError, match="Parquet, CSV, TSV and NumPy"):
        read_chunks(tmp_path / "a.npz")
    with pytest.raises(DataError, match=r"\.csv, \.tsv or \.parquet"):
        write_chunks([{"x": [1]}], tmp_path / "b.npz")


@pytest.mark.parametrize("end", ["csv", "tsv", "parquet"])
def test_written_chunks_are_one_table(tmp_path, end):
    path = tmp_path / f"labels.{end}"
    write_chunks(({"row": [k, k + 1], "name": ["=a", None]} for k in (1, 3)), path)
    table = read_table(path)
    np.testing.assert_array_equal(table["row"], [1, 2, 3, 4])
    assert table["name"][1] is None


def test_labels_are_those_of_the_classes(data, files):
    _, _, true = data
    labels = {}
    for end in ("csv", "parquet"):
        chunks = [WithoutId(read_chunks(files / f"{n}.{end}", n_rows=300)) for n in "ab"]
        result = label_chunks(*chunks, **GIVEN)
        labels[end] = np.concatenate([part["label"] for part in result.rows(700)])
        assert (labels[end] == true).mean() > 0.98
        assert result.evidence.trustworthy
        assert result.evidence.n_a == 300
        assert result.evidence.gap == pytest.approx(0.6, abs=0.1)
        assert set(result.encoding.names) == {"x", "y", "kind=red", "kind=blue"}
    np.testing.assert_array_equal(labels["csv"], labels["parquet"])
    rows = [*result.rows(700)]
    assert [len(part["row"]) for part in rows] == [700, 700, 100, 700, 300]
    assert (rows[3]["row"][0], rows[3]["dataset"][0]) == (1, "B")


class WithoutId:
    def __init__(self, chunks):
        self.chunks = chunks

    def __iter__(self):
        for table in self.chunks:
            yield table.select(["x", "y", "kind"])


def test_a_level_that_comes_late_is_known():
    rng = np.random.default_rng(0)
    chunks = [{"x": rng.normal(size=50), "kind": ["a", "b"] * 25} for _ in range(3)]
    late = {"x": rng.normal(size=50), "kind": ["a", "c"] * 25}
    with pytest.warns(NoEvidenceWarning):
        result = label_chunks([*chunks, late], chunks, **GIVEN)
    assert result.encoding.levels["kind"] == ("a", "b", "c")


def test_a_column_that_numbers_the_rows_is_left_out():
    rng = np.random.default_rng(0)
    chunks = [{"x": rng.normal(size=50), "n": np.arange(50.0 * k, 50.0 * k + 50)} for k in range(3)]
    with (
        pytest.warns(NoEvidenceWarning),
        pytest.warns(DroppedColumnWarning, match="numbers the rows"),
    ):
        result = label_chunks(chunks, [{**c, "x": rng.normal(size=50)} for c in chunks], **GIVEN)
    assert result.encoding.dropped == {"n": "numbers the rows"}
    assert result.encoding.names == ("x",)


def test_many_rows_are_kept_in_a_file(data, files, monkeypatch):
    from unclustered.labeling import chunked

    given = [read_chunks(files / f"{n}.npy", n_rows=300) for n in "ab"]
    memory = label_chunks(*given, method="lsdd", **GIVEN)
    monkeypatch.setattr(chunked, "_IN_MEMORY", 0)
    mapped = label_chunks(*given, method="lsdd", **GIVEN)
    np.testing.assert_array_equal(memory.scores_a, mapped.scores_a)


def test_what_cannot_be_done_is_said(files):
    chunks = read_chunks(files / "a.npy")
    with pytest.raises(ParameterError, match="looped over only once"):
        label_chunks(iter(chunks), chunks)
    with pytest.raises(ParameterError, match="SMIC needs all samples at once"):
        label_chunks(chunks, chunks, method="smic")
    with pytest.raises(DataError, match="change on the way"):
        label_chunks([{"x": [1.0]}, {"z": [1.0]}], chunks)
    with pytest.raises(DataError, match="A has no rows"):
        label_chunks([], chunks)


@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_the_command_reads_large_files_some_rows_at_a_time(files, data, tmp_path, end, monkeypatch):
    from unclustered.cli import _chunked, app

    monkeypatch.setattr(_chunked, "LARGE", 1000)
    out, model = tmp_path / "labels.csv", tmp_path / "m.unclustered"
    arguments = ["label", files / f"a.{end}", files / f"b.{end}", "--id", "id", "--out", out]
    done = CliRunner().invoke(app, [*map(str, [*arguments, "--model", model]), "--json"])
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert record["datasets"]["A"]["rows"] == 1500
    assert record["evidence"]["trustworthy"]
    table = read_table(out, as_text=["id"])
    assert list(table) == ["dataset", "id", "label", "score"]
    assert table["id"][0] == "s0000"
    assert (table["label"] == data[2]).mean() > 0.98
    new = data[0].drop(columns="id")
    np.testing.assert_array_equal(load_model(model).predict(new), table["label"][:1500])
    shown = CliRunner().invoke(app, [*map(str, arguments[:3]), "--drop", "kind,id"])
    assert shown.exit_code == 0, shown.output
    assert "Columns used: x, y" in shown.stdout
