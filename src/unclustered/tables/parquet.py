"""Parquet files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from ._arrow import from_arrow, need_arrow, to_arrow
from ._files import opened, shown_name
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "chunks", "read", "write", "write_chunks"]

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


def chunks(path: Path, as_text: Collection[str], n_rows: int) -> Iterator[Table]:
    """Read some rows at a time."""
    parquet = need_arrow("pyarrow.parquet", "Parquet files")
    pyarrow = need_arrow("pyarrow", "Parquet files")
    with opened(path) as stream:
        source = Source(stream, shown_name(path))
        with source.read_as("Parquet"):
            for batch in parquet.ParquetFile(stream).iter_batches(batch_size=n_rows):
                table = from_arrow(pyarrow.Table.from_batches([batch]), as_text, source)
                yield replace(table, path=source.name)


def write_chunks(chunks: Iterable[Mapping[str, Any]], stream: BinaryIO) -> None:
    """Write some rows at a time."""
    parquet = need_arrow("pyarrow.parquet", "Parquet files")
    writer = None
    for columns in chunks:
        table = to_arrow(columns, "Parquet files")
        if writer is None:
            writer = parquet.ParquetWriter(stream, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
