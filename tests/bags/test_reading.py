"""Every kind of table gives the same samples; what cannot be used is named."""

from __future__ import annotations

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from unclustered import DataError
from unclustered.bags import pool
from unclustered.tables import Table

A = {
    "size": [1.0, 2.5, 4.0, 2.0],
    "count": [3, 1, 4, 1],
    "phase": ["S", "G1", "S", "G2"],
    "viable": [True, False, True, True],
}
B = {
    "viable": [False, False, True],
    "size": [0.5, 3.0, 1.0],
    "phase": ["G1", "G1", "S"],
    "count": [5, 9, 2],
}

KINDS = {
    "dict": lambda columns: columns,
    "Table": lambda columns: Table({k: np.array(v) for k, v in columns.items()}),
    "pandas": pd.DataFrame,
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "pandas category": lambda columns: pd.DataFrame(columns).astype({"phase": "category"}),
    "pandas object": lambda columns: pd.DataFrame(columns).astype(object),
    "pandas float32": lambda columns: pd.DataFrame(columns).astype({"size": "float32"}),
    "polars": pl.DataFrame,
    "polars enum": lambda columns: pl.DataFrame(
        columns, schema_overrides={"phase": pl.Enum(["S", "G1", "G2"])}
    ),
    "pyarrow": pa.table,
    "pyarrow decimal": lambda columns: pa.table(
        columns | {"size": pa.array([Decimal(str(v)) for v in columns["size"]])}
    ),
    "records": lambda columns: pd.DataFrame(columns).to_records(index=False),
}


@pytest.mark.parametrize("kind_a", KINDS)
@pytest.mark.parametrize("kind_b", ["dict", "polars"])
def test_every_kind_of_table_gives_the_same_samples(kind_a, kind_b):
    expected, _ = pool(A, B)
    bags, _ = pool(KINDS[kind_a](A), KINDS[kind_b](B))
    assert bags.names == expected.names
    np.testing.assert_array_equal(bags.X, expected.X)


@pytest.mark.parametrize(
    "kind",
    [
        lambda X: X.astype(np.float32),
        lambda X: X.astype(np.int8),
        lambda X: X.astype(np.uint64),
        lambda X: X.astype(np.longdouble),
        lambda X: X.astype(object),
        lambda X: np.asfortranarray(X),
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: X.tolist(),
        lambda X: [tuple(row) for row in X.tolist()],
        lambda X: np.ma.array(X),
        lambda X: np.asarray(X).view(np.ndarray),
    ],
)
def test_every_kind_of_array_gives_the_same_samples(kind):
    rng = np.random.default_rng(0)
    X_a, X_b = rng.integers(0, 9, (6, 3)).astype(float), rng.integers(0, 9, (5, 3)).astype(float)
    expected, _ = pool(X_a, X_b)
    bags, _ = pool(kind(X_a), kind(X_b))
    np.testing.assert_array_equal(bags.X, expected.X)
    assert bags.X.dtype == np.float64
    assert bags.X.flags.c_contiguous


def test_a_read_only_memmap_works_and_stays_as_it_was(tmp_path):
    X = np.random.default_rng(1).normal(size=(8, 3))
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    bags, _ = pool(mapped[:4], mapped[4:])
    np.testing.assert_array_equal(bags.X, pool(X[:4], X[4:])[0].X)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), X)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_matrix])
def test_sparse_samples_are_scaled_but_not_centred(kind):
    dense = np.array([[0, 2.0, 0], [1.0, 0, 0], [0, 4.0, 0], [3.0, 0, 0], [0, 1.0, 0]])
    with pytest.warns(UserWarning, match=r"column 2 \(constant\)"):
        bags, encoding = pool(kind(dense[:3]), kind(dense[3:]))
    assert sp.issparse(bags.X)
    assert bags.X.format == "csr"
    np.testing.assert_allclose(bags.X.toarray(), dense[:, :2] / dense[:, :2].std(axis=0))
    np.testing.assert_array_equal(encoding.transform(kind(dense)).toarray(), bags.X.toarray())


def test_zeros_of_either_sign_are_the_same():
    with pytest.raises(DataError, match="A and B hold the same rows"):
        pool([[0.0], [1.0]], [[1.0], [-0.0]], standardize=False)


