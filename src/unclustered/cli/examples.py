"""``unclustered examples``: two files to try the library on."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ParameterError, UnclusteredError
from ._frame import Debug, console, plain_errors

__all__ = ["copy_examples"]


def copy_examples(
    folder: Annotated[Path, typer.Argument(help="Where to put them; made if it is not there.")],
    debug: Debug = False,
) -> None:
    """Copy two example files, a.csv and b.csv, to a folder.

    They hold white blood cells of two patients, mixed from the same two kinds in different
    proportions.
    """
    with plain_errors(debug):
        examples = files("unclustered") / "datasets" / "examples"
        targets = [folder / name for name in ("a.csv", "b.csv")]
        for target in targets:
            if target.exists():
                raise ParameterError(f"{target} is there already: choose another folder.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for target in targets:
                target.write_bytes((examples / target.name).read_bytes())
        except OSError as error:
            raise UnclusteredError(f"{folder} cannot be written: {error.strerror}.") from error
        paths = " ".join(str(target) for target in targets)
        console().print(f"Now try: unclustered label {paths}", soft_wrap=True)
