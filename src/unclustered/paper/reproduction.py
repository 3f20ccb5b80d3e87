"""The front door: run what is missing, then write every output anew."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..datasets import benchmark_names, load_benchmark
from ..datasets.openml import NotDeliveredError
from ..errors import DataError, ParameterError, UnclusteredError
from ..tables._files import writing
from .figures import FIGURES, draw_figure
from .flat import as_csv, as_json
from .latex import as_latex
from .lineup import lineup
from .markdown import as_markdown
from .page import as_html
from .progress import Progress
from .protocol import BALANCES, Protocol
from .results import Plan, Results
from .runner import run_blocks
from .store import Store
from .tables import Table, make_tables

__all__ = ["WHAT", "Reproduction", "reproduce"]

WHAT = (*BALANCES, *FIGURES, "all")
_FIGURE_TITLES = {
    "figure1": "Figure 1: toy problem 1, one Gaussian a class",
    "figure2": "Figure 2: toy problem 2, two Gaussians a class, on which clustering fails",
}


@dataclass(frozen=True)
class Reproduction:
    """What a run gave.

    Attributes
    ----------
    tables : tuple of Table
        The tables, summarised.
    left_out : mapping
        The sets that were not found, and why.
    files : tuple of Path
        What was written.
    """

    tables: tuple[Table, ...]
    left_out: Mapping[str, str]
    files: tuple[Path, ...]


def reproduce(
    what: str = "all",
    *,
    trials: int = 1000,
    datasets: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
    out: str | os.PathLike[str] = "reproduction",
    data_dir: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    fresh: bool = False,
    seed: int = 0,
    protocol: Protocol | str = "",
    progress: Progress | None = None,
) -> Reproduction:
    """Reproduce the tables and figures of the paper.

    Every block of trials is kept in ``out`` as soon as it is done. A run that was stopped, in
    whatever way, goes on where it was and ends with the same files, byte for byte.

    Parameters
    ----------
    what : {"table1", "table2", "figure1", "figure2", "all"}
        What to reproduce.
    trials : int
        Trials for each method on each set.
    datasets : iterable of str, optional
        Names of benchmark sets; all by default. Those that cannot be had are left out.
    methods : iterable of str, optional
        Short names, with parameters as in ``"dsdd:penalty=rkhs"``; the paper's six by default. The
        baselines (origin, coin) are always added.
    out : path
        Folder of the results; made if it is not there.
    data_dir : path, optional
        Folder to look for the sets in first.
    jobs : int, optional
        Processes; as many as there are processors by default. No figure depends on it.
    fresh : bool
        Whether to run all trials again, instead of going on where an earlier run was.
    seed : int
        Seed of all draws.
    protocol : Protocol or str
        What differs from the paper's protocol, as in ``"standardize=none,counts=binomial"``.
    progress : Progress, optional
        Who is told how far the run is.

    Returns
    -------
    Reproduction
        The tables, the sets that were left out, the files.

    Examples
    --------
    >>> import tempfile
    >>> from unclustered.paper import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = reproduce("table1", trials=3, datasets=["heart"], methods=["kmeans"],
    ...                       out=folder, jobs=1)
    >>> [round(cell.mean, 3) for cell in found.tables[0].rows[0].cells][1]
    0.2
    """
    if what not in WHAT:
        raise ParameterError(f"There is no {what!r} to reproduce; there are: {', '.join(WHAT)}.")
    _check_counts(trials, seed, jobs)
    progress = progress or Progress()
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnclusteredError(f"{folder} cannot be made: {error.strerror}.") from error
    output = _Output(folder)
    wanted = WHAT[:-1] if what == "all" else (what,)

    figures = {}
    for name in (name for name in wanted if name in FIGURES):
        for kind, content in draw_figure(name, seed).items():
            output.write(f"{name}.{kind}", content)
            if kind == "svg":
                address = "data:image/svg+xml;base64," + base64.b64encode(content).decode()
                figures[_FIGURE_TITLES[name]] = address
    plan = Plan(
        tables=tuple(name for name in wanted if name in BALANCES),
        datasets=(),
        contestants=lineup(methods),
        trials=trials,
        seed=seed,
        protocol=Protocol.parse(protocol) if isinstance(protocol, str) else protocol,
        left_out={},
    )
    tables: tuple[Table, ...] = ()
    if plan.tables:
        data = None if data_dir is None else os.fspath(data_dir)
        plan = _with_datasets(plan, datasets, data)
        progress.left_out(plan.left_out)
        results = _carry_out(plan, Store(folder / "trials"), data, jobs, fresh, progress)
        tables = make_tables(results)
        stem = plan.tables[0] if len(plan.tables) == 1 else "tables"
        output.write(f"{stem}.md", as_markdown(plan, tables))
        output.write(f"{stem}.tex", as_latex(plan, tables))
        output.write(f"{stem}.csv", as_csv(tables))
        output.write(f"{stem}.json", as_json(results))
    output.write("index.html" if what == "all" else f"{what}.html", as_html(plan, tables, figures))
    return Reproduction(tables, plan.left_out, tuple(output.written))


class _Output:
    """Files of a folder, each written to a temporary name and renamed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: list[Path] = []

    def write(self, name: str, content: str | bytes) -> None:
        with writing(self.folder / name) as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
        self.written.append(self.folder / name)


def _check_counts(trials: Any, seed: Any, jobs: Any) -> None:
    for name, value, least in (("trials", trials, 1), ("seed", seed, 0), ("jobs", jobs or 1, 1)):
        if not isinstance(value, int) or value < least:
            raise ParameterError(f"{name} must be a whole number of at least {least}: {value!r}.")


def _with_datasets(plan: Plan, names: Iterable[str] | None, data_dir: str | None) -> Plan:
    """Plan with the sets that are there; those that nobody delivers are left out, and said so."""
    asked = benchmark_names() if names is None else list(dict.fromkeys(names))
    found, left_out = [], {}
    for name in asked:
        try:
            load_benchmark(name, data_dir=data_dir)
            found.append(name)
        except NotDeliveredError as error:
            left_out[name] = str(error)
    if not found:
        raise DataError(" ".join(left_out.values()) or "No set was named: there is nothing to run.")
    in_order = tuple(name for name in benchmark_names() if name in found)
    return Plan(
        plan.tables, in_order, plan.contestants, plan.trials, plan.seed, plan.protocol, left_out
    )


def _carry_out(
    plan: Plan,
    store: Store,
    data_dir: str | None,
    jobs: int | None,
    fresh: bool,
    progress: Progress,
) -> Results:
    blocks = plan.blocks()
    done = {}
    store.sweep()
    for block in blocks:
        if fresh:
            store.forget(block)
        trials = store.read(block)
        if trials is not None:
            done[block] = trials
    progress.start(plan, done)
    try:
        missing = [block for block in blocks if block not in done]
        running = run_blocks(missing, store, data_dir=data_dir, jobs=jobs or os.cpu_count() or 1)
        with closing(running):
            for block, trials in running:
                done[block] = trials
                progress.block(block, trials)
    finally:
        progress.stop()
    return Results(plan, done)
