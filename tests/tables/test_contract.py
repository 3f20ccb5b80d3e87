"""What every format keeps: its files are read, and of anything else is said what is wrong.

A format is found in its folder; it only has to have a sample here.
"""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from tests.tables.mutations import mutated
from tests.tables.samples import SAMPLES
from unclustered import DataError, MissingExtraError, UnclusteredError
from unclustered.tables import (
    format_names,
    format_of,
    read_table,
    suffixes,
    write_table,
)

FORMATS = format_names()
WRITTEN = [name for name in FORMATS if hasattr(format_of("-", name), "write")]
TOLD_BY_NAME_ONLY = {"anndata", "tsv"}
APART = {"anndata", "hdf5"}  # read in another process, which takes its time


@pytest.fixture
def folder(tmp_path):
    """Folder in which nothing may be left behind."""
    yield tmp_path
    assert not list(tmp_path.glob(".*"))


def made(name, folder, suffix=None):
    path = folder / f"x{format_of('-', name).SUFFIXES[0] if suffix is None else suffix}"
    path.write_bytes(SAMPLES[name].make())
    return path


def same(table, expected):
    assert set(table) == set(expected)
    for name, values in expected.items():
        found = table[name]
        if found.dtype == object:
            assert found.tolist() == values
        else:
            np.testing.assert_array_equal(found, np.array(values, dtype=float))


def test_every_format_has_a_sample():
    assert set(SAMPLES) == set(FORMATS)


def test_the_documentation_has_every_format():
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in page.splitlines() if "|" in line]
    shown = {name.strip("`"): rest for name, *rest in rows if name.startswith("`")}
    assert set(shown) == set(FORMATS)
    for name, (ends, _, written, extra) in shown.items():
        assert ends.split() == list(format_of("-", name).SUFFIXES)
        assert written == ("yes" if name in WRITTEN else "")
        assert extra == (f"`{SAMPLES[name].extra}`" if SAMPLES[name].extra else "")


def test_every_end_of_a_name_tells_one_format():
    assert len(set(suffixes())) == len(suffixes())
    for suffix in suffixes():
        module = format_of(f"x.y{suffix}")
        assert suffix in module.SUFFIXES
        assert format_of(f"X{suffix.upper()}.GZ") is module
        assert format_of(f"x{suffix}.zst") is module


@pytest.mark.parametrize("name", FORMATS)
def test_what_its_library_wrote_is_read(name, folder):
    table = read_table(made(name, folder))
    same(table, SAMPLES[name].expected)
    assert table.format == name
    assert table.path == str(folder / f"x{format_of('-', name).SUFFIXES[0]}")


@pytest.mark.parametrize("name", FORMATS)
def test_the_content_tells_the_format_where_the_name_does_not(name, folder):
    path = made(name, folder, suffix="")
    table = read_table(path, format=name if name in TOLD_BY_NAME_ONLY else None)
    same(table, SAMPLES[name].expected)
    assert table.format == name


@pytest.mark.parametrize("name", sorted({*FORMATS} - APART))
def test_standard_input_is_a_file_too(name, monkeypatch):
    class Pipe:
        buffer = io.BytesIO(gzip.compress(SAMPLES[name].make()))

    monkeypatch.setattr(sys, "stdin", Pipe)
    table = read_table("-", format=name)
    same(table, SAMPLES[name].expected)
    assert table.path == "standard input"


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_is_read_back_in_order(name, folder):
    columns = {
        "id": ["007", "b", None, "µ,;\t\"\n'x", "z"],
        "label": [1, -1, 1, -1, 0],
        "score": np.array([0.1, -1e-300, 1 / 3, np.nan, 2.0]),
    }
    for packed in ("", ".gz", ".zst"):
        path = folder / f"x{format_of('-', name).SUFFIXES[0]}{packed}"
        write_table(columns, path)
        table = read_table(path, as_text=["id"])
        missing = "" if name in ("csv", "tsv") else None
        assert table["id"].tolist() == ["007", "b", missing, *columns["id"][3:]]
        assert table["label"].tolist() == columns["label"]
        np.testing.assert_array_equal(table["score"], columns["score"])
    assert path.read_bytes().startswith(b"\x28\xb5\x2f\xfd")


