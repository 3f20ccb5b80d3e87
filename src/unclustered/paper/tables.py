"""From trials to tables: means, deviations, what is best, what the paper printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .lineup import Contestant
from .protocol import BALANCES, Balance, Trial
from .published import Published, published
from .results import Results

__all__ = ["Cell", "Row", "Table", "make_tables", "not_worse_than_best"]

_LEVEL = 0.05


@dataclass(frozen=True)
class Cell:
    """One method on one set.

    Attributes
    ----------
    mean, std : float
        Of the labelling error rates; NaN where no (or, for ``std``, one) trial has one.
    trials : int
        Trials with a rate.
    failures, warnings : int
        Trials without a rate; trials whose fit gave a warning.
    best : bool
        Whether to print it in bold.
    published : Published or None
        The paper's cell.
    """

    contestant: Contestant
    mean: float
    std: float
    trials: int
    failures: int
    warnings: int
    best: bool
    published: Published | None

    @property
    def difference(self) -> float:
        """Our mean less the published one."""
        return self.mean - self.published.mean if self.published else math.nan

    @property
    def standard_error(self) -> float:
        """Of the difference, as if the paper had run as many trials; it does not say how many."""
        if self.published is None or self.trials < 2:
            return math.nan
        return math.sqrt((self.std**2 + self.published.std**2) / self.trials)


@dataclass(frozen=True)
class Row:
    """All methods on one set."""

    dataset: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """One of the paper's tables."""

    name: str
    balance: Balance
    contestants: tuple[Contestant, ...]
    rows: tuple[Row, ...]

    @property
    def number(self) -> int:
        """Its number in the paper."""
        return [*BALANCES].index(self.name) + 1

    @property
    def means(self) -> tuple[float, ...]:
        """Mean over the sets, for each method."""
        return tuple(
            float(np.mean([row.cells[k].mean for row in self.rows]))
            for k in range(len(self.contestants))
        )

    @property
    def published_means(self) -> tuple[float, ...]:
        """The same of the paper's figures, over the same sets; NaN where it has none."""
        columns = ([row.cells[k].published for row in self.rows] for k in range(len(self.means)))
        return tuple(
            float(np.mean([p.mean if p else math.nan for p in column])) for column in columns
        )

    def column(self, name: str) -> tuple[Cell, ...] | None:
        """Cells of a method, down the rows; None if it took no part."""
        names = [c.name for c in self.contestants]
        if name not in names:
            return None
        return tuple(row.cells[names.index(name)] for row in self.rows)


def make_tables(results: Results) -> tuple[Table, ...]:
    """Summarise the trials."""
    plan = results.plan
    return tuple(
        Table(
            table,
            BALANCES[table],
            plan.contestants,
            tuple(_row(results, table, dataset) for dataset in plan.datasets),
        )
        for table in plan.tables
    )


def not_worse_than_best(
    errors: NDArray[np.float64], candidates: Sequence[bool] | None = None
) -> list[bool]:
    """Which methods are the best, or not different from it by a two-sided paired t-test at 5 %.

    Parameters
    ----------
    errors : ndarray of shape (n_methods, n_trials)
        Errors on shared draws. A method with a NaN, a failed trial, is never among the best.
    candidates : sequence of bool, optional
        Methods among which the best one is sought. A method that is none is marked where it is
        better than that one or not different from it.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.paper.tables import not_worse_than_best
    >>> errors = np.array([[0.1, 0.2, 0.1], [0.2, 0.1, 0.1], [0.4, 0.4, 0.5]])
    >>> not_worse_than_best(errors)
    [True, True, False]
    """
    whole = np.asarray(~np.isnan(errors).any(axis=1))
    seeking = whole if candidates is None else whole & np.asarray(candidates)
    if not seeking.any():
        return [False] * len(errors)
    means = np.where(whole, np.nan_to_num(errors).mean(axis=1), np.inf)
    best = int(np.argmin(np.where(seeking, means, np.inf)))
    return [
        bool(ok and (mean <= means[best] or not _different(own, errors[best])))
        for ok, mean, own in zip(whole.tolist(), means, errors, strict=True)
    ]


def _different(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    from scipy.stats import ttest_rel

    differences = first - second
    if len(differences) < 2:
        return bool(differences.any())
    if np.ptp(differences) < 1e-12:  # the test has nothing to divide by
        return bool(abs(differences[0]) > 1e-12)
    return bool(ttest_rel(first, second).pvalue < _LEVEL)


def _row(results: Results, table: str, dataset: str) -> Row:
    contestants = results.plan.contestants
    columns = [results.cell(table, dataset, c) for c in contestants]
    errors = np.array([[_rate(trial) for trial in column] for column in columns])
    learners = [not c.baseline for c in contestants]
    best = not_worse_than_best(errors, learners if any(learners) else None)
    return Row(
        dataset,
        tuple(
            _cell(table, dataset, c, column, rates, bold)
            for c, column, rates, bold in zip(contestants, columns, errors, best, strict=True)
        ),
    )


def _cell(
    table: str,
    dataset: str,
    contestant: Contestant,
    trials: Sequence[Trial],
    rates: NDArray[np.float64],
    best: bool,
) -> Cell:
    known = rates[~np.isnan(rates)]
    return Cell(
        contestant=contestant,
        mean=float(known.mean()) if len(known) else math.nan,
        std=float(known.std(ddof=1)) if len(known) > 1 else math.nan,
        trials=len(known),
        failures=sum(trial.failure is not None for trial in trials),
        warnings=sum(trial.warning is not None for trial in trials),
        best=best,
        published=published(BALANCES[table], dataset, contestant.published_as),
    )


def _rate(trial: Trial) -> float:
    return math.nan if trial.ler is None else trial.ler
