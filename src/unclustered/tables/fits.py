"""Tables of FITS files, as in astronomy; only read."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any

import numpy as np

from ..errors import DataError
from ._columns import check_unique, of_array, of_block, of_objects
from ._extras import need
from ._source import Source
from ._table import Table

__all__ = ["HAS_PARTS", "MAGIC", "SUFFIXES", "read"]

SUFFIXES = (".fits", ".fit", ".fts")
MAGIC = rb"SIMPLE  ="
HAS_PARTS = True


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read a table; a column of several values a row becomes as many columns."""
    fits = need("astropy.io.fits", "fits", "FITS files")
    with source.read_as("FITS"), warnings.catch_warnings():
        warnings.simplefilter("error")  # a file cut short is only warned of
        with fits.open(source.stream, memmap=False, lazy_load_hdus=False) as units:
            kinds = (fits.BinTableHDU, fits.TableHDU)
            tables = {
                unit.name or str(k): unit for k, unit in enumerate(units) if isinstance(unit, kinds)
            }
            unit = tables[source.choose(list(tables), "table")]
            check_unique(unit.columns.names, source.name)
            if unit.header["NAXIS1"] * unit.header["NAXIS2"] > source.size:
                raise DataError(f"{source.name} is cut short.")
            columns: dict[str, Any] = {}
            for name in unit.columns.names:
                columns |= _columns(name, unit.data[name], unit.columns[name].null)
    if not columns or not len(next(iter(columns.values()))):
        raise DataError(f"{source.name} has a table without rows or without columns.")
    return Table(columns)


def _columns(name: str, values: Any, null: int | None) -> dict[str, Any]:
    values = np.asarray(values)
    if null is not None and values.dtype.kind in "iu":
        values = np.where(values == null, np.nan, values)
    if values.ndim == 2:
        return of_block(of_array(values), name)
    return {name: of_array(values) if values.ndim == 1 else of_objects(values.tolist())}
