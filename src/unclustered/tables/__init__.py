"""Reading and writing files, one file a format: every file here that has no leading underscore.

A format names the ends of file names that it owns in ``SUFFIXES``, and how its files begin in
``MAGIC``; it has ``read(source, as_text)`` and, unless it is only read, ``write(columns, stream)``.
Adding a format is adding a file.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import DataError, ParameterError
from ._chunks import Chunks, read_chunks, write_chunks
from ._files import STANDARD, opened, shown_name, writing
from ._formats import (
    format_names,
    format_of,
    module_of,
    recognised,
    suffixes,
    told_by_name,
    writer_of,
)
from ._packing import packing
from ._several import files_of, joined
from ._source import Source
from ._table import Table

__all__ = [
    "Chunks",
    "Table",
    "annotate",
    "check_writable",
    "file_hashes",
    "format_names",
    "format_of",
    "read_chunks",
    "read_table",
    "suffixes",
    "write_chunks",
    "write_table",
]

_START = 4096  # bytes that tell a format


def read_table(
    path: str | os.PathLike[str],
    *,
    as_text: Collection[str] = (),
    format: str | None = None,
    part: str | None = None,
) -> Table:
    r"""Read a file into a :class:`Table`.

    Parameters
    ----------
    path : str or path
        A file; ``-`` is standard input. A folder stands for the Parquet files in it, and a pattern
        such as ``day*.csv`` for all that fit: their rows below each other are one table. What is
        packed with gzip or Zstandard is unpacked.
    as_text : collection of str
        Columns to keep as they are written, such as identifiers: ``007`` stays ``007``. Formats
        whose values have types keep those.
    format : str, optional
        Name of the format (see :func:`format_names`), for a file whose name does not tell; without
        it, the content does.
    part : str, optional
        Which sheet, tree, group or table of the file; needed where it has several.

    Returns
    -------
    Table
        A mapping from column name to values. A column is an array of numbers (NaN where a value is
        missing) if each of its values is a number, else an array of str (None where missing).
        In text files values such as ``NA``, ``NaN``, ``null`` and empty ones are missing.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from unclustered.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.csv"
    ...     _ = path.write_text("size,phase\n1.5,G1\n,S\n")
    ...     table = read_table(path)
    >>> table
    Table(2 rows, 2 columns)
    >>> table["size"], table["phase"]
    (array([1.5, nan]), array(['G1', 'S'], dtype=object))
    """
    if format is not None:
        module_of(format)
    tables = [_read(file, as_text, format, part) for file in files_of(Path(path))]
    return joined(tables, os.fspath(path))


def _read(path: Path, as_text: Collection[str], format: str | None, part: str | None) -> Table:
    name = shown_name(path)
    with opened(path) as stream:
        module = told_by_name(path)
        if module is None:
            module = recognised(_start(stream)) if format is None else module_of(format)
        short = module.__name__.rpartition(".")[2]
        if part is not None and not getattr(module, "HAS_PARTS", False):
            raise ParameterError(f"{name} has no parts to choose from: leave part={part!r} out.")
        stream.seek(0, os.SEEK_END)
        if not stream.tell():
            raise DataError(f"{name} is empty.")
        stream.seek(0)
        table: Table = module.read(Source(stream, name, part), as_text)
        return replace(table, path=name, format=short)


def _start(stream: Any) -> bytes:
    start: bytes = stream.read(_START)
    stream.seek(0)
    return start


def write_table(
    columns: Mapping[str, Any], path: str | os.PathLike[str], *, format: str | None = None
) -> None:
    """Write columns to a file, whole or not at all.

    The file is written under a temporary name beside its place and then renamed, so a reader finds
    either the old file or the new one.

    Parameters
    ----------
    columns : mapping from str to array-like
        The values of each column; all of one length.
    path : str or path
        The end of its name tells the format, and whether it is packed; ``-`` is standard output.
    format : str, optional
        Name of the format, where the name of the file does not tell.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from unclustered.tables import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "labels.csv"
    ...     write_table({"row": [1, 2], "label": [1, -1]}, path)
    ...     path.read_text().split()
    ['row,label', '1,1', '2,-1']
    """
    write = writer_of(path, format)
    with writing(Path(path)) as stream:
        write(columns, stream)


def check_writable(path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Raise the error now that writing a file of this name would end in later.

    Its name may tell no format or one that is only read, or a package may not be installed. The
    place is not looked at.

    Parameters
    ----------
    path : str or path
        As :func:`write_table` takes it.
    format : str, optional
        As :func:`write_table` takes it.

    Examples
    --------
    >>> from unclustered.tables import check_writable
    >>> check_writable("labels.csv")
    >>> check_writable("labels.fits")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    unclustered.errors.DataError: labels.fits cannot be written: this format is only read. ...
    """
    with packing(io.BytesIO(), Path(path).name) as stream:
        writer_of(path, format)({"row": [1]}, stream)


def file_hashes(path: str | os.PathLike[str]) -> dict[str, str] | None:
    """SHA-256 of the files that a name stands for, as they lie there.

    Parameters
    ----------
    path : str or path
        As :func:`read_table` takes it.

    Returns
    -------
    dict from str to str, or None
        The hash of each file; None where something can be read only once, such as standard input.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from unclustered.tables import file_hashes
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.csv"
    ...     _ = path.write_text("size")
    ...     [digest[:8] for digest in file_hashes(path).values()]
    ['ccdcbe84']
    """
    found = {}
    for file in files_of(Path(path)):
        if str(file) == STANDARD or not file.is_file():
            return None
        with file.open("rb") as stream:
            found[str(file)] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found


def annotate(
    path: str | os.PathLike[str], columns: Mapping[str, Any], out: str | os.PathLike[str]
) -> None:
    """Copy a file, and add columns to what it tells about its rows.

    Parameters
    ----------
    path : str or path
        A file of AnnData (``.h5ad``), the one format that has a place for them: ``obs``.
    columns : mapping from str to array-like
        The values of each column, one for each row of the file.
    out : str or path
        The copy; it is written whole or not at all.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import anndata, numpy, pandas
    >>> from unclustered.tables import annotate, read_table
    >>> cells = pandas.DataFrame(index=["c1", "c2"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, out = (pathlib.Path(folder) / name for name in ("a.h5ad", "labelled.h5ad"))
    ...     anndata.AnnData(numpy.eye(2), obs=cells).write_h5ad(path)
    ...     annotate(path, {"label": [1, -1]}, out)
    ...     read_table(out).about["label"]
    array([ 1, -1])
    """
    module = format_of(path)
    if not hasattr(module, "annotate"):
        raise ParameterError(f"{os.fspath(path)} has no place for columns about its rows.")
    if format_of(out) is not module:
        raise ParameterError(f"{os.fspath(out)} must end as {os.fspath(path)} does: it is a copy.")
    read_table(path)  # in another process, which a damaged file may make crash
    with opened(Path(path)) as stream, writing(Path(out)) as copy:
        module.annotate(Source(stream, shown_name(Path(path))), columns, copy)
