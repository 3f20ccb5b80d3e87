"""The formats there are: every file of this folder without a leading underscore."""

from __future__ import annotations

import os
import pkgutil
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import DataError, ParameterError
from ._files import STANDARD
from ._packing import PACKED

__all__ = [
    "format_names",
    "format_of",
    "module_of",
    "recognised",
    "suffixes",
    "told_by_name",
    "writer_of",
]


def format_names() -> list[str]:
    """List the names of the formats.

    Examples
    --------
    >>> from unclustered.tables import format_names
    >>> "csv" in format_names(), "parquet" in format_names()
    (True, True)
    """
    package = import_module(__package__)
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    return sorted(name for name in names if not name.startswith("_"))


@cache
def _modules() -> dict[str, Any]:
    return {name: import_module(f".{name}", __package__) for name in format_names()}


def module_of(name: str) -> Any:
    """Find the module of the format of this name."""
    if name not in _modules():
        raise ParameterError(f"There is no format {name!r}. There are: {', '.join(_modules())}.")
    return _modules()[name]


def suffixes() -> list[str]:
    """List the ends of file names that tell a format; ``.gz`` and ``.zst`` may follow.

    Examples
    --------
    >>> from unclustered.tables import suffixes
    >>> ".csv" in suffixes()
    True
    """
    return sorted(suffix for module in _modules().values() for suffix in module.SUFFIXES)


def format_of(path: str | os.PathLike[str], format: str | None = None) -> Any:
    """Find the module that reads and writes files of this name.

    Parameters
    ----------
    path : str or path
        Name of a file; it need not exist. ``-`` is CSV.
    format : str, optional
        Name of the format, for a file whose name does not tell.

    Returns
    -------
    module
        Has ``SUFFIXES``, ``MAGIC``, ``read``, and ``write`` if such files can be written.

    Examples
    --------
    >>> from unclustered.tables import format_of
    >>> format_of("labels.csv.gz").__name__
    'unclustered.tables.csv'
    """
    module = told_by_name(path)
    if module is None:
        if format is None and str(path) != STANDARD:
            raise DataError(
                f"{os.fspath(path)}: the name does not end in a known format "
                f"({', '.join(suffixes())}). Add such an end, or say which format it is."
            )
        module = module_of(format or "csv")
    return module


def writer_of(path: str | os.PathLike[str], format: str | None) -> Any:
    """Find the function that writes files of this name."""
    module = format_of(path, format)
    if not hasattr(module, "write"):
        written = [name for name, module in _modules().items() if hasattr(module, "write")]
        raise DataError(
            f"{os.fspath(path)} cannot be written: this format is only read. These are written: "
            f"{', '.join(written)}."
        )
    return module.write


def told_by_name(path: str | os.PathLike[str]) -> Any:
    """Find the module for files whose names end as this one; None if the end tells nothing."""
    name = Path(path).name.lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    fitting = {s: m for m in _modules().values() for s in m.SUFFIXES if name.endswith(s)}
    return fitting[max(fitting, key=len)] if fitting else None


def recognised(start: bytes) -> Any:
    """Find the module of the format that a file with this start is most likely of."""
    found = {
        name: match.end()
        for name, module in _modules().items()
        if module.MAGIC is not None and (match := re.match(module.MAGIC, start))
    }
    return _modules()[max(found, key=lambda name: found[name])]
