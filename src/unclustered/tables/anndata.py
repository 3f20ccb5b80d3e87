"""AnnData's .h5ad, as in single-cell biology: X is read, obs tells about the rows."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from ..errors import DataError
from ._columns import check_unique, of_objects, plain_list
from ._extras import need
from ._hdf5 import datasets_of, opened_hdf5, read_hdf5
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "annotate", "read"]

SUFFIXES = (".h5ad",)
MAGIC = None

_FILES = ".h5ad files"


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read X, sparse where it is, under the names of the variables."""
    return read_hdf5(_read, source, as_text)


def _read(source: Source, as_text: Collection[str]) -> Table:
    read_elem = need("anndata.io", "anndata", _FILES).read_elem
    with source.read_as("AnnData"), opened_hdf5(source, "anndata", _FILES) as file:
        datasets_of(file, source)
        variables, samples = read_elem(file["var"]), read_elem(file["obs"])
        names = [str(name) for name in variables.index]
        check_unique(names, f"{source.name} (var_names_make_unique() may help)")
        about = {str(samples.index.name or "obs_names"): of_objects(list(map(str, samples.index)))}
        about |= {str(name): _column(samples[name]) for name in samples.columns}
        block = read_elem(file["X"])
        if block.shape != (len(samples), len(names)):
            raise ValueError(f"X has the shape {block.shape}")
        if not all(block.shape):
            raise DataError(f"{source.name} has no rows or no columns.")
        if sp.issparse(block):
            block.check_format(full_check=True)
            return Table({}, sparse=sp.csr_array(block), sparse_names=tuple(names), about=about)
        block = np.asarray(block)
        return Table(dict(zip(names, block.T, strict=True)), about=about)


def _column(series: Any) -> Any:
    if series.dtype.kind in "iufb":
        return series.to_numpy()
    return of_objects([None if value != value else value for value in series.tolist()])


def annotate(source: Source, columns: Mapping[str, Any], stream: BinaryIO) -> None:
    """Copy a file, with these columns in obs."""
    h5py = need("h5py", "anndata", _FILES)
    io = need("anndata.io", "anndata", _FILES)
    with source.read_as("AnnData"):
        shutil.copyfileobj(source.stream, stream)
        stream.seek(0)
        with h5py.File(stream, "r+") as file:
            samples = io.read_elem(file["obs"])
            for name, values in columns.items():
                if len(values) != len(samples):
                    raise DataError(
                        f"{name!r} has {len(values)} values, but {source.name} has "
                        f"{len(samples)} rows."
                    )
                samples[name] = plain_list(values)
            io.write_elem(file, "obs", samples)