@pytest.mark.parametrize("name", sorted({"arrow", "jsonl", "npy", "npz", "parquet"}))
def test_formulas_are_kept_where_no_spreadsheet_runs_them(name, folder):
    path = folder / f"x{format_of('-', name).SUFFIXES[0]}"
    write_table({"=a": ["=1+1", "-x"]}, path)
    assert read_table(path)["=a"].tolist() == ["=1+1", "-x"]


@pytest.mark.parametrize("name", sorted({*FORMATS} - {*WRITTEN}))
def test_what_is_only_read_says_so(name, folder):
    with pytest.raises(DataError, match=r"is only read\. These are written: arrow, csv"):
        write_table({"a": [1]}, folder / f"x{format_of('-', name).SUFFIXES[0]}")


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_that_is_not_there_or_empty(name, folder):
    path = folder / f"x{format_of('-', name).SUFFIXES[0]}"
    with pytest.raises(DataError, match="there is no such file"):
        read_table(path)
    path.touch()
    with pytest.raises(DataError, match="is empty"):
        read_table(path)


def refused(path, content, **options):
    """Whether an error of ours came, which names the file; any other passes through."""
    path.write_bytes(content)
    message = str(path)
    try:
        assert read_table(path, **options).n_rows > 0
    except UnclusteredError as error:
        message = str(error)
    else:
        return False
    assert str(path) in message
    return True


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_cut_short_is_refused(name, folder):
    content = SAMPLES[name].make()
    path = folder / f"x{format_of('-', name).SUFFIXES[0]}"
    step = max(1, len(content) // (2 if name in APART else 40))
    ends = range(1, len(content) - 1, step)
    found = [refused(path, content[:end]) for end in ends]
    assert all(found) or not SAMPLES[name].cut_is_noticed


@pytest.mark.parametrize("name", FORMATS)
def test_bytes_that_are_no_such_file(name, folder):
    rng = np.random.default_rng(0)
    start = SAMPLES[name].make()[:16]
    path = folder / f"x{format_of('-', name).SUFFIXES[0]}"
    for size in (1, 10, 100, 1000, 10_000):
        noise = rng.bytes(size)
        refused(path, noise)
        if name not in APART or size == 1000:
            refused(path, start + noise)
        refused(folder / "noise", noise)


@pytest.mark.parametrize("name", FORMATS)
def test_another_format_under_this_name(name, folder):
    path = folder / f"x{format_of('-', name).SUFFIXES[0]}"
    # AnnData's files are HDF5, and text with one column is in any delimiter.
    alike = {"csv": {"tsv", "svmlight", "jsonl"}, "tsv": {"csv", "svmlight", "jsonl"}}
    for other in {*FORMATS} - {name} - alike.get(name, set()) - APART:
        assert refused(path, SAMPLES[other].make()), other


@pytest.mark.parametrize("name", [n for n in FORMATS if SAMPLES[n].package])
def test_a_package_that_is_not_installed_is_named(name, folder, monkeypatch):
    path = made(name, folder)
    sample = SAMPLES[name]
    for module in [m for m in sys.modules if m.partition(".")[0] == sample.package]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, sample.package, None)
    monkeypatch.setattr(f"unclustered.tables.{name}.read", _in_this_process(name))
    with pytest.raises(MissingExtraError, match=rf'pip install "unclustered\[{sample.extra}\]"'):
        read_table(path)
    extras = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert any(r.startswith(sample.package) for r in extras[sample.extra])
    assert sample.extra in extras["formats"][0]


def _in_this_process(name):
    module = format_of("-", name)
    return getattr(module, "_read", module.read)


def test_nothing_heavy_is_loaded_to_know_the_formats():
    code = (
        "import sys; from unclustered.tables import suffixes; suffixes()\n"
        "heavy = ['pyarrow', 'pandas', 'sklearn', 'h5py', 'openpyxl', 'uproot', 'astropy']\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize("name", sorted({*FORMATS} - APART))
def test_damaged_files_give_a_table_or_an_error_of_ours(name, folder):
    content = SAMPLES[name].make()
    for k in range(15):
        refused(folder / f"x{format_of('-', name).SUFFIXES[0]}", mutated(content, seed=k))
