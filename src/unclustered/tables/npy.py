"""NumPy's .npy: an array of two dimensions, or a structured one whose fields are the columns."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from ._npy import read_array, storable, table_of
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "read", "write"]

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
