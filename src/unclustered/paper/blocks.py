"""A block of trials: the unit of work, and of what is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from .._version import __version__
from ..datasets import Benchmark, load_benchmark
from .lineup import Contestant
from .protocol import PROTOCOL_VERSION, Balance, Protocol, Trial, run_trial

__all__ = ["BLOCK_SIZE", "Block", "blocks_of", "decode", "encode", "run_block"]

# Trials a block: a few seconds of work, which is what a kill can cost at most, for each job.
BLOCK_SIZE = 50


@dataclass(frozen=True)
class Block:
    """Trials ``first`` to ``last`` (exclusive) of one method on one set at one balance."""

    protocol: Protocol
    dataset: str
    balance: Balance
    contestant: Contestant
    seed: int
    first: int
    last: int

    @property
    def key(self) -> dict[str, Any]:
        """Everything that its trials depend on."""
        return {
            "protocol_version": PROTOCOL_VERSION,
            "library_version": __version__,
            "protocol": asdict(self.protocol),
            "dataset": self.dataset,
            "theta_a": self.balance[0],
            "theta_b": self.balance[1],
            "method": self.contestant.name,
            "seed": self.seed,
            "first": self.first,
            "last": self.last,
        }


def blocks_of(
    protocol: Protocol,
    dataset: str,
    balance: Balance,
    contestant: Contestant,
    seed: int,
    trials: int,
) -> Iterator[Block]:
    """Cut trials into blocks; the same cuts whatever the number of trials, but for the last.

    Examples
    --------
    >>> from unclustered.paper.blocks import blocks_of
    >>> from unclustered.paper.lineup import contestant
    >>> from unclustered.paper.protocol import Protocol
    >>> cut = blocks_of(Protocol(), "heart", (0.2, 0.8), contestant("lsdd"), 0, 120)
    >>> [(block.first, block.last) for block in cut]
    [(0, 50), (50, 100), (100, 120)]
    """
    for first in range(0, trials, BLOCK_SIZE):
        last = min(first + BLOCK_SIZE, trials)
        yield Block(protocol, dataset, balance, contestant, seed, first, last)


def run_block(block: Block, data_dir: str | None = None) -> tuple[Trial, ...]:
    """Run the trials of a block."""
    benchmark = _benchmark(block.dataset, data_dir, os.environ.get("UNCLUSTERED_DATA"))
    return tuple(
        run_trial(
            block.protocol, benchmark, block.balance, block.contestant, block.seed, repetition
        )
        for repetition in range(block.first, block.last)
    )


@lru_cache(maxsize=16)
def _benchmark(name: str, data_dir: str | None, variable: str | None) -> Benchmark:
    return load_benchmark(name, data_dir=data_dir)


def encode(block: Block, trials: tuple[Trial, ...]) -> bytes:
    """Content of the block's file: the same trials give the same bytes."""
    numbered = [*enumerate(trials, start=block.first)]
    content = {
        "key": block.key,
        "ler": [trial.ler for trial in trials],
        "failures": {str(r): trial.failure for r, trial in numbered if trial.failure},
        "warnings": {str(r): trial.warning for r, trial in numbered if trial.warning},
    }
    return (json.dumps(content, indent=1) + "\n").encode()


def decode(block: Block, content: bytes) -> tuple[Trial, ...] | None:
    """Trials of the block from the content of its file; None if it is no file of this block."""
    try:
        found: Mapping[str, Any] = json.loads(content)
        if found["key"] != block.key or len(found["ler"]) != block.last - block.first:
            return None
        return tuple(
            Trial(ler, found["failures"].get(str(r)), found["warnings"].get(str(r)))
            for r, ler in enumerate(found["ler"], start=block.first)
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
