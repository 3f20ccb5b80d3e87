"""The command line, one file a command: parse, one library call, print."""

# Nothing in this folder loads numpy or scikit-learn before a command runs: --help must be instant.

from __future__ import annotations

from typing import Annotated

import typer

from .._version import __version__
from ._frame import EXIT_CODES
from .compare import compare_methods
from .demo import show_demo
from .examples import copy_examples
from .info import describe_file
from .label import label_files
from .predict import predict_file
from .priors import estimate_balances
from .reproduce import reproduce_paper
from .test import show_evidence

__all__ = ["app"]

app = typer.Typer(
    name="unclustered",
    help="Label two unlabelled tables whose hidden classes are mixed in different proportions.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


app.command("label", epilog=EXIT_CODES)(label_files)
app.command("predict", epilog=EXIT_CODES)(predict_file)
app.command("test", epilog=EXIT_CODES)(show_evidence)
app.command("compare", epilog=EXIT_CODES)(compare_methods)
app.command("priors", epilog=EXIT_CODES)(estimate_balances)
app.command("info", epilog=EXIT_CODES)(describe_file)
app.command("demo", epilog=EXIT_CODES)(show_demo)
app.command("examples")(copy_examples)
app.command("reproduce", epilog=EXIT_CODES)(reproduce_paper)