def test_masked_values_are_missing():
    X = np.ma.array([[1.0, 2.0], [3.0, 99.0], [5.0, 7.0]], mask=[[0, 0], [0, 1], [0, 0]])
    other = [[1.0, 1.0], [2.0, 3.0]]
    with pytest.raises(DataError, match="column 1 in row 1"):
        pool(X, other)
    bags, _ = pool(X, other, missing="impute", standardize=False)
    assert bags.X[1, 1] == 2.5  # the median of 2, 7, 1, 3


def test_values_that_are_all_missing_may_have_any_type():
    a = pl.DataFrame({"x": [1.0, 2.0, 4.0], "t": pl.Series([None] * 3, dtype=pl.String)})
    b = pl.DataFrame({"x": [1.0, 3.0, 4.0], "t": [1.0, 2.0, 3.0]})
    with pytest.raises(DataError, match=r"Missing values in A: column 't' in rows 0, 1 and 2"):
        pool(a, b)
    with pytest.warns(UserWarning, match=r"'t' \(no value in A\)"):
        bags, _ = pool(a, b, missing="impute")
    assert bags.names == ("x",)


GOOD = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 2.0]])
FRAME = pd.DataFrame(GOOD, columns=["x", "y"])

BAD_TABLES = {
    "none": (None, GOOD, "A must be a table or a two-dimensional array, not a NoneType"),
    "path": ("a.csv", GOOD, r"read_table\('a.csv'\)"),
    "1-D": (GOOD[:, 0], GOOD, r"its shape is \(3,\).*reshape\(-1, 1\)"),
    "3-D": (GOOD[None], GOOD, r"two dimensions, but its shape is \(1, 3, 2\)"),
    "series": (GOOD, FRAME["x"], "B is a single column"),
    "lazy": (FRAME, pl.LazyFrame({"x": [1]}), r"pass B.collect\(\)"),
    "record batch": (pa.record_batch({"x": [1]}), FRAME, r"pass pyarrow.table\(A\)"),
    "records": ([{"x": 1}], FRAME, "list of records"),
    "ragged": ([[1, 2], [3]], GOOD, r"row 1 \(counted from 0\) has 1 values, row 0 has 2"),
    "no rows": (GOOD, GOOD[:0], r"B has too few rows \(0\)"),
    "one row": (GOOD[:1], GOOD, r"A has too few rows \(1\)"),
    "no columns": (GOOD[:, :0], GOOD[:, :0], "A has no columns"),
    "empty dict": ({}, {}, r"A has too few rows"),
    "text array": (np.array([["1", "a"]] * 3), GOOD, "array of text"),
    "complex": (GOOD * 1j, GOOD, "values of type complex"),
    "complex sparse": (sp.csr_matrix(GOOD * 1j), sp.csr_matrix(GOOD), "type complex128"),
    "array and table": (GOOD, FRAME, "B has column names, but A has none"),
    "table and array": (FRAME, GOOD, "B has no column names, but A has"),
    "sparse and dense": (sp.csr_matrix(GOOD), GOOD, "B must be sparse as A is"),
    "widths": (GOOD, GOOD[:, :1], "B has 1 columns, but A has 2"),
    "names": (
        FRAME.assign(z=1, w=2),
        FRAME.assign(v=3).drop(columns="x"),
        "it lacks 'x', 'z' and 'w' and has in addition 'v'",
    ),
    "no header": (
        FRAME,
        pd.DataFrame(GOOD, columns=["1", "2"]),
        "no column name in common",
    ),
    "duplicates": (pd.DataFrame(GOOD, columns=["x", "x"]), FRAME, "'x' is there twice"),
    "arrow duplicates": (
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"]),
        FRAME,
        "'x' is there twice",
    ),
    "text duplicates": (pd.DataFrame(GOOD, columns=[1, "1"]), FRAME, "'1' is there twice"),
    "dict lengths": ({"x": [1, 2], "y": [1]}, FRAME, "Column 'y' of A has 1 rows, 'x' has 2"),
    "dict shape": ({"x": [[1], [2]]}, FRAME, "must be one-dimensional"),
    "same": (GOOD, GOOD[::-1], "A and B hold the same rows"),
    "same sparse": (sp.csr_matrix(GOOD), sp.csr_matrix(GOOD[::-1]), "hold the same rows"),
    "constant": (np.ones((4, 2)), np.ones((3, 2)), r"column 0 and column 1 \(constant\)"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_table_that_cannot_be_used_is_refused(case):
    a, b, message = BAD_TABLES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DataError, match=message):
            pool(a, b)


DAY = datetime.date(2020, 1, 1)
BAD_COLUMNS = {
    "inf": ([1.0, np.inf, 3.0], "holds inf in row 1"),
    "-inf": ([1.0, 2.0, -np.inf], "holds -inf in row 2"),
    "huge": ([1e200, 2.0, 3.0], r"holds 1e\+200 in row 0.*another unit"),
    "missing": ([1.0, None, np.nan], "column 'c' in rows 1 and 2"),
    "mixed": ([1.0, "u", 3.0], "mixes types.*the str 'u' in row 1"),
    "bool and number": (np.array([1.0, True, 3], dtype=object), "mixes.*the bool True in row 1"),
    "complex": ([1j, 2.0, 3.0], "values of type complex, as 1j in row 0"),
    "complex object": (np.array([1, 2j, 3], dtype=object), "the complex 2j in row 1"),
    "bytes": ([b"u", b"v", b"w"], "values of type bytes"),
    "lists": ([[1], [2, 3], []], "values of type list"),
    "sets": ([{1}, {2}, {3}], "values of type set"),
    "date objects": ([DAY] * 3, "holds dates or times"),
    "datetimes": (np.array(["2020-01-01"] * 3, dtype="datetime64[D]"), "holds dates or times"),
    "durations": (np.array([1, 2, 3], dtype="timedelta64[s]"), "holds dates or times"),
    "text": (["u", "v", "u"], r"holds numbers in B, but in A row 0 holds 'u'"),
    "numbers as text": (["1", "2", "3"], "in A they are numbers stored as text"),
}


@pytest.mark.parametrize("frame", [dict, pd.DataFrame], ids=["dict", "pandas"])
@pytest.mark.parametrize("case", BAD_COLUMNS)
def test_a_column_that_cannot_be_used_is_named(case, frame):
    values, message = BAD_COLUMNS[case]
    if frame is dict and case == "lists":
        values = np.array([*values, None], dtype=object)[:3]
    a = frame({"x": [1.0, 2.0, 3.0], "c": values})
    b = frame({"x": [1.0, 4.0, 3.0], "c": [1.0, 2.0, 3.0]})
    with pytest.raises(DataError, match=message) as error:
        pool(a, b)
    assert isinstance(error.value, ValueError)
    assert "'c'" in str(error.value)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pl.Series([[1], [2], [3]]), "values of type"),
        (pl.Series([{"a": 1}] * 3), "values of type dict"),
        (pl.Series([DAY] * 3), "holds dates or times"),
        (pl.Series([object(), object(), object()], dtype=pl.Object), "values of type object"),
        (pa.array([b"u", b"v", b"w"]), "values of type bytes"),
    ],
)
def test_nested_columns_of_polars_and_pyarrow_are_refused(column, message):
    make = pa.table if isinstance(column, pa.Array) else pl.DataFrame
    a = make({"x": [1.0, 2.0, 3.0], "c": column})
    with pytest.raises(DataError, match=message):
        pool(a, {"x": [1.0, 2.0], "c": [1.0, 2.0]})


