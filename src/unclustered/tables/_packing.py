"""Packed files: gzip and Zstandard, told from the content when read, from the name when written."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, BinaryIO, cast

from ..errors import DataError
from ..memory import SMALL, require_memory
from ._extras import need

__all__ = ["PACKED", "content_of", "packing", "unpacked"]

_PACKED_BLOCK = 2**10  # at its worst, Zstandard makes 32 MiB of these


def _new_gzip() -> Any:
    return zlib.decompressobj(wbits=31)


def _new_zstd() -> Any:
    module, native = _zstd()
    return module.ZstdDecompressor() if native else module.ZstdDecompressor().decompressobj()


def _zstd() -> tuple[Any, bool]:
    """Python's own module where there is one, else the package."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return need("zstandard", "zstd", "Files packed with Zstandard"), False
    return zstd, True


_UNPACKERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": _new_gzip,
    b"\x28\xb5\x2f\xfd": _new_zstd,
}
PACKED = (".gz", ".zst")


def unpacked(stream: BinaryIO, name: str) -> BinaryIO:
    """Stream of what this one unpacks to; the same stream, if it is not packed."""
    start = stream.read(4)
    stream.seek(0)
    for magic, new in _UNPACKERS.items():
        if start.startswith(magic):
            return content_of(_chunks(stream, new, name), name)
    return stream


def content_of(chunks: Iterator[bytes], name: str) -> BinaryIO:
    """Gather chunks in memory, as long as there is enough of it."""
    content = io.BytesIO()
    asked = SMALL
    for chunk in chunks:
        content.write(chunk)
        if content.tell() > asked:
            asked = 2 * content.tell()
            require_memory(
                asked, f"What {name} unpacks to", "Unpack it to a file, or split it into several."
            )
    content.seek(0)
    return content


def _chunks(stream: BinaryIO, new: Callable[[], Any], name: str) -> Iterator[bytes]:
    unpacker = new()
    try:
        while block := stream.read(_PACKED_BLOCK):
            while block:
                if unpacker.eof:
                    block = block.lstrip(b"\0")  # what pads a tape
                    if not block:
                        break
                    unpacker = new()
                yield unpacker.decompress(block)
                block = unpacker.unused_data if unpacker.eof else b""
    except (OSError, MemoryError):
        raise
    except Exception as error:  # each library has its own
        raise DataError(f"{name} holds damaged packed data: {error}.") from error
    if not unpacker.eof:
        raise DataError(f"{name} is cut short: its packed data have no end.")


@contextmanager
def packing(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Stream that packs what is written, if the file's name says so."""
    suffix = PurePath(name.lower()).suffix
    if suffix == ".gz":
        # No name and no time inside: the same labels give the same bytes.
        with gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0) as packed:
            yield cast(BinaryIO, packed)
    elif suffix == ".zst":
        module, native = _zstd()
        if native:
            packed_stream = module.ZstdFile(stream, "wb")
        else:
            packed_stream = module.ZstdCompressor().stream_writer(stream, closefd=False)
        with packed_stream as packed:
            yield packed
    else:
        yield stream
