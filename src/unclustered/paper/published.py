"""The figures that the paper prints."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .protocol import Balance

__all__ = ["Published", "published"]


@dataclass(frozen=True)
class Published:
    """A cell of the paper's tables: mean and standard deviation of the labelling error rate."""

    mean: float
    std: float
    bold: bool


def published(balance: Balance, dataset: str, column: str | None) -> Published | None:
    """Cell of the paper's tables, or None where the paper has none.

    Examples
    --------
    >>> from unclustered.paper.published import published
    >>> published((0.2, 0.8), "heart", "LSDD")
    Published(mean=0.174, std=0.047, bold=True)
    """
    return _cells().get((*balance, dataset, column))


@cache
def _cells() -> dict[tuple[float, float, str, str | None], Published]:
    text = files(__package__).joinpath("published.csv").read_text(encoding="utf-8")
    return {
        (float(r["theta_a"]), float(r["theta_b"]), r["dataset"], r["method"]): Published(
            float(r["ler_mean"]), float(r["ler_std"]), r["bold"] == "1"
        )
        for r in csv.DictReader(text.splitlines())
    }
