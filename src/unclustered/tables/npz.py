"""NumPy's .npz: arrays of one length by name, one array of two dimensions, or a sparse matrix."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..errors import DataError
from ._columns import check_unique
from ._npy import read_array, storable, table_of
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "read", "write"]

SUFFIXES = (".npz",)
MAGIC = rb"PK\x03\x04(?s:.{26})[^\x00/]{1,250}\.npy"  # a zip file that begins with an array

_SPARSE = {"format", "shape", "data"}  # are among what scipy.sparse.save_npz writes


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read a file."""
    with source.read_as("NumPy"):
        arrays = {}
        with zipfile.ZipFile(source.stream) as archive:
            source.require_memory(sum(member.file_size for member in archive.infolist()))
            check_unique(archive.namelist(), source.name)
            for member in archive.infolist():
                # No more is read than the size given there, and its checksum is compared.
                content = archive.read(member)
                array = read_array(io.BytesIO(content), len(content), source)
                arrays[member.filename.removesuffix(".npy")] = array
        return _sparse(arrays, source) if set(arrays) >= _SPARSE else table_of(arrays, source)


def _sparse(arrays: dict[str, NDArray[Any]], source: Source) -> Table:
    kind = str(np.char.decode(arrays["format"], "ascii")[()])
    shape = tuple(arrays["shape"].tolist())
    if kind not in ("csr", "csc") or len(shape) != 2:
        raise DataError(f"{source.name} holds a sparse matrix as {kind!r}: save it as CSR.")
    if not all(shape):
        raise DataError(f"{source.name} has no rows or no columns.")
    source.require_memory(100 * shape[1])
    new = sp.csr_array if kind == "csr" else sp.csc_array
    block = new((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
    block.check_format(full_check=True)
    return Table({}, sparse=block.tocsr(), sparse_names=tuple(map(str, range(shape[1]))))


def write(columns: Mapping[str, Any], stream: BinaryIO) -> None:
    """Write columns, each as an array of its name."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, values in columns.items():
            array = io.BytesIO()
            npy.write_array(array, storable(values), allow_pickle=False)
            # No time inside: the same labels give the same bytes.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), array.getvalue())
    stream.write(content.getbuffer())
