"""Several files as one table, several tables in one file, and columns most of which are 0."""

from __future__ import annotations

import datetime
import io
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from tests.tables.samples import NUMBERS, SAMPLES
from unclustered import DataError, ParameterError, label
from unclustered.bags import pool
from unclustered.tables import Table, annotate, read_table, write_table


def test_a_folder_of_parquet_files_is_one_table(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "notes.txt").write_text("not read")
    write_table({"x": [3, 4], "phase": ["S", "G1"]}, tmp_path / "part-1.parquet")
    write_table({"phase": ["G2"], "x": [2.5]}, tmp_path / "part-0.parquet")
    table = read_table(tmp_path)
    assert table["x"].tolist() == [2.5, 3, 4]  # in the order of the names
    assert table["phase"].tolist() == ["G2", "S", "G1"]
    assert table.path == str(tmp_path)
    assert table.format == "parquet"
    same = read_table(tmp_path / "part-*.parquet")
    assert same["x"].tolist() == [2.5, 3, 4]


def test_files_with_other_columns_are_named(tmp_path):
    write_table({"x": [1], "y": [2]}, tmp_path / "1.csv")
    write_table({"x": [1], "z": [2]}, tmp_path / "2.csv")
    with pytest.raises(DataError, match=r"2\.csv has other columns than .*1\.csv: 'y', 'z' in one"):
        read_table(tmp_path / "*.csv")
    write_table({"x": [1], "y": ["a"]}, tmp_path / "2.csv")
    with pytest.raises(DataError, match=r"'y' holds numbers in .*1\.csv, but text in .*2\.csv"):
        read_table(tmp_path / "*.csv")
    (tmp_path / "2.csv").write_text("x,y\n1\n")
    with pytest.raises(DataError, match=r"2\.csv, line 2: 1 fields"):
        read_table(tmp_path / "*.csv")


def test_a_column_without_values_is_of_the_type_it_has_elsewhere(tmp_path):
    write_table({"x": [1.5, 2], "y": ["a", "b"]}, tmp_path / "1.csv")
    write_table({"x": [None, None], "y": [None, None]}, tmp_path / "2.csv")
    table = read_table(tmp_path / "*.csv")
    np.testing.assert_array_equal(table["x"], [1.5, 2, np.nan, np.nan])
    assert table["y"].tolist() == ["a", "b", None, None]


def test_sparse_files_below_each_other(tmp_path):
    from sklearn.datasets import dump_svmlight_file

    blocks = _sparse_bags()
    for k, block in enumerate(blocks):
        dump_svmlight_file(block, np.full(block.shape[0], k), str(tmp_path / f"{k}.svm"))
    table = read_table(tmp_path / "*.svm")
    assert (table.sparse != sp.vstack(blocks)).nnz == 0
    assert table.about["target"].tolist() == [0.0] * 30 + [1.0] * 40


def test_folders_and_patterns_that_fit_nothing(tmp_path):
    with pytest.raises(DataError, match=r"is a folder, and holds no file \*\.parquet"):
        read_table(tmp_path)
    with pytest.raises(DataError, match="none that fits the pattern"):
        read_table(tmp_path / "*.csv")


def test_a_file_whose_name_is_a_pattern_is_that_file(tmp_path):
    write_table({"x": [1]}, tmp_path / "a[1].csv")
    write_table({"x": [2]}, tmp_path / "a1.csv")
    assert read_table(tmp_path / "a[1].csv")["x"].tolist() == [1]
    assert read_table(tmp_path / "a?.csv")["x"].tolist() == [2]


def _excel():
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for name in ("one", "two"):
        sheet = book.create_sheet(name)
        sheet.append(["x"])
        sheet.append([len(name)])
    del book["Sheet"]
    book.save(stream := io.BytesIO())
    return stream.getvalue()


def _hdf5():
    h5py = pytest.importorskip("h5py")
    with h5py.File(stream := io.BytesIO(), "w") as file:
        file["one/x"] = [3]
        file["two"] = np.array([(3,)], dtype=[("x", int)])
    return stream.getvalue()


def _fits():
    fits = pytest.importorskip("astropy.io.fits")
    column = fits.Column("x", "J", array=[3])
    tables = [fits.BinTableHDU.from_columns([column], name=name) for name in ("one", "two")]
    fits.HDUList([fits.PrimaryHDU(), *tables]).writeto(stream := io.BytesIO())
    return stream.getvalue()


