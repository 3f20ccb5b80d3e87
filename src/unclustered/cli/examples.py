"""``unclustered examples``: two files to try the library on."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ParameterError, UnclusteredError
from ._frame import console, plain_errors
from ._options import Debug

__all__ = ["copy_examples", "put_examples"]


def copy_examples(
    folder: Annotated[Path, typer.Argument(help="Where to put them; made if it is not there.")],
    debug: Debug = False,
) -> None:
    """Copy two example files, a.csv and b.csv, to a folder.

    They hold white blood cells of two patients, mixed from the same two kinds in different
    proportions.
    """
    with plain_errors(debug):
        paths = " ".join(map(str, put_examples(folder)))
        console().print(f"Now try: unclustered label {paths}", soft_wrap=True)


def put_examples(folder: Path) -> list[Path]:
    """Put the example files into a folder; files of other content are never replaced."""
    examples = files("unclustered") / "datasets" / "examples"
    contents = {folder / name: (examples / name).read_bytes() for name in ("a.csv", "b.csv")}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for target, content in contents.items():
            if target.exists() and target.read_bytes() != content:
                raise ParameterError(f"{target} is there already: choose another folder.")
        for target, content in contents.items():
            target.write_bytes(content)
    except OSError as error:
        raise UnclusteredError(f"{folder} cannot be written: {error.strerror}.") from error
    return [*contents]
