"""Sheets of Excel workbooks; only read."""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from typing import Any

import numpy as np

from ..errors import DataError
from ._columns import header, of_objects
from ._delimited import MISSING
from ._extras import need
from ._source import Source
from ._table import Table

__all__ = ["HAS_PARTS", "MAGIC", "SUFFIXES", "read"]

SUFFIXES = (".xlsx", ".xlsm")
MAGIC = rb"PK\x03\x04(?s:.{26})(?:\[Content_Types\]|_rels/|docProps/|xl/)"
HAS_PARTS = True

_PER_BYTE = 2  # bytes of Python objects that a byte of a sheet's XML becomes


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read a sheet whose first row names the columns; formulas give the values last seen."""
    openpyxl = need("openpyxl", "excel", "Excel workbooks")
    with source.read_as("Excel"):
        with zipfile.ZipFile(source.stream) as archive:
            # No more is unpacked than the sizes given there.
            sizes = sum(member.file_size for member in archive.infolist())
        source.require_memory(_PER_BYTE * sizes)
        source.stream.seek(0)
        book = openpyxl.load_workbook(source.stream, read_only=True, data_only=True)
        sheet = book[source.choose([sheet.title for sheet in book.worksheets], "sheet")]
        sheet.reset_dimensions()  # what the file says of them may be wrong
        rows, lines = [], []
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            if any(value is not None for value in row):
                rows.append(row)
                lines.append(number)
    return _table(rows, lines, source, as_text)


def _table(
    rows: list[tuple[Any, ...]], lines: list[int], source: Source, as_text: Collection[str]
) -> Table:
    if not rows:
        raise DataError(f"{source.name} is empty.")
    where = f"{source.name}, row {lines[0]}"
    names = header(["" if cell is None else str(cell) for cell in _without_end(rows[0])], where)
    for row, line in zip(rows, lines, strict=True):
        if len(_without_end(row)) > len(names):
            raise DataError(
                f"{source.name}, row {line}: {len(_without_end(row))} cells, but the header has "
                f"{len(names)}."
            )
    if len(rows) == 1:
        raise DataError(f"{source.name} has a header but no rows.")
    source.require_memory(16 * len(rows) * len(names))
    columns = {}
    for k, name in enumerate(names):
        cells = [_value(row[k]) if k < len(row) else None for row in rows[1:]]
        columns[name] = np.array(cells, dtype=object) if name in as_text else of_objects(cells)
    return Table(columns, lines=np.array(lines[1:], dtype=np.intp))


def _without_end(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Row without the empty cells at its end."""
    last = max((k for k, value in enumerate(row) if value is not None), default=-1)
    return row[: last + 1]


def _value(cell: Any) -> Any:
    return None if isinstance(cell, str) and cell.strip() in MISSING else cell
