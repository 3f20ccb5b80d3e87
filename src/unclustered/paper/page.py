"""One HTML page, which needs nothing but itself: tables, plots, figures, conclusions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from .conclusions import conclusions
from .dotplot import dot_plot
from .results import Plan
from .tables import Cell, Table
from .wording import BESIDE, BOLD, about, caption, failed, left_out, rate, signed

__all__ = ["as_html"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --faint: #6e7781; --line: #d0d7de;
  --ours: #0969da; --theirs: #9a6700; --paper: #ffffff; --soft: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --faint: #8d96a0; --line: #30363d;
  --ours: #58a6ff; --theirs: #d4a72c; --paper: #0d1117; --soft: #161b22; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 76rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.6rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .88rem; }
caption { text-align: left; font-weight: 600; padding: .4rem 0; }
th, td { padding: .28rem .65rem; text-align: right; white-space: nowrap; vertical-align: top; }
th:first-child { text-align: left; }
thead th { border-top: 2px solid var(--ink); border-bottom: 1px solid var(--ink); }
tbody tr:last-child > * { border-bottom: 2px solid var(--ink); }
tbody tr.mean > * { border-top: 1px solid var(--ink); }
td small { display: block; color: var(--theirs); font-size: .8rem; }
td em { display: block; font-style: normal; color: #cf222e; font-size: .8rem; }
.note { color: var(--faint); font-size: .86rem; max-width: 60rem; }
.missing { border-left: 4px solid var(--theirs); background: var(--soft); padding: .5rem .9rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(31rem, 1fr)); gap: 1.2rem; }
figure { margin: 0; } figcaption { font-weight: 600; }
svg { width: 100%; height: auto; font: 11px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .title { font-weight: 600; }
svg .axis { stroke: var(--line); } svg .baseline { stroke: var(--ink); stroke-dasharray: 4 3; }
.ours line { stroke: var(--ours); stroke-width: 1.6; } .ours circle { fill: var(--ours); }
.theirs line { stroke: var(--theirs); stroke-width: 1.6; } .theirs circle { fill: var(--theirs); }
.key { display: inline-block; width: .7em; height: .7em; border-radius: 50%; }
.drawing { background: #ffffff; padding: .6rem; border-radius: 6px; overflow-x: auto; }
.drawing img { height: 22rem; max-width: none; }
"""


def as_html(plan: Plan, tables: Sequence[Table], figures: Mapping[str, str]) -> str:
    """Page with the tables and a plot a set; ``figures`` are captions and data addresses."""
    body = [
        "<h1>Clustering Unclustered Data, reproduced</h1>",
        '<p class="note">The tables and figures of du Plessis and Sugiyama (2013), computed by '
        "unclustered, beside the published figures.</p>",
    ]
    if tables:
        body.append(f"<p>{escape(about(plan))}</p>")
    body += [f'<p class="missing">{escape(text)}</p>' for text in left_out(plan)]
    for table in tables:
        body += _section(table)
    if tables:
        body += _plots(plan, tables)
    for title, address in figures.items():
        body.append(f"<h2>{escape(title)}</h2>")
        body.append(f'<div class="drawing"><img alt="{escape(title)}" src="{address}"></div>')
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Clustering Unclustered Data, reproduced</title>\n<style>{_STYLE}</style>",
            "</head>\n<body>",
            *body,
            "</body>\n</html>\n",
        ]
    )


def _section(table: Table) -> Iterator[str]:
    title, _, what = caption(table).partition(": ")
    yield f"<h2>{title}</h2>"
    yield f'<div class="wide"><table><caption>{escape(what)}</caption>'
    headings = "".join(f"<th>{escape(c.heading)}</th>" for c in table.contestants)
    yield f"<thead><tr><th>set</th>{headings}</tr></thead><tbody>"
    for row in table.rows:
        yield f"<tr><th>{escape(row.dataset)}</th>{''.join(map(_cell, row.cells))}</tr>"
    means = []
    for ours, theirs in zip(table.means, table.published_means, strict=True):
        beside = "" if theirs != theirs else f"<small>{rate(theirs)}</small>"
        means.append(f"<td>{rate(ours)}{beside}</td>")
    yield f'<tr class="mean"><th>mean</th>{"".join(means)}</tr></tbody></table></div>'
    yield (
        f'<p class="note">{escape(BOLD)} Below each figure of ours, the published one. '
        f"{escape(BESIDE)}</p>"
    )
    yield "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in conclusions(table)) + "</ul>"


def _cell(cell: Cell) -> str:
    mean = f"<strong>{rate(cell.mean)}</strong>" if cell.best else rate(cell.mean)
    trouble = f"<em>{failed(cell)}</em>" if cell.failures else ""
    theirs = ""
    if cell.published:
        printed = rate(cell.published.mean)
        shown = f"<strong>{printed}</strong>" if cell.published.bold else printed
        theirs = (
            f"<small>{shown} ({rate(cell.published.std)})</small>"
            f"<small>{signed(cell.difference)} ± {rate(cell.standard_error)}</small>"
        )
    return f"<td>{mean} ({rate(cell.std)}){trouble}{theirs}</td>"


def _plots(plan: Plan, tables: Sequence[Table]) -> Iterator[str]:
    yield "<h2>Set by set</h2>"
    yield (
        '<p class="note">Mean and one standard deviation to each side. '
        '<span class="key" style="background:var(--ours)"></span> ours '
        '<span class="key" style="background:var(--theirs)"></span> published. '
        "Dashed: each sample labelled by its dataset.</p>"
    )
    yield '<div class="plots">'
    for dataset in plan.datasets:
        plot = dot_plot(dataset, tables)
        yield f"<figure><figcaption>{escape(dataset)}</figcaption>{plot}</figure>"
    yield "</div>"
