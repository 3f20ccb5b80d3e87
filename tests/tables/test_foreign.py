"""What is peculiar to the formats of other fields, each file written by that field's library."""

from __future__ import annotations

import datetime
import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from tests.tables.samples import Kept
from unclustered import DataError
from unclustered.bags import pool
from unclustered.tables import read_table


def workbook(rows, path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_a_sheet_with_gaps_types_and_error_values(tmp_path):
    day = datetime.datetime(2020, 1, 2)
    rows = [
        [],
        ["size", None, "phase", "day", "ok"],
        [1, "#N/A", "S", day, True],
        [],
        ["#DIV/0!", 2.5, None, None, False],
        [3],
    ]
    table = read_table(workbook(rows, tmp_path / "a.xlsx"), as_text=["ok"])
    assert list(table) == ["size", "column 2", "phase", "day", "ok"]
    assert table.lines.tolist() == [3, 5, 6]
    assert table["size"].tolist() == [1, "#DIV/0!", 3]  # a mistake that must not pass for missing
    np.testing.assert_array_equal(table["column 2"], [np.nan, 2.5, np.nan])
    assert table["phase"].tolist() == ["S", None, None]
    assert table["day"].tolist() == [day, None, None]
    assert table["ok"].tolist() == [True, False, None]
    with pytest.raises(DataError, match=r"'size' of A \(.*a\.xlsx\) mixes types .* in line 5"):
        pool(table.select(["size"]), table.select(["size"]))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "is empty"),
        ([["x", "y"]], "has a header but no rows"),
        ([["x", "x"], [1, 2]], "row 1: column names must differ"),
        ([[1.5, 2.5], [1, 2]], "row 1: holds numbers"),
        ([["x"], [1], [1, 2]], "row 3: 2 cells, but the header has 1"),
    ],
)
def test_sheets_that_are_no_table(tmp_path, rows, message):
    with pytest.raises(DataError, match=message):
        read_table(workbook(rows, tmp_path / "a.xlsx"))


def test_a_sheet_that_lies_about_its_size(tmp_path):
    path = workbook([["x"], *([k] for k in range(400))], tmp_path / "a.xlsx")
    with zipfile.ZipFile(path) as good, zipfile.ZipFile(tmp_path / "b.xlsx", "w") as bad:
        for member in good.infolist():
            content = good.read(member).replace(b'ref="A1:A401"', b'ref="A1:XFD1048576"')
            bad.writestr(member.filename, content)
    tracemalloc.start()
    try:
        table = read_table(tmp_path / "b.xlsx")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert list(table) == ["x"]
    assert table["x"].tolist() == [*range(400)]
    assert peak < 2**24  # cells that are only told of would take 50 MB


def fits_file(columns, path):
    fits = pytest.importorskip("astropy.io.fits")
    made = [fits.Column(**column) for column in columns]
    fits.HDUList([fits.PrimaryHDU(), fits.BinTableHDU.from_columns(made)]).writeto(path)
    return path


def test_fits_columns_of_integers_vectors_and_nulls(tmp_path):
    columns = [
        {"name": "flag", "format": "L", "array": [True, False]},
        {"name": "n", "format": "J", "null": -99, "array": np.array([7, -99])},
        {"name": "u", "format": "J", "bzero": 2**31, "array": np.array([2**31 + 5, 1], "u4")},
        {"name": "band", "format": "2E", "array": np.array([[1, 2], [3, 4]], "f4")},
    ]
    table = read_table(fits_file(columns, tmp_path / "a.fits"))
    assert list(table) == ["flag", "n", "u", "band[0]", "band[1]"]
    assert table["flag"].tolist() == [True, False]
    np.testing.assert_array_equal(table["n"], [7, np.nan])
    assert table["u"].tolist() == [2**31 + 5, 1]
    assert table["band[1]"].tolist() == [2, 4]
    assert all(column.dtype.isnative for column in table.values())


def test_fits_without_a_table(tmp_path):
    fits = pytest.importorskip("astropy.io.fits")
    fits.PrimaryHDU(np.eye(3)).writeto(tmp_path / "a.fits")
    with pytest.raises(DataError, match="holds no table"):
        read_table(tmp_path / "a.fits")


