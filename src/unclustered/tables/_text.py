"""Lines of a text file in UTF-8; what is no such file is named with its line."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import DataError
from ._source import Source

__all__ = ["text_lines"]

_LONGEST = 2**26  # no line is longer, so that a file without line ends is not read as one


@contextmanager
def text_lines(source: Source) -> Iterator[Iterator[str]]:
    r"""Lines from the beginning on, each with its end: ``\n``, ``\r\n`` or ``\r``."""
    source.stream.seek(0)
    if source.stream.read(2) in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"{source.name} is in UTF-16, not in UTF-8: save it in UTF-8.")
    source.stream.seek(0)
    text = io.TextIOWrapper(source.stream, encoding="utf-8-sig", newline="")
    try:
        yield _checked(text, source.name)
    except UnicodeDecodeError:
        raise _undecodable(source) from None
    finally:
        text.detach()


def _checked(text: io.TextIOWrapper, name: str) -> Iterator[str]:
    number = 0
    while line := text.readline(_LONGEST):
        number += 1
        if "\0" in line:
            raise DataError(
                f"{name}, line {number}: holds a NUL character, so this is no text file."
            )
        if len(line) == _LONGEST:
            raise DataError(
                f"{name}, line {number}: is longer than {_LONGEST // 2**20} million characters."
            )
        yield line


def _undecodable(source: Source) -> DataError:
    """Error that says where the first byte is that is not UTF-8."""
    source.stream.seek(0)
    before = 0
    for number, line in enumerate(source.stream, 1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return DataError(
                f"{source.name}, line {number}: byte 0x{line[error.start]:02x} (byte "
                f"{before + error.start + 1} of the file) is not UTF-8. Save the file in UTF-8."
            )
        before += len(line)
    return DataError(f"{source.name} is not in UTF-8: save it in UTF-8.")