def test_missing_text_is_named():
    a = pd.DataFrame({"x": [1.0, 2.0, 3.0], "c": ["u", None, "v"]})
    for frame in (a, pl.DataFrame(a), pa.table(a)):
        with pytest.raises(DataError, match=r"Missing values in B: column 'c' in row 1 \(rows are"):
            pool({"x": [1.0, 3.0], "c": ["u", "v"]}, frame)


def test_integers_too_wide_for_any_float_are_refused():
    with pytest.raises(DataError, match=r"Column 'x' of B holds a number too large .* in row 1"):
        pool({"x": [1, 2]}, {"x": [1, 10**400]})


def test_integers_wider_than_a_float_work():
    a = pa.table({"x": pa.array([2**63, 1, 2**64 - 1], pa.uint64())})
    bags, _ = pool(a, {"x": np.array([5, 2**62], dtype=np.int64)}, standardize=False)
    np.testing.assert_array_equal(bags.X[:, 0], [2.0**63, 1, 2.0**64, 5, 2.0**62])


def test_a_message_about_a_file_names_its_lines():
    lines = np.array([2, 5, 9])
    a = Table({"x": np.array([1.0, np.nan, np.inf])}, path="a.csv", lines=lines)
    b = Table({"x": np.array([1.0, 2.0])}, path="b.csv", lines=np.array([2, 3]))
    with pytest.raises(DataError, match=r"Column 'x' of A \(a.csv\) holds inf in line 9\."):
        pool(a, b)
