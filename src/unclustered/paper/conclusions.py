"""What the tables say about the paper's claims, in sentences, the failures among them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .lineup import PAPER_METHODS
from .tables import Cell, Table

__all__ = ["TOLERANCE", "conclusions"]

# A mean further than this from the published one is named.
TOLERANCE = 0.02
_DENSITY = ("dsdd", "lsdd", "kde")
_CLUSTERING = ("kmeans", "spectral", "smic")


def conclusions(table: Table) -> list[str]:
    """Sentences on one table: agreement, the order that the paper claims, the origin baseline."""
    return [
        *_agreement(table),
        *_order(table),
        *_clustering(table),
        *_origin(table),
        *_trouble(table),
    ]


def _agreement(table: Table) -> Iterator[str]:
    for name, heading in PAPER_METHODS.items():
        column = table.column(name) or ()
        named = zip((row.dataset for row in table.rows), column, strict=False)
        cells = [(dataset, cell) for dataset, cell in named if cell.published]
        if not cells:
            continue
        good = [cell for _, cell in cells if cell.difference <= TOLERANCE + 1e-9]
        far = {sign: _named(cells, sign) for sign in (1, -1)}
        yield (
            f"{heading}: mean within {TOLERANCE} of the published one, or below it, in "
            f"{len(good)} of {len(cells)} rows. Above it by more: {far[1]}. "
            f"Below it by more: {far[-1]}."
        )


def _named(cells: list[tuple[str, Cell]], sign: int) -> str:
    far = [(d, c.difference) for d, c in cells if sign * c.difference > TOLERANCE + 1e-9]
    return ", ".join(f"{d} {difference:+.3f}" for d, difference in far) or "none"


def _order(table: Table) -> Iterator[str]:
    means = _means(table)
    if not all(name in means for name in _DENSITY):
        return
    dsdd, lsdd, kde = (means[name] for name in _DENSITY)
    holds = "holds" if dsdd < lsdd < kde else "does not hold"
    yield (
        f"DSDD before LSDD before KDE on average over the sets: {holds} "
        f"({dsdd:.3f}, {lsdd:.3f}, {kde:.3f})."
    )


def _clustering(table: Table) -> Iterator[str]:
    means = _means(table)
    if not all(name in means for name in (*_DENSITY, *_CLUSTERING)):
        return
    other = [row.dataset for row in table.rows if row.dataset != "twonorm"]
    if other:
        lost = []
        for row in table.rows:
            rates = {cell.contestant.name: cell.mean for cell in row.cells}
            density, clusters = ([rates[n] for n in group] for group in (_DENSITY, _CLUSTERING))
            if row.dataset != "twonorm" and not min(density) < min(clusters):
                lost.append(row.dataset)
        yield (
            "The best density-difference method before the best clustering: in "
            f"{len(other) - len(lost)} of {len(other)} sets other than twonorm"
            f"{'; not in ' + ', '.join(lost) if lost else ''}."
        )
    for row in table.rows:
        if row.dataset == "twonorm":
            rates = {cell.contestant.name: cell.mean for cell in row.cells}
            first = min((*_DENSITY, *_CLUSTERING), key=rates.__getitem__)
            holds = "holds" if first in _CLUSTERING else "does not hold"
            yield (
                f"Clustering first on twonorm: {holds} ({PAPER_METHODS[first]}, "
                f"{rates[first]:.3f})."
            )


def _origin(table: Table) -> Iterator[str]:
    origin = table.column("origin")
    if origin is None:
        return
    wins = []
    for contestant in table.contestants:
        if not contestant.baseline:
            cells = table.column(contestant.name) or ()
            better = sum(c.mean < o.mean - 1e-12 for c, o in zip(cells, origin, strict=True))
            wins.append(f"{contestant.heading} {better}")
    if wins:
        yield (
            f"Better than labelling each sample by its dataset ({table.balance[0]:g}), in how "
            f"many of {len(origin)} sets: {', '.join(wins)}."
        )


def _trouble(table: Table) -> Iterator[str]:
    for what in ("failures", "warnings"):
        cells = [(row.dataset, c) for row in table.rows for c in row.cells if getattr(c, what)]
        if cells:
            named = (f"{d} {c.contestant.heading} {getattr(c, what)}" for d, c in cells)
            yield f"Trials with {what}: {', '.join(named)}."


def _means(table: Table) -> dict[str, float]:
    named = zip(table.contestants, table.means, strict=True)
    return {c.name: mean for c, mean in named if not math.isnan(mean)}