def _root(path):
    uproot = pytest.importorskip("uproot")
    with uproot.recreate(path) as file:
        for name in ("one", "two"):
            file.mktree(name, {"x": "i4"}).extend({"x": np.array([3], dtype=np.int32)})


@pytest.mark.parametrize("suffix", [".xlsx", ".h5", ".fits", ".root"])
def test_of_several_tables_in_a_file_one_is_chosen(suffix, tmp_path):
    path = tmp_path / f"a{suffix}"
    if suffix == ".root":
        _root(path)
    else:
        path.write_bytes({".xlsx": _excel, ".h5": _hdf5, ".fits": _fits}[suffix]())
    first = "ONE" if suffix == ".fits" else "one"
    with pytest.raises(DataError, match=f"holds 2 .*: {first}, .*part='{first}'.*--part {first}"):
        read_table(path)
    assert read_table(path, part=first)["x"].tolist() == [3]
    with pytest.raises(DataError, match="'three'; it has: "):
        read_table(path, part="three")


def test_a_file_without_parts_has_none_to_choose(tmp_path):
    write_table({"x": [1]}, tmp_path / "a.csv")
    with pytest.raises(ParameterError, match="has no parts"):
        read_table(tmp_path / "a.csv", part="x")
    with pytest.raises(ParameterError, match=r"no format 'cvs'\. There are: anndata"):
        read_table(tmp_path / "a.csv", format="cvs")


def test_arrays_of_two_dimensions(tmp_path):
    block = np.arange(6.0).reshape(3, 2)
    np.save(tmp_path / "a.npy", np.asfortranarray(block))
    np.savez_compressed(tmp_path / "b.npz", X=block.astype(">f4"))
    for name in ("a.npy", "b.npz"):
        table = read_table(tmp_path / name)
        assert list(table) == ["0", "1"]
        np.testing.assert_array_equal(np.column_stack([*table.values()]), block)
    np.savez(tmp_path / "c.npz", X=block, y=np.arange(3))
    with pytest.raises(DataError, match=r"must hold one array of two .*: X \(3, 2\), y \(3,\)"):
        read_table(tmp_path / "c.npz")


