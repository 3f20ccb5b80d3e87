"""Arrays and a JSON header in one file that is safe to open, whoever wrote it.

It is a zip file whose members are stored as they are, never packed, so that no member is larger
than the file. The header is ``header.json``; each array is a ``.npy`` member of plain numbers.
Nothing is extracted to a folder, and nothing that is read is run.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

__all__ = ["Archive", "is_archive", "read_archive", "write_archive"]

Array = NDArray[Any]

_HEADER = "header.json"
_SUFFIX = ".npy"
_TYPES = ("<f8", "<i8", "<i4")  # floats, and the integers that sparse matrices count in
_NO_TIME = (1980, 1, 1, 0, 0, 0)  # the same model gives the same bytes


@dataclass(frozen=True)
class Archive:
    """What a file holds: a header of plain data, and arrays by name."""

    header: dict[str, Any]
    arrays: dict[str, Array]


def write_archive(archive: Archive, stream: BinaryIO) -> None:
    """Write to a stream, which need not be one that can be wound back."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as members:
        _add(members, _HEADER, json.dumps(archive.header, indent=1, allow_nan=False).encode())
        for name, array in archive.arrays.items():
            content = io.BytesIO()
            plain = array.astype(array.dtype.newbyteorder("<"), copy=False)
            np.lib.format.write_array(content, plain, allow_pickle=False)
            _add(members, name + _SUFFIX, content.getbuffer())
    stream.write(packed.getbuffer())


def _add(members: zipfile.ZipFile, name: str, content: Any) -> None:
    member = zipfile.ZipInfo(name, _NO_TIME)
    member.create_system = 3  # the bytes do not depend on the system either
    member.external_attr = 0o644 << 16
    members.writestr(member, content)


def is_archive(stream: BinaryIO) -> bool:
    """Whether the stream begins as archives do: with the header, unpacked."""
    start = stream.read(30 + len(_HEADER))  # a zip file says 30 bytes of a member, then its name
    return start.startswith(b"PK\x03\x04") and start.endswith(_HEADER.encode())


def read_archive(stream: BinaryIO) -> Archive:
    """Read a stream that can seek; a ValueError says what is wrong with it."""
    size = stream.seek(0, io.SEEK_END)
    try:
        with zipfile.ZipFile(stream) as members:
            infos = members.infolist()
            _check_members(infos, size)
            read = {info.filename: members.read(info) for info in infos}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError) as error:
        raise ValueError(f"it is no zip file, or a damaged one ({error})") from error
    header = _header(read.pop(_HEADER))
    return Archive(header, {n.removesuffix(_SUFFIX): _array(n, c) for n, c in read.items()})


def _check_members(infos: list[zipfile.ZipInfo], size: int) -> None:
    names = [info.filename for info in infos]
    if len(set(names)) < len(names):
        raise ValueError("two of its members have the same name")
    if _HEADER not in names:
        raise ValueError(f"it has no {_HEADER}")
    for info in infos:
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise ValueError(f"its member {info.filename!r} is packed, which none should be")
        if info.filename != _HEADER and not info.filename.endswith(_SUFFIX):
            raise ValueError(f"its member {info.filename!r} is neither the header nor an array")
    # Members may not share bytes: a small file would hold endless ones.
    if sum(info.file_size for info in infos) > size:
        raise ValueError("its members together claim to be larger than the file")


def _header(content: bytes) -> dict[str, Any]:
    try:
        header = json.loads(
            content, object_pairs_hook=_without_repeats, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its header is no JSON ({error})") from error
    if not isinstance(header, dict):
        raise ValueError("its header is no JSON object")
    return header


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _array(name: str, content: bytes) -> Array:
    """Array of a member, once what its header claims has been compared with what is there."""
    stream = io.BytesIO(content)
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("its version is not 1.0")
        shape, by_column, dtype = np.lib.format.read_array_header_1_0(stream)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ValueError(f"its array {name!r} cannot be read ({error})") from error
    if dtype.str not in _TYPES:
        raise ValueError(f"its array {name!r} holds values of type {dtype}, which no model has")
    start = stream.tell()
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(content) - start:
        raise ValueError(f"its array {name!r} has not as many values as its shape {shape} says")
    values = np.frombuffer(content, dtype, offset=start)
    array = values.reshape(shape, order="F" if by_column else "C").copy(order="K")
    if not np.isfinite(array).all():
        raise ValueError(f"its array {name!r} holds values that are not finite")
    return array
