"""A table in memory: named columns, and where they came from."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Table"]


@dataclass(frozen=True, eq=False, repr=False)
class Table(Mapping[str, NDArray[Any]]):
    """Columns of a file, by name, that remember where each row came from.

    Parameters
    ----------
    columns : dict from str to ndarray
        Numbers (NaN: missing), true and false, or str objects (None: missing), all of one length.
    path : str, optional
        The file, for messages.
    lines : ndarray of int, optional
        First line of each row in the file, counted from 1.
    sparse : csr_array, optional
        Further columns, most of whose values are 0.
    sparse_names : tuple of str, optional
        Their names. Without any they are numbered from 0, and those behind the last are all 0.
    about : dict from str to ndarray, optional
        What the file tells about the rows beside the samples' values, such as names or a target.
        It is not used unless it is asked for, and not iterated over.
    format : str, optional
        Name of the file's format.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.tables import Table
    >>> table = Table({"size": np.array([1.0, 2.0])}, about={"cell": np.array(["c1", "c2"])})
    >>> table.n_rows, list(table), table["size"][1]
    (2, ['size'], np.float64(2.0))
    >>> table.select(["cell", "size"])
    Table(2 rows, 2 columns)
    """

    columns: dict[str, NDArray[Any]]
    path: str | None = None
    lines: NDArray[np.intp] | None = None
    sparse: Any = None
    sparse_names: tuple[str, ...] | None = None
    about: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    format: str | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        if self.sparse is not None:
            return int(self.sparse.shape[0])
        return next((len(values) for values in (*self.columns.values(), *self.about.values())), 0)

    @property
    def everything(self) -> Mapping[str, NDArray[Any]]:
        """The columns, and what is told about the rows."""
        return ChainMap(self, self.about)  # type: ignore[arg-type]

    def select(self, names: Iterable[str]) -> Table:
        """Table of these columns only; what is told about the rows may be among them."""
        names = list(names)
        columns = {n: self.everything[n] for n in names if n not in self._places}
        chosen = [name for name in names if name in self._places]
        if not chosen:
            return replace(self, columns=columns, sparse=None, sparse_names=None)
        if len(chosen) == len(self._places):
            return replace(self, columns=columns)
        block = self.sparse[:, [self._places[name] for name in chosen]]
        still_numbered = self.sparse_names is None and chosen == [*map(str, range(len(chosen)))]
        sparse_names = None if still_numbered else tuple(chosen)
        return replace(self, columns=columns, sparse=block, sparse_names=sparse_names)

    def take(self, rows: NDArray[Any]) -> Table:
        """Table of these rows only: their numbers, or a mask."""
        return replace(
            self,
            columns={name: values[rows] for name, values in self.columns.items()},
            lines=None if self.lines is None else self.lines[rows],
            sparse=None if self.sparse is None else self.sparse[rows],
            about={name: values[rows] for name, values in self.about.items()},
        )

    def widened(self, n_numbered: int) -> Table:
        """Table with at least this many numbered columns, the further ones all 0."""
        if self.sparse is None or self.sparse_names is not None:
            return self
        block = self.sparse.copy()
        block.resize(self.n_rows, max(n_numbered, block.shape[1]))
        return replace(self, sparse=block)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Position of each sparse column."""
        if self.sparse is None:
            return {}
        names = self.sparse_names
        return {n: k for k, n in enumerate(names or map(str, range(self.sparse.shape[1])))}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name in self._places:
            column: NDArray[Any] = self.sparse[:, [self._places[name]]].toarray()[:, 0]
            return column
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.columns
        yield from self._places

    def __len__(self) -> int:
        return len(self.columns) + len(self._places)

    def __repr__(self) -> str:
        return f"Table({self.n_rows} rows, {len(self)} columns)"
