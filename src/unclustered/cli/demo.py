"""``unclustered demo``: two example files, their labels, and a report to look at."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ._frame import console, plain_errors, shown
from ._options import Debug
from .examples import put_examples

__all__ = ["show_demo"]


def show_demo(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(help="Where to put the files; made if it is not there.")
    ] = Path("unclustered-demo"),
    debug: Debug = False,
) -> None:
    """Make two example files, label them, and write a report.

    The files hold white blood cells of two patients, mixed from the same two kinds in different
    proportions.
    """
    with plain_errors(debug):
        a, b = put_examples(folder)
        report = folder / "report.html"
        places = ["--out", str(folder / "labels.csv"), "--report", str(report)]
        words = ["label", str(a), str(b), "--id", "cell", *places]
        screen = console()
        screen.print(f"$ unclustered {shlex.join(words)}", soft_wrap=True)
        assert context.parent is not None
        # As if it had been typed: what the demo shows is what its user will get.
        command = context.parent.command.get_command(context.parent, "label")  # type: ignore[attr-defined]
        arguments = [*words[1:], *(["--debug"] if debug else [])]
        with command.make_context("label", arguments, parent=context.parent) as inner:
            command.invoke(inner)
        screen.print()
        screen.print(f"Look at it in a browser: {shown(report.resolve().as_uri())}", soft_wrap=True)
        screen.print(
            "With files of your own: unclustered label a.csv b.csv --report report.html",
            soft_wrap=True,
        )
