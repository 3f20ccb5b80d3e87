"""Tab-separated values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ._delimited import (
    delimited_chunks,
    read_delimited,
    write_delimited,
    write_delimited_chunks,
)
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "chunks", "read", "write", "write_chunks"]

SUFFIXES = (".tsv", ".tab")
MAGIC = None


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read a file."""
    return read_delimited(source, as_text, ("\t",))


def write(columns: Mapping[str, Any], stream: BinaryIO) -> None:
    """Write columns."""
    write_delimited(columns, stream, "\t")


def chunks(path: Path, as_text: Collection[str], n_rows: int) -> Iterator[Table]:
    """Read some rows at a time."""
    return delimited_chunks(path, as_text, n_rows, ("\t",))


def write_chunks(chunks: Iterable[Mapping[str, Any]], stream: BinaryIO) -> None:
    """Write some rows at a time."""
    write_delimited_chunks(chunks, stream, "\t")
