"""Arrow tables to columns and back, for the formats that pyarrow reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ._columns import check_unique, of_objects, plain_list
from ._extras import need
from ._source import Source
from ._table import Table

__all__ = ["from_arrow", "need_arrow", "to_arrow"]


def need_arrow(module: str, files: str) -> Any:
    """Import a module of pyarrow."""
    return need(module, "parquet", files)


def from_arrow(table: Any, as_text: Collection[str], source: Source) -> Table:
    """Columns of an Arrow table; those of ``as_text`` keep their own type."""
    check_unique(table.column_names, source.name)
    if not table.num_columns:
        raise DataError(f"{source.name} has no columns.")
    if not table.num_rows:
        raise DataError(f"{source.name} has no rows.")
    source.require_memory(8 * table.num_rows * table.num_columns)
    table.validate(full=True)
    return Table(
        {
            column: _column(values, column in as_text)
            for column, values in zip(table.column_names, table.itercolumns(), strict=True)
        }
    )


def _column(values: Any, as_text: bool) -> NDArray[Any]:
    types = need_arrow("pyarrow.types", "Arrow files")
    number = types.is_integer(values.type) or types.is_floating(values.type)
    if number and not (as_text and values.null_count):
        return np.asarray(values.to_numpy())
    cells = values.to_pylist()
    if not as_text:
        return of_objects(cells)
    column = np.empty(len(cells), dtype=object)
    dates = types.is_temporal(values.type)
    column[:] = [str(cell) if dates and cell is not None else cell for cell in cells]
    return column


def to_arrow(columns: Mapping[str, Any], files: str) -> Any:
    """Arrow table of columns, each of its own type; text where values are of several."""
    pyarrow = need_arrow("pyarrow", files)

    def array(values: Any) -> Any:
        cells = plain_list(values)
        if any(isinstance(cell, str) for cell in cells):
            cells = [cell if cell is None else str(cell) for cell in cells]
        return pyarrow.array(cells)

    return pyarrow.table({name: array(values) for name, values in columns.items()})
