"""An open file, as every format reads it."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO

from ..errors import DataError, UnclusteredError
from ..memory import require_memory

__all__ = ["Source"]


@dataclass(frozen=True)
class Source:
    """An open file: what it unpacks to, what messages call it, which part of it is wanted.

    Parameters
    ----------
    stream : BinaryIO
        Can seek; at the beginning.
    name : str
        The file, for messages.
    part : str, optional
        Name of the sheet, tree or group to read.
    """

    stream: BinaryIO
    name: str
    part: str | None = None

    @cached_property
    def size(self) -> int:
        """Number of bytes."""
        here = self.stream.tell()
        size = self.stream.seek(0, io.SEEK_END)
        self.stream.seek(here)
        return size

    def require_memory(self, n_bytes: float) -> None:
        """Raise an error when a table of this size would not fit in memory."""
        require_memory(n_bytes, f"Reading {self.name}", "Read fewer rows or columns.")

    def choose(self, parts: Sequence[str], kind: str) -> str:
        """Name of the part that is wanted, or of the only one there is.

        ``kind`` says in messages what the parts of this format are, as in "sheet".
        """
        listed = ", ".join(parts[:10]) + (", ..." if len(parts) > 10 else "")
        if not parts:
            raise DataError(f"{self.name} holds no {kind} that is a table.")
        if self.part is not None and self.part not in parts:
            raise DataError(f"{self.name} holds no {kind} {self.part!r}; it has: {listed}.")
        if self.part is None and len(parts) > 1:
            raise DataError(
                f"{self.name} holds {len(parts)} {kind}s: {listed}. Say which, with "
                f"part={parts[0]!r} (on the command line, --part {parts[0]})."
            )
        return parts[0] if self.part is None else self.part

    @contextmanager
    def read_as(self, what: str) -> Iterator[None]:
        """Turn whatever another library's reader raises into an error that names the file.

        Those written in Rust stop with one that is not even an ``Exception``.
        """
        try:
            yield
        except UnclusteredError:
            raise
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            reason = " ".join(str(error).split())[:300] or type(error).__name__
            raise DataError(f"{self.name} is no proper {what} file: {reason}") from error
