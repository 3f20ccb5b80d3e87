"""How far a run is: silent, plain lines, or a table that fills while one looks at it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import IO, Any

from .blocks import Block
from .protocol import BALANCES, Trial
from .results import Plan

__all__ = ["LineProgress", "LiveProgress", "Progress"]

Outcomes = Mapping[Block, tuple[Trial, ...]]


class Progress:
    """Counts what is done and says nothing; its subclasses show it."""

    plan: Plan
    trials_total = 0
    trials_done = 0
    trials_found = 0

    def left_out(self, sets: Mapping[str, str]) -> None:
        """Take note of sets that were not found, and why."""

    def start(self, plan: Plan, found: Outcomes) -> None:
        """Take note of the plan, and of what an earlier run has left."""
        self.plan = plan
        cells = len(plan.tables) * len(plan.datasets) * len(plan.contestants)
        self.trials_total = cells * plan.trials
        self.trials_done = self.trials_found = sum(map(len, found.values()))
        self._began = time.monotonic()

    def block(self, block: Block, trials: tuple[Trial, ...]) -> None:
        """Take note of a block that is done."""
        self.trials_done += len(trials)

    def stop(self) -> None:
        """Take note that the run is over, or was stopped."""

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.monotonic() - self._began

    @property
    def seconds_left(self) -> float | None:
        """Estimate of the time left, once there is something to estimate it from."""
        new = self.trials_done - self.trials_found
        return self.seconds * (self.trials_total - self.trials_done) / new if new else None

    def describe(self) -> str:
        """Say how far the run is."""
        share = self.trials_done / max(self.trials_total, 1)
        text = f"{share:4.0%}  {self.trials_done:,} of {self.trials_total:,} trials"
        left = self.seconds_left
        if self.trials_done == self.trials_total:
            return f"{text}, {_span(self.seconds)}"
        return text if left is None else f"{text}, {_span(left)} left"


class LineProgress(Progress):
    """A line every few percent, for files and pipes."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._shown = -1

    def left_out(self, sets: Mapping[str, str]) -> None:
        """Name the sets that are left out."""
        for name, reason in sets.items():
            self._say(f"Left out: {name}. {reason}")

    def start(self, plan: Plan, found: Outcomes) -> None:
        """Say how much there is to do."""
        super().start(plan, found)
        self._shown = -1
        self._show()

    def block(self, block: Block, trials: tuple[Trial, ...]) -> None:
        """Say how far the run is, and which trials failed."""
        super().block(block, trials)
        for text in _failures(block, trials):
            self._say(text)
        self._show()

    def _show(self) -> None:
        step = 20 * self.trials_done // max(self.trials_total, 1)
        if step > self._shown:
            self._shown = step
            self._say(self.describe())

    def _say(self, text: str) -> None:
        self._stream.write(text + "\n")
        self._stream.flush()


class LiveProgress(Progress):
    """A table of the means so far and a bar, for terminals."""

    def __init__(self, console: Any) -> None:
        self._console = console
        self._sums: dict[tuple[str, str, str], list[float]] = {}

    def left_out(self, sets: Mapping[str, str]) -> None:
        """Name the sets that are left out."""
        for name, reason in sets.items():
            self._console.print(f"Left out: {name}. {reason}", soft_wrap=True)

    def start(self, plan: Plan, found: Outcomes) -> None:
        """Show the table."""
        from rich.live import Live

        super().start(plan, found)
        self._sums.clear()
        for block, trials in found.items():
            self._add(block, trials)
        self._live = Live(
            console=self._console,
            get_renderable=self._draw,
            refresh_per_second=2,
            transient=True,
        )
        self._live.start()

    def block(self, block: Block, trials: tuple[Trial, ...]) -> None:
        """Add the block to the table."""
        super().block(block, trials)
        self._add(block, trials)
        for text in _failures(block, trials):
            self._console.print(text, soft_wrap=True)

    def stop(self) -> None:
        """Leave the last table on the screen."""
        self._live.stop()
        self._console.print(self._draw())

    def _add(self, block: Block, trials: tuple[Trial, ...]) -> None:
        (table,) = (name for name, balance in BALANCES.items() if balance == block.balance)
        total = self._sums.setdefault((table, block.dataset, block.contestant.name), [0.0, 0.0])
        rates = [trial.ler for trial in trials if trial.ler is not None]
        total[0] += sum(rates)
        total[1] += len(rates)

    def _draw(self) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table as Grid

        from .wording import rate

        grid = Grid(box=None, pad_edge=False)
        grid.add_column("")
        for contestant in self.plan.contestants:
            grid.add_column(contestant.heading, justify="right", overflow="fold")
        for table in self.plan.tables:
            theta_a, theta_b = BALANCES[table]
            grid.add_row(f"Table {[*BALANCES].index(table) + 1}: {theta_a:g} / {theta_b:g}")
            for dataset in self.plan.datasets:
                cells = []
                for contestant in self.plan.contestants:
                    total, n = self._sums.get((table, dataset, contestant.name), (0.0, 0.0))
                    cells.append(rate(total / n) if n else "")
                grid.add_row(f"  {dataset}", *cells)
        bar = ProgressBar(total=self.trials_total, completed=self.trials_done, width=40)
        return Group(grid, bar, self.describe())


def _failures(block: Block, trials: tuple[Trial, ...]) -> list[str]:
    return [
        f"Failed: {block.contestant.heading} on {block.dataset}, trial {number}: {trial.failure}"
        for number, trial in enumerate(trials, start=block.first)
        if trial.failure
    ]


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
