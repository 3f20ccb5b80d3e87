"""Text with a row on each line, its fields separated by a delimiter."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ._columns import header, plain_list
from ._delimited_fast import plain_chunks, read_plain
from ._files import opened, shown_name
from ._source import Source
from ._table import Table
from ._text import text_lines

__all__ = ["delimited_chunks", "read_delimited", "write_delimited", "write_delimited_chunks"]

# What pandas.read_csv takes for missing, so that a file means the same to both.
MISSING = frozenset(
    ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null", "None")
)
_DELIMITERS = (",", ";", "\t")
_CHUNK = 2**18  # fields that are held as text at a time
_FIRST_ROWS = 1000  # are read to see whether a large file is plain
_LARGE = 2**22  # bytes; smaller files are read before another library is loaded


def read_delimited(
    source: Source, as_text: Collection[str], delimiters: Sequence[str] = _DELIMITERS
) -> Table:
    """Read a file whose delimiter is the one of these that its first row has most of."""
    delimiter = _delimiter(source, delimiters)
    if source.size >= _LARGE and (table := _if_plain(source, delimiter, as_text)) is not None:
        return table
    reading = _Reading(source, delimiter, as_text)
    if late := reading.late_text:
        # The words came behind many numbers, which are wanted as they are written.
        reading = _Reading(source, delimiter, as_text, text=late)
    columns = {name: column.values() for name, column in reading.columns.items()}
    return Table(columns, lines=np.frombuffer(reading.lines, dtype=np.int64).astype(np.intp))


def _if_plain(source: Source, delimiter: str, as_text: Collection[str]) -> Table | None:
    first = _Reading(source, delimiter, as_text, _FIRST_ROWS)
    if first.lines[0] != 2:
        return None
    columns = read_plain(source, delimiter, first.kinds, _cleaned, MISSING)
    if columns is None:
        return None
    n_rows = len(next(iter(columns.values())))
    return Table(columns, lines=np.arange(2, n_rows + 2, dtype=np.intp))


def _delimiter(source: Source, delimiters: Sequence[str]) -> str:
    """Find the delimiter that the first row has most of outside quotes."""
    first: list[str] = []
    n_quotes = n_read = 0
    with text_lines(source) as lines:
        for line in lines:
            if first or line.strip("\r\n"):
                first.append(line)
                n_quotes += line.count('"')
                n_read += len(line)
                if n_quotes % 2 == 0 or n_read > csv.field_size_limit():
                    break
    outside = re.sub('"[^"]*"', "", "".join(first))
    return max(delimiters, key=outside.count)


class _Reading:
    """One pass over a file: names, columns, and the line on which each row starts."""

    def __init__(
        self,
        source: Source,
        delimiter: str,
        as_text: Collection[str],
        most_rows: int | None = None,
        text: Collection[str] = (),
    ) -> None:
        self.lines = array("q")
        # In files separated by semicolons the decimal mark is often a comma.
        comma = delimiter == ";"
        with text_lines(source) as lines:
            records = self._records(lines, delimiter, source.name)
            names = next(records, None)
            if names is None:
                raise DataError(f"{source.name} is empty.")
            self.columns = {
                name: _Column(raw=name in as_text, text=name in text, comma=comma) for name in names
            }
            columns = list(self.columns.values())
            records = islice(records, most_rows)
            n_chunk = max(1, _CHUNK // len(names))
            while rows := list(islice(records, n_chunk)):
                for column, values in zip(columns, zip(*rows, strict=True), strict=True):
                    column.add(values)
                if len(self.lines) == n_chunk and most_rows is None:
                    done = source.stream.tell() / max(source.size, 1)
                    source.require_memory(8 * n_chunk * len(names) / done)
        if not self.lines:
            raise DataError(f"{source.name} has a header but no rows.")

    @property
    def kinds(self) -> dict[str, str]:
        """Whether each column holds numbers, text, or is kept raw."""
        return {name: column.kind for name, column in self.columns.items()}

    @property
    def late_text(self) -> list[str]:
        """Columns of text that began with numbers, whose values were not kept."""
        return [name for name, column in self.columns.items() if column.late]

    def _records(self, lines: Iterator[str], delimiter: str, name: str) -> Iterator[list[str]]:
        reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)
        n_fields = 0
        line = 1
        try:
            for record in reader:
                start, line = line, reader.line_num + 1
                if not record:
                    continue
                if not n_fields:
                    n_fields = len(record)
                    yield header(record, f"{name}, line {start}")
                    continue
                if len(record) != n_fields:
                    raise DataError(
                        f"{name}, line {start}: {len(record)} fields, but the header has "
                        f"{n_fields}."
                    )
                self.lines.append(start)
                yield record
        except csv.Error as error:
            raise DataError(f"{name}, line {line}: {_quoting(error)}") from None


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


class _Column:
    """A column as it grows: numbers as long as they are, text once they are not."""

    __slots__ = ("_comma", "_numbers", "_seen", "_text", "kind", "late")  # there may be many

    def __init__(self, raw: bool, text: bool, comma: bool) -> None:
        self.kind = "raw" if raw else "text" if text else "numbers"
        self.late = False
        self._comma = comma
        self._numbers = array("d")
        self._text: list[str | None] | None = None
        self._seen: _Cleaned | None = None

    def add(self, values: Sequence[str]) -> None:
        if self.kind == "numbers":
            numbers = _as_numbers(values, self._comma)
            if numbers is not None:
                self._numbers.extend(numbers)
                return
            self.kind = "text"
            self.late = len(self._numbers) > 0
            del self._numbers[:]
        if self.late:
            return
        if self._text is None:
            self._text = []
        if self.kind == "raw":
            self._text.extend(values)
            return
        if self._seen is None or len(self._seen) > _CHUNK:  # hardly a value comes twice
            self._seen = _Cleaned()
        self._text.extend([self._seen[value] for value in values])

    def values(self) -> NDArray[Any]:
        if self.kind == "numbers":
            return np.frombuffer(self._numbers, dtype=np.float64)
        return np.array(self._text, dtype=object)


class _Cleaned(dict[str, str | None]):
    """Text by the field it was; equal values are one object."""

    def __missing__(self, field: str) -> str | None:
        self[field] = text = _cleaned(field)
        return text


def _cleaned(field: str) -> str | None:
    text = field.strip()
    return None if text in MISSING else text


def _as_numbers(values: Sequence[str], comma: bool) -> list[float] | None:
    try:
        numbers = [*map(float, values)]
    except ValueError:
        pass
    else:
        if "_" not in "".join(values):
            return numbers
    numbers = []
    for value in map(str.strip, values):
        number = float("nan") if value in MISSING else _number(value, comma)
        if number is None:
            return None
        numbers.append(number)
    return numbers


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


def delimited_chunks(
    path: Path, as_text: Collection[str], n_rows: int, delimiters: Sequence[str] = _DELIMITERS
) -> Iterator[Table]:
    """Read some rows at a time; the first thousand tell what each column holds."""
    with opened(path) as stream:
        source = Source(stream, shown_name(path))
        delimiter = _delimiter(source, delimiters)
        first = _Reading(source, delimiter, as_text, _FIRST_ROWS)
        start = first.lines[0]
        for columns in plain_chunks(source, delimiter, first.kinds, _cleaned, MISSING, n_rows):
            stop = start + len(next(iter(columns.values())))
            yield Table(columns, source.name, np.arange(start, stop, dtype=np.intp))
            start = stop


def write_delimited_chunks(
    chunks: Iterable[Mapping[str, Any]], stream: BinaryIO, delimiter: str
) -> None:
    """Write a first line of names and a line a row, some rows at a time."""
    for number, columns in enumerate(chunks):
        if not number:
            _write_row(map(_cell, columns), stream, delimiter)
        cells = [map(_cell, plain_list(values)) for values in columns.values()]
        lines = (delimiter.join(row) or '""' for row in zip(*cells, strict=True))
        stream.write("".join(f"{line}\n" for line in lines).encode())


def write_delimited(columns: Mapping[str, Any], stream: BinaryIO, delimiter: str) -> None:
    """Write a first line of names and a line a row."""
    cells = [map(_cell, plain_list(values)) for values in columns.values()]
    _write_row(map(_cell, columns), stream, delimiter)
    for row in zip(*cells, strict=True):
        _write_row(row, stream, delimiter)


def _write_row(cells: Iterator[str] | tuple[str, ...], stream: BinaryIO, delimiter: str) -> None:
    # An empty line would be no row.
    stream.write(((delimiter.join(cells) or '""') + "\n").encode())


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
