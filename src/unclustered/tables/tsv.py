"""Tab-separated values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

from ._delimited import read_delimited, write_delimited
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "read", "write"]

SUFFIXES = (".tsv", ".tab")
MAGIC = None


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read a file."""
    return read_delimited(source, as_text, ("\t",))


def write(columns: Mapping[str, Any], stream: BinaryIO) -> None:
    """Write columns."""
    write_delimited(columns, stream, "\t")
