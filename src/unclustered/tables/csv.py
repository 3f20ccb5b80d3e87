"""Comma-separated values; semicolons and tabs are understood too."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ._files import read_bytes
from ._table import Table

__all__ = ["SUFFIXES", "read", "write"]

SUFFIXES = (".csv", ".csv.gz")

_DELIMITERS = (",", ";", "\t")

# What pandas.read_csv takes for missing, so that a file means the same to both.
_MISSING = frozenset(
    ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null", "None")
)


def read(path: Path, as_text: Collection[str] = ()) -> Table:
    """Read a file; see :func:`unclustered.tables.read_table`."""
    text = _decoded(read_bytes(path), path)
    delimiter = _delimiter(text)
    names, rows, lines = _records(text, delimiter, path)
    # In files separated by semicolons the decimal mark is often a comma.
    comma = delimiter == ";"
    columns = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        if name in as_text:
            columns[name] = np.array(values, dtype=object)
        else:
            columns[name] = _column(values, comma)
    return Table(columns, path=str(path), lines=np.array(lines, dtype=np.intp))


def _decoded(content: bytes, path: Path) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{path} is in UTF-16, not in UTF-8: save it as CSV in UTF-8.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line}: byte 0x{content[error.start]:02x} (byte {error.start + 1} of "
            "the file) is not UTF-8. Save the file as CSV in UTF-8."
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(f"{path}, line {line}: holds a NUL character, so this is no text file.")
    return text


def _delimiter(text: str) -> str:
    """Find the delimiter that cuts the first line into most fields."""

    def fields(delimiter: str) -> int:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        try:
            return len(next((record for record in reader if record), []))
        except csv.Error:
            return 0

    return max(_DELIMITERS, key=fields)


def _records(text: str, delimiter: str, path: Path) -> tuple[list[str], list[list[str]], list[int]]:
    """Column names, rows, and the line on which each row starts."""
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True
    )
    names: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1
    try:
        for record in reader:
            start, line = line, reader.line_num + 1
            if not record:
                continue
            if not names:
                names = _names(record, f"{path}, line {start}")
                continue
            if len(record) != len(names):
                raise DataError(
                    f"{path}, line {start}: {len(record)} fields, but the header has {len(names)}."
                )
            rows.append(record)
            lines.append(start)
    except csv.Error as error:
        raise DataError(f"{path}, line {line}: {_quoting(error)}") from None
    if not names:
        raise DataError(f"{path} is empty.")
    if not rows:
        raise DataError(f"{path} has a header but no rows.")
    return names, rows, lines


def _quoting(error: csv.Error) -> str:
    message = str(error)
    if "unexpected end" in message or "field larger" in message:
        return 'a quote (") opened in this row is never closed.'
    if "expected after" in message:
        return (
            'text follows a closing quote ("). Write a quote inside a field twice (""), '
            "or close the quote that an earlier line left open."
        )
    return f"{message}."


def _names(record: list[str], where: str) -> list[str]:
    names = [name.strip() or f"column {k}" for k, name in enumerate(record, 1)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        shown = ", ".join(repr(name) for name in twice[:5])
        raise DataError(f"{where}: column names must differ, but {shown} comes more than once.")
    numbers = [_number(name, comma=False) for name in names]
    # Consecutive integers may be names: years, or what a data frame calls columns without any.
    if None not in numbers and not _consecutive(numbers):
        raise DataError(
            f"{where}: holds numbers ({', '.join(names[:3])}{', ...' if names[3:] else ''}) where "
            "column names should be. Add a first line that names the columns."
        )
    return names


def _consecutive(numbers: list[float | None]) -> bool:
    first = numbers[0]
    return (
        first is not None
        and numbers == [first + k for k in range(len(numbers))]
        and (first.is_integer())
    )


def _number(text: str, comma: bool) -> float | None:
    if "_" in text:  # Python would read 1_000 as a number
        return None
    try:
        return float(text)
    except ValueError:
        pass
    if comma and text.count(",") == 1:
        return _number(text.replace(",", "."), comma=False)
    return None


def _column(values: Sequence[str], comma: bool) -> NDArray[Any]:
    try:
        numbers: list[float | None] = [*map(float, values)]
    except ValueError:
        pass
    else:
        if "_" not in "".join(values):
            return np.array(numbers, dtype=np.float64)
    values = [value.strip() for value in values]
    numbers = []
    for value in values:
        number = float("nan") if value in _MISSING else _number(value, comma)
        if number is None:
            return np.array([None if v in _MISSING else v for v in values], dtype=object)
        numbers.append(number)
    return np.array(numbers, dtype=np.float64)


def write(columns: Mapping[str, Any], stream: BinaryIO) -> None:
    """Write columns; see :func:`unclustered.tables.write_table`."""
    cells = [map(_cell, np.asarray(values).tolist()) for values in columns.values()]
    for row in [map(_cell, columns), *zip(*cells, strict=True)]:
        # An empty line would be no row.
        stream.write(((",".join(row) or '""') + "\n").encode())


def _cell(value: Any) -> str:
    """Cell as it is written: missing values empty, and no text that a spreadsheet would run."""
    if value is None or value != value:
        return ""
    text = str(value)
    if not isinstance(value, str):
        return text
    if text.startswith(("=", "+", "-", "@", "\t", "\r")) and _number(text, comma=False) is None:
        text = f"'{text}"
    # Python's csv.writer would leave a lone carriage return and the other delimiters unquoted.
    special = any(c in text for c in ('"', "\r", "\n", *_DELIMITERS))
    return '"' + text.replace('"', '""') + '"' if special else text
