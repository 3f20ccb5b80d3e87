"""One table of several files: those of a folder, or all that a pattern names."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

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
    first = tables[0]
    if len(tables) == 1:
        return first
    for table in tables[1:]:
        _check_alike(first, table)
    if first.sparse is not None:
        tables = _equally_wide(tables)
    return Table(
        {name: _below([table.columns[name] for table in tables]) for name in first.columns},
        path=path,
        sparse=None if first.sparse is None else sp.vstack([t.sparse for t in tables], "csr"),
        sparse_names=first.sparse_names,
        about={name: _below([table.about[name] for table in tables]) for name in first.about},
        format=first.format,
    )


def _check_alike(first: Table, other: Table) -> None:
    numbered = first.sparse is not None and first.sparse_names is None
    same = set(first.columns) == set(other.columns) and set(first.about) == set(other.about)
    if (
        not same
        or (first.sparse is None) != (other.sparse is None)
        or (not numbered and list(first) != list(other) and first.sparse is not None)
    ):
        odd = sorted(set(first.everything) ^ set(other.everything))
        told = f": {', '.join(map(repr, odd[:5]))} in one of them only" if odd else ""
        raise DataError(f"{other.path} has other columns than {first.path}{told}.")
    for name, values in first.columns.items():
        kinds = [_kind(column) for column in (values, other.columns[name])]
        if kinds[0] != kinds[1]:
            raise DataError(
                f"Column {name!r} holds {kinds[0]} in {first.path}, but {kinds[1]} in {other.path}."
            )


def _kind(column: Any) -> str:
    return {"O": "text or other values", "b": "true and false"}.get(column.dtype.kind, "numbers")


def _below(columns: Sequence[Any]) -> Any:
    return np.concatenate(columns)


def _equally_wide(tables: Sequence[Table]) -> list[Table]:
    width = max(table.sparse.shape[1] for table in tables)
    return [table.widened(width) for table in tables]
