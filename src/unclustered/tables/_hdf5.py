"""HDF5 without what could lead out of the file."""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import Any

from ..errors import DataError
from ._apart import read_apart
from ._extras import need
from ._source import Source
from ._table import Table

__all__ = ["datasets_of", "opened_hdf5", "read_hdf5"]

_MAGIC = b"\x89HDF\r\n\x1a\n"


def read_hdf5(read: Any, source: Source, as_text: Collection[str]) -> Table:
    """Read a file in a process of its own, as damaged ones can make the library crash or hang."""
    place = 0
    while place < source.size:  # others may have put something before it
        source.stream.seek(place)
        if source.stream.read(len(_MAGIC)) == _MAGIC:
            return read_apart(read, source, as_text)
        place = max(512, 2 * place)
    raise DataError(f"{source.name} is no HDF5 file.")


def opened_hdf5(source: Source, extra: str, files: str) -> Any:
    """Open a file."""
    return need("h5py", extra, files).File(source.stream, "r")


def datasets_of(file: Any, source: Source) -> dict[str, Any]:
    """Every dataset by its path; links to other files are not followed."""
    h5py = need("h5py", "hdf5", "HDF5 files")
    found: dict[str, Any] = {}

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            if item.external or item.is_virtual:
                raise DataError(
                    f"{source.name}: {name!r} is kept in another file. Copy it into this one."
                )
            source.require_memory(prod(item.shape or (0,)) * item.dtype.itemsize)
            found[name] = item

    file.visititems(visit)
    return found
