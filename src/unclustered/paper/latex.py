"""Tables in LaTeX, for the package booktabs, like the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .results import Plan
from .tables import Cell, Table
from .wording import about, caption, failed, left_out, rate

__all__ = ["as_latex"]

_SPECIAL = {c: f"\\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\^{}"}


def as_latex(plan: Plan, tables: Sequence[Table]) -> str:
    """One table environment each; a row of ours, and below it the published one."""
    lines = [r"% \usepackage{booktabs}", ""]
    lines += [f"% {' '.join(text.split())}" for text in left_out(plan)]
    for table in tables:
        lines += _environment(plan, table)
    return "\n".join(lines)


def _environment(plan: Plan, table: Table) -> Iterator[str]:
    headings = [_text(c.heading) for c in table.contestants]
    any_published = any(cell.published for row in table.rows for cell in row.cells)
    note = " In small type below: the published figures." if any_published else ""
    yield r"\begin{table}"
    yield r"\centering"
    yield rf"\caption{{{_text(caption(table).partition(': ')[2])}. {_text(about(plan))}{note}}}"
    yield rf"\begin{{tabular}}{{l{'c' * len(headings)}}}"
    yield r"\toprule"
    yield " & ".join(["Dataset", *headings]) + r" \\"
    yield r"\midrule"
    for row in table.rows:
        yield " & ".join([_text(row.dataset), *map(_ours, row.cells)]) + r" \\"
        if any_published:
            yield " & ".join([r"\quad\scriptsize published", *map(_theirs, row.cells)]) + r" \\"
    yield r"\midrule"
    yield " & ".join(["mean", *(f"${rate(mean)}$" for mean in table.means)]) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table}"
    yield ""


def _ours(cell: Cell) -> str:
    mean = rf"\textbf{{{rate(cell.mean)}}}" if cell.best else rate(cell.mean)
    return " ".join(filter(None, [f"{mean} ({rate(cell.std)})", failed(cell)]))


def _theirs(cell: Cell) -> str:
    if cell.published is None:
        return ""
    mean = rate(cell.published.mean)
    shown = rf"\textbf{{{mean}}}" if cell.published.bold else mean
    return rf"\scriptsize {shown} ({rate(cell.published.std)})"


def _text(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)
