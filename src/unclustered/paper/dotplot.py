"""A plot a set: ours beside the published means, as SVG that stands inside a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from .tables import Cell, Table
from .wording import rate

__all__ = ["dot_plot"]

_LEFT, _WIDTH, _GAP, _TOP, _STEP = 108.0, 200.0, 26.0, 34.0, 24.0
_TICKS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


def dot_plot(dataset: str, tables: Sequence[Table]) -> str:
    """Draw the means of every method with one standard deviation to each side, a panel a table.

    The dashed line is the origin baseline. Colours are left to the page: classes ``ours``,
    ``theirs``, ``axis``, ``baseline``.
    """
    rows = [row for table in tables for row in table.rows if row.dataset == dataset]
    n_methods = len(tables[0].contestants)
    bottom = _TOP + _STEP * n_methods
    width = _LEFT + (_WIDTH + _GAP) * len(tables)
    parts = [
        f'<svg viewBox="0 0 {width:g} {bottom + 26:g}" role="img" '
        f'aria-label="{escape(_spoken(dataset, tables))}">'
    ]
    for k, contestant in enumerate(tables[0].contestants):
        y = _TOP + _STEP * (k + 0.5)
        heading = escape(_short(contestant.heading))
        parts.append(f'<text x="{_LEFT - 10:g}" y="{y + 4:g}" text-anchor="end">{heading}</text>')
    for number, (table, row) in enumerate(zip(tables, rows, strict=True)):
        left = _LEFT + number * (_WIDTH + _GAP)
        parts += _panel(left, bottom, table)
        for k, cell in enumerate(row.cells):
            y = _TOP + _STEP * (k + 0.5)
            offset = 4.5 if cell.published else 0.0
            parts += _mark(left, y - offset, cell.mean, cell.std, "ours", _tooltip(cell))
            if cell.published:
                theirs = cell.published
                tip = f"published {rate(theirs.mean)} ({rate(theirs.std)})"
                parts += _mark(left, y + offset, theirs.mean, theirs.std, "theirs", tip)
    return "".join([*parts, "</svg>"])


def _panel(left: float, bottom: float, table: Table) -> Iterator[str]:
    theta_a, theta_b = table.balance
    yield (
        f'<text x="{left:g}" y="16" class="title">Table {table.number}: '
        f"{theta_a:g} / {theta_b:g}</text>"
    )
    for tick in _TICKS:
        x = _x(left, tick)
        yield f'<line class="axis" x1="{x:g}" x2="{x:g}" y1="{_TOP:g}" y2="{bottom:g}"/>'
        yield f'<text x="{x:g}" y="{bottom + 16:g}" text-anchor="middle">{tick:g}</text>'
    x = _x(left, min(theta_a, 1 - theta_a))
    yield f'<line class="baseline" x1="{x:g}" x2="{x:g}" y1="{_TOP:g}" y2="{bottom:g}"/>'


def _mark(left: float, y: float, mean: float, std: float, kind: str, tip: str) -> Iterator[str]:
    if math.isnan(mean):
        return
    spread = 0.0 if math.isnan(std) else std
    low, high = (_x(left, min(max(v, 0.0), 0.5)) for v in (mean - spread, mean + spread))
    yield f'<g class="{kind}"><title>{escape(tip)}</title>'
    yield f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y:g}" y2="{y:g}"/>'
    yield f'<circle cx="{_x(left, mean):.1f}" cy="{y:g}" r="3.4"/></g>'


def _x(left: float, value: float) -> float:
    return left + _WIDTH * value / _TICKS[-1]


def _short(heading: str) -> str:
    return heading if len(heading) <= 16 else heading[:15] + "…"


def _tooltip(cell: Cell) -> str:
    return f"{cell.contestant.heading}, ours {rate(cell.mean)} ({rate(cell.std)})"


def _spoken(dataset: str, tables: Sequence[Table]) -> str:
    numbers = " and ".join(str(table.number) for table in tables)
    return f"{dataset}: labelling error rates, ours and published, table {numbers}"
