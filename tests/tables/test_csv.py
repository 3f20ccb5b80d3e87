"""CSV files in and out: types, dialects, and an error with file and line for each mistake."""

from __future__ import annotations

import contextlib
import csv
import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unclustered import DataError
from unclustered.tables import read_table, write_table

TEXT = "id,size,phase,note\n007,1.5,G1,\n008,,S,NA\n009,-2e3,G1,\n"


@pytest.fixture
def write(tmp_path):
    def written(content, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def same(table, expected):
    assert list(table) == list(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(table[name], np.array(values, dtype=table[name].dtype))


def test_types_are_told_from_the_values(write):
    table = read_table(write(TEXT), as_text=["id"])
    nan = float("nan")
    same(
        table,
        {
            "id": ["007", "008", "009"],
            "size": [1.5, nan, -2000.0],
            "phase": ["G1", "S", "G1"],
            "note": [nan, nan, nan],
        },
    )
    assert table["size"].dtype == table["note"].dtype == np.float64
    assert table.lines.tolist() == [2, 3, 4]
    assert table.n_rows == 3
    assert read_table(write(TEXT))["id"].tolist() == [7, 8, 9]


def test_missing_values_are_those_of_pandas(write):
    words = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None", "none"]
    path = write("k,v,w\n" + "".join(f"{k},{word},x{word}\n" for k, word in enumerate(words)))
    table = read_table(path)
    expected = pd.read_csv(path)
    np.testing.assert_array_equal([v is None for v in table["v"]], expected["v"].isna())
    assert not any(v is None for v in table["w"])


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        TEXT.replace(",", ";"),
        TEXT.replace(",", ";").replace(".", ","),
        TEXT.replace(",", "\t"),
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("\n", "\r"),
        TEXT.replace("\n", "\n\n") + "\n",
        TEXT.rstrip("\n"),
        TEXT.replace(",", " , "),
        "\ufeff" + TEXT,
        TEXT.replace("phase", '"phase"').replace("G1", '"G1"'),
        TEXT.replace(",", ', "', 1).replace("size", 'size"', 1),
    ],
    ids=[
        "plain",
        "semicolon",
        "decimal comma",
        "tab",
        "windows",
        "old mac",
        "blank lines",
        "no last newline",
        "spaces",
        "BOM",
        "quotes",
        "space before quote",
    ],
)
def test_dialects_mean_the_same(write, content):
    table, plain = read_table(write(content)), read_table(write(TEXT, "plain.csv"))
    same(table, dict(plain))


@pytest.mark.parametrize(
    "header", ['t0,"t;;0"', 't0,"t;;"', '"a;b;c",d', '"a\n;;;",b', '"a"";;;",b', 'a,"b\t\t"']
)
def test_delimiters_in_quotes_are_none(write, header):
    table = read_table(write(header + "\n1,2\n"))
    assert [values.tolist() for values in table.values()] == [[1.0], [2.0]]


def test_quoted_text_may_hold_anything(write):
    table = read_table(write('a,b\n"x,""y""\nz",1\nu,2\n'))
    same(table, {"a": ['x,"y"\nz', "u"], "b": [1.0, 2.0]})
    assert table.lines.tolist() == [2, 4]


@pytest.mark.parametrize("name", ["a.csv.gz", "A.CSV.GZ", "a.csv", "a"])
def test_packed_files(write, name):
    table = read_table(write(gzip.compress(TEXT.encode()), name))
    same(table, dict(read_table(write(TEXT))))


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        "a,b\n1.50,x\n2.0,NA\n,y\nlate,z\n007,1\n",
        "a\n" + "".join(f"{k}.0\n" for k in range(50)) + "x\n",
        "a,b\nNA,1\n,2\nx,3\n",
    ],
)
def test_a_file_read_piece_by_piece_is_the_same(write, content, monkeypatch):
    whole = read_table(write(content), as_text=["id"])
    for chunk in (1, 2, 3, 7):
        monkeypatch.setattr("unclustered.tables._delimited._CHUNK", chunk)
        pieces = read_table(write(content), as_text=["id"])
        same(pieces, dict(whole))
        np.testing.assert_array_equal(pieces.lines, whole.lines)


def test_a_decimal_comma_is_text_where_commas_separate(write):
    assert read_table(write('a,b\n"1,5",2\n"x",3\n'))["a"].tolist() == ["1,5", "x"]
    assert read_table(write("a;b\n1_000;2\n7;3\n"))["a"].tolist() == ["1_000", "7"]


