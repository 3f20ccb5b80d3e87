"""The ten labelled sets on which the paper, and this library, compare methods."""

from __future__ import annotations

import gzip
import os
import zlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, ParameterError
from . import openml
from .catalogue import Entry, catalogue
from .csvfile import parse_csv

__all__ = ["Benchmark", "benchmark_names", "load_benchmark"]

_FOLDER_VARIABLE = "UNCLUSTERED_DATA"
_Table = tuple[NDArray[np.float64], NDArray[np.int64], str]


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark:
    """A labelled set.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples, as published: not standardised.
    y : ndarray of shape (n_samples,)
        Labels, +1 or -1.
    name : str
        Name of the set.
    description : str
        What the samples and the class +1 are.
    source, licence : str
        Where the set comes from, and what is known of its licence.
    feature_names : tuple of str
        Names of the columns of ``X``.
    read_from : str
        Where this table was read from: a file, this package, or OpenML.
    """

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    name: str
    description: str
    source: str
    licence: str
    feature_names: tuple[str, ...]
    read_from: str

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        positive = int((self.y == 1).sum())
        return (
            f"Benchmark({self.name!r}: {rows} x {columns}, {positive} of class +1 and "
            f"{rows - positive} of class -1, from {self.read_from})"
        )


def benchmark_names() -> list[str]:
    """Names of the benchmark sets, in the order of the paper's tables.

    Examples
    --------
    >>> from unclustered.datasets import benchmark_names
    >>> benchmark_names()[:3]
    ['australian', 'banana', 'diabetes']
    """
    return list(catalogue())


def load_benchmark(name: str, *, data_dir: str | os.PathLike[str] | None = None) -> Benchmark:
    """Load a benchmark set.

    It is looked for in this order: the file ``<name>.csv`` in a folder of yours, the files that
    come with this package, OpenML (fetched once, then kept in scikit-learn's cache). Wherever it is
    found, its numbers of rows, columns and samples of each class and its column means must be
    those of the benchmark.

    Parameters
    ----------
    name : str
        One of :func:`benchmark_names`.
    data_dir : path, optional
        Folder to look in first. By default the one that the environment variable
        ``UNCLUSTERED_DATA`` names, if any. A file there has the header ``f1,...,fd,label``, then a
        line a sample with the label 1 or -1.

    Returns
    -------
    Benchmark
        The samples, the labels and what is known of the set.

    Raises
    ------
    DataError
        The set was not found, or what was found is not the set: cut, damaged or another one.

    Examples
    --------
    >>> from unclustered.datasets import load_benchmark
    >>> heart = load_benchmark("heart")
    >>> heart.X.shape, heart.feature_names[:3]
    ((270, 13), ('age', 'sex', 'chest_pain'))
    """
    entry = catalogue().get(name)
    if entry is None:
        raise ParameterError(
            f"There is no benchmark set {name!r}; there are: {', '.join(benchmark_names())}."
        )
    X, y, where = _from_folder(entry, data_dir) or _from_package(entry) or _from_openml(entry)
    entry.check(X, y, where)
    return Benchmark(
        X=X,
        y=y,
        name=name,
        description=entry.description,
        source=entry.source,
        licence=entry.licence,
        feature_names=tuple(entry.features),
        read_from=where,
    )


def _from_folder(entry: Entry, data_dir: str | os.PathLike[str] | None) -> _Table | None:
    said_by = "data_dir"
    if data_dir is None:
        said_by = f"the environment variable {_FOLDER_VARIABLE}"
        data_dir = os.environ.get(_FOLDER_VARIABLE) or None
    if data_dir is None:
        return None
    folder = Path(data_dir).expanduser()
    if not os.path.isdir(folder):
        raise DataError(f"The folder {folder}, given by {said_by}, does not exist.")
    path = folder / f"{entry.name}.csv"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error
    return _parsed(entry, content, str(path))


def _from_package(entry: Entry) -> _Table | None:
    file = files(__package__).joinpath("data", f"{entry.name}.csv.gz")
    if not file.is_file():
        return None
    try:
        content = gzip.decompress(file.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file} is damaged ({error}): install unclustered again.") from error
    return _parsed(entry, content, f"unclustered/datasets/data/{file.name}")


def _parsed(entry: Entry, content: bytes, where: str) -> _Table:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(f"{where}, line {line}: this is not text in UTF-8.") from error
    return *parse_csv(text, where, rows=entry.rows, columns=len(entry.features)), where


def _from_openml(entry: Entry) -> _Table:
    if entry.openml is None:
        raise DataError(f"The file of {entry.name} is missing: install unclustered again.")
    columns = len(entry.features)
    advice = (
        f"{entry.name} does not come with this package. Without a network, download it from "
        f"{entry.openml.page} on another machine, write it as {entry.name}.csv "
        f"(header f1,...,f{columns},label, then {entry.rows} lines of {columns} numbers and the "
        f"label: 1 for the class {entry.openml.positive}, -1 for the other), and name its folder "
        f"in data_dir or in the environment variable {_FOLDER_VARIABLE}."
    )
    return openml.fetch(entry.openml.id, entry.openml.positive, advice)
