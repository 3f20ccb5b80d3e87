"""Reading and writing files, one file a format: every file here that has no leading underscore.

A format names the ends of file names that it owns in ``SUFFIXES``, and has ``read(path, as_text)``
and ``write(columns, stream)``. Adding a format is adding a file.
"""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Collection, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import DataError
from ._files import check_not_folder, writing
from ._table import Table

__all__ = ["Table", "format_of", "read_table", "suffixes", "write_table"]


def _formats() -> dict[str, Any]:
    names = [m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")]
    modules = [import_module(f".{name}", __name__) for name in sorted(names)]
    return {suffix: module for module in modules for suffix in module.SUFFIXES}


def suffixes() -> list[str]:
    """List the ends of file names that can be read and written.

    Examples
    --------
    >>> from unclustered.tables import suffixes
    >>> ".csv" in suffixes()
    True
    """
    return sorted(_formats())


def format_of(path: str | os.PathLike[str]) -> Any:
    """Find the module that reads and writes files of this name.

    Parameters
    ----------
    path : str or path
        Name of a file; it need not exist.

    Returns
    -------
    module
        Has ``SUFFIXES``, ``read`` and ``write``.

    Examples
    --------
    >>> from unclustered.tables import format_of
    >>> format_of("labels.csv.gz").__name__
    'unclustered.tables.csv'
    """
    name = Path(path).name.lower()
    fitting = {suffix: module for suffix, module in _formats().items() if name.endswith(suffix)}
    if not fitting:
        raise DataError(
            f"{os.fspath(path)}: the name does not end in a known format ({', '.join(suffixes())})."
        )
    return fitting[max(fitting, key=len)]


def read_table(path: str | os.PathLike[str], *, as_text: Collection[str] = ()) -> Table:
    r"""Read a file into a :class:`Table`.

    Parameters
    ----------
    path : str or path
        The end of its name tells the format.
    as_text : collection of str
        Columns to keep as they are written, such as identifiers: ``007`` stays ``007``.

    Returns
    -------
    Table
        A mapping from column name to values. A column is an array of floats (NaN where a value is
        missing) if each of its values is a number, else an array of str (None where missing).
        Values such as ``NA``, ``NaN``, ``null`` and empty ones are missing.

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
    check_not_folder(Path(path))
    table: Table = format_of(path).read(Path(path), as_text)
    return table


def write_table(columns: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write columns to a file, whole or not at all.

    The file is written under a temporary name beside its place and then renamed, so a reader finds
    either the old file or the new one.

    Parameters
    ----------
    columns : mapping from str to array-like
        The values of each column; all of one length.
    path : str or path
        The end of its name tells the format.

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
    module = format_of(path)
    with writing(Path(path)) as stream:
        module.write(columns, stream)
