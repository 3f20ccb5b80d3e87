"""``unclustered label``: files in, labels out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from .._version import __version__
from ..errors import ParameterError
from ..methods import method_names
from ._frame import (
    MEANING,
    NO_EVIDENCE,
    SHOWN_ROWS,
    Debug,
    Format,
    Part,
    check_place,
    console,
    listed,
    plain_errors,
    shown,
    waiting,
)

if TYPE_CHECKING:
    from ..labeling import Labeling
    from ..tables import Table

__all__ = ["about", "label_files"]


class Missing(StrEnum):
    """What to do with missing values."""

    error = "error"
    impute = "impute"


def _complete_method(incomplete: str) -> list[str]:
    return [name for name in method_names() if name.startswith(incomplete)]


def label_files(
    a: Annotated[
        Path,
        typer.Argument(
            metavar="A",
            help="File whose rows are samples; a folder of Parquet files, a pattern such as "
            "'a*.csv', or - for standard input. unclustered info shows what is in it.",
        ),
    ],
    b: Annotated[Path, typer.Argument(metavar="B", help="The same, with the same columns.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File for labels and scores; - for standard output (CSV)."
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"One of: {', '.join(method_names())}.",
            autocompletion=_complete_method,
        ),
    ] = "dsdd",
    model: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File for the fitted model: see unclustered predict."),
    ] = None,
    missing: Annotated[
        Missing,
        typer.Option(help="Refuse missing values, or impute them: median, or a level of its own."),
    ] = Missing.error,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Seed of everything random.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Use this column only. Repeat, or separate by commas."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Leave this column out. Repeat, or separate by commas."),
    ] = None,
    id_: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="COLUMN", help="Column that names the rows; copied, not used."
        ),
    ] = None,
    permutations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Shuffled memberships that the evidence rests on. By default 199 for up to 120 "
            "rows, 99 for up to 400; more rows are tested half against half.",
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that says what a row belongs to (a donor, a batch, a day): the evidence "
            "shuffles these as wholes. Not used otherwise.",
        ),
    ] = None,
    priors: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="TA TB",
            help="Share of class +1 in A and in B, where known: rows get probabilities, and labels "
            "that follow from them.",
        ),
    ] = None,
    abstain: Annotated[
        float,
        typer.Option(metavar="SHARE", min=0.0, max=1.0, help="Label the least sure rows 0."),
    ] = 0.0,
    evidence: Annotated[
        bool,
        typer.Option(
            "--evidence/--no-evidence", help="Find out how far the labels can be trusted."
        ),
    ] = True,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Write labels also where there is no evidence.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, for programs.")
    ] = False,
    format: Format = None,
    part: Part = None,
    debug: Debug = False,
) -> None:
    """Label every row of the files A and B.

    +1 is the class over-represented in A, -1 the one over-represented in B.
    """
    with plain_errors(debug):
        from ..labeling import label
        from ..tables import check_writable, read_table, write_table

        if method not in method_names():
            raise ParameterError(
                f"--method {method}: there is no such method. There are: "
                f"{', '.join(method_names())}."
            )
        if out is not None:
            check_writable(out, format=format)
            check_place("--out", out, (a, b))
            if as_json and str(out) == "-":
                raise ParameterError("--json and --out - cannot both be printed.")
        if str(a) == str(b) == "-":
            raise ParameterError("A and B cannot both be standard input.")
        if model is not None:
            check_place("--model", model, (a, b))
            if model == out:
                raise ParameterError(f"--model {model} and --out are the same file.")
        named = {"--id": id_, "--groups": groups}
        identifiers = {option: name for option, name in named.items() if name is not None}
        table_a, table_b = (
            read_table(path, as_text=identifiers.values(), format=format, part=part)
            for path in (a, b)
        )
        # Columns that have only numbers may end sooner in one file than in the other.
        table_a, table_b = table_a.widened(len(table_b)), table_b.widened(len(table_a))
        used_a, used_b = _selected((table_a, table_b), columns or [], drop or [], identifiers)
        with waiting("permutations", quiet=as_json) as progress:
            labeling = label(
                used_a,
                used_b,
                method=method,
                missing=missing.value,
                evidence=evidence,
                permutations=permutations,
                groups=None
                if groups is None
                else (table_a.everything[groups], table_b.everything[groups]),
                priors=priors,
                abstain=abstain,
                random_state=seed,
                progress=progress,
            )
        rows = _rows(labeling, (table_a, table_b), id_)
        withheld = evidence and not anyway and not _trusted(labeling)
        if out is not None and not withheld:
            write_table(rows, out, format=format)
        if model is not None and not withheld:
            labeling.save(model)
        record = _record(labeling, (a, b), method, *((None, None) if withheld else (out, model)))
        if withheld:
            record["labels"] = None
        if as_json:
            if out is None and not withheld:
                keys = list(rows)
                cells = zip(*(list(values) for values in rows.values()), strict=True)
                record["labels"] = [dict(zip(keys, row, strict=True)) for row in cells]
            typer.echo(json.dumps(record, indent=2))
        else:
            _show(record, rows, withheld)
        if withheld:
            raise typer.Exit(NO_EVIDENCE)


def _trusted(labeling: Labeling) -> bool:
    return labeling.evidence is not None and labeling.evidence.trustworthy


def _selected(
    tables: Sequence[Table],
    keep: Sequence[str],
    drop: Sequence[str],
    identifiers: Mapping[str, str],
) -> list[Table]:
    """Tables with the columns that the options leave."""
    known = {name for table in tables for name in table.everything}
    kept, dropped = _split(keep, known), _split(drop, known)
    for option, names in (("--columns", kept), ("--drop", dropped)):
        for name in names:
            if name not in known:
                raise ParameterError(
                    f"{option} {name}: there is no such column. There are: "
                    f"{', '.join(shown(n) for n in tables[0])}."
                )
    needed = [*(("--columns", name) for name in kept), *identifiers.items()]
    for option, name in needed:
        for table in tables:
            if name not in table.everything:
                raise ParameterError(f"{option} {name}: {table.path} has no such column.")
    left_out = {*dropped, *identifiers.values()}
    selected = [
        table.select(n for n in (dict.fromkeys(kept) or table) if n not in left_out)
        for table in tables
    ]
    if not all(selected):
        raise ParameterError("--columns, --drop, --id and --groups together leave no column.")
    return selected


def _split(names: Sequence[str], known: set[str]) -> list[str]:
    """Column names as given, or separated by commas where no column is called that."""
    found: list[str] = []
    for name in names:
        found += [name] if name in known else [part.strip() for part in name.split(",")]
    return found


def _rows(labeling: Labeling, tables: Sequence[Table], id_: str | None) -> dict[str, list[Any]]:
    """Columns of the labels file."""
    name = "row" if id_ is None else id_
    if name in ("dataset", "label", "score", "confidence", "probability"):
        name = "id"
    columns = {
        "label": (labeling.labels_a, labeling.labels_b),
        "score": (labeling.scores_a, labeling.scores_b),
    }
    if labeling.confidence_a is not None and labeling.confidence_b is not None:
        columns["confidence"] = (labeling.confidence_a, labeling.confidence_b)
    if labeling.probabilities is not None:
        posterior = labeling.probabilities.posterior_a, labeling.probabilities.posterior_b
        columns["probability"] = posterior
    rows: dict[str, list[Any]] = {"dataset": [], name: []}
    for dataset, table in zip("AB", tables, strict=True):
        rows["dataset"] += [dataset] * table.n_rows
        rows[name] += range(1, table.n_rows + 1) if id_ is None else table.everything[id_].tolist()
    return rows | {title: [*a.tolist(), *b.tolist()] for title, (a, b) in columns.items()}


def _record(
    labeling: Labeling,
    paths: Sequence[Path],
    method: str,
    out: Path | None,
    model: Path | None,
) -> dict[str, Any]:
    """Gather what there is to tell, as plain data."""
    encoding = labeling.encoding
    return {
        "version": __version__,
        "datasets": {
            name: {
                "file": str(path),
                "rows": len(labels),
                "positive": int((labels > 0).sum()),
                "negative": int((labels < 0).sum()),
            }
            for name, path, labels in zip(
                "AB", paths, (labeling.labels_a, labeling.labels_b), strict=True
            )
        },
        "columns": {
            "numeric": list(encoding.numbers),
            "categorical": {name: list(levels) for name, levels in encoding.levels.items()},
            "dropped": dict(encoding.dropped),
        },
        "method": method,
        "converged": labeling.converged,
        "evidence": None if labeling.evidence is None else labeling.evidence.to_dict(),
        "meaning": MEANING,
        "out": None if out is None else str(out),
        "model": None if model is None else str(model),
    }


def _show(record: dict[str, Any], rows: dict[str, list[Any]], withheld: bool) -> None:
    screen = console(stderr=record["out"] == "-")
    counts = Grid(box=None, pad_edge=False)
    counts.add_column("")
    counts.add_column("file", overflow="fold")
    for title in ("rows", "+1", "-1"):
        counts.add_column(title, justify="right")
    for name, dataset in record["datasets"].items():
        numbers = (str(dataset[key]) for key in ("rows", "positive", "negative"))
        counts.add_row(name, shown(dataset["file"]), *numbers)
    screen.print(counts)
    screen.print()
    for line in about(record):
        screen.print(line, soft_wrap=True)
    if withheld:
        screen.print("No labels are given. To have them all the same: --anyway.", soft_wrap=True)
        return
    if record["model"] is not None:
        screen.print(f"The model is in {shown(record['model'])}.", soft_wrap=True)
    if record["out"] == "-":
        return
    if record["out"] is not None:
        screen.print(f"Labels and scores are in {shown(record['out'])}.", soft_wrap=True)
        return
    screen.print()
    screen.print(_first_rows(rows))
    screen.print("All rows: add --out labels.csv", soft_wrap=True)


def about(record: dict[str, Any]) -> Iterator[str]:
    """Lines about the columns, the method and the evidence."""
    columns = record["columns"]
    used = [shown(name) for name in columns["numeric"]]
    used += [f"{shown(n)} ({len(levels)} levels)" for n, levels in columns["categorical"].items()]
    yield f"Columns used: {listed(used)}"
    if columns["dropped"]:
        dropped = [f"{shown(name)} ({why})" for name, why in columns["dropped"].items()]
        yield f"Columns left out: {listed(dropped)}"
    converged = {None: "", True: ", converged", False: ", did not converge"}[record["converged"]]
    yield f"Method: {record['method']}{converged}"
    if record["evidence"] is not None and record["evidence"]["trustworthy"]:
        yield f"Evidence: {record['evidence']['verdict']}"
    yield record["meaning"]


def _first_rows(rows: dict[str, list[Any]]) -> Grid:
    """Table of the first rows of A and of B."""
    grid = Grid(box=None, pad_edge=False)
    for title in rows:
        grid.add_column(shown(title), justify="left" if title == "dataset" else "right")
    n_a = rows["dataset"].count("A")
    for start, stop in ((0, n_a), (n_a, len(rows["dataset"]))):
        for k in range(start, min(start + SHOWN_ROWS, stop)):
            dataset, name, label, *numbers = (values[k] for values in rows.values())
            shares = (f"{number:.4g}" for number in numbers)
            grid.add_row(dataset, shown(str(name)), f"{label:+d}" if label else "0", *shares)
        if stop - start > SHOWN_ROWS:
            grid.add_row("", "...")
    return grid
