"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .conclusions import conclusions
from .results import Plan
from .tables import Cell, Table
from .wording import BESIDE, BOLD, about, caption, failed, left_out, rate, signed

__all__ = ["as_markdown"]


def as_markdown(plan: Plan, tables: Sequence[Table]) -> str:
    """Whole page: each table, the published figures beside, the conclusions."""
    lines = ["# The paper's tables, reproduced", "", about(plan), ""]
    lines += [line for text in left_out(plan) for line in (f"**{text}**", "")]
    for table in tables:
        lines += _section(table)
    return "\n".join(lines).rstrip() + "\n"


def _section(table: Table) -> Iterator[str]:
    headings = [c.heading for c in table.contestants]
    yield f"## {caption(table)}"
    yield ""
    rows = [[row.dataset, *map(_ours, row.cells)] for row in table.rows]
    means = ["mean", *map(rate, table.means)]
    yield from _grid(["set", *headings], [*rows, means])
    yield BOLD
    yield ""
    known = [k for k, c in enumerate(table.contestants) if c.published_as]
    if known:
        yield f"### Beside the published figures, Table {table.number}"
        yield ""
        yield BESIDE
        yield ""
        rows = [[row.dataset, *(_beside(row.cells[k]) for k in known)] for row in table.rows]
        both = zip(table.means, table.published_means, strict=True)
        gaps = [f"{rate(theirs)}, {signed(ours - theirs)}" for ours, theirs in both]
        means = ["mean", *(gaps[k] for k in known)]
        yield from _grid(
            ["set", *(f"{headings[k]} published, difference" for k in known)], [*rows, means]
        )
    yield f"### What Table {table.number} says"
    yield ""
    yield from (f"- {sentence}" for sentence in conclusions(table))
    yield ""


def _grid(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    titles = list(headings)
    yield "| " + " | ".join(titles) + " |"
    yield "|---|" + "---:|" * (len(titles) - 1)
    yield from ("| " + " | ".join(row) + " |" for row in rows)
    yield ""


def _ours(cell: Cell) -> str:
    mean = f"**{rate(cell.mean)}**" if cell.best else rate(cell.mean)
    return " ".join(filter(None, [f"{mean} ({rate(cell.std)})", failed(cell)]))


def _beside(cell: Cell) -> str:
    if cell.published is None:
        return ""
    mean = rate(cell.published.mean)
    shown = f"**{mean}**" if cell.published.bold else mean
    error = rate(cell.standard_error)
    return f"{shown} ({rate(cell.published.std)}), {signed(cell.difference)} ± {error}"
