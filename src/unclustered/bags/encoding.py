"""From columns to the numbers a method sees, fitted once and then the same for every sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import DataError
from .columns import Columns, Text, listing
from .reading import read_columns

__all__ = ["Encoding", "first_text", "is_number"]

Float = NDArray[np.float64]

# The square of a larger number, summed over the rows, would leave the range of a float.
_LARGEST = 1e100


@dataclass(frozen=True, eq=False, repr=False)
class Encoding:
    """How a table becomes numbers; plain data, fitted on A and B together.

    The encoded columns are the columns of numbers, in the order of A, then for each categorical
    column one indicator per level. Encoded column k of a sample is
    ``(value - means[k]) / scales[k]``.

    Attributes
    ----------
    columns : tuple of str
        All columns of A, in its order. Columns of an array are named ``"0"``, ``"1"``, ...
    named : bool
        Whether columns are matched by name; those of an array are matched by position.
    sparse : bool
        Whether the samples are sparse; these are scaled but not centred.
    numbers : tuple of str
        Columns of numbers that are used.
    levels : dict from str to tuple
        Levels of each categorical column that is used; a last level None stands for missing values.
    dropped : dict from str to str
        Columns left out, and why.
    medians : ndarray or None
        What a missing number is replaced with; None: missing values are an error.
    means, scales : ndarray
        Centre and unit of each encoded column.
    """

    columns: tuple[str, ...]
    named: bool
    sparse: bool
    numbers: tuple[str, ...]
    levels: Mapping[str, tuple[str | None, ...]]
    dropped: Mapping[str, str]
    medians: Float | None
    means: Float
    scales: Float

    def __repr__(self) -> str:
        return (
            f"Encoding({len(self.columns)} columns: {len(self.numbers)} numeric, "
            f"{len(self.levels)} categorical, {len(self.dropped)} dropped)"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the encoded columns."""
        indicators = [
            f"{name}={'(missing)' if level is None else level}"
            for name, levels in self.levels.items()
            for level in levels
        ]
        return (*self.numbers, *indicators)

    def transform(self, table: Any, dataset: str = "X") -> Any:
        """Encode a table of new samples.

        Parameters
        ----------
        table : table or array
            Of any kind that :func:`unclustered.label` takes. Columns that were left out need not be
            there.
        dataset : str
            What messages call the table.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_encoded_columns)
            The samples as the method sees them.
        """
        columns = read_columns(table, dataset)
        if columns.n_rows == 0:
            raise DataError(f"{columns.place} has no rows.")
        self.check_columns(columns)
        return self.scaled(self.encoded(columns))

    def check_columns(self, columns: Columns) -> None:
        """Raise an error unless these are the columns of A (those left out may be missing)."""
        place = columns.place
        if sp.issparse(columns.block) != self.sparse:
            one, other = ("sparse", "dense") if self.sparse else ("dense", "sparse")
            raise DataError(f"{place} must be {one} as A is, but it is {other}.")
        if place.named != self.named:
            what = "no column names, but A has" if self.named else "column names, but A has none"
            raise DataError(
                f"{place} has {what}. Pass two tables, whose columns are matched by name, or two "
                "arrays, whose columns are matched by position."
            )
        if not self.named:
            if len(columns.names) != len(self.columns):
                raise DataError(
                    f"{place} has {len(columns.names)} columns, but A has {len(self.columns)}."
                )
            return
        known, found = set(self.columns), set(columns.names)
        if not known & found:
            raise DataError(
                f"{place} has no column name in common with A: it has {_some(columns.names)}, "
                f"A has {_some(self.columns)}. Does one of them lack the line of column names?"
            )
        absent = [n for n in self.columns if n not in found and n not in self.dropped]
        extra = [n for n in columns.names if n not in known]
        complaints = [
            f"{what} {_some(names)}"
            for what, names in (("lacks", absent), ("has in addition", extra))
            if names
        ]
        if complaints:
            raise DataError(
                f"The columns of {place} are not those of A: it {' and '.join(complaints)}. "
                "Rename or remove columns so that both have the same; their order does not matter."
            )

    def encoded(self, columns: Columns) -> Any:
        """Numbers and indicators, not yet scaled; every check of a value is here."""
        X = self._number_block(columns)
        if not self.levels:
            return X
        return np.hstack([X, *(self._indicators(columns, name) for name in self.levels)])

    def scaled(self, X: Any) -> Any:
        """Centre and scale encoded samples, in place."""
        if sp.issparse(X):
            X.data /= self.scales[X.indices]
            return X
        X -= self.means
        X /= self.scales
        return X

    def without(self, useless: Mapping[str, str]) -> tuple[Encoding, NDArray[np.bool_]]:
        """Leave columns of numbers out; also tells which of the encoded columns remain."""
        stay = np.array([name not in useless for name in self.numbers])
        kept = np.concatenate([stay, np.ones(len(self.means) - len(stay), dtype=bool)])
        encoding = replace(
            self,
            numbers=tuple(name for name in self.numbers if name not in useless),
            dropped={**self.dropped, **useless},
            medians=None if self.medians is None else self.medians[stay],
            means=self.means[kept],
            scales=self.scales[kept],
        )
        return encoding, kept

    def _number_block(self, columns: Columns) -> Any:
        place = columns.place
        if self.sparse:
            block = columns.numbers(self.numbers)
            _check_finite(block.data, lambda k: _sparse_cell(block, k), columns, self.numbers)
            return block
        for name in self.numbers:
            if name in columns.texts:
                raise DataError(
                    f"{place.column(name)} must hold numbers as in A, but "
                    f"{first_text(columns, name)}{place.counted}."
                )
        block = columns.numbers(self.numbers)
        _check_finite(block, lambda k: divmod(k, block.shape[1]), columns, self.numbers)
        missing = np.isnan(block)
        if missing.any():
            if self.medians is None:
                _refuse_missing(columns)
            block = np.where(missing, self.medians, block)
        return block

    def _indicators(self, columns: Columns, name: str) -> Float:
        place = columns.place
        text = columns.texts.get(name)
        if text is None:
            if name not in columns.blank:
                raise DataError(f"{place.column(name)} must hold text as in A, but it has numbers.")
            text = Text.of([None] * columns.n_rows, columns.n_rows)
        if self.medians is None and (text.codes < 0).any():
            _refuse_missing(columns)
        levels = self.levels[name]
        slot_of = {level: k for k, level in enumerate(levels)}
        for code, level in enumerate(text.levels):
            if level not in slot_of:
                raise DataError(
                    f"{place.column(name)} holds {level!r} in "
                    f"{place.rows(np.flatnonzero(text.codes == code))}, a value that neither A nor "
                    f"B had{place.counted}. Leave these rows out."
                )
        # The last slot is the code -1: missing values, which have a level only if A or B had any.
        slots = np.array([*(slot_of[level] for level in text.levels), slot_of.get(None, -1)])
        slot = slots[text.codes]
        indicators = np.zeros((columns.n_rows, len(levels)))
        rows = np.flatnonzero(slot >= 0)
        indicators[rows, slot[rows]] = 1.0
        return indicators


