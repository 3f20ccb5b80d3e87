"""HDF5 files: a dataset of two dimensions, a compound one, or a group of columns; only read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ._columns import of_array, of_block
from ._extras import need
from ._hdf5 import datasets_of, opened_hdf5, read_hdf5
from ._source import Source
from ._table import Table

__all__ = ["HAS_PARTS", "MAGIC", "SUFFIXES", "read"]

SUFFIXES = (".h5", ".hdf5", ".hdf")
MAGIC = rb"\x89HDF\r\n\x1a\n"
HAS_PARTS = True


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read the part that is wanted."""
    return read_hdf5(_read, source, as_text)


def _read(source: Source, as_text: Collection[str]) -> Table:
    with source.read_as("HDF5"), opened_hdf5(source, "hdf5", "HDF5 files") as file:
        tables: dict[str, dict[str, Any]] = {}
        for path, dataset in datasets_of(file, source).items():
            group, _, name = path.rpartition("/")
            if dataset.ndim == 2 or (dataset.ndim == 1 and dataset.dtype.names):
                tables[path] = {"": dataset}
            elif dataset.ndim == 1:
                tables.setdefault(group or "/", {})[name] = dataset
        part = source.choose(list(tables), "table")
        return Table(_columns(tables[part], source, part))


def _columns(datasets: dict[str, Any], source: Source, part: str) -> dict[str, NDArray[Any]]:
    lengths = {name: dataset.shape[0] for name, dataset in datasets.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} ({length})" for name, length in [*lengths.items()][:5])
        raise DataError(f"{source.name}: the columns of {part!r} differ in length: {listed}.")
    if not any(lengths.values()):
        raise DataError(f"{source.name}: {part!r} has no rows.")
    columns: dict[str, Any] = {}
    for name, dataset in datasets.items():
        values = _values(dataset)
        if values.dtype.names:
            columns |= {str(n): of_array(values[n]) for n in values.dtype.names}
        elif values.ndim == 2:
            columns |= of_block(values, name)
        else:
            columns[name] = of_array(values)
    return columns


def _values(dataset: Any) -> NDArray[Any]:
    if need("h5py", "hdf5", "HDF5 files").check_string_dtype(dataset.dtype):
        return np.asarray(dataset.asstr()[...], dtype=object)
    return np.asarray(dataset[...])
