"""Any kind of table in, :class:`Columns` out."""

from __future__ import annotations

import datetime
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import DataError
from ..tables import Table
from .columns import Columns, Numbers, Place, Text, listing

__all__ = ["read_columns"]

Float = NDArray[np.float64]

_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_FLOATS = ((nw.Float32, np.float32), (nw.Float64, np.float64))


def read_columns(data: Any, dataset: str) -> Columns:
    """Columns of a table or array of whatever kind; ``dataset`` is its name in messages."""
    if isinstance(data, str | bytes | os.PathLike):
        raise DataError(
            f"{dataset} is the name of a file, {data!r}: read it first, "
            f"with unclustered.tables.read_table({data!r})."
        )
    if sp.issparse(data):
        return _of_sparse(data, Place(dataset, named=False))
    if isinstance(data, Table) and data.sparse is not None:
        return _of_sparse_table(data, dataset)
    if isinstance(data, Mapping):
        return _of_mapping(data, dataset)
    try:
        frame = nw.from_native(data, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        names = getattr(data, "column_names", None) or list(data.columns)
        raise _repeated([str(name) for name in names], Place(dataset)) from error
    if isinstance(frame, nw.DataFrame):
        return _of_frame(frame, Place(dataset))
    if isinstance(frame, nw.LazyFrame):
        raise DataError(f"{dataset} is a lazy frame: pass {dataset}.collect().")
    if isinstance(frame, nw.Series):
        raise DataError(
            f"{dataset} is a single column (a series): pass a data frame, "
            f"{dataset}.to_frame() perhaps."
        )
    if hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_c_stream__"):
        raise DataError(
            f"{dataset} is a {type(data).__name__}: pass pyarrow.table({dataset}) instead."
        )
    return _of_array(data, Place(dataset, named=False))


def _assemble(
    place: Place,
    columns: Iterable[tuple[str, Numbers | Text]],
    n_rows: int,
    library: str | None = None,
) -> Columns:
    named = {name: _unless_blank(column) for name, column in columns}
    numbers = {name: column for name, column in named.items() if isinstance(column, Numbers)}
    block = np.empty((n_rows, len(numbers)))
    for k, column in enumerate(numbers.values()):
        block[:, k] = column.values
    return Columns(
        place=place,
        names=tuple(named),
        number_names=tuple(numbers),
        block=block,
        precision=np.array([column.precision for column in numbers.values()]),
        texts={name: column for name, column in named.items() if isinstance(column, Text)},
        library=library,
    )


def _unless_blank(column: Numbers | Text) -> Numbers | Text:
    """Take text without any value for numbers: the type of an empty column tells nothing."""
    if isinstance(column, Text) and not column.levels:
        return Numbers(np.full(len(column.codes), np.nan))
    return column


def _of_block(block: Any, dtype: np.dtype[Any], place: Place) -> Columns:
    """Columns of a two-dimensional block of numbers."""
    names = tuple(str(k) for k in range(block.shape[1]))
    return Columns(place, names, names, block, np.full(len(names), _precision(dtype)), {})


def _precision(dtype: np.dtype[Any]) -> float:
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0


def _of_sparse(data: Any, place: Place) -> Columns:
    if data.ndim != 2:
        raise DataError(f"{place} must have two dimensions, but its shape is {data.shape}.")
    if data.dtype.kind not in "biuf":
        raise DataError(f"{place} holds values of type {data.dtype}; real numbers are needed.")
    block = sp.csr_array(data, dtype=np.float64, copy=True)
    block.sum_duplicates()
    return _of_block(block, data.dtype, place)


def _of_sparse_table(table: Table, dataset: str) -> Columns:
    place = Place(dataset, table.sparse_names is not None, table.path, table.lines)
    if table.columns:
        names = listing([repr(name) for name in [*table.columns][:5]], len(table.columns))
        raise DataError(f"{place} is sparse; {names} cannot be used beside its sparse columns.")
    columns = _of_sparse(table.sparse, place)
    if table.sparse_names is None:
        return columns
    return replace(columns, names=table.sparse_names, number_names=table.sparse_names)


def _of_mapping(data: Mapping[Any, Any], dataset: str) -> Columns:
    place = Place(dataset)
    if isinstance(data, Table):
        place = Place(dataset, path=data.path, lines=data.lines)
    names = [str(name) for name in data]
    arrays = [_plain(values) for values in data.values()]
    for name, array in zip(names, arrays, strict=True):
        if array.ndim != 1:
            raise DataError(
                f"{place.column(name)} must be one-dimensional, but its shape is {array.shape}."
            )
        if len(array) != len(arrays[0]):
            raise DataError(
                f"{place.column(name)} has {len(array)} rows, {names[0]!r} has {len(arrays[0])}."
            )
    _check_unique(names, place)
    columns = ((n, _of_values(a, n, place)) for n, a in zip(names, arrays, strict=True))
    return _assemble(place, columns, len(arrays[0]) if arrays else 0)


def _plain(values: Any) -> NDArray[Any]:
    """Array of these values that has not made text of numbers."""
    array = np.asarray(values)
    return array if array.dtype.kind not in "US" else np.array(values, dtype=object)


def _check_unique(names: Sequence[str], place: Place) -> None:
    if len(set(names)) < len(names):
        raise _repeated(names, place)


def _repeated(names: Sequence[str], place: Place) -> DataError:
    twice = [name for name, count in Counter(names).items() if count > 1]
    shown = listing([repr(name) for name in twice[:5]], len(twice))
    return DataError(f"Column names of {place} must differ, but {shown} is there twice or more.")


def _of_frame(frame: nw.DataFrame[Any], place: Place) -> Columns:
    series = list(frame.iter_columns())
    names = [str(column.name) for column in series]
    _check_unique(names, place)
    columns = ((name, _of_series(s, name, place)) for name, s in zip(names, series, strict=True))
    return _assemble(place, columns, len(frame), frame.implementation.value)


def _of_series(series: nw.Series[Any], name: str, place: Place) -> Numbers | Text:
    dtype = series.dtype
    if dtype.is_temporal():
        raise _dates(name, place)
    if dtype.is_numeric():
        float_type = next((f for n, f in _FLOATS if isinstance(dtype, n)), None)
        try:
            values = series.cast(nw.Float64).to_numpy()
        except Exception:  # each library has its own error for an integer that is no float
            return _of_objects(series.to_list(), name, place)
        return Numbers(
            np.asarray(values, dtype=np.float64),
            _precision(np.dtype(float_type)) if float_type else 0.0,
        )
    objects = [
        None if missing else value
        for missing, value in zip(series.is_null().to_list(), series.to_list(), strict=True)
    ]
    if isinstance(dtype, nw.Boolean | nw.Categorical | nw.Enum):
        return Text.of((None if v is None else str(v) for v in objects), len(objects))
    return _of_objects(objects, name, place)


def _of_array(data: Any, place: Place) -> Columns:
    try:
        # asarray would take the values under the mask for measured ones.
        array = _unmasked(data) if isinstance(data, np.ma.MaskedArray) else np.asarray(data)
    except (TypeError, ValueError) as error:
        raise DataError(_ragged(data, place) or f"{place} is no array: {error}.") from error
    if array.dtype.names is not None and array.ndim == 1:
        return _of_mapping({name: array[name] for name in array.dtype.names}, place.dataset)
    if array.ndim != 2:
        raise DataError(_wrong_shape(data, array, place))
    kind = array.dtype.kind
    if kind in "biuf":
        return _of_block(np.array(array, dtype=np.float64, order="C"), array.dtype, place)
    if kind in "US" and isinstance(data, np.ndarray):
        raise DataError(
            f"{place} is an array of text ({array.dtype}), in which numbers are text too. Pass a "
            "data frame, a dict of columns or a list of rows; or "
            f"{place.dataset}.astype(object) if text is meant."
        )
    if kind in "US":
        array = np.array(data, dtype=object)
    columns = ((str(k), _of_values(array[:, k], str(k), place)) for k in range(array.shape[1]))
    return _assemble(place, columns, array.shape[0])


def _unmasked(data: Any) -> NDArray[Any]:
    if data.dtype.kind in "biuf":
        return np.asarray(data.astype(np.float64).filled(np.nan))
    return np.asarray(data.astype(object).filled(None))


def _ragged(data: Any, place: Place) -> str | None:
    """Which rows of a list of rows differ in length."""
    try:
        lengths = [len(row) for row in data]
    except TypeError:
        return None
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            return (
                f"The rows of {place} differ in length: row {row} (counted from 0) has {length} "
                f"values, row 0 has {lengths[0]}."
            )
    return None


def _wrong_shape(data: Any, array: NDArray[Any], place: Place) -> str:
    if array.ndim == 0:
        return f"{place} must be a table or a two-dimensional array, not a {type(data).__name__}."
    if array.ndim == 1 and len(array) and isinstance(array.flat[0], dict):
        return f"{place} is a list of records: make a data frame of it first."
    if array.ndim == 1:
        return (
            f"{place} must have two dimensions, but its shape is {array.shape}. If it is one "
            f"column, pass {place.dataset}.reshape(-1, 1)."
        )
    return f"{place} must have two dimensions, but its shape is {array.shape}."


def _of_values(array: NDArray[Any], name: str, place: Place) -> Numbers | Text:
    """Column of a one-dimensional array."""
    kind = array.dtype.kind
    if kind == "b":
        return Text.of(map(str, array.tolist()), len(array))
    if kind in "iuf":
        return Numbers(array.astype(np.float64), _precision(array.dtype))
    if kind in "mM":
        raise _dates(name, place)
    return _of_objects(array.tolist(), name, place)


def _of_objects(values: list[Any], name: str, place: Place) -> Numbers | Text:
    """Column of any Python objects: all text, all true or false, or all numbers."""
    values = [None if _is_missing(value) else value for value in values]
    types = {type(value) for value in values} - {type(None)}
    if types and all(issubclass(t, str) for t in types):
        return Text.of(values, len(values))
    if types and types <= {bool, np.bool_}:
        return Text.of((None if v is None else str(v) for v in values), len(values))
    row = next((r for r, v in enumerate(values) if v is not None and not _is_number(v)), None)
    if row is None:
        return Numbers(_as_floats(values, name, place))
    if isinstance(values[row], _DATES):
        raise _dates(name, place)
    what = f"{type(values[row]).__name__} {_short(values[row])}"
    if any(issubclass(t, str) for t in types) or len(types) > 1:
        raise DataError(
            f"{place.column(name)} mixes types ({', '.join(sorted(t.__name__ for t in types))}): "
            f"the {what} in {place.rows([row])} is no number{place.counted}. Make all of its "
            "values numbers, or all of them text."
        )
    raise DataError(
        f"{place.column(name)} holds values of type {type(values[row]).__name__}, as "
        f"{_short(values[row])} in {place.rows([row])}{place.counted}. Numbers, text and "
        "true/false can be used."
    )


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | Decimal) and value != value


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.bool_)


def _as_floats(values: list[Any], name: str, place: Place) -> Float:
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            numbers[row] = np.nan if value is None else float(value)
        except OverflowError:
            raise DataError(
                f"{place.column(name)} holds a number too large for a float in "
                f"{place.rows([row])}{place.counted}."
            ) from None
    return numbers


def _dates(name: str, place: Place) -> DataError:
    return DataError(
        f"{place.column(name)} holds dates or times. Turn it into a number that means something "
        "for the classes (the days since an event, the hour of the day), or drop it."
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
