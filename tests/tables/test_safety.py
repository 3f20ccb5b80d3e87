"""Files that mean harm, or lie: nothing in them is run, and no memory is used unasked."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import sys
import zipfile

import numpy as np
import pytest

from tests.tables.samples import SAMPLES
from unclustered import DataError, TooLargeError, UnclusteredError, memory
from unclustered.tables import _apart, read_table


@pytest.fixture
def write(tmp_path):
    def written(content, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    yield written
    assert not list(tmp_path.glob(".*"))


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**27)


def test_a_gzip_bomb_is_not_unpacked(write, little_memory):
    bomb = gzip.compress(b"x\n" + b"1\n" * 40_000_000, compresslevel=1)
    assert len(bomb) < 2**20
    with pytest.raises(TooLargeError, match=r"What .*a\.csv\.gz unpacks to needs"):
        read_table(write(bomb, "a.csv.gz"))


def test_a_zstandard_bomb_is_not_unpacked(write, little_memory):
    zstandard = pytest.importorskip("zstandard")
    packer = zstandard.ZstdCompressor(level=19).compressobj()
    block = b"1\n" * 2**22
    bomb = b"".join([packer.compress(b"x\n"), *(packer.compress(block) for _ in range(10))])
    bomb += packer.flush()
    assert len(bomb) < 2**17
    with pytest.raises(TooLargeError, match="unpacks to needs"):
        read_table(write(bomb, "a.csv.zst"))


def test_packed_files_in_several_members_and_with_padding(write):
    parts = gzip.compress(b"x,y\n1,2\n") + gzip.compress(b"3,4\n") + bytes(512)
    assert read_table(write(parts))["y"].tolist() == [2.0, 4.0]
    zstandard = pytest.importorskip("zstandard")
    parts = zstandard.compress(b"x,y\n1,2\n") + zstandard.compress(b"3,4\n")
    assert read_table(write(parts))["y"].tolist() == [2.0, 4.0]
    for cut in range(1, len(parts)):
        if cut != len(zstandard.compress(b"x,y\n1,2\n")):
            with pytest.raises(DataError):
                read_table(write(parts[:cut]))


class Evil:
    def __reduce__(self):
        return (exec, ("import sys; sys.evil_was_run = True",))


def test_pickled_objects_are_refused(write, monkeypatch):
    monkeypatch.setattr(sys, "evil_was_run", False, raising=False)
    stream = io.BytesIO()
    np.save(stream, np.array([Evil()], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="holds Python objects"):
        read_table(write(stream.getvalue(), "a.npy"))
    stream = io.BytesIO()
    np.savez(stream, x=np.array([Evil()], dtype=object))
    with pytest.raises(DataError, match="holds Python objects"):
        read_table(write(stream.getvalue(), "a.npz"))
    for name in ("a.npy", "a", "a.csv", "a.h5ad", "a.root"):
        with pytest.raises(DataError):
            read_table(write(pickle.dumps(Evil()), name))
    assert not sys.evil_was_run
    pickle.loads(pickle.dumps(Evil()))
    assert sys.evil_was_run  # so it would have been seen


def _npy(shape):
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + bytes(800)


@pytest.mark.parametrize("shape", [(10**15, 1), (101, 1), (2**62, 2**62)])
def test_an_array_whose_header_lies(write, shape):
    with pytest.raises(DataError, match=r"a\.npy is cut short: its header tells of"):
        read_table(write(_npy(shape), "a.npy"))


def _zipped(name, content):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def test_zip_bombs_are_not_unpacked(write, little_memory):
    content = bytes(2**27 + 1)
    with pytest.raises(TooLargeError, match=r"Reading .*a\.npz needs"):
        read_table(write(_zipped("x.npy", content), "a.npz"))
    pytest.importorskip("openpyxl")
    with pytest.raises(TooLargeError, match=r"Reading .*a\.xlsx needs"):
        read_table(write(_zipped("xl/workbook.xml", content), "a.xlsx"))


def test_an_array_that_is_there_twice(write):
    np.savez(stream := io.BytesIO(), x=np.arange(3.0))
    with zipfile.ZipFile(stream, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("x.npy", archive.read("x.npy"))
    with pytest.raises(DataError, match=r"'x\.npy' comes more than once"):
        read_table(write(stream.getvalue(), "a.npz"))


def test_a_zip_file_that_lies_about_its_sizes(write):
    content = bytearray(_zipped("x.npy", _npy((100, 1))))
    true = (len(_npy((100, 1)))).to_bytes(4, "little")
    assert content.count(true) >= 2
    with pytest.raises(DataError):
        read_table(write(bytes(content.replace(true, (99).to_bytes(4, "little"))), "a.npz"))


def test_entities_of_a_workbook_do_not_grow(write):
    pytest.importorskip("openpyxl")
    lol = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 12))
    evil = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lolololol">{lol}]>'
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(SAMPLES["excel"].make())) as good,
        zipfile.ZipFile(stream, "w") as bad,
    ):
        for member in good.infolist():
            content = good.read(member).decode()
            if member.filename.endswith("sheet1.xml"):
                content = evil + content.replace("<sheetData>", "<sheetData>&l11;")
            bad.writestr(member.filename, content)
    with pytest.raises(DataError, match="no proper Excel file"):
        read_table(write(stream.getvalue(), "a.xlsx"))


def test_run_lengths_of_parquet(write, little_memory, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    zeros = pa.array(np.zeros(10**6))
    with pq.ParquetWriter(stream, pa.schema([("x", pa.float64())])) as writer:
        for _ in range(20):
            writer.write_table(pa.table({"x": zeros}))
    assert len(stream.getvalue()) < 10**5
    monkeypatch.setattr(pq.ParquetFile, "read", lambda _: pytest.fail("the values were read"))
    with pytest.raises(TooLargeError, match=r"Reading .*a\.parquet needs"):
        read_table(write(stream.getvalue(), "a.parquet"))


def test_rows_of_an_arrow_file_that_take_no_bytes(write):
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch({"x": pa.nulls(1234567)})
    with pa.ipc.new_file(stream := io.BytesIO(), batch.schema) as file:
        file.write_batch(batch)
    true, lie = (n.to_bytes(8, "little") for n in (1234567, 10**13))
    content = stream.getvalue()
    assert len(content) < 1000
    assert true in content
    with pytest.raises(UnclusteredError, match=r"a\.arrow"):
        read_table(write(content.replace(true, lie), "a.arrow"))


def test_lines_with_ever_new_keys(write, little_memory):
    lines = "\n".join(json.dumps({f"k{k}": 1}) for k in range(5000))
    with pytest.raises(TooLargeError, match="Reading"):
        read_table(write(lines.encode(), "a.jsonl"))


def test_an_index_beyond_all_others(write, little_memory):
    with pytest.raises(UnclusteredError, match=r"a\.svm"):
        read_table(write(b"0 1:1 2000000000:1\n1 1:2\n", "a.svm"))
    with pytest.raises(DataError, match=r"a\.svm, line 3: is not SVMlight"):
        read_table(write(b"0 1:1\n1 2:1\n1 99999999999999999999:1\n0 1:1\n", "a.svm"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"x": 1', "line 2, character"),
        ("[1, 2]", "line 2 is not a JSON object"),
        ("7", "line 2 is not a JSON object"),
        ('{"x": [1, 2]}', "line 2: 'x' holds several values"),
        ('{"x": {"y": 1}}', "line 2: 'x' holds several values"),
        ('{"x": 1, "x": 2}', "line 2: a key comes more than once"),
        ('{"x": ' + "[" * 100_000, "line 2"),
        ('{"x": ' + "9" * 5000 + "}", "line 2"),
    ],
)
def test_a_line_that_is_no_record(write, line, message):
    with pytest.raises(DataError, match=message):
        read_table(write(f'{{"x": 1}}\n{line}\n'.encode(), "a.jsonl"))


def test_a_line_may_lack_a_key(write):
    table = read_table(write(b'{"x": 1}\n\n{"y": "a", "x": null}\n', "a.jsonl"))
    np.testing.assert_array_equal(table["x"], [1, np.nan])
    assert table["y"].tolist() == [None, "a"]
    assert table.lines.tolist() == [1, 3]


@pytest.mark.parametrize("n", [30_000, pytest.param(10**6, marks=pytest.mark.slow)])
def test_a_million_columns(write, n):
    names = ",".join(f"x{k}" for k in range(n))
    table = read_table(write((names + "\n" + "1," * (n - 1) + "2\n").encode()))
    assert len(table) == n
    assert table[f"x{n - 1}"].tolist() == [2.0]


def test_a_file_without_line_ends_is_not_one_line(write, monkeypatch):
    monkeypatch.setattr("unclustered.tables._text._LONGEST", 1000)
    with pytest.raises(DataError, match="line 2: is longer than"):
        read_table(write(b"x\n" + b"1" * 5000))


def _hdf5(fill):
    h5py = pytest.importorskip("h5py")
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        fill(file, h5py)
    return stream.getvalue()


def test_hdf5_that_leads_out_of_the_file_is_not_followed(write, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(np.arange(10.0).tobytes())

    def outside(file, h5py):
        file.create_dataset("x", (10,), "f8", external=[(str(secret), 0, 80)])

    with pytest.raises(DataError, match="'x' is kept in another file"):
        read_table(write(_hdf5(outside), "a.h5"))

    def link(file, h5py):
        file["x"] = np.arange(3.0)
        file["y"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/x")

    write(_hdf5(lambda file, _: file.update(x=np.arange(3.0))), "other.h5")
    assert list(read_table(write(_hdf5(link), "a.h5"))) == ["x"]


def test_hdf5_of_a_size_that_is_only_told(write):
    content = _hdf5(lambda file, _: file.create_dataset("x", (10**14, 2), "f8", chunks=(10**6, 2)))
    with pytest.raises(TooLargeError, match=r"Reading .*a\.h5 needs"):
        read_table(write(content, "a.h5"))


def test_a_file_at_which_the_library_hangs_or_crashes(write, monkeypatch):
    monkeypatch.setattr(_apart, "_SECONDS", 3.0)
    content = SAMPLES["hdf5"].make()
    heap = content.index(b"GCOL")
    # A first object of the heap that ends where no free space is left.
    hanging = content[: heap + 24] + (255).to_bytes(8, "little") + content[heap + 32 :]
    with pytest.raises(DataError, match="is damaged: the library that reads it crashed, or"):
        read_table(write(hanging, "a.h5"))
