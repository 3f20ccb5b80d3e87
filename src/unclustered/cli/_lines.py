"""What commands show of tables, columns and labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table as Grid

from ._frame import MEANING, SHOWN_ROWS, listed, shown

__all__ = ["about", "columns_record", "counts_grid", "first_rows"]


def columns_record(encoding: Any) -> dict[str, Any]:
    """Tell what became of the columns, as plain data."""
    return {
        "numeric": list(encoding.numbers),
        "categorical": {name: list(levels) for name, levels in encoding.levels.items()},
        "dropped": dict(encoding.dropped),
    }


def counts_grid(datasets: Mapping[str, Mapping[str, Any]], *titles: tuple[str, str]) -> Grid:
    """Table of A and B: their files, and numbers by key, each with its title."""
    grid = Grid(box=None, pad_edge=False)
    grid.add_column("")
    grid.add_column("file", overflow="fold")
    for _, title in titles:
        grid.add_column(title, justify="right")
    for name, dataset in datasets.items():
        grid.add_row(name, shown(dataset["file"]), *(str(dataset[key]) for key, _ in titles))
    return grid


def about(record: Mapping[str, Any]) -> Iterator[str]:
    """Lines about the columns, the method and the evidence."""
    columns = record["columns"]
    used = [shown(name) for name in columns["numeric"]]
    used += [f"{shown(n)} ({len(levels)} levels)" for n, levels in columns["categorical"].items()]
    yield f"Columns used: {listed(used)}"
    if columns["dropped"]:
        dropped = [f"{shown(name)} ({why})" for name, why in columns["dropped"].items()]
        yield f"Columns left out: {listed(dropped)}"
    if "method" in record:
        converged = {None: "", True: ", converged", False: ", did not converge"}
        yield f"Method: {record['method']}{converged[record['converged']]}"
    evidence = record.get("evidence")
    if evidence is not None and evidence["trustworthy"]:
        yield f"Evidence: {evidence['verdict']}"
    if "meaning" in record:
        yield MEANING


def first_rows(rows: Mapping[str, Sequence[Any]]) -> Grid:
    """Table of the first rows of A and of B."""
    grid = Grid(box=None, pad_edge=False)
    for title in rows:
        grid.add_column(shown(title), justify="left" if title == "dataset" else "right")
    for name in "AB":
        places = [k for k, dataset in enumerate(rows["dataset"]) if dataset == name]
        for k in places[:SHOWN_ROWS]:
            dataset, id_, label, *numbers = (values[k] for values in rows.values())
            shares = (f"{number:.4g}" for number in numbers)
            grid.add_row(dataset, shown(str(id_)), f"{label:+d}" if label else "0", *shares)
        if len(places) > SHOWN_ROWS:
            grid.add_row("", "...")
    return grid
