"""A table in memory: named columns, and where they came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Table"]


@dataclass(frozen=True, eq=False, repr=False)
class Table(Mapping[str, NDArray[Any]]):
    """Columns of a file, by name, that remember the line each row came from.

    Parameters
    ----------
    columns : dict from str to ndarray
        Floats (NaN: missing) or str objects (None: missing), all of one length.
    path : str, optional
        The file, for messages.
    lines : ndarray of int, optional
        First line of each row in the file, counted from 1.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.tables import Table
    >>> table = Table({"size": np.array([1.0, 2.0])})
    >>> table.n_rows, list(table), table["size"][1]
    (2, ['size'], np.float64(2.0))
    """

    columns: dict[str, NDArray[Any]]
    path: str | None = None
    lines: NDArray[np.intp] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return next((len(values) for values in self.columns.values()), 0)

    def select(self, names: Iterable[str]) -> Table:
        """Table of these columns only."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"Table({self.n_rows} rows, {len(self)} columns)"
