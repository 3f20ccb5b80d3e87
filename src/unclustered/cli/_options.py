"""Options that several commands have, each said once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..methods import method_names
from ._config import read_config

__all__ = [
    "READING",
    "WRITING",
    "A",
    "B",
    "By",
    "ColumnsOption",
    "Config",
    "Debug",
    "Drop",
    "Format",
    "Groups",
    "Id",
    "Json",
    "Method",
    "Missing",
    "MissingValues",
    "Out",
    "Part",
    "Permutations",
    "Seed",
]


READING, WRITING = "What is read", "What comes out"  # panels of the help


class MissingValues(StrEnum):
    """What to do with missing values."""

    error = "error"
    impute = "impute"


def _complete_method(incomplete: str) -> list[str]:
    return [name for name in method_names() if name.startswith(incomplete)]


A = Annotated[
    Path,
    typer.Argument(
        metavar="A",
        help="File whose rows are samples; a folder of Parquet files, a pattern such as "
        "'a*.csv', or - for standard input. unclustered info shows what is in it.",
    ),
]
B = Annotated[
    Path | None,
    typer.Argument(
        metavar="B", help="The same, with the same columns. Left out where A holds both: --by."
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        rich_help_panel=READING,
        metavar="COLUMN",
        help="Column of A with two values, where one file holds both datasets: A is the smaller "
        "value, or the first in the alphabet.",
    ),
]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        rich_help_panel=READING,
        metavar="COL",
        help="Use this column only. Repeat, or separate by commas.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE.toml",
        is_eager=True,
        callback=read_config,
        help="File with options by their long names, such as: id = 'cell'. What stands on the "
        "command line counts more.",
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show where in the code an error arose.")]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=READING,
        metavar="COL",
        help="Leave this column out. Repeat, or separate by commas.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        rich_help_panel=READING,
        metavar="NAME",
        help="Format of files whose names do not tell, and of standard input and output: csv, "
        "jsonl, parquet, ... Without it, what is read is recognised, and CSV is written.",
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=READING,
        metavar="COLUMN",
        help="Column that says what a row belongs to (a donor, a batch, a day): the evidence "
        "shuffles these as wholes. Not used otherwise.",
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        rich_help_panel=READING,
        metavar="COLUMN",
        help="Column that names the rows; copied, not used.",
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", rich_help_panel=WRITING, help="Print one JSON object, for programs."),
]
Method = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"One of: {', '.join(method_names())}.",
        autocompletion=_complete_method,
    ),
]
Missing = Annotated[
    MissingValues,
    typer.Option(
        rich_help_panel=READING,
        help="Refuse missing values, or impute them: median, or a level of its own.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=WRITING,
        metavar="FILE",
        help="File for labels and scores; - for standard output (CSV).",
    ),
]
Part = Annotated[
    str | None,
    typer.Option(
        "--part",
        rich_help_panel=READING,
        metavar="NAME",
        help="Sheet, tree, group or table of the file.",
    ),
]
Permutations = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Shuffled memberships that the evidence rests on. By default, few rows are tested "
        "by refits to 199, more rows half against half.",
    ),
]
Seed = Annotated[int | None, typer.Option(metavar="N", min=0, help="Seed of everything random.")]
