"""``unclustered label``: files in, labels out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._version import __version__
from ..errors import ParameterError
from ..methods import method_names
from ._chunked import ChunkedPair, is_large, label_large
from ._config import command_text
from ._frame import (
    MEANING,
    NO_EVIDENCE,
    SHOWN_ROWS,
    check_place,
    console,
    plain_errors,
    shown,
    waiting,
)
from ._lines import about, columns_record, counts_grid, first_rows
from ._options import (
    WRITING,
    A,
    B,
    By,
    ColumnsOption,
    Config,
    Debug,
    Drop,
    Format,
    Groups,
    Id,
    Json,
    Method,
    Missing,
    MissingValues,
    Out,
    Part,
    Permutations,
    Seed,
)
from ._reading import Pair, read_pair

if TYPE_CHECKING:
    from ..labeling import Labeling

__all__ = ["check_method", "label_files"]


# Methods for files too large for memory, and what they are there: of all methods that the automatic
# one weighs, DSDD is the one that scales.
_BY_PASSES = {"auto": "dsdd", "dsdd": "dsdd", "lsdd": "lsdd"}


def label_files(
    context: typer.Context,
    a: A,
    b: B = None,
    by: By = None,
    out: Out = None,
    report: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=WRITING,
            metavar="FILE",
            help="File for a report to look at and send on: .html (one page that needs nothing "
            "else), .md or .json.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=WRITING,
            metavar="FILE",
            help="File for the fitted model: see unclustered predict.",
        ),
    ] = None,
    method: Method = "auto",
    missing: Missing = MissingValues.error,
    seed: Seed = None,
    columns: ColumnsOption = None,
    drop: Drop = None,
    id_: Id = None,
    groups: Groups = None,
    permutations: Permutations = None,
    priors: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="TA TB",
            help="Share of class +1 in A and in B, where known: rows get probabilities, and labels "
            "that follow from them.",
        ),
    ] = None,
    estimate_priors: Annotated[
        bool, typer.Option("--estimate-priors", help="Estimate these two shares.")
    ] = False,
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
        bool,
        typer.Option(
            "--anyway",
            rich_help_panel=WRITING,
            help="Write labels also where there is no evidence.",
        ),
    ] = False,
    as_json: Json = False,
    format: Format = None,
    part: Part = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Label every row of the files A and B.

    +1 is the class over-represented in A, -1 the one over-represented in B.
    """
    with plain_errors(debug):
        from ..labeling import label
        from ..tables import check_writable, write_table

        check_method(method)
        places = {"--out": out, "--report": report, "--model": model}
        _check_places(places, [a] if b is None else [a, b])
        if priors is not None and estimate_priors:
            raise ParameterError("--priors and --estimate-priors cannot both be given.")
        if out is not None:
            check_writable(out, format=format)
            if as_json and str(out) == "-":
                raise ParameterError("--json and --out - cannot both be printed.")
        if report is not None:
            from ..report import check_report

            check_report(report)
        needs_all = (groups, priors, report, permutations, part) != (None,) * 5
        needs_all = needs_all or estimate_priors or abstain > 0 or method not in _BY_PASSES
        if b is not None and not needs_all and is_large(a, b, format):
            _label_large(
                ChunkedPair(a, b, id_, columns or [], drop or [], format),
                {"out": out, "model": model, "report": None},
                withhold=evidence and not anyway,
                as_json=as_json,
                method=_BY_PASSES[method],
                missing=missing.value,
                evidence=evidence,
                random_state=seed,
            )
            return
        pair = read_pair(
            a,
            b,
            by=by,
            id_=id_,
            groups=groups,
            columns=columns,
            drop=drop,
            format=format,
            part=part,
            quiet=as_json,
        )
        with waiting("permutations", as_json, first="fitting") as progress:
            labeling = label(
                *pair.used,
                method=method,
                missing=missing.value,
                evidence=evidence,
                permutations=permutations,
                groups=pair.groups,
                priors="estimate" if estimate_priors else priors,
                abstain=abstain,
                random_state=seed,
                n_jobs=-1,
                progress=progress,
            )
        withheld = evidence and not anyway and not _trusted(labeling)
        if report is not None:
            with waiting("refits for the report", quiet=as_json) as progress:
                summary = labeling.summary(
                    *pair.used,
                    ids=pair.ids,
                    sources=pair.sources,
                    show_labels=not withheld,
                    groups=pair.groups,
                    random_state=seed,
                    command=command_text(context),
                    inputs=pair.hashes(),
                    progress=progress,
                )
        rows = _rows(labeling, pair)
        # All is known: from here on only files are written, each of them whole or not at all.
        if withheld:
            out = model = None
        if out is not None:
            write_table(rows, out, format=format)
        if model is not None:
            labeling.save(model)
        if report is not None:
            summary.save(report)
        written = {"out": out, "model": model, "report": report}
        record = _record(labeling, pair, method, written)
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


