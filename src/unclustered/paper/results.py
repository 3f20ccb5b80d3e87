"""All trials of a run, in the order of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .blocks import Block, blocks_of
from .lineup import Contestant
from .protocol import BALANCES, Protocol, Trial

__all__ = ["Plan", "Results"]


@dataclass(frozen=True)
class Plan:
    """What a run consists of.

    Attributes
    ----------
    tables : tuple of str
        Keys of :data:`~unclustered.paper.protocol.BALANCES`.
    datasets : tuple of str
        The sets that were found.
    left_out : mapping
        The sets that were not, and why.
    """

    tables: tuple[str, ...]
    datasets: tuple[str, ...]
    contestants: tuple[Contestant, ...]
    trials: int
    seed: int
    protocol: Protocol
    left_out: Mapping[str, str]

    def cell(self, table: str, dataset: str, contestant: Contestant) -> list[Block]:
        """Blocks of one cell of a table."""
        balance = BALANCES[table]
        return list(blocks_of(self.protocol, dataset, balance, contestant, self.seed, self.trials))

    def blocks(self) -> list[Block]:
        """All blocks, the first of every cell first: every cell fills at the same pace."""
        cells = [
            self.cell(table, dataset, contestant)
            for table in self.tables
            for dataset in self.datasets
            for contestant in self.contestants
        ]
        return [block for turn in zip(*cells, strict=True) for block in turn]


@dataclass(frozen=True)
class Results:
    """A plan that was carried out, and the trials of each block."""

    plan: Plan
    trials: Mapping[Block, tuple[Trial, ...]]

    def cell(self, table: str, dataset: str, contestant: Contestant) -> list[Trial]:
        """Trials of one cell, in their order."""
        blocks = self.plan.cell(table, dataset, contestant)
        return [trial for block in blocks for trial in self.trials[block]]
