"""What two large tables hold, from one look at each of their chunks."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..bags import Encoding, pool
from ..bags.columns import Columns
from ..bags.reading import read_columns
from ..errors import DataError, DroppedColumnWarning

__all__ = ["survey"]

SAMPLED_ROWS = 2**15  # of each dataset: columns are measured on them


@dataclass
class _Seen:
    """Rows of a dataset that are kept: a random sample, and the first of every level."""

    dataset: str
    names: tuple[str, ...] = ()
    named: bool = True
    n_rows: int = 0
    keys: list[NDArray[np.float64]] = field(default_factory=list)
    columns: dict[str, list[NDArray[Any]]] = field(default_factory=dict)
    levels: dict[str, set[str]] = field(default_factory=dict)
    counting: dict[str, float] | None = None
    """Columns that number the rows so far, and their last value."""

    def add(self, columns: Columns, keys: NDArray[np.float64]) -> None:
        if not self.n_rows:
            self.names, self.named = columns.names, columns.place.named
            self.columns = {name: [] for name in self.names}
        elif set(columns.names) != set(self.names):
            odd = sorted(set(columns.names) ^ set(self.names))
            raise DataError(
                f"The columns of {columns.place} change on the way: {odd[:5]} are not in all parts."
            )
        self._count(columns)
        self.n_rows += columns.n_rows
        rows = (
            np.argpartition(keys, SAMPLED_ROWS)[:SAMPLED_ROWS]
            if len(keys) > SAMPLED_ROWS
            else (np.arange(len(keys)))
        )
        chosen = {*rows.tolist()}
        for name, text in columns.texts.items():
            known = self.levels.setdefault(name, set())
            for code, level in enumerate(text.levels):
                if level not in known:
                    known.add(level)
                    first = int(np.flatnonzero(text.codes == code)[0])
                    chosen.add(first)
                    keys[first] = -1.0  # stays, whatever comes
        rows = np.array(sorted(chosen))
        self.keys.append(keys[rows])
        for name in self.names:
            if name in columns.texts:
                text = columns.texts[name]
                values = np.array([*text.levels, None], dtype=object)[text.codes[rows]]
            else:
                values = columns.numbers([name])[rows, 0]
            self.columns[name].append(values)
        if sum(map(len, self.keys)) > 4 * SAMPLED_ROWS:
            self._thin()

    def _count(self, columns: Columns) -> None:
        running: dict[str, float] = {}
        for name in columns.number_names if columns.place.named else ():
            before = None if self.counting is None else self.counting.get(name)
            if self.counting is not None and before is None:
                continue
            values = columns.numbers([name])[:, 0]
            steps = np.diff(values) if before is None else np.diff(values, prepend=before)
            if (steps == 1.0).all():
                running[name] = float(values[-1])
        self.counting = running

    def _thin(self) -> None:
        keys = np.concatenate(self.keys)
        some = np.argsort(keys, kind="stable")[:SAMPLED_ROWS]
        stays = np.sort(np.union1d(some, np.flatnonzero(keys < 0)))
        self.keys = [keys[stays]]
        for name, parts in self.columns.items():
            self.columns[name] = [_below(parts)[stays]]

    def table(self) -> Any:
        """Table of the rows that were kept."""
        self._thin()
        columns = {name: parts[0] for name, parts in self.columns.items()}
        return columns if self.named else np.column_stack([*columns.values()])


def _below(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Parts of a column; a part without any value has the type of the others."""
    if any(part.dtype == object for part in parts):
        parts = [part if part.dtype == object else _with_none(part) for part in parts]
    return np.concatenate(parts)


def _with_none(part: NDArray[Any]) -> NDArray[Any]:
    cells = part.astype(object)
    cells[np.isnan(part)] = None
    return cells


def survey(
    A: Iterable[Any],
    B: Iterable[Any],
    *,
    standardize: bool,
    missing: Literal["error", "impute"],
    random_state: np.random.Generator,
) -> tuple[Encoding, int, int]:
    """How the columns become numbers, and the numbers of rows of A and of B.

    Units and medians are those of a random sample; levels are complete.
    """
    seen = []
    for dataset, chunks in (("A", A), ("B", B)):
        one = _Seen(dataset)
        for chunk in chunks:
            columns = read_columns(chunk, dataset)
            if columns.n_rows:
                one.add(columns, random_state.random(columns.n_rows))
        if not one.n_rows:
            raise DataError(f"{dataset} has no rows.")
        seen.append(one)
    a, b = seen
    _, encoding = pool(a.table(), b.table(), standardize=standardize, missing=missing)
    counting = {*(a.counting or ())} & {*(b.counting or ())} & {*encoding.numbers}
    if counting and min(a.n_rows, b.n_rows) >= 10:
        listed = ", ".join(map(repr, sorted(counting)))
        warnings.warn(
            f"Columns left out: {listed} (numbers the rows).", DroppedColumnWarning, stacklevel=3
        )
        encoding, _ = encoding.without(dict.fromkeys(sorted(counting), "numbers the rows"))
    return encoding, a.n_rows, b.n_rows
