from __future__ import annotations

import gzip
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from unclustered import DataError, ParameterError
from unclustered.datasets import Benchmark, benchmark_names, load_benchmark

SHARED = Path(__file__).parents[2] / ".." / "shared" / "datasets"
DATA = files("unclustered.datasets") / "data"

# Rows, columns, samples of the class +1 and of -1, from the papers and repositories of the sets.
SHAPES = {
    "australian": (690, 14, 307, 383),
    "banana": (5300, 2, 2376, 2924),
    "diabetes": (768, 8, 268, 500),
    "german": (1000, 20, 300, 700),
    "heart": (270, 13, 120, 150),
    "image": (2310, 18, 1320, 990),
    "ionosphere": (351, 33, 225, 126),
    "saheart": (462, 9, 160, 302),
    "thyroid": (215, 5, 65, 150),
    "twonorm": (7400, 20, 3703, 3697),
}
SHIPPED = [name for name in SHAPES if name != "australian"]


@pytest.fixture(autouse=True)
def _no_folder_and_no_network(monkeypatch):
    def no_network(*_args, **_kwargs):
        raise ConnectionError("no network in tests")

    monkeypatch.delenv("UNCLUSTERED_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", no_network)


def _shipped_text(name: str) -> str:
    return gzip.decompress((DATA / f"{name}.csv.gz").read_bytes()).decode()


def test_the_names_are_the_papers_ten():
    assert benchmark_names() == list(SHAPES)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_set_loads_with_its_shape_and_its_story(name):
    benchmark = load_benchmark(name)
    rows, columns, positive, negative = SHAPES[name]
    assert benchmark.X.shape == (rows, columns)
    assert benchmark.X.dtype == np.float64
    assert np.isfinite(benchmark.X).all()
    assert ((benchmark.y == 1).sum(), (benchmark.y == -1).sum()) == (positive, negative)
    assert len(set(benchmark.feature_names)) == columns
    assert "+1" in benchmark.description
    assert len(benchmark.source) > 10
    assert benchmark.licence
    assert benchmark.read_from == f"unclustered/datasets/data/{name}.csv.gz"


def test_known_rows():
    # The first rows of the sets as their repositories publish them.
    heart = load_benchmark("heart")
    assert heart.X[0].tolist() == [70, 1, 4, 130, 322, 0, 2, 109, 0, 2.4, 2, 3, 3]
    assert heart.y[0] == 1
    diabetes = load_benchmark("diabetes")
    assert diabetes.X[0].tolist() == [6, 148, 72, 35, 0, 33.6, 0.627, 50]
    assert diabetes.y[:2].tolist() == [1, -1]
    saheart = load_benchmark("saheart")
    assert dict(zip(saheart.feature_names, saheart.X[0], strict=True))["famhist"] == 1


def test_twonorm_is_what_its_definition_says():
    twonorm = load_benchmark("twonorm")
    a = 2 / np.sqrt(20)
    for label in (1, -1):
        X = twonorm.X[twonorm.y == label]
        error = 4.5 / np.sqrt(len(X))
        assert np.abs(X.mean(axis=0) - label * a).max() < error
        assert np.abs(np.cov(X.T) - np.eye(20)).max() < 1.5 * error


def test_the_shipped_files_are_reproducible_gzip():
    for name in SHIPPED:
        header = (DATA / f"{name}.csv.gz").read_bytes()[:10]
        assert header[3] == 0  # no file name
        assert header[4:8] == b"\0\0\0\0"  # no time


@pytest.mark.skipif(not SHARED.is_dir(), reason="no folder shared/datasets beside the checkout")
@pytest.mark.parametrize("name", SHAPES)
def test_a_folder_of_checked_files_gives_the_same_tables(name):
    benchmark = load_benchmark(name, data_dir=SHARED)
    table = np.loadtxt(SHARED / f"{name}.csv", delimiter=",", skiprows=1)
    assert np.array_equal(benchmark.X, table[:, :-1])
    assert np.array_equal(benchmark.y, table[:, -1])
    assert benchmark.read_from.endswith(f"{name}.csv")
    if name in SHIPPED:
        assert np.array_equal(load_benchmark(name).X, benchmark.X)


def test_a_folder_comes_first_then_the_package(tmp_path, monkeypatch):
    (tmp_path / "thyroid.csv").write_text(_shipped_text("thyroid"))
    by_argument = load_benchmark("thyroid", data_dir=str(tmp_path))
    assert by_argument.read_from == str(tmp_path / "thyroid.csv")
    monkeypatch.setenv("UNCLUSTERED_DATA", str(tmp_path))
    assert load_benchmark("thyroid").read_from == by_argument.read_from
    assert load_benchmark("heart").read_from.startswith("unclustered/")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert load_benchmark("thyroid", data_dir=empty).read_from.startswith("unclustered/")
    monkeypatch.setenv("UNCLUSTERED_DATA", "")
    assert load_benchmark("thyroid").read_from.startswith("unclustered/")


def test_a_file_written_by_a_spreadsheet_is_read(tmp_path):
    text = _shipped_text("thyroid").replace("\n", "\r\n")
    (tmp_path / "thyroid.csv").write_bytes(text.encode("utf-8-sig"))
    assert np.array_equal(
        load_benchmark("thyroid", data_dir=tmp_path).X, load_benchmark("thyroid").X
    )


