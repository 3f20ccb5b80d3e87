"""``unclustered reproduce``: the paper's tables and figures."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ._frame import complain, console, plain_errors, shown
from ._options import Debug

__all__ = ["reproduce_paper"]


class Reproducible(StrEnum):
    """What the paper has that can be reproduced."""

    table1 = "table1"
    table2 = "table2"
    figure1 = "figure1"
    figure2 = "figure2"
    all = "all"


def reproduce_paper(
    what: Annotated[
        Reproducible, typer.Argument(metavar="WHAT", help="table1, table2, figure1, figure2, all.")
    ] = Reproducible.all,
    trials: Annotated[int, typer.Option(metavar="N", min=1, help="Trials of each cell.")] = 1000,
    datasets: Annotated[
        list[str] | None,
        typer.Option(metavar="SET", help="Only these. Repeat, or separate by commas."),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Instead of the paper's six; parameters as in dsdd:penalty=rkhs. Repeat, or "
            "separate by commas.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the results; made if it is not there.")
    ] = Path("reproduction"),
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder to look for the sets in first.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Processes; all cores by default. No figure depends on it."
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume/--fresh", help="Go on where an earlier run was, or run all again."),
    ] = True,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of everything random.")] = 0,
    protocol: Annotated[
        str,
        typer.Option(
            metavar="CHANGES",
            help="Another reading of the protocol, as in standardize=none,counts=binomial.",
        ),
    ] = "",
    debug: Debug = False,
) -> None:
    """Reproduce the tables and figures of the paper, the published figures beside.

    A run that was stopped, in whatever way, goes on where it was: give the same command again.
    """
    with plain_errors(debug):
        from ..paper import reproduce
        from ..paper.conclusions import conclusions
        from ..paper.progress import LineProgress, LiveProgress

        screen = console()
        try:
            done = reproduce(
                what.value,
                trials=trials,
                datasets=[name.strip() for s in datasets for name in s.split(",") if name.strip()]
                if datasets
                else None,
                methods=methods or None,
                out=out,
                data_dir=data,
                jobs=jobs,
                fresh=not resume,
                seed=seed,
                protocol=protocol,
                progress=LiveProgress(screen) if screen.is_terminal else LineProgress(screen.file),
            )
        except KeyboardInterrupt:
            complain("stopped", "what is done is kept; the same command goes on from there.")
            raise typer.Exit(130) from None
        for table in done.tables:
            screen.print(f"\nTable {table.number}", style="bold")
            for sentence in conclusions(table):
                screen.print(f"- {sentence}", soft_wrap=True)
        for name in done.left_out:
            screen.print(f"\n{name} was left out: give its folder with --data.", soft_wrap=True)
        screen.print()
        for path in done.files:
            screen.print(f"Wrote {shown(str(path))}", soft_wrap=True)
