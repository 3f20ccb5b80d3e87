"""Large plain files in a fraction of the time, with pyarrow where it is installed.

Plain means: no quotes but in the first line, no blank lines, no lone carriage returns. There
pyarrow and the reader of :mod:`._delimited` agree to the last bit; whatever else a file holds is
left to the latter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ._extras import need
from ._source import Source

__all__ = ["plain_chunks", "read_plain"]

_BLOCK = 2**22


def read_plain(
    source: Source,
    delimiter: str,
    kinds: Mapping[str, str],
    cleaned: Callable[[str], str | None],
    missing: Collection[str],
) -> dict[str, NDArray[Any]] | None:
    """Columns of a plain file, whose first rows hold these kinds of values; None if it is not."""
    try:
        from pyarrow import ArrowException, csv, float64, string
    except ImportError:
        return None
    source.stream.seek(0)
    first_row = len(source.stream.readline())
    if not _is_plain(source.stream):
        return None
    source.stream.seek(first_row)
    places = [str(k) for k in range(len(kinds))]
    types = [float64() if kind == "numbers" else string() for kind in kinds.values()]
    try:
        table = csv.read_csv(
            source.stream,
            csv.ReadOptions(column_names=places, block_size=_BLOCK),
            csv.ParseOptions(delimiter=delimiter, quote_char=False),
            csv.ConvertOptions(
                column_types=dict(zip(places, types, strict=True)), null_values=list(missing)
            ),
        )
    except (ArrowException, ValueError):
        return None
    if not table.num_rows:
        return None
    return _columns(table, kinds, cleaned)


def plain_chunks(
    source: Source,
    delimiter: str,
    kinds: Mapping[str, str],
    cleaned: Callable[[str], str | None],
    missing: Collection[str],
    n_rows: int,
) -> Iterator[dict[str, NDArray[Any]]]:
    """Columns of a file of any size, about so many rows at a time."""
    csv = need("pyarrow.csv", "parquet", "Text files some rows at a time")
    arrow = need("pyarrow", "parquet", "Text files some rows at a time")
    places = [str(k) for k in range(len(kinds))]
    types = [arrow.float64() if kind == "numbers" else arrow.string() for kind in kinds.values()]
    source.stream.seek(0)
    with source.read_as("delimited"):
        reader = csv.open_csv(
            source.stream,
            csv.ReadOptions(
                column_names=places, skip_rows=1, block_size=max(2**16, 12 * n_rows * len(kinds))
            ),
            csv.ParseOptions(delimiter=delimiter),
            csv.ConvertOptions(
                column_types=dict(zip(places, types, strict=True)),
                null_values=list(missing),
                strings_can_be_null=False,
            ),
        )
        for batch in reader:
            if batch.num_rows:
                yield _columns(arrow.Table.from_batches([batch]), kinds, cleaned)


def _columns(
    table: Any, kinds: Mapping[str, str], cleaned: Callable[[str], str | None]
) -> dict[str, NDArray[Any]]:
    columns = {}
    for name, kind, column in zip(kinds, kinds.values(), table.itercolumns(), strict=True):
        if kind == "numbers":
            columns[name] = column.to_numpy()
            continue
        codes = column.combine_chunks().dictionary_encode()
        clean = cleaned if kind == "text" else _without_first_spaces
        levels = np.array([clean(level) for level in codes.dictionary.to_pylist()], dtype=object)
        columns[name] = levels[codes.indices.to_numpy()]
    return columns


def _without_first_spaces(field: str) -> str:
    return field.lstrip(" ")


def _is_plain(stream: BinaryIO) -> bool:
    """Whether both readers take the bytes from here on for the same rows and fields."""
    before = b"\n"  # so that a blank first line is one
    while block := stream.read(_BLOCK):
        block = before + block
        # Of parentheses, nan(1) would be a number to pyarrow alone.
        if any(odd in block for odd in (b'"', b"\0", b"(", b"\n\n", b"\n\r")):
            return False
        n_returns = block.count(b"\r", 1)
        if n_returns and n_returns != block.count(b"\r\n", 1) + (block[-1:] == b"\r"):
            return False
        before = block[-1:]
    return True
