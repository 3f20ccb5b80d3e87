"""A and B as a command's options give them: two files, or one and a column that tells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import DataError, ParameterError
from ._frame import shown, waiting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..tables import Table

__all__ = ["Pair", "read_pair"]


@dataclass(frozen=True)
class Pair:
    """The tables of A and B, and what is needed to speak of them.

    Attributes
    ----------
    tables : pair of Table
        As they were read.
    used : pair of Table
        The columns that the options leave.
    files : list of Path
        The files they come from.
    sources : pair of str
        What messages call A and B.
    groups : pair of ndarray or None
        What each row belongs to.
    rows : pair of ndarray
        Number of each row in its file, counted from 1.
    id_ : str or None
        Column that names the rows.
    by : str or None
        Column that tells A from B, where both are from one file.
    """

    tables: tuple[Table, Table]
    used: tuple[Table, Table]
    files: list[Path]
    sources: tuple[str, str]
    groups: tuple[Any, Any] | None
    rows: tuple[NDArray[np.intp], NDArray[np.intp]]
    id_: str | None
    by: str | None

    @property
    def record(self) -> dict[str, dict[str, Any]]:
        """Files and rows of A and B, as plain data."""
        return {
            name: {"file": source, "rows": table.n_rows}
            for name, source, table in zip("AB", self.sources, self.tables, strict=True)
        }

    def hashes(self) -> list[dict[str, str]] | None:
        """Name and SHA-256 of each file; None where one cannot be read again."""
        from ..tables import file_hashes

        found: dict[str, str] = {}
        for file in self.files:
            hashes = file_hashes(file)
            if hashes is None:
                return None
            found |= hashes
        return [{"name": name, "sha256": digest} for name, digest in found.items()]

    @property
    def ids(self) -> tuple[list[Any], list[Any]]:
        """What the rows are called: by the column that names them, or by their numbers."""
        if self.id_ is None:
            return self.rows[0].tolist(), self.rows[1].tolist()
        first, second = (table.everything[self.id_].tolist() for table in self.tables)
        return first, second


def read_pair(
    a: Path,
    b: Path | None,
    *,
    by: str | None,
    id_: str | None,
    groups: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    format: str | None = None,
    part: str | None = None,
    quiet: bool = False,
) -> Pair:
    """Read what a command was given, and choose its columns."""
    import numpy as np

    from ..tables import read_table

    if (b is None) == (by is None):
        raise typer.BadParameter(
            "Give two files, A and B, or one file and the column that tells them apart: --by."
        )
    if b is not None and str(a) == str(b) == "-":
        raise ParameterError("A and B cannot both be standard input.")
    named = {"--id": id_, "--groups": groups}
    identifiers = {option: name for option, name in named.items() if name is not None}
    files = [a] if b is None else [a, b]
    read = []
    for path in files:
        with waiting(f"reading {shown(str(path))}", quiet):
            read.append(read_table(path, as_text=identifiers.values(), format=format, part=part))
    if b is not None:
        # Columns that have only numbers may end sooner in one file than in the other.
        tables = read[0].widened(len(read[1])), read[1].widened(len(read[0]))
        sources = str(a), str(b)
        rows = np.arange(1, tables[0].n_rows + 1), np.arange(1, tables[1].n_rows + 1)
    else:
        assert by is not None
        values, masks = _halves(read[0], by)
        tables = read[0].take(masks[0]), read[0].take(masks[1])
        sources = f"{a}, {by} = {values[0]}", f"{a}, {by} = {values[1]}"
        rows = np.flatnonzero(masks[0]) + 1, np.flatnonzero(masks[1]) + 1
    left_out = {*identifiers.values()} | ({by} if by is not None else set())
    used = _selected(tables, columns or [], drop or [], identifiers, left_out)
    grouped = None
    if groups is not None:
        grouped = tables[0].everything[groups], tables[1].everything[groups]
    return Pair(tables, used, files, sources, grouped, rows, id_, by)


def _halves(table: Table, by: str) -> tuple[list[Any], list[NDArray[np.bool_]]]:
    """Find the two values of a column, in order, and the rows of each."""
    import numpy as np

    if by not in table.everything:
        raise ParameterError(
            f"--by {by}: there is no such column in {table.path}. There are: "
            f"{', '.join(shown(name) for name in table)}."
        )
    values = table.everything[by]
    if values.dtype.kind == "O":
        missing = np.array([value is None for value in values])
    else:
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
    if missing.any():
        first = int(np.flatnonzero(missing)[0])
        where = f"row {first + 1}" if table.lines is None else f"line {table.lines[first]}"
        raise DataError(
            f"--by {by}: {table.path} has no value in it in {where} ({int(missing.sum())} rows in "
            "all), so it is not known whether that is A or B."
        )
    found = sorted(set(values.tolist()))
    if len(found) != 2:
        some = ", ".join(shown(_title(value)) for value in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise DataError(
            f"--by {by}: the column must have two values, and {table.path} has {len(found)} "
            f"({some}{more})."
        )
    return [_title(value) for value in found], [values == value for value in found]


def _title(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _selected(
    tables: tuple[Table, Table],
    keep: Sequence[str],
    drop: Sequence[str],
    identifiers: Mapping[str, str],
    never: Collection[str],
) -> tuple[Table, Table]:
    """Tables with the columns that the options leave."""
    known = {name for table in tables for name in table.everything}
    kept, dropped = _split(keep, known), _split(drop, known)
    for option, names in (("--columns", kept), ("--drop", dropped)):
        for name in names:
            if name not in known:
                raise ParameterError(
                    f"{option} {name}: there is no such column. There are: "
                    f"{', '.join(shown(n) for n in tables[0])}."
                )
    for option, name in (*(("--columns", name) for name in kept), *identifiers.items()):
        for table in tables:
            if name not in table.everything:
                raise ParameterError(f"{option} {name}: {table.path} has no such column.")
    left_out = {*dropped, *never}
    first, second = (
        table.select(n for n in (dict.fromkeys(kept) or table) if n not in left_out)
        for table in tables
    )
    if not (first and second):
        raise ParameterError("--columns, --drop, --id, --groups and --by together leave no column.")
    return first, second


def _split(names: Sequence[str], known: set[str]) -> list[str]:
    """Column names as given, or separated by commas where no column is called that."""
    found: list[str] = []
    for name in names:
        found += [name] if name in known else [part.strip() for part in name.split(",")]
    return found
