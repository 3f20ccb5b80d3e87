"""One table of several files: those of a folder, or all that a pattern names."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import DataError
from ._table import Table

__all__ = ["files_of", "joined"]


def files_of(path: Path) -> list[Path]:
    """Files that a name stands for: itself, the Parquet files of a folder, a pattern's."""
    if path.is_dir():
        files = sorted(path.glob("*.parquet"))
        if not files:
            raise DataError(f"{path} is a folder, and holds no file *.parquet.")
        return files
    if glob.has_magic(str(path)) and not path.exists():
        files = sorted(Path(name) for name in glob.glob(str(path)))
        if not files:
            raise DataError(f"{path}: there is no such file, and none that fits the pattern.")
        return files
    return [path]


def joined(tables: Sequence[Table], path: str) -> Table:
    """Rows of all tables below each other; all must have the columns of the first."""
    if len(tables) == 1:
        return tables[0]
    width = max(map(len, tables))
    first, *others = tables = [table.widened(width) for table in tables]
    for other in others:
        if _names(first) != _names(other):
            odd = sorted(set(first.everything) ^ set(other.everything))
            told = (
                f"{', '.join(map(repr, odd[:5]))} in one of them only" if odd else "another order"
            )
            raise DataError(f"{other.path} has other columns than {first.path}: {told}.")
    return Table(
        {name: _below(name, tables) for name in first.columns},
        path=path,
        sparse=None if first.sparse is None else sp.vstack([t.sparse for t in tables], "csr"),
        sparse_names=first.sparse_names,
        about={name: _below(name, tables) for name in first.about},
        format=first.format,
    )


def _names(table: Table) -> tuple[Any, ...]:
    return {*table.columns}, {*table.about}, [name for name in table if name not in table.columns]


def _below(name: str, tables: Sequence[Table]) -> NDArray[Any]:
    """Column of all tables; where one has no value in it, its type there tells nothing."""
    columns = [table.everything[name] for table in tables]
    kinds = [_kind(column) for column in columns]
    known = [(kind, table.path) for kind, table in zip(kinds, tables, strict=True) if kind]
    for kind, path in known:
        if kind != known[0][0]:
            raise DataError(
                f"Column {name!r} holds {known[0][0]} in {known[0][1]}, but {kind} in {path}."
            )
    if known and known[0][0] != "numbers":
        nothing = np.array([None], dtype=object)
        columns = [
            column if kind else np.repeat(nothing, len(column))
            for column, kind in zip(columns, kinds, strict=True)
        ]
    return np.concatenate(columns)


def _kind(column: NDArray[Any]) -> str | None:
    """Tell what a column holds; None if it holds nothing."""
    if column.dtype.kind == "b":
        return "true and false"
    if column.dtype.kind == "O":
        return "text"
    return None if np.isnan(column).all() else "numbers"
