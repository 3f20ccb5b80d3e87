"""``unclustered predict``: a model and new rows in, labels out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from .._version import __version__
from ..errors import ParameterError
from ._frame import (
    MEANING,
    SHOWN_ROWS,
    check_place,
    console,
    listed,
    plain_errors,
    shown,
    waiting,
)
from ._options import Config, Debug, Format, Id, Json, Out, Part

if TYPE_CHECKING:
    from ..models import Model
    from ..tables import Table

__all__ = ["predict_file"]


def predict_file(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="File that unclustered label --model wrote.")
    ],
    new: Annotated[
        Path, typer.Argument(metavar="NEW", help="File with rows to label; - for standard input.")
    ],
    out: Out = None,
    id_: Id = None,
    prior: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Share of class +1 where the new rows come from: they get probabilities, and "
            "labels that follow from them. Takes a model that was fitted with --priors.",
        ),
    ] = None,
    as_json: Json = False,
    format: Format = None,
    part: Part = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Label the rows of a new file with a model.

    The columns that the model uses must be there, in any order; others are left out.
    """
    with plain_errors(debug):
        from ..models import load_model
        from ..tables import check_writable, read_table, write_table

        if out is not None:
            check_writable(out, format=format)
            check_place("--out", out, (model, new))
            if as_json and str(out) == "-":
                raise ParameterError("--json and --out - cannot both be printed.")
        fitted = load_model(model)
        if prior is not None and fitted.probabilities is None:
            raise ParameterError(
                f"--prior {prior:g}: {model} knows no class balances, so it has no probabilities. "
                "Fit it with --priors or --estimate-priors."
            )
        with waiting(f"reading {shown(str(new))}", quiet=as_json):
            table = read_table(new, as_text=[] if id_ is None else [id_], format=format, part=part)
        table = table.widened(len(fitted.encoding.columns))
        if id_ is not None and id_ not in table.everything:
            raise ParameterError(f"--id {id_}: {table.path} has no such column.")
        known = set(fitted.encoding.columns) - {id_}
        ignored = [name for name in table if name not in known and name != id_]
        with waiting("scoring", quiet=as_json):
            rows = _rows(fitted, table, [name for name in table if name in known], id_, prior)
        if out is not None:
            write_table(rows, out, format=format)
        record = {
            "version": __version__,
            "model": {
                "file": str(model),
                "method": fitted.method,
                "version": fitted.library_version,
            },
            "file": str(new),
            "rows": table.n_rows,
            "positive": rows["label"].count(1),
            "negative": rows["label"].count(-1),
            "ignored": ignored,
            "meaning": MEANING,
            "out": None if out is None else str(out),
        }
        if not as_json:
            _show(record, rows)
            return
        if out is None:
            cells = zip(*rows.values(), strict=True)
            record["labels"] = [dict(zip(rows, row, strict=True)) for row in cells]
        typer.echo(json.dumps(record, indent=2))


def _rows(
    model: Model, table: Table, names: list[str], id_: str | None, prior: float | None
) -> dict[str, list[Any]]:
    """Columns of the labels file."""
    from ..methods._base import as_label

    scores = model.score_samples(table.select(names) if names else table)
    results = {"label": as_label(scores), "score": scores}
    if prior is not None:
        assert model.probabilities is not None  # which was asked before
        probability = model.probabilities.of(scores, prior)
        results |= {"label": as_label(probability - 0.5), "probability": probability}
    name = "row" if id_ is None else "id" if id_ in results else id_
    rows = {name: [*range(1, table.n_rows + 1)] if id_ is None else table.everything[id_].tolist()}
    return rows | {title: values.tolist() for title, values in results.items()}


def _show(record: dict[str, Any], rows: dict[str, list[Any]]) -> None:
    screen = console(stderr=record["out"] == "-")
    counts = Grid(box=None, pad_edge=False)
    counts.add_column("file", overflow="fold")
    for title in ("rows", "+1", "-1"):
        counts.add_column(title, justify="right")
    numbers = (str(record[key]) for key in ("rows", "positive", "negative"))
    counts.add_row(shown(record["file"]), *numbers)
    screen.print(counts)
    screen.print()
    model = record["model"]
    screen.print(f"Model: {shown(model['file'])} ({model['method']})", soft_wrap=True)
    if record["ignored"]:
        names = listed([shown(name) for name in record["ignored"]])
        screen.print(f"Columns that the model does not know: {names}", soft_wrap=True)
    screen.print(record["meaning"], soft_wrap=True)
    if record["out"] == "-":
        return
    if record["out"] is not None:
        screen.print(f"Labels and scores are in {shown(record['out'])}.", soft_wrap=True)
        return
    grid = Grid(box=None, pad_edge=False)
    for title in rows:
        grid.add_column(shown(title), justify="right")
    for name, label, *rest in list(zip(*rows.values(), strict=True))[:SHOWN_ROWS]:
        cells = (f"{number:.4g}" for number in rest)
        grid.add_row(shown(str(name)), f"{label:+d}", *cells)
    if record["rows"] > SHOWN_ROWS:
        grid.add_row("...")
    screen.print()
    screen.print(grid)
    screen.print("All rows: add --out labels.csv", soft_wrap=True)