def test_numbers_may_name_columns_if_they_count(write):
    assert list(read_table(write("0,1\n5,6\n"))) == ["0", "1"]
    assert list(read_table(write("2019,2020,2021\n5,6,7\n"))) == ["2019", "2020", "2021"]


def test_a_column_without_a_name_gets_one(write):
    assert list(read_table(write(",x\n0,1.5\n1,2.5\n"))) == ["column 1", "x"]


MISTAKES = {
    "empty": (b"", "a.csv is empty"),
    "only blank lines": (b"\n\n\n", "a.csv is empty"),
    "only BOM": (b"\xef\xbb\xbf", "a.csv is empty"),
    "header only": (b"x,y\n", "has a header but no rows"),
    "short row": (b"x,y\n1,2\n\n3\n", r"a.csv, line 4: 1 fields, but the header has 2"),
    "long row": (b'x,y\n"1\n",2\n3,4,5\n', r"a.csv, line 4: 3 fields, but the header has 2"),
    "same names": (b"x,y, x\n1,2,3\n", "line 1: column names must differ, but 'x' comes"),
    "no header": (b"5.1,3.5\n4.9,3.0\n", r"line 1: holds numbers \(5.1, 3.5\) where column names"),
    "latin 1": ("x,y\n1,2\n3,café\n".encode("latin-1"), r"line 3: byte 0xe9 \(byte 14 of"),
    "UTF-16": ("x,y\n1,2\n".encode("utf-16"), "UTF-16"),
    "NUL": (b"x,y\n1,2\n3,\x00\n", "line 3: holds a NUL"),
    "binary": (bytes(range(256)), "line 1|line 2"),
    "open quote": (b'x,y\n1,2\n3,"4\n5,6\n', "line 3: a quote .* opened in this row is never"),
    "long open quote": (b'x,y\n1,"' + b"a\n" * 80_000, "line 2: a quote .* never closed"),
    "text after quote": (b'x,y\n1,2\n"3"4,5\n', "line 3: text follows a closing quote"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_named_with_file_and_line(write, case):
    content, message = MISTAKES[case]
    path = write(content)
    with pytest.raises(DataError, match=message) as error:
        read_table(path)
    assert str(path) in str(error.value)
    assert error.value.__cause__ is None or case == "binary"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"x,y\n1,2\n" * 99)[:-6], "cut short"),
        (gzip.compress(b"x,y\n1,2\n" * 99)[:-8] + b"\0" * 8, "damaged"),
    ],
)
def test_a_damaged_packed_file_is_refused(write, content, message):
    with pytest.raises(DataError, match=message):
        read_table(write(content, "a.csv.gz"))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(DataError, match=r"a\.csv: there is no such file"):
        read_table(tmp_path / "a.csv")
    (tmp_path / "b.csv").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path / "b.csv")
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path)


def test_no_permission_to_read(write, monkeypatch):
    path = write(TEXT)

    def refuse(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", refuse)  # root may read anything
    with pytest.raises(DataError, match="no permission to read"):
        read_table(path)


plain_text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).map(
    lambda s: "t" + s.strip()  # neither a number, nor missing, nor a formula
)
columns = st.integers(1, 5).flatmap(
    lambda n: st.dictionaries(
        plain_text,
        st.one_of(
            st.lists(st.floats(allow_nan=False), min_size=n, max_size=n),
            st.lists(plain_text, min_size=n, max_size=n),
        ),
        min_size=1,
        max_size=4,
    )
)


@given(columns)
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read_back(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("round") / "t.csv"
    write_table(table, path)
    same(read_table(path), table)


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_bytes_give_a_table_or_an_error_of_ours(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "t.csv"
    path.write_bytes(content)
    with contextlib.suppress(DataError):
        assert read_table(path).n_rows > 0


def test_no_cell_is_a_formula_and_no_number_is_touched(tmp_path):
    path = tmp_path / "t.csv"
    evil = ["=1+1", "+cmd", "-x", "@a", "\tb", "\rc", "-5", "a=b"]
    write_table({"=id": evil, "score": [-1.5, float("nan"), 1e-17, 0.1, 2, 3, 4, 5]}, path)
    with path.open(newline="") as stream:
        rows = list(csv.reader(stream))
    assert [row[0] for row in rows] == [
        "'=id",
        "'=1+1",
        "'+cmd",
        "'-x",
        "'@a",
        "'\tb",
        "'\rc",
        "-5",
        "a=b",
    ]
    assert [row[1] for row in rows[1:5]] == ["-1.5", "", "1e-17", "0.1"]
