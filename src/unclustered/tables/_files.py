"""Bytes in and out of files, with the operating system's complaints in plain words."""

from __future__ import annotations

import gzip
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from ..errors import DataError, UnclusteredError

__all__ = ["check_not_folder", "read_bytes", "writing"]

_GZIP_MAGIC = b"\x1f\x8b"


def check_not_folder(path: Path) -> None:
    """Raise an error if this is a folder."""
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file.")


def read_bytes(path: Path) -> bytes:
    """Whole content of a file; of a name that ends in ``.gz``, what it unpacks to."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file.") from None
    except PermissionError:
        raise DataError(f"{path}: there is no permission to read it.") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise DataError(f"{path} cannot be read: {_reason(error)}.") from error
    if path.name.lower().endswith(".gz"):
        return _unpacked(content, path)
    if content.startswith(_GZIP_MAGIC):
        raise DataError(f"{path} is packed with gzip: give it a name that ends in .gz.")
    return content


def _unpacked(content: bytes, path: Path) -> bytes:
    if not content.startswith(_GZIP_MAGIC):
        raise DataError(f"{path} is not packed with gzip, though its name ends in .gz.")
    try:
        return gzip.decompress(content)
    except EOFError:
        raise DataError(f"{path} is cut short: its gzip data have no end.") from None
    except (OSError, zlib.error) as error:
        raise DataError(f"{path} holds damaged gzip data: {error}.") from error


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Stream to a temporary file that takes the place of ``path`` if all goes well.

    A link is followed. What is no regular file (a pipe, ``/dev/stdout``) is written to directly.
    """
    try:
        if path.is_dir():
            raise UnclusteredError(f"{path} cannot be written: it is a folder.")
        with _direct(path) if _is_special(path) else _replacing(path.resolve()) as stream:
            if path.name.lower().endswith(".gz"):
                # No name and no time inside: the same labels give the same bytes.
                with gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield stream
    except FileNotFoundError as error:
        raise UnclusteredError(
            f"{path} cannot be written: there is no folder {str(path.parent)!r}."
        ) from error
    except OSError as error:
        raise UnclusteredError(f"{path} cannot be written: {_reason(error)}.") from error


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


@contextmanager
def _direct(path: Path) -> Iterator[BinaryIO]:
    with path.open("wb") as stream:
        yield stream


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    temporary = path.parent / f".unclustered-{secrets.token_hex(8)}.tmp"
    # 0o666 less the umask, as any program's new file; tempfile's 0o600 would shut out colleagues.
    number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(number, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(path.stat().st_mode & 0o777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the renaming itself durable, where the system can."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
