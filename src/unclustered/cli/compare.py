"""``unclustered compare``: methods beside each other, without a label."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from .._version import __version__
from ._frame import console, plain_errors, shown, waiting
from ._lines import columns_record, counts_grid
from ._options import (
    A,
    B,
    By,
    ColumnsOption,
    Config,
    Debug,
    Drop,
    Format,
    Id,
    Json,
    Missing,
    MissingValues,
    Part,
    Seed,
)
from ._reading import read_pair

__all__ = ["compare_methods"]


class Budget(StrEnum):
    """How much to try."""

    fast = "fast"
    balanced = "balanced"
    thorough = "thorough"


def compare_methods(
    a: A,
    b: B = None,
    by: By = None,
    budget: Annotated[Budget, typer.Option(help="How much to try.")] = Budget.balanced,
    max_time: Annotated[
        float | None,
        typer.Option(min=0.001, metavar="SECONDS", help="Begin no further method after this."),
    ] = None,
    missing: Missing = MissingValues.error,
    seed: Seed = None,
    columns: ColumnsOption = None,
    drop: Drop = None,
    id_: Id = None,
    as_json: Json = False,
    format: Format = None,
    part: Part = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Rank methods by how well they tell A from B on samples they have not seen.

    For any labelling that gap ranks as the true error would. The weights are those that the
    methods have in what unclustered label does by default.
    """
    with plain_errors(debug):
        from ..labeling import label

        pair = read_pair(
            a,
            b,
            by=by,
            id_=id_,
            columns=columns,
            drop=drop,
            format=format,
            part=part,
            quiet=as_json,
        )
        with waiting("comparing", quiet=as_json):
            labeling = label(
                *pair.used,
                method="auto",
                missing=missing.value,
                evidence=False,
                random_state=seed,
                budget=budget.value,
                max_time=max_time,
            )
        board = labeling.model.leaderboard_
        rows = [
            dict(zip(board, values, strict=True)) for values in zip(*board.values(), strict=True)
        ]
        record = {
            "version": __version__,
            "datasets": pair.record,
            "columns": columns_record(labeling.encoding),
            "budget": budget.value,
            "gap": labeling.model.gap_,
            "leaderboard": rows,
            "failures": labeling.model.failures_,
        }
        if as_json:
            typer.echo(json.dumps(record, indent=2))
            return
        screen = console()
        screen.print(counts_grid(pair.record, ("rows", "rows")))
        screen.print()
        screen.print(_board(rows))
        for name, why in labeling.model.failures_.items():
            screen.print(f"Not ranked: {name} ({shown(why)})", soft_wrap=True)
        screen.print()
        screen.print(
            f"All together, by their weights: gap {labeling.model.gap_:.2f}. The best of many gaps "
            "looks better than it is; unclustered test says how far to trust the whole.",
            soft_wrap=True,
        )


def _board(rows: list[dict[str, Any]]) -> Grid:
    grid = Grid(box=None, pad_edge=False)
    grid.add_column("method")
    grid.add_column("configuration", overflow="fold")
    for title in ("gap", "95% interval", "weight", "seconds"):
        grid.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        grid.add_row(
            row["method"],
            row["configuration"],
            f"{row['gap']:.2f}",
            f"{row['gap_low']:.2f} to {row['gap_high']:.2f}",
            f"{row['weight']:.0%}",
            f"{row['seconds']:.2g}",
        )
    return grid