def test_types_of_parquet_are_kept(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    days = [datetime.date(2020, 1, 1), None]
    columns = {
        "id": pa.array([2**60 + 1, None]),
        "float32": pa.array([0.1, 0.2], pa.float32()),
        "yes": pa.array([True, False]),
        "maybe": pa.array([True, None]),
        "kind": pa.array(["a", None]).dictionary_encode(),
        "day": pa.array(days),
        "empty": pa.array([None, None]),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet", as_text=["id"])
    assert table["id"].tolist() == [2**60 + 1, None]
    assert table["float32"].dtype == np.float32
    assert table["yes"].dtype == bool
    assert table["maybe"].tolist() == [True, None]
    assert table["kind"].tolist() == ["a", None]
    assert table["day"].tolist() == days
    assert np.isnan(table["empty"]).all()
    text = read_table(tmp_path / "a.parquet", as_text=["day"])
    assert text["day"].tolist() == ["2020-01-01", None]


def _sparse_bags():
    """Counts for A and B; the last column of B is 0."""
    rng = np.random.default_rng(0)
    a, b = (rng.poisson(0.3, (n, 12)) + (rng.random((n, 1)) < p) for n, p in ((30, 0.8), (40, 0.2)))
    b[:, 11] = 0
    return [sp.csr_array(block.astype(float)) for block in (a, b)]


def test_svmlight_is_labelled_as_the_matrix_it_holds(tmp_path):
    from sklearn.datasets import dump_svmlight_file

    tables = []
    blocks = _sparse_bags()
    for name, block in zip("ab", blocks, strict=True):
        dump_svmlight_file(block, np.ones(block.shape[0]), str(tmp_path / f"{name}.svm"))
        tables.append(read_table(tmp_path / f"{name}.svm"))
    assert [len(table) for table in tables] == [12, 11]
    assert "target" not in tables[0]
    assert tables[0].about["target"].tolist() == [1.0] * 30
    tables = [tables[0].widened(11), tables[1].widened(12)]
    bags, _ = pool(*tables)
    expected, _ = pool(*blocks)
    assert (bags.X != expected.X).nnz == 0
    found = label(*tables, "lsdd", evidence=False)
    np.testing.assert_array_equal(found.labels_a, label(*blocks, "lsdd", evidence=False).labels_a)


def test_columns_of_svmlight_are_called_as_in_the_file(tmp_path):
    """Also where one of two files happens to have no column 0."""
    (tmp_path / "a.svm").write_text("1 1:5\n-1 1:6 3:7\n")
    (tmp_path / "b.svm").write_text("1 0:1 1:8\n-1 1:9\n")
    a, b = (read_table(tmp_path / f"{name}.svm") for name in "ab")
    assert list(a) == ["0", "1", "2", "3"]
    assert a["1"].tolist() == [5, 6]
    assert b["1"].tolist() == [8, 9]


def test_scipy_s_own_files_are_matrices_too(tmp_path):
    block = _sparse_bags()[0]
    for kind in ("csr", "csc"):
        sp.save_npz(tmp_path / "a.npz", block.asformat(kind))
        table = read_table(tmp_path / "a.npz")
        assert (table.sparse != block).nnz == 0
        np.testing.assert_array_equal(table["3"], block[:, [3]].toarray()[:, 0])
    sp.save_npz(tmp_path / "a.npz", block.tocoo())
    with pytest.raises(DataError, match="a sparse matrix as 'coo': save it as CSR"):
        read_table(tmp_path / "a.npz")


def test_columns_of_a_sparse_table_are_chosen_by_name():
    block = sp.csr_array(np.eye(3))
    about = {"cell": np.array(["u", "v", "w"], dtype=object)}
    table = Table({}, sparse=block, sparse_names=("x", "y", "z"), about=about)
    assert list(table) == ["x", "y", "z"]
    chosen = table.select(["z", "x"])
    assert list(chosen) == ["z", "x"]
    np.testing.assert_array_equal(chosen.sparse.toarray(), np.eye(3)[:, [2, 0]])
    assert list(table.select(["cell"])) == ["cell"]
    with pytest.raises(DataError, match="A is sparse; 'cell' cannot be used beside"):
        pool(table.select(["cell", "x"]), table)


def test_labels_go_into_a_copy_of_an_anndata_file(tmp_path):
    anndata = pytest.importorskip("anndata")
    path, out = tmp_path / "a.h5ad", tmp_path / "labelled.h5ad"
    path.write_bytes(SAMPLES["anndata"].make())
    before = path.read_bytes()
    scores = [0.5, -1.5, 2.0, 1.0, -0.25]
    annotate(path, {"label": [1, -1, 1, 1, -1], "score": np.array(scores)}, out)
    assert path.read_bytes() == before
    data = anndata.read_h5ad(out)
    assert data.obs["label"].tolist() == [1, -1, 1, 1, -1]
    assert data.obs["score"].tolist() == scores
    assert data.obs["kind"].tolist() == ["T", "B", "T", "B", "T"]
    np.testing.assert_array_equal(data.X.toarray(), np.column_stack([*NUMBERS.values()]))
    with pytest.raises(DataError, match=r"'label' has 2 values, but .*a\.h5ad has 5 rows"):
        annotate(path, {"label": [1, -1]}, tmp_path / "other.h5ad")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.h5ad", "labelled.h5ad"]
    write_table({"x": [1]}, tmp_path / "a.csv")
    with pytest.raises(ParameterError, match="no place for columns about its rows"):
        annotate(tmp_path / "a.csv", {"label": [1]}, tmp_path / "b.csv")
    with pytest.raises(ParameterError, match=r"b\.csv must end as .*a\.h5ad does"):
        annotate(path, {"label": [1, -1, 1, 1, -1]}, tmp_path / "b.csv")


def test_equal_names_of_variables_are_refused(tmp_path):
    anndata = pytest.importorskip("anndata")
    pd = pytest.importorskip("pandas")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = anndata.AnnData(np.eye(2, dtype="f4"), var=pd.DataFrame(index=["g", "g"]))
        data.write_h5ad(tmp_path / "a.h5ad")
    with pytest.raises(DataError, match=r"var_names_make_unique\(\) may help.* 'g' comes more"):
        read_table(tmp_path / "a.h5ad")
