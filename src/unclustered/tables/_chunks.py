"""Files that are read and written some rows at a time, however large they are."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DataError
from ._files import writing
from ._formats import format_of, writer_of
from ._several import files_of
from ._table import Table

__all__ = ["Chunks", "read_chunks", "write_chunks"]

CHUNK_ROWS = 2**16


@dataclass(frozen=True)
class Chunks:
    """Rows of a file, as tables of some rows each; reading starts anew with every loop."""

    path: Path
    as_text: Collection[str] = ()
    n_rows: int = CHUNK_ROWS
    format: str | None = None

    def __iter__(self) -> Iterator[Table]:
        for file in files_of(self.path):
            yield from format_of(file, self.format).chunks(file, self.as_text, self.n_rows)


def read_chunks(
    path: str | os.PathLike[str],
    *,
    as_text: Collection[str] = (),
    n_rows: int = CHUNK_ROWS,
    format: str | None = None,
) -> Chunks:
    """Read a file some rows at a time.

    Parameters
    ----------
    path : str or path
        A file of Parquet, CSV, TSV or NumPy (``.npy``, which is mapped into memory), a folder of
        Parquet files, or a pattern.
    as_text : collection of str
        Columns to keep as they are written.
    n_rows : int
        About how many rows of a table.
    format : str, optional
        Name of the format, where the name of the file does not tell.

    Returns
    -------
    iterable of Table
        It can be looped over again and again.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> from unclustered.tables import read_chunks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.npy"
    ...     np.save(path, np.zeros((5, 2)))
    ...     [chunk.n_rows for chunk in read_chunks(path, n_rows=2)]
    [2, 2, 1]
    """
    chunks = Chunks(Path(path), tuple(as_text), n_rows, format)
    for file in files_of(chunks.path):
        module = format_of(file, format)
        if not hasattr(module, "chunks"):
            raise DataError(
                f"{file} cannot be read some rows at a time: its format is read as a whole. "
                "Parquet, CSV, TSV and NumPy files can."
            )
    return chunks


def write_chunks(
    chunks: Iterable[Mapping[str, Any]],
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
) -> None:
    """Write columns to a file some rows at a time; it appears whole or not at all.

    Parameters
    ----------
    chunks : iterable of mappings from str to array-like
        Some rows of every column; the same columns each time.
    path : str or path
        The end of its name tells the format: CSV, TSV or Parquet. ``-`` is standard output.
    format : str, optional
        Name of the format, where the name of the file does not tell.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from unclustered.tables import write_chunks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "labels.csv"
    ...     write_chunks(({"row": [k], "label": [1]} for k in (1, 2)), path)
    ...     path.read_text().split()
    ['row,label', '1,1', '2,1']
    """
    writer_of(path, format)
    module = format_of("labels.csv" if str(path) == "-" and format is None else path, format)
    if not hasattr(module, "write_chunks"):
        raise DataError(
            f"{os.fspath(path)} cannot be written some rows at a time: take .csv, .tsv or .parquet."
        )
    with writing(Path(path)) as stream:
        module.write_chunks(chunks, stream)
