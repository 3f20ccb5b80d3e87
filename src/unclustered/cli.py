"""The command line: parse, one library call, print."""

# Nothing here loads numpy or scikit-learn before a command runs: --help must be instant.

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table as Grid

from ._version import __version__
from .errors import DroppedColumnWarning, ParameterError, UnclusteredError
from .methods import method_names

if TYPE_CHECKING:
    from .labeling import Labeling
    from .tables import Table

__all__ = ["app"]

_EXIT_CODES = (
    "Exit codes: 0 done; 1 the data or an option cannot be used, and a line says why; "
    "2 the command was not understood; 3 a bug in unclustered; 130 stopped with Ctrl-C."
)
_MEANING = "+1 is the class over-represented in A: the sign is known, the name of the class is not."
_SHOWN_ROWS = 5

app = typer.Typer(
    name="unclustered",
    help="Label two unlabelled tables whose hidden classes are mixed in different proportions.",
    epilog=_EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Missing(StrEnum):
    """What to do with missing values."""

    error = "error"
    impute = "impute"


class Reproducible(StrEnum):
    """What the paper has that can be reproduced."""

    table1 = "table1"
    table2 = "table2"
    figure1 = "figure1"
    figure2 = "figure2"
    all = "all"


def _complete_method(incomplete: str) -> list[str]:
    return [name for name in method_names() if name.startswith(incomplete)]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"unclustered {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


@app.command("label", epilog=_EXIT_CODES)
def label_files(
    a: Annotated[Path, typer.Argument(metavar="A", help="CSV file; each row is a sample.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="CSV file with the same columns.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="CSV file for labels and scores.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"One of: {', '.join(method_names())}.",
            autocompletion=_complete_method,
        ),
    ] = "dsdd",
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
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, for programs.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the code an error arose.")
    ] = False,
) -> None:
    """Label every row of the files A and B.

    +1 is the class over-represented in A, -1 the one over-represented in B.
    """
    with _plain_errors(debug):
        from .labeling import label
        from .tables import read_table, write_table

        if method not in method_names():
            raise ParameterError(
                f"--method {method}: there is no such method. There are: "
                f"{', '.join(method_names())}."
            )
        if out is not None:
            _check_out(out, (a, b))
        identifiers = [] if id_ is None else [id_]
        table_a, table_b = (read_table(path, as_text=identifiers) for path in (a, b))
        used_a, used_b = _selected((table_a, table_b), columns or [], drop or [], identifiers)
        labeling = label(used_a, used_b, method=method, missing=missing.value, random_state=seed)
        rows = _rows(labeling, (table_a, table_b), id_)
        if out is not None:
            write_table(rows, out)
        record = _record(labeling, (a, b), method, out)
        if as_json:
            if out is None:
                keys = list(rows)
                cells = zip(*(list(values) for values in rows.values()), strict=True)
                record["labels"] = [dict(zip(keys, row, strict=True)) for row in cells]
            typer.echo(json.dumps(record, indent=2))
        else:
            _show(record, rows)


@app.command("examples")
def copy_examples(
    folder: Annotated[Path, typer.Argument(help="Where to put them; made if it is not there.")],
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the code an error arose.")
    ] = False,
) -> None:
    """Copy two example files, a.csv and b.csv, to a folder.

    They hold white blood cells of two patients, mixed from the same two kinds in different
    proportions.
    """
    with _plain_errors(debug):
        from importlib.resources import files

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
        _console().print(f"Now try: unclustered label {paths}", soft_wrap=True)


@app.command("reproduce", epilog=_EXIT_CODES)
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
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the code an error arose.")
    ] = False,
) -> None:
    """Reproduce the tables and figures of the paper, the published figures beside.

    A run that was stopped, in whatever way, goes on where it was: give the same command again.
    """
    with _plain_errors(debug):
        from .paper import reproduce
        from .paper.conclusions import conclusions
        from .paper.progress import LineProgress, LiveProgress

        console = _console()
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
                progress=LiveProgress(console)
                if console.is_terminal
                else LineProgress(console.file),
            )
        except KeyboardInterrupt:
            _complain("stopped", "what is done is kept; the same command goes on from there.")
            raise typer.Exit(130) from None
        for table in done.tables:
            console.print(f"\nTable {table.number}", style="bold")
            for sentence in conclusions(table):
                console.print(f"- {sentence}", soft_wrap=True)
        for name in done.left_out:
            console.print(f"\n{name} was left out: give its folder with --data.", soft_wrap=True)
        console.print()
        for path in done.files:
            console.print(f"Wrote {_shown(str(path))}", soft_wrap=True)