def test_a_folder_that_does_not_exist_is_named_with_who_said_so(tmp_path, monkeypatch):
    with pytest.raises(DataError, match=r"absent, given by data_dir, does not exist"):
        load_benchmark("heart", data_dir=tmp_path / "absent")
    monkeypatch.setenv("UNCLUSTERED_DATA", str(tmp_path / "gone"))
    with pytest.raises(DataError, match=r"gone, given by .* UNCLUSTERED_DATA, does not exist"):
        load_benchmark("heart")


def _line(text: str, number: int, new: str) -> str:
    lines = text.splitlines()
    lines[number - 1] = new
    return "\n".join(lines) + "\n"


DAMAGES = {
    "empty": (lambda t: "", r"line 1: expected the header 'f1,...,f5,label'.* an empty file"),
    "no header": (lambda t: t.partition("\n")[2], r"line 1: expected the header"),
    "other set": (lambda t: _shipped_text("heart"), r"line 1: expected the header"),
    "web page": (lambda t: "<html>" + "x" * 100, r"line 1: .*found '<html>x+\.\.\.'"),
    "cut": (lambda t: t[: t.index("\n", 1000) + 1], r"line \d+: expected 215 rows .* after \d+\. "),
    "cut inside a row": (lambda t: t[:-7], r"line 216: expected 5 finite numbers"),
    "too long": (lambda t: t + "1,2,3,4,5,1\n", r"line 217: expected 215 rows .* after 216"),
    "short row": (lambda t: _line(t, 9, "1,2,3,4,1"), r"line 9: .* but it has 5 fields"),
    "blank line": (lambda t: _line(t, 9, ""), r"line 9: .* but it has 1 fields"),
    "word": (lambda t: _line(t, 9, "1,2,oops,4,5,1"), r"line 9: .* but f3 is 'oops'"),
    "missing": (lambda t: _line(t, 9, "1,2,,4,5,1"), r"line 9: .* but f3 is ''"),
    "nan": (lambda t: _line(t, 9, "1,2,nan,4,5,1"), r"line 9: .* but f3 is 'nan'"),
    "infinite": (lambda t: _line(t, 9, "1,2,1e999,4,5,1"), r"line 9: .* but f3 is '1e999'"),
    "label 0": (lambda t: _line(t, 9, "1,2,3,4,5,0"), r"line 9: .* but the label is '0'"),
    "one label flipped": (
        lambda t: t.replace(",-1\n", ",1\n", 1),
        r"65 rows of class 1 and 150 of class -1, but this table has 66 and 149",
    ),
    "decimal points lost": (
        lambda t: "\n".join([(p := t.split("\n"))[0], *(r.replace(".", "") for r in p[1:])]),
        r"column f2 \(thyroxin\) has the mean .* but in thyroid it is 9\.80",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_wrong_cut_or_malformed_file_is_refused_with_file_and_line(damage, tmp_path):
    change, message = DAMAGES[damage]
    path = tmp_path / "thyroid.csv"
    path.write_text(change(_shipped_text("thyroid")))
    with pytest.raises(DataError, match=message) as caught:
        load_benchmark("thyroid", data_dir=tmp_path)
    assert str(caught.value).startswith(str(path))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "thyroid.csv").write_bytes(b"f1,f2,f3,f4,f5,label\n1,2,\xff,4,5,1\n")
    with pytest.raises(DataError, match=r"thyroid\.csv, line 2: this is not text"):
        load_benchmark("thyroid", data_dir=tmp_path)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path):
    (tmp_path / "thyroid.csv").mkdir()
    with pytest.raises(DataError, match=r"thyroid\.csv cannot be read"):
        load_benchmark("thyroid", data_dir=tmp_path)


@pytest.mark.parametrize("damage", [lambda b: b[:-20], lambda b: b"x" + b[1:], lambda b: b[:9]])
def test_a_damaged_installation_is_refused(damage, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    good = (DATA / "thyroid.csv.gz").read_bytes()
    (tmp_path / "data" / "thyroid.csv.gz").write_bytes(damage(good))
    monkeypatch.setattr("unclustered.datasets.benchmarks.files", lambda package: tmp_path)
    with pytest.raises(DataError, match=r"is damaged .* install unclustered again"):
        load_benchmark("thyroid")


def test_a_missing_file_of_the_package_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("unclustered.datasets.benchmarks.files", lambda package: tmp_path)
    with pytest.raises(DataError, match="file of thyroid is missing: install unclustered again"):
        load_benchmark("thyroid")


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ParameterError, match=r"no benchmark set 'iris'; there are: australian, "):
        load_benchmark("iris")


def test_without_network_and_file_it_says_what_to_download_and_where_to_put_it():
    with pytest.raises(DataError) as caught:
        load_benchmark("australian")
    message = str(caught.value)
    for part in (
        "no network in tests",
        "https://archive.ics.uci.edu/dataset/143/",
        "australian.csv",
        "f1,...,f14,label",
        "690 lines of 14 numbers",
        "UNCLUSTERED_DATA",
        "data_dir",
    ):
        assert part in message


def test_repr_is_short():
    text = repr(load_benchmark("heart"))
    assert text.startswith("Benchmark('heart': 270 x 13, 120 of class +1 and 150 of class -1")
    assert len(text) < 120
    assert isinstance(load_benchmark("heart"), Benchmark)


def test_importing_the_datasets_loads_neither_scikit_learn_nor_pandas():
    code = (
        "import sys, unclustered.datasets as d; d.load_benchmark('heart'); d.toy_problem_2();"
        "print([m for m in ('sklearn', 'scipy', 'pandas', 'numba') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
