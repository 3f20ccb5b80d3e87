"""Parquet files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

from ._arrow import from_arrow, need_arrow, to_arrow
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "read", "write"]

SUFFIXES = (".parquet", ".pq")
MAGIC = rb"PAR1"


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read a file."""
    parquet = need_arrow("pyarrow.parquet", "Parquet files")
    with source.read_as("Parquet"):
        file = parquet.ParquetFile(source.stream)
        # Run lengths may make much of a small file.
        source.require_memory(8 * file.metadata.num_rows * file.metadata.num_columns)
        return from_arrow(file.read(), as_text, source)


def write(columns: Mapping[str, Any], stream: BinaryIO) -> None:
    """Write columns."""
    parquet = need_arrow("pyarrow.parquet", "Parquet files")
    parquet.write_table(to_arrow(columns, "Parquet files"), stream)
