"""NumPy's .npy: an array of two dimensions, or a structured one whose fields are the columns."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from ._files import shown_name
from ._npy import read_array, storable, table_of
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "chunks", "read", "write"]

SUFFIXES = (".npy",)
MAGIC = rb"\x93NUMPY"


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read a file."""
    with source.read_as("NumPy"):
        array = read_array(source.stream, source.size, source)
        names = array.dtype.names
        return table_of({n: array[n] for n in names} if names else {"": array}, source)


def write(columns: Mapping[str, Any], stream: BinaryIO) -> None:
    """Write columns as a structured array."""
    arrays = {name: storable(values) for name, values in columns.items()}
    fields = [(name, array.dtype) for name, array in arrays.items()]
    table = np.empty(len(next(iter(arrays.values()))), dtype=fields)
    for name, array in arrays.items():
        table[name] = array
    content = io.BytesIO()
    npy.write_array(content, table, allow_pickle=False)
    stream.write(content.getbuffer())


def chunks(path: Path, as_text: Collection[str], n_rows: int) -> Iterator[Table]:
    """Read some rows at a time from a file that is mapped into memory."""
    source = Source(io.BytesIO(), shown_name(path))
    with source.read_as("NumPy"):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        names = array.dtype.names
        for start in range(0, len(array), n_rows):
            rows = array[start : start + n_rows]
            table = table_of({n: rows[n] for n in names} if names else {"": rows}, source)
            yield replace(table, path=source.name)
