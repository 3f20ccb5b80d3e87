"""Arrow files, which are also called Feather (version 2) or IPC files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

from ._arrow import from_arrow, need_arrow, to_arrow
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "read", "write"]

SUFFIXES = (".arrow", ".feather", ".ipc")
MAGIC = rb"ARROW1"


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read a file."""
    ipc = need_arrow("pyarrow.ipc", "Arrow files")
    with source.read_as("Arrow"), ipc.open_file(source.stream) as file:
        return from_arrow(file.read_all(), as_text, source)


def write(columns: Mapping[str, Any], stream: BinaryIO) -> None:
    """Write columns."""
    ipc = need_arrow("pyarrow.ipc", "Arrow files")
    table = to_arrow(columns, "Arrow files")
    with ipc.new_file(stream, table.schema) as file:
        file.write_table(table)
