"""What every command shares: how errors and warnings look, and how text is shown."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from ..errors import DroppedColumnWarning, ParameterError, UnclusteredError

__all__ = [
    "EXIT_CODES",
    "MEANING",
    "NO_EVIDENCE",
    "SHOWN_ROWS",
    "check_place",
    "complain",
    "console",
    "listed",
    "plain_errors",
    "shown",
    "waiting",
]

EXIT_CODES = (
    "Exit codes: 0 done; 1 the data or an option cannot be used, and a line says why; "
    "2 the command was not understood; 3 a bug in unclustered; 4 there is no evidence for the "
    "labels, and none were given; 130 stopped with Ctrl-C."
)
NO_EVIDENCE = 4

MEANING = "+1 is the class over-represented in A: the sign is known, the name of the class is not."
SHOWN_ROWS = 5


@contextmanager
def plain_errors(debug: bool) -> Iterator[None]:
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
        complain("error", str(error))
        raise typer.Exit(1) from None
    except MemoryError:
        if debug:
            raise
        complain("error", "there is not enough memory for this.")
        raise typer.Exit(1) from None
    except OSError as error:  # of standard output: those of files are told above
        if debug or isinstance(error, BrokenPipeError):
            raise
        complain("error", f"{error.strerror or error}.")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        if debug:
            raise
        complain("stopped", "nothing more was done.")
        raise typer.Exit(130) from None
    except Exception as error:
        if debug or isinstance(error, typer.Exit | typer.BadParameter):
            raise
        complain(
            "error",
            f"{type(error).__name__}: {error}. This is a bug in unclustered: please report it with "
            "what the same command shows with --debug.",
        )
        raise typer.Exit(3) from None


_PATIENCE = 2.0  # seconds without a word
_BETWEEN = 10.0  # between two lines


@contextmanager
def waiting(
    what: str, quiet: bool = False, first: str | None = None
) -> Iterator[Callable[[int, int], None] | None]:
    """Show how far a long work is: a bar on a terminal, else a line now and then.

    Gives what is to be called with the number done and to do. Until then, and where nobody calls
    it, the time that has passed is shown, for ``first`` where that is another work. Work of two
    seconds shows nothing.
    """
    if quiet:
        yield None
        return
    screen = Console(stderr=True, markup=False, highlight=False)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
    )
    task = bar.add_task(first or what, total=None)
    start = monotonic()
    told: list[tuple[float, int, int]] = []  # the first count and the last: when, done, to do
    done = Event()

    def tell(count: int, total: int) -> None:
        told[1:] = [(monotonic(), count, total)]
        bar.update(task, description=what, completed=count, total=total)

    def show() -> None:
        if done.wait(_PATIENCE):
            return
        if screen.is_terminal:
            bar.start()  # and it goes on by itself
            return
        while True:
            line = _count(what, told) if told else f"{first or what}: {monotonic() - start:.0f} s"
            typer.echo(line, err=True)
            if done.wait(_BETWEEN):
                return

    shower = Thread(target=show, daemon=True)
    shower.start()
    try:
        yield tell
    finally:
        done.set()
        shower.join()
        if bar.live.is_started:
            bar.stop()


def _count(what: str, told: Sequence[tuple[float, int, int]]) -> str:
    """Say how far a work is, and how long it will take if the rest goes as it went so far.

    What was before the first count, such as compiling, will not come again.
    """
    (since, before, _), (now, count, total) = told[0], told[-1]
    line = f"{what}: {count} of at most {total}"
    if count == before:
        return line
    return f"{line}, about {(now - since) * (total - count) / (count - before):.0f} s left"


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    complain("warning", str(message))


def complain(kind: str, message: str) -> None:
    typer.echo(f"{kind}: {' '.join(message.split())}", err=True)


def console(stderr: bool = False) -> Console:
    # Names of columns and files are shown as they are, never taken for markup.
    return Console(markup=False, highlight=False, emoji=False, stderr=stderr)


def shown(text: str) -> str:
    """Text as it is, or escaped where it could do something to a terminal."""
    return text if text.isprintable() else repr(text)


def listed(words: Sequence[str]) -> str:
    """Words with commas; of many, the first ten."""
    first = ", ".join(words[:10])
    return first if len(words) <= 10 else f"{first} and {len(words) - 10} more"


def check_place(option: str, path: Path, inputs: Sequence[Path]) -> None:
    """Refuse what could not be written before anything is computed."""
    if not path.parent.is_dir():
        raise ParameterError(f"{path} cannot be written: there is no folder {str(path.parent)!r}.")
    if path.is_dir():
        raise ParameterError(f"{path} cannot be written: it is a folder.")
    for given in inputs:
        if path.exists() and given.exists() and os.path.samefile(given, path):
            raise ParameterError(f"{option} {path} would overwrite the data: give another name.")
