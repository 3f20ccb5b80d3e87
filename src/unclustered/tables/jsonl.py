"""JSON lines: an object on each line, whose keys are the columns."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import numpy as np

from ..errors import DataError
from ._columns import of_objects, plain_list
from ._source import Source
from ._table import Table
from ._text import text_lines

__all__ = ["MAGIC", "SUFFIXES", "read", "write"]

SUFFIXES = (".jsonl", ".ndjson")
MAGIC = rb"\s*\{"

_PER_BYTE = 8  # bytes of Python objects that a byte of such a file becomes, at most


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read a file; a key that a line lacks is a missing value there."""
    source.require_memory(_PER_BYTE * source.size)
    values: dict[str, list[Any]] = {}
    rows: dict[str, array[int]] = {}  # of these values, as a line may lack some keys
    starts = array("q")
    with text_lines(source) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            for name, value in _object(line, f"{source.name}, line {number}").items():
                values.setdefault(name, []).append(value)
                rows.setdefault(name, array("q")).append(len(starts))
            starts.append(number)
    if not starts:
        raise DataError(f"{source.name} is empty.")
    if not values:
        raise DataError(f"{source.name} has no columns: its objects have no keys.")
    n_rows = len(starts)
    source.require_memory(8 * n_rows * len(values))
    columns = {}
    for name, found in values.items():
        cells = found
        if len(found) < n_rows:
            cells = [None] * n_rows
            for row, value in zip(rows[name], found, strict=True):
                cells[row] = value
        columns[name] = np.array(cells, dtype=object) if name in as_text else of_objects(cells)
    return Table(columns, lines=np.array(starts, dtype=np.intp))


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line, object_pairs_hook=list)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{where}, character {error.colno}: {error.msg}. Each line must be a JSON object."
        ) from None
    except (RecursionError, ValueError) as error:
        raise DataError(f"{where} cannot be read: {error}.") from None
    if not line.lstrip().startswith("{"):
        raise DataError(f'{where} is not a JSON object, such as {{"size": 1.5}}.')
    record = dict(found)
    if len(record) < len(found):
        raise DataError(f"{where}: a key comes more than once.")
    for name, value in record.items():
        if isinstance(value, list):
            raise DataError(f"{where}: {name!r} holds several values; one is needed.")
    return record


def write(columns: Mapping[str, Any], stream: BinaryIO) -> None:
    """Write columns; what is missing becomes null."""
    cells = [plain_list(values) for values in columns.values()]
    for row in zip(*cells, strict=True):
        record = {n: None if v != v else v for n, v in zip(columns, row, strict=True)}
        stream.write((json.dumps(record, ensure_ascii=False, default=str) + "\n").encode())