@contextmanager
def _plain_errors(debug: bool) -> Iterator[None]:
    """Show errors and warnings as one line each, and turn errors into exit codes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            # The summary names the columns that were left out.
            warnings.simplefilter("ignore", DroppedColumnWarning)
            warnings.showwarning = _show_warning
            yield
    except UnclusteredError as error:
        if debug:
            raise
        _complain("error", str(error))
        raise typer.Exit(1) from None
    except MemoryError:
        if debug:
            raise
        _complain("error", "there is not enough memory for this.")
        raise typer.Exit(1) from None
    except OSError as error:  # of standard output: those of files are told above
        if debug or isinstance(error, BrokenPipeError):
            raise
        _complain("error", f"{error.strerror or error}.")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        if debug:
            raise
        _complain("stopped", "nothing more was done.")
        raise typer.Exit(130) from None
    except Exception as error:
        if debug or isinstance(error, typer.Exit):
            raise
        _complain(
            "error",
            f"{type(error).__name__}: {error}. This is a bug in unclustered: please report it with "
            "what the same command shows with --debug.",
        )
        raise typer.Exit(3) from None


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _complain("warning", str(message))


def _complain(kind: str, message: str) -> None:
    typer.echo(f"{kind}: {' '.join(message.split())}", err=True)


def _check_out(out: Path, inputs: Sequence[Path]) -> None:
    """Refuse what could not be written before anything is computed."""
    from .tables import format_of

    format_of(out)
    if not out.parent.is_dir():
        raise ParameterError(f"{out} cannot be written: there is no folder {str(out.parent)!r}.")
    if out.exists():
        if out.is_dir():
            raise ParameterError(f"{out} cannot be written: it is a folder.")
        for path in inputs:
            if path.exists() and os.path.samefile(path, out):
                raise ParameterError(f"--out {out} would overwrite the data: give another name.")


def _selected(
    tables: Sequence[Table], keep: Sequence[str], drop: Sequence[str], identifiers: Sequence[str]
) -> list[Table]:
    """Tables with the columns that the options leave."""
    known = {name for table in tables for name in table}
    kept, dropped = _split(keep, known), _split(drop, known)
    for option, names in (("--columns", kept), ("--drop", dropped)):
        for name in names:
            if name not in known:
                raise ParameterError(
                    f"{option} {name}: there is no such column. There are: "
                    f"{', '.join(_shown(n) for n in tables[0])}."
                )
    for option, names in (("--columns", kept), ("--id", [*identifiers])):
        for name in names:
            for table in tables:
                if name not in table:
                    raise ParameterError(f"{option} {name}: {table.path} has no such column.")
    left_out = {*dropped, *identifiers}
    selected = [
        table.select(n for n in table if n not in left_out and (not kept or n in kept))
        for table in tables
    ]
    if not all(selected):
        raise ParameterError("--columns, --drop and --id together leave no column.")
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
    if name in ("dataset", "label", "score"):
        name = "id"
    rows: dict[str, list[Any]] = {"dataset": [], name: [], "label": [], "score": []}
    labels = (labeling.labels_a, labeling.labels_b)
    scores = (labeling.scores_a, labeling.scores_b)
    for dataset, table, label, score in zip("AB", tables, labels, scores, strict=True):
        rows["dataset"] += [dataset] * len(label)
        rows[name] += range(1, len(label) + 1) if id_ is None else table[id_].tolist()
        rows["label"] += label.tolist()
        rows["score"] += score.tolist()
    return rows


def _record(
    labeling: Labeling, paths: Sequence[Path], method: str, out: Path | None
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
        "meaning": _MEANING,
        "out": None if out is None else str(out),
    }


def _console() -> Console:
    # Names of columns and files are shown as they are, never taken for markup.
    return Console(markup=False, highlight=False, emoji=False)


def _show(record: dict[str, Any], rows: dict[str, list[Any]]) -> None:
    console = _console()
    counts = Grid(box=None, pad_edge=False)
    counts.add_column("")
    counts.add_column("file", overflow="fold")
    for title in ("rows", "+1", "-1"):
        counts.add_column(title, justify="right")
    for name, dataset in record["datasets"].items():
        numbers = (str(dataset[key]) for key in ("rows", "positive", "negative"))
        counts.add_row(name, _shown(dataset["file"]), *numbers)
    console.print(counts)
    console.print()
    for line in _about(record):
        console.print(line, soft_wrap=True)
    if record["out"] is not None:
        console.print(f"Labels and scores are in {_shown(record['out'])}.", soft_wrap=True)
        return
    console.print()
    console.print(_first_rows(rows))
    console.print("All rows: add --out labels.csv", soft_wrap=True)


def _about(record: dict[str, Any]) -> Iterator[str]:
    columns = record["columns"]
    used = [_shown(name) for name in columns["numeric"]]
    used += [f"{_shown(n)} ({len(levels)} levels)" for n, levels in columns["categorical"].items()]
    yield f"Columns used: {_listed(used)}"
    if columns["dropped"]:
        dropped = [f"{_shown(name)} ({why})" for name, why in columns["dropped"].items()]
        yield f"Columns left out: {_listed(dropped)}"
    converged = {None: "", True: ", converged", False: ", did not converge"}[record["converged"]]
    yield f"Method: {record['method']}{converged}"
    yield record["meaning"]


def _first_rows(rows: dict[str, list[Any]]) -> Grid:
    """Table of the first rows of A and of B."""
    grid = Grid(box=None, pad_edge=False)
    for title in rows:
        grid.add_column(_shown(title), justify="left" if title == "dataset" else "right")
    n_a = rows["dataset"].count("A")
    for start, stop in ((0, n_a), (n_a, len(rows["dataset"]))):
        for k in range(start, min(start + _SHOWN_ROWS, stop)):
            dataset, name, label, score = (values[k] for values in rows.values())
            grid.add_row(dataset, _shown(str(name)), f"{label:+d}", f"{score:.4g}")
        if stop - start > _SHOWN_ROWS:
            grid.add_row("", "...", "", "")
    return grid


def _listed(words: list[str]) -> str:
    shown = ", ".join(words[:10])
    return shown if len(words) <= 10 else f"{shown} and {len(words) - 10} more"


def _shown(text: str) -> str:
    """Text as it is, or escaped where it could do something to a terminal."""
    return text if text.isprintable() else repr(text)
