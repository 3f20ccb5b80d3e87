"""A small valid file of every format, written by the format's own library, and what is in it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

SIZE = [1.5, -2.25, 3e-7, 4.0, float("nan")]
COUNT = [3.0, 1.0, 4.0, 1.0, 5.0]
PHASE = ["S", "G1", None, "S", "G2 µ"]
NUMBERS = {"size": [1.5, -2.25, 0.0, 4.0, 0.5], "count": COUNT}
ALL = {"size": SIZE, "count": COUNT, "phase": PHASE}


@dataclass(frozen=True)
class Sample:
    """How to make a file, and the columns that must be found in it."""

    make: Callable[[], bytes]
    expected: dict[str, Any]
    package: str | None = None
    extra: str | None = None
    cut_is_noticed: bool = True  # wherever the file ends too early


def _csv(delimiter: str) -> Callable[[], bytes]:
    def make() -> bytes:
        rows = [list(ALL), *zip(*ALL.values(), strict=True)]
        text = [["" if v is None or v != v else str(v) for v in row] for row in rows]
        return "\n".join(delimiter.join(row) for row in text).encode()

    return make


def _jsonl() -> bytes:
    rows = [dict(zip(ALL, row, strict=True)) for row in zip(*ALL.values(), strict=True)]
    return "\n".join(json.dumps(row) for row in rows).encode()


def _arrow_table() -> Any:
    pa = pytest.importorskip("pyarrow")
    return pa.table({n: pa.array(v, from_pandas=True) for n, v in ALL.items()})


def _parquet() -> bytes:
    stream = io.BytesIO()
    table = _arrow_table()
    import pyarrow.parquet as pq

    pq.write_table(table, stream)
    return stream.getvalue()


def _arrow() -> bytes:
    stream = io.BytesIO()
    table = _arrow_table()
    import pyarrow.feather

    pyarrow.feather.write_feather(table, stream)
    return stream.getvalue()


def _npy() -> bytes:
    stream = io.BytesIO()
    fields = [("size", float), ("count", np.int16), ("phase", "U4")]
    rows = [(s, c, p or "") for s, c, p in zip(*ALL.values(), strict=True)]
    np.save(stream, np.array(rows, dtype=fields))
    return stream.getvalue()


def _npz() -> bytes:
    stream = io.BytesIO()
    phase = np.array(["" if v is None else v for v in PHASE])
    np.savez(stream, size=np.array(SIZE), count=np.array(COUNT), phase=phase)
    return stream.getvalue()


def _svmlight() -> bytes:
    from sklearn.datasets import dump_svmlight_file

    stream = io.BytesIO()
    block = sp.csr_array(np.column_stack([*NUMBERS.values()]))
    dump_svmlight_file(block, np.arange(5), stream, zero_based=True)
    return stream.getvalue()


def _excel() -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(list(ALL))
    for row in zip(*ALL.values(), strict=True):
        book.active.append([None if v != v else v for v in row])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _anndata() -> bytes:
    anndata = pytest.importorskip("anndata")
    h5py = pytest.importorskip("h5py")
    pd = pytest.importorskip("pandas")
    cells = pd.DataFrame({"kind": ["T", "B", "T", "B", "T"]}, index=[f"c{k}" for k in range(5)])
    genes = pd.DataFrame(index=list(NUMBERS))
    data = anndata.AnnData(sp.csr_matrix(np.column_stack([*NUMBERS.values()])), cells, genes)
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        anndata.io.write_elem(file, "/", data)
    return stream.getvalue()


class Kept(io.BytesIO):
    """A stream that outlives the library that closes it."""

    def close(self) -> None:
        pass


def _fcs() -> bytes:
    flowio = pytest.importorskip("flowio")
    stream = Kept()
    events = np.column_stack([*NUMBERS.values()]).ravel().tolist()
    flowio.create_fcs(stream, events, list(NUMBERS))
    return stream.getvalue()


def _root() -> bytes:
    uproot = pytest.importorskip("uproot")
    stream = Kept()
    with uproot.recreate(stream) as file:
        tree = file.mktree("events", {"size": "f8", "count": "i4"})
        tree.extend({"size": np.array(SIZE), "count": np.array(COUNT, dtype=np.int32)})
    return stream.getvalue()


def _hdf5() -> bytes:
    h5py = pytest.importorskip("h5py")
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        for name, values in ALL.items():
            file["cells/" + name] = ["" if v is None else v for v in values]
    return stream.getvalue()


def _fits() -> bytes:
    fits = pytest.importorskip("astropy.io.fits")
    phase = np.array(["S", "G1", "", "S", "G2"])
    columns = [
        fits.Column("size", "D", array=np.array(SIZE)),
        fits.Column("count", "J", array=np.array(COUNT)),
        fits.Column("phase", "4A", array=phase),
    ]
    stream = io.BytesIO()
    units = [fits.PrimaryHDU(), fits.BinTableHDU.from_columns(columns)]
    fits.HDUList(units).writeto(stream)
    return stream.getvalue()


SAMPLES = {
    "anndata": Sample(_anndata, NUMBERS, "anndata", "anndata"),
    "arrow": Sample(_arrow, ALL, "pyarrow", "parquet"),
    "csv": Sample(_csv(","), ALL, cut_is_noticed=False),
    "excel": Sample(_excel, ALL, "openpyxl", "excel"),
    "fcs": Sample(_fcs, NUMBERS, "flowio", "fcs"),
    "fits": Sample(_fits, {**ALL, "phase": ["S", "G1", None, "S", "G2"]}, "astropy", "fits"),
    "hdf5": Sample(_hdf5, ALL, "h5py", "hdf5"),
    "jsonl": Sample(_jsonl, ALL, cut_is_noticed=False),
    "npy": Sample(_npy, ALL),
    "npz": Sample(_npz, ALL),
    "parquet": Sample(_parquet, ALL, "pyarrow", "parquet"),
    "root": Sample(_root, {"size": SIZE, "count": COUNT}, "uproot", "root"),
    "svmlight": Sample(
        _svmlight, {"0": NUMBERS["size"], "1": NUMBERS["count"]}, cut_is_noticed=False
    ),
    "tsv": Sample(_csv("\t"), ALL, cut_is_noticed=False),
}