def _some(names: Sequence[str]) -> str:
    return listing([repr(name) for name in names[:5]], len(names))


def first_text(columns: Columns, name: str) -> str:
    """Say which value of a column of text is the first that is no number, and where it is."""
    text, place = columns.texts[name], columns.place
    for row, code in enumerate(text.codes):
        if code >= 0 and not is_number(text.levels[code]):
            return f"{place.rows([row])} holds {text.levels[code]!r}"
    return "they are numbers stored as text, which must be converted"


def is_number(text: str) -> bool:
    """Whether this text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _sparse_cell(block: Any, k: int) -> tuple[int, int]:
    return int(np.searchsorted(block.indptr, k, side="right")) - 1, int(block.indices[k])


def _check_finite(values: Float, cell: Any, columns: Columns, names: tuple[str, ...]) -> None:
    bad = np.abs(values) > _LARGEST  # NaN compares false: a missing value
    if columns_sparse := sp.issparse(columns.block):
        bad |= np.isnan(values)
    if not bad.any():
        return
    first = int(np.flatnonzero(bad)[0])
    row, column = cell(first)
    value = values.flat[first]
    place = columns.place
    if columns_sparse and np.isnan(value):
        advice = "Missing values of a sparse matrix cannot be filled in: remove the row."
    elif np.isinf(value):
        advice = "Remove the row, or replace the value with a number."
    else:
        advice = "Numbers beyond 1e100 cannot be squared and summed: use another unit."
    where = f"{place.rows([row])}{place.counted}"
    raise DataError(f"{place.column(names[column])} holds {value} in {where}. {advice}")


def _refuse_missing(columns: Columns) -> None:
    """Raise the error that names every column with missing values, and their first rows."""
    place = columns.place
    found = []
    for name in columns.names:
        if name in columns.texts:
            rows = np.flatnonzero(columns.texts[name].codes < 0)
        else:
            rows = np.flatnonzero(np.isnan(columns.numbers([name])[:, 0]))
        if len(rows):
            found.append(f"{place.title(name)} in {place.rows(rows)}")
    raise DataError(
        f"Missing values in {place}: {listing(found[:5], len(found))}{place.counted}. Remove these "
        'rows, fill the values in, or have them imputed: missing="impute" (on the command line, '
        "--missing impute)."
    )
