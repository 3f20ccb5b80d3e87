"""Any table as plain arrays: numbers in one block, text as codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["Columns", "Numbers", "Place", "Text", "listing", "sentence"]

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Place:
    """Says in a message where a value is: in which dataset, file, row."""

    dataset: str
    named: bool = True
    path: str | None = None
    lines: NDArray[np.intp] | None = None

    def __str__(self) -> str:
        return self.dataset if self.path is None else f"{self.dataset} ({self.path})"

    def title(self, name: str) -> str:
        """Column, as in ``column 'age'``, or ``column 3`` of an array."""
        return f"column {name!r}" if self.named else f"column {name}"

    def column(self, name: str) -> str:
        """Column at the start of a sentence, as in ``Column 'age' of A (a.csv)``."""
        return sentence(f"{self.title(name)} of {self}")

    def rows(self, rows: Sequence[int] | NDArray[np.intp]) -> str:
        """Rows, as in ``lines 4 and 9`` of a file or ``row 2``."""
        numbers = [int(r if self.lines is None else self.lines[r]) for r in rows[:5]]
        word = "row" if self.lines is None else "line"
        text = listing([str(number) for number in numbers], total=len(rows))
        return f"{word}{'s' if len(rows) > 1 else ''} {text}"

    @property
    def counted(self) -> str:
        """What to add, once, to a message that names rows."""
        return " (rows are counted from 0)" if self.lines is None else ""


def sentence(text: str) -> str:
    """Text that begins with a capital, the rest as it is."""
    return text[:1].upper() + text[1:]


def listing(words: Sequence[str], total: int) -> str:
    """Words as a sentence lists them: ``a, b and 3 more``."""
    rest = total - len(words)
    words = [*words, f"{rest} more"] if rest else list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


@dataclass(frozen=True, eq=False)
class Text:
    """A column of text: ``levels[codes[i]]`` is the value of row i; code -1 is a missing value."""

    codes: NDArray[np.intp]
    levels: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str | None], n_rows: int) -> Text:
        """Codes of these values, levels in order of appearance."""
        seen: dict[str, int] = {}
        codes = np.fromiter(
            (-1 if value is None else seen.setdefault(str(value), len(seen)) for value in values),
            dtype=np.intp,
            count=n_rows,
        )
        return cls(codes, tuple(seen))


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers, NaN where missing, and the relative precision it was stored with."""

    values: Float
    precision: float = 0.0


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of one table.

    ``block`` holds the columns of numbers, dense (NaN: missing) or CSR; ``texts`` the others.
    ``precision`` is the machine epsilon of each number's own type, 0 for integers. ``library`` is
    the data frame library that the table came from.
    """

    place: Place
    names: tuple[str, ...]
    number_names: tuple[str, ...]
    block: Any
    precision: Float
    texts: dict[str, Text]
    library: str | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.block.shape[0])

    @cached_property
    def _position(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.number_names)}

    def numbers(self, names: Sequence[str]) -> Any:
        """Block of these columns of numbers, in this order; a copy."""
        if tuple(names) == self.number_names:
            return self.block.copy()
        return self.block[:, [self._position[name] for name in names]]

    def precision_of(self, names: Sequence[str]) -> Float:
        """Precision of these columns of numbers."""
        return self.precision[[self._position[name] for name in names]]

    @cached_property
    def blank(self) -> frozenset[str]:
        """Columns that hold no value at all; whatever their type, they count as numbers."""
        if sp.issparse(self.block):
            return frozenset()
        empty = np.isnan(self.block).all(axis=0)
        return frozenset(self.number_names[k] for k in np.flatnonzero(empty))