def _label_large(
    pair: ChunkedPair,
    places: dict[str, Path | None],
    *,
    withhold: bool,
    as_json: bool,
    method: str,
    **options: Any,
) -> None:
    """Label files some rows at a time, and tell of it."""
    with waiting("passes over the files", quiet=as_json):
        labeling, withheld = label_large(
            pair, out=places["out"], withhold=withhold, method=method, n_jobs=-1, **options
        )
    if withheld:
        places = dict.fromkeys(places)
    if places["model"] is not None:
        labeling.save(places["model"])
    record = {
        "version": __version__,
        "datasets": {
            name: {
                "file": str(path),
                "rows": len(scores),
                "positive": int((scores > 0).sum()),
                "negative": int((scores <= 0).sum()),
            }
            for name, path, scores in zip(
                "AB", (pair.a, pair.b), (labeling.scores_a, labeling.scores_b), strict=True
            )
        },
        "columns": columns_record(labeling.encoding),
        "method": method,
        "converged": labeling.converged,
        "evidence": None if labeling.evidence is None else labeling.evidence.to_dict(),
        "meaning": MEANING,
        **{name: None if path is None else str(path) for name, path in places.items()},
    }
    if as_json:
        typer.echo(json.dumps(record, indent=2))
    else:
        first = [next(labeling.rows(SHOWN_ROWS + 1))]
        _show(record, {name: values.tolist() for name, values in first[0].items()}, withheld)
    if withheld:
        raise typer.Exit(NO_EVIDENCE)


def check_method(method: str) -> None:
    """Refuse a method that does not exist, naming those that do."""
    if method not in method_names():
        raise ParameterError(
            f"--method {method}: there is no such method. There are: {', '.join(method_names())}."
        )


def _check_places(places: Mapping[str, Path | None], inputs: list[Path]) -> None:
    """Refuse files that could not be written, or that would overwrite each other or the data."""
    named: dict[Path, str] = {}
    for option, path in places.items():
        if path is None:
            continue
        check_place(option, path, inputs)
        if path in named:
            raise ParameterError(f"{named[path]} {path} and {option} are the same file.")
        named[path] = option


def _trusted(labeling: Labeling) -> bool:
    return labeling.evidence is not None and labeling.evidence.trustworthy


def _rows(labeling: Labeling, pair: Pair) -> dict[str, list[Any]]:
    """Columns of the labels file; rows of one file keep the order that they have there."""
    name = "row" if pair.id_ is None else pair.id_
    if name in ("dataset", "label", "score", "confidence", "probability"):
        name = "id"
    columns: dict[str, tuple[Any, Any]] = {
        "label": (labeling.labels_a, labeling.labels_b),
        "score": (labeling.scores_a, labeling.scores_b),
    }
    if labeling.confidence_a is not None and labeling.confidence_b is not None:
        columns["confidence"] = (labeling.confidence_a, labeling.confidence_b)
    if labeling.probabilities is not None:
        posterior = labeling.probabilities.posterior_a, labeling.probabilities.posterior_b
        columns["probability"] = posterior
    first, second = pair.ids
    rows: dict[str, list[Any]] = {"dataset": ["A"] * len(first) + ["B"] * len(second)}
    rows[name] = [*first, *second]
    rows |= {title: [*a.tolist(), *b.tolist()] for title, (a, b) in columns.items()}
    if pair.by is None:
        return rows
    places = [*pair.rows[0].tolist(), *pair.rows[1].tolist()]
    order = sorted(range(len(places)), key=places.__getitem__)
    return {title: [values[k] for k in order] for title, values in rows.items()}


def _record(
    labeling: Labeling, pair: Pair, method: str, written: Mapping[str, Path | None]
) -> dict[str, Any]:
    """Gather what there is to tell, as plain data."""
    return {
        "version": __version__,
        "datasets": {
            name: {
                "file": source,
                "rows": len(labels),
                "positive": int((labels > 0).sum()),
                "negative": int((labels < 0).sum()),
            }
            for name, source, labels in zip(
                "AB", pair.sources, (labeling.labels_a, labeling.labels_b), strict=True
            )
        },
        "columns": columns_record(labeling.encoding),
        "method": method,
        "converged": labeling.converged,
        "evidence": None if labeling.evidence is None else labeling.evidence.to_dict(),
        "meaning": MEANING,
        **{name: None if path is None else str(path) for name, path in written.items()},
    }


def _show(record: dict[str, Any], rows: dict[str, list[Any]], withheld: bool) -> None:
    screen = console(stderr=record["out"] == "-")
    titles = (("rows", "rows"), ("positive", "+1"), ("negative", "-1"))
    screen.print(counts_grid(record["datasets"], *titles))
    screen.print()
    for line in about(record):
        screen.print(line, soft_wrap=True)
    if withheld:
        screen.print("No labels are given. To have them all the same: --anyway.", soft_wrap=True)
    for what, key in (("The model is", "model"), ("The report is", "report")):
        if record[key] is not None:
            screen.print(f"{what} in {shown(record[key])}.", soft_wrap=True)
    if withheld or record["out"] == "-":
        return
    if record["out"] is not None:
        screen.print(f"Labels and scores are in {shown(record['out'])}.", soft_wrap=True)
        return
    screen.print()
    screen.print(first_rows(rows))
    screen.print("All rows: add --out labels.csv", soft_wrap=True)
