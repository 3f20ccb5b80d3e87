"""``unclustered info``: what is in a table, as ``unclustered label`` would read it, or a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from ._frame import MEANING, console, plain_errors, shown
from ._lines import about
from ._options import Debug, Format, Json, Part

if TYPE_CHECKING:
    from ..tables import Table

__all__ = ["describe_file"]

_MOST_COLUMNS = 40


def describe_file(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="File; a folder of Parquet files, a pattern such as 'a*.csv', or - for standard "
            "input.",
        ),
    ],
    as_json: Json = False,
    format: Format = None,
    part: Part = None,
    debug: Debug = False,
) -> None:
    """Show the rows, columns, types and missing values of a file, or what a model is."""
    with plain_errors(debug):
        from ..models import is_model_file, model_facts
        from ..tables import read_table

        if file.is_file() and is_model_file(file):
            facts = {"file": str(file), "format": "model", **model_facts(file)}
            if as_json:
                typer.echo(json.dumps(facts, indent=2))
            else:
                _show_model(facts)
            return
        table = read_table(file, format=format, part=part)
        record = {
            "file": table.path,
            "format": table.format,
            "rows": table.n_rows,
            "columns": [*_columns(table)],
        }
        if as_json:
            typer.echo(json.dumps(record, indent=2))
        else:
            _show(record)


def _show_model(facts: dict[str, Any]) -> None:
    screen = console()
    version = shown(facts["library_version"])
    screen.print(f"{shown(facts['file'])}: model, by unclustered {version}\n", soft_wrap=True)
    fit = dict(facts["fit"])
    record = {**facts, "converged": fit.pop("converged", None), "meaning": MEANING}
    for line in about(record):
        screen.print(line, soft_wrap=True)
    numbers = [f"{name} {value:.4g}" for name, value in fit.items()]
    if numbers:
        screen.print(f"Fit: {', '.join(numbers)}", soft_wrap=True)
    screen.print(f"Columns are matched by {facts['matched_by']}.")
    missing = {"error": "an error", "impute": "imputed"}[facts["missing"]]
    screen.print(f"Missing values are {missing}.")


def _columns(table: Table) -> Iterator[dict[str, Any]]:
    import numpy as np

    for used, columns in ((True, table.columns), (False, table.about)):
        for name, values in columns.items():
            kind, missing = _kind(values)
            yield {"name": name, "type": kind, "missing": missing, "about_rows": not used}
    if table.sparse is not None:
        names = [name for name in table if name not in table.columns]
        places = table.sparse.indices[np.isnan(table.sparse.data)]
        for name, count in zip(names, np.bincount(places, minlength=len(names)), strict=True):
            yield {
                "name": name,
                "type": "sparse numbers",
                "missing": int(count),
                "about_rows": False,
            }


def _kind(values: Any) -> tuple[str, int]:
    """Type of a column, and how many of its values are missing."""
    import numpy as np

    if values.dtype.kind == "b":
        return "true/false", 0
    if values.dtype.kind in "iuf":
        return "numbers", int(np.isnan(values).sum())
    present = [value for value in values.tolist() if value is not None]
    kinds = sorted({"text" if isinstance(v, str) else type(v).__name__ for v in present})
    return ", ".join(kinds) or "numbers", len(values) - len(present)


def _show(record: dict[str, Any]) -> None:
    screen = console()
    columns = record["columns"]
    n_used = sum(not column["about_rows"] for column in columns)
    screen.print(f"{shown(record['file'])}: {record['format']}", soft_wrap=True)
    screen.print(f"{record['rows']} rows, {n_used} columns")
    screen.print()
    grid = Grid(box=None, pad_edge=False)
    grid.add_column("column", overflow="fold")
    grid.add_column("type")
    grid.add_column("missing", justify="right")
    for column in columns[:_MOST_COLUMNS]:
        note = ", about the rows" if column["about_rows"] else ""
        grid.add_row(shown(column["name"]), f"{column['type']}{note}", str(column["missing"]))
    if len(columns) > _MOST_COLUMNS:
        grid.add_row("...")
    screen.print(grid)
