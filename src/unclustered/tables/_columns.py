"""What formats share: checks of column names, and columns of Python objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError

__all__ = ["check_unique", "header", "of_array", "of_block", "of_objects", "plain_list"]


def check_unique(names: Sequence[str], where: str) -> None:
    """Raise an error if a column name comes more than once."""
    if len(set(names)) == len(names):
        return
    twice = [name for name, count in Counter(names).items() if count > 1]
    shown = ", ".join(repr(name) for name in twice[:5])
    raise DataError(f"{where}: column names must differ, but {shown} comes more than once.")


def header(cells: Sequence[str], where: str) -> list[str]:
    """Column names of a first row; a column without a name gets one."""
    names = [name.strip() or f"column {k}" for k, name in enumerate(cells, 1)]
    check_unique(names, where)
    numbers = [_number(name) for name in names]
    # Consecutive integers may be names: years, or what a data frame calls columns without any.
    if None not in numbers and not _consecutive(numbers):
        raise DataError(
            f"{where}: holds numbers ({', '.join(names[:3])}{', ...' if names[3:] else ''}) where "
            "column names should be. Add a first line that names the columns."
        )
    return names


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)  # Python would read 1_000 as a number
    except ValueError:
        return None


def _consecutive(numbers: list[float | None]) -> bool:
    first = numbers[0]
    return (
        first is not None
        and numbers == [first + k for k in range(len(numbers))]
        and first.is_integer()
    )


def of_objects(values: list[Any]) -> NDArray[Any]:
    """Column of Python objects: floats, true and false, else the objects as they are."""
    types = set(map(type, values))
    if types == {bool}:
        return np.array(values)
    if types <= {int, float, type(None)}:
        try:
            return np.array([float("nan") if v is None else v for v in values], dtype=np.float64)
        except OverflowError:  # an integer that is no float
            pass
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def of_array(values: NDArray[Any]) -> NDArray[Any]:
    """Column of an array from a file, whose text has no other missing values than empty ones."""
    kind = values.dtype.kind
    if kind not in "SUO":
        return values.astype(values.dtype.newbyteorder("="), copy=False)
    cells = [v.decode() if isinstance(v, bytes) else v for v in values.tolist()]
    return of_objects([None if isinstance(v, str) and not v else v for v in cells])


def of_block(block: NDArray[Any], name: str = "") -> dict[str, NDArray[Any]]:
    """Columns of a two-dimensional array, numbered from 0."""
    before, after = (f"{name}[", "]") if name else ("", "")
    return {f"{before}{k}{after}": block[:, k] for k in range(block.shape[1])}


def plain_list(values: Any) -> list[Any]:
    """Values as Python objects, each of its own type."""
    if isinstance(values, np.ndarray):
        return values.tolist()  # type: ignore[no-any-return]
    return [v.item() if isinstance(v, np.generic) else v for v in values]
