"""Bytes in and out of files, with the operating system's complaints in plain words."""

from __future__ import annotations

import io
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ..errors import DataError, UnclusteredError
from ._packing import content_of, packing, unpacked

__all__ = ["STANDARD", "opened", "shown_name", "writing"]

STANDARD = "-"  # the name of standard input and standard output
_BLOCK = 2**20


def shown_name(path: Path) -> str:
    """Return what messages call a file to be read."""
    return "standard input" if str(path) == STANDARD else str(path)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file as a stream that can seek, of what it unpacks to."""
    name = shown_name(path)
    if "\0" in name:
        raise DataError(f"{name!r} cannot be read: no file is called that.")
    try:
        if str(path) == STANDARD:
            yield unpacked(_gathered(sys.stdin.buffer, name), name)
            return
        with path.open("rb") as stream:
            # A pipe can be read only once.
            yield unpacked(stream if path.is_file() else _gathered(stream, name), name)
    except FileNotFoundError:
        raise DataError(f"{name}: there is no such file.") from None
    except IsADirectoryError:
        raise DataError(f"{name} is a folder, not a file.") from None
    except PermissionError:
        raise DataError(f"{name}: there is no permission to read it.") from None
    except OSError as error:
        raise DataError(f"{name} cannot be read: {_reason(error)}.") from error


def _gathered(stream: BinaryIO, name: str) -> BinaryIO:
    return content_of(iter(lambda: stream.read(_BLOCK), b""), name)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Stream to a temporary file that takes the place of ``path`` if all goes well.

    A link is followed. What is no regular file (a pipe, ``/dev/stdout``) is written to directly.
    """
    if str(path) == STANDARD:
        content = io.BytesIO()
        yield content
        sys.stdout.buffer.write(content.getbuffer())
        sys.stdout.buffer.flush()
        return
    try:
        if path.is_dir():
            raise UnclusteredError(f"{path} cannot be written: it is a folder.")
        with (
            _direct(path) if _is_special(path) else _replacing(path.resolve()) as stream,
            packing(stream, path.name) as packed,
        ):
            yield packed
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
    number = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(number, "w+b") as stream:
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
