"""Reading the one file format of the benchmark sets: f1,...,fd,label."""

from __future__ import annotations

import math
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError

__all__ = ["parse_csv"]


def parse_csv(
    text: str, where: str, *, rows: int, columns: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Read samples and labels of a table that must have this many rows and feature columns.

    The first line is the header ``f1,...,fd,label``; then a line a sample, d finite numbers and the
    label, 1 or -1. Anything else is a DataError with file (``where``), line and what is expected.
    """
    lines = text.splitlines()
    header = ",".join([*(f"f{i}" for i in range(1, columns + 1)), "label"])
    if not lines or lines[0].strip() != header:
        found = repr(_shortened(lines[0])) if lines else "an empty file"
        raise DataError(
            f"{where}, line 1: expected the header 'f1,...,f{columns},label' and then {rows} rows, "
            f"found {found}."
        )
    body = lines[1:]
    X = np.empty((len(body), columns))
    y = np.empty(len(body), dtype=np.int64)
    for row, line in enumerate(body):
        fields = line.split(",")
        if len(fields) != columns + 1:
            _refuse(where, row, columns, f"it has {len(fields)} fields")
        for column, field in enumerate(fields[:-1]):
            X[row, column] = value = _number(field)
            if not math.isfinite(value):
                _refuse(where, row, columns, f"f{column + 1} is {_shortened(field)!r}")
        label = _number(fields[-1])
        if label not in (1, -1):
            _refuse(where, row, columns, f"the label is {_shortened(fields[-1])!r}")
        y[row] = int(label)
    if len(body) != rows:
        raise DataError(
            f"{where}, line {len(lines)}: expected {rows} rows after the header, but the file ends "
            f"here after {len(body)}. It is cut, or another set."
        )
    return X, y


def _number(field: str) -> float:
    try:
        return float(field)
    except ValueError:
        return math.nan


def _refuse(where: str, row: int, columns: int, what: str) -> NoReturn:
    raise DataError(
        f"{where}, line {row + 2}: expected {columns} finite numbers and the label, 1 or -1, "
        f"separated by commas, but {what}."
    )


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
