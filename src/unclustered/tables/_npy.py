"""Arrays as NumPy stores them, without pickled objects."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..errors import DataError
from ._columns import of_array, of_block, plain_list
from ._source import Source
from ._table import Table

__all__ = ["read_array", "storable", "table_of"]


def read_array(stream: BinaryIO, size: int, source: Source) -> NDArray[Any]:
    """Read an array from a stream of this many bytes."""
    version = npy.read_magic(stream)
    reader = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran_order, dtype = reader(stream)
    if dtype.hasobject:
        raise DataError(
            f"{source.name} holds Python objects, which only running code could read. Save an "
            "array of numbers or text: array.astype(float), array.astype(str)."
        )
    n_bytes = prod(shape) * dtype.itemsize
    if n_bytes > size - stream.tell():
        raise DataError(
            f"{source.name} is cut short: its header tells of {n_bytes} bytes of values."
        )
    source.require_memory(n_bytes)
    values = np.frombuffer(stream.read(n_bytes), dtype=dtype, count=prod(shape))
    return values.reshape(shape, order="F" if fortran_order else "C")


def table_of(arrays: Mapping[str, NDArray[Any]], source: Source) -> Table:
    """Table of one array of two dimensions, or of columns of one length."""
    shapes = {name: array.shape for name, array in arrays.items()}
    if len(arrays) == 1:
        (array,) = arrays.values()
        if array.ndim == 2:
            arrays, shapes = of_block(array), {"": array.shape[:1]}
    if len(set(shapes.values())) != 1 or len(next(iter(shapes.values()))) != 1:
        listed = ", ".join(f"{name} {shape}".strip() for name, shape in [*shapes.items()][:5])
        raise DataError(
            f"{source.name} is no table: it must hold one array of two dimensions, or arrays of "
            f"one dimension and one length. It holds: {listed or 'nothing'}."
        )
    if not arrays or not next(iter(arrays.values())).shape[0]:
        raise DataError(f"{source.name} has no rows or no columns.")
    return Table({name: of_array(array) for name, array in arrays.items()})


def storable(values: Any) -> NDArray[Any]:
    """Array without objects; a missing text becomes an empty one."""
    cells = plain_list(values)
    if all(isinstance(cell, int | float) or cell is None for cell in cells):
        return np.array([float("nan") if cell is None else cell for cell in cells])
    return np.array(["" if cell is None else str(cell) for cell in cells])