def test_fcs_events_are_divided_by_the_gain(tmp_path):
    flowio = pytest.importorskip("flowio")
    stream = Kept()
    flowio.create_fcs(stream, [2.0, 8.0, 4.0, 6.0], ["FSC-A", "CD3"], metadata_dict={"p1g": "4"})
    (tmp_path / "a.fcs").write_bytes(stream.getvalue())
    table = read_table(tmp_path / "a.fcs")
    found = flowio.FlowData(str(tmp_path / "a.fcs"))
    gain = float(found.text["p1g"])
    assert table["FSC-A"].tolist() == [2.0 / gain, 4.0 / gain]
    assert table["CD3"].tolist() == [8.0, 6.0]


def test_root_branches_of_several_values(tmp_path):
    uproot = pytest.importorskip("uproot")
    awkward = pytest.importorskip("awkward")
    with uproot.recreate(tmp_path / "a.root") as file:
        file["events"] = {
            "mass": np.array([1.5, 2.5]),
            "p": np.array([[1, 2, 3], [4, 5, 6]], dtype="f4"),
            "hits": awkward.Array([[1, 2], [3]]),
        }
        file["notes"] = "a string is no tree"
    table = read_table(tmp_path / "a.root")
    assert table["mass"].tolist() == [1.5, 2.5]
    assert [table[f"p[{k}]"].tolist() for k in range(3)] == [[1, 4], [2, 5], [3, 6]]
    assert [list(hits) for hits in table["hits"]] == [[1, 2], [3]]
    with pytest.raises(DataError, match=r"'hits' of A .* holds values of type"):
        pool(table, table)
    numbers = table.select(name for name in table if name not in ("hits", "nhits"))
    with pytest.raises(DataError, match="the same rows"):
        pool(numbers, numbers)


def hdf5_file(content, path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for name, values in content.items():
            file[name] = values
    return path


def test_hdf5_of_two_dimensions(tmp_path):
    block = np.arange(6, dtype=">f4").reshape(3, 2)
    table = read_table(hdf5_file({"deep/down": block}, tmp_path / "a.h5"))
    np.testing.assert_array_equal(np.column_stack([*table.values()]), block)
    assert table["0"].dtype.isnative


def test_hdf5_columns_of_other_lengths(tmp_path):
    path = hdf5_file({"x": [1, 2], "y": [1, 2, 3]}, tmp_path / "a.h5")
    with pytest.raises(DataError, match=r"the columns of '/' differ in length: x \(2\), y \(3\)"):
        read_table(path)


def test_dense_anndata_and_what_it_tells_about_the_cells(tmp_path):
    anndata = pytest.importorskip("anndata")
    pd = pytest.importorskip("pandas")
    cells = pd.DataFrame(
        {"depth": [1.5, np.nan, 3.0], "batch": pd.Categorical(["u", None, "v"])},
        index=pd.Index(["c1", "c2", "c3"], name="barcode"),
    )
    genes = pd.DataFrame(index=["g1", "g2"])
    block = np.arange(6, dtype="f4").reshape(3, 2)
    anndata.AnnData(block, obs=cells, var=genes).write_h5ad(tmp_path / "a.h5ad")
    table = read_table(tmp_path / "a.h5ad")
    assert list(table) == ["g1", "g2"]
    assert table["g2"].tolist() == [1, 3, 5]
    assert table["g2"].dtype == np.float32
    assert list(table.about) == ["barcode", "depth", "batch"]
    assert table.about["barcode"].tolist() == ["c1", "c2", "c3"]
    np.testing.assert_array_equal(table.about["depth"], [1.5, np.nan, 3.0])
    assert table.about["batch"].tolist() == ["u", None, "v"]
    chosen = table.select(["g1", "depth"])
    assert list(chosen) == ["g1", "depth"]


def test_structured_arrays_with_text(tmp_path):
    rows = np.array([(1, b"u", "x"), (2, b"", "y")], dtype=[("a", ">i2"), ("b", "S3"), ("c", "U2")])
    np.save(tmp_path / "a.npy", rows)
    table = read_table(tmp_path / "a.npy")
    assert table["a"].tolist() == [1, 2]
    assert table["b"].tolist() == ["u", None]
    assert table["c"].tolist() == ["x", "y"]
    stream = io.BytesIO()
    np.save(stream, np.float64(1.5))
    (tmp_path / "b.npy").write_bytes(stream.getvalue())
    with pytest.raises(DataError, match="is no table"):
        read_table(tmp_path / "b.npy")
