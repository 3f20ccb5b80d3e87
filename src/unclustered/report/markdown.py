"""The record as Markdown: for a log, a merge request, a mail."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .record import MEANING, Summary

__all__ = ["as_markdown"]

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_MOST_NAMES = 100


def as_markdown(summary: Summary) -> str:
    """Draw a record as Markdown; names and values in it stay text."""
    return "\n".join(_lines(summary)).rstrip() + "\n"


def escaped(text: Any) -> str:
    r"""Escape text, so that Markdown shows it as it is.

    Examples
    --------
    >>> from unclustered.report.markdown import escaped
    >>> print(escaped("<b>*x*_1"))
    &lt;b>\*x\*\_1
    """
    flat = " ".join(str(text).split())
    return _SPECIAL.sub(r"\\\1", flat.replace("&", "&amp;").replace("<", "&lt;"))


def _table(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"| {' | '.join('---' for _ in titles)} |"
    for row in rows:
        yield f"| {' | '.join(escaped(cell) for cell in row)} |"
    yield ""


def _lines(summary: Summary) -> Iterator[str]:
    sources = [escaped(dataset.source or dataset.name) for dataset in summary.datasets]
    yield f"# Labels of {sources[0]} and {sources[1]}"
    yield ""
    yield f"**{escaped(summary.verdict)}**"
    yield ""
    if not summary.shows_labels:
        yield "As nothing speaks for them, the labels are not in this report."
        yield ""
    yield escaped(MEANING)
    yield ""
    yield from _compared(summary)
    yield from _evidence(summary)
    if summary.leaderboard is not None:
        yield "## Methods beside each other"
        yield ""
        board = summary.leaderboard
        yield from _table(
            [*board], ([_short(v) for v in row] for row in zip(*board.values(), strict=True))
        )
    if summary.separating is not None:
        yield "## Columns that separate the classes"
        yield ""
        columns = summary.separating.columns
        yield from _table(
            ["column", "gap lost", "give or take"],
            ([c.name, f"{c.loss:.2f}", f"{c.spread:.2f}"] for c in columns),
        )
    found = summary.probabilities
    if found is not None:
        yield "## Class balances and probabilities"
        yield ""
        yield from _table(
            ["share of +1 in A", "share of +1 in B", "expected error", "error by dataset"],
            [
                [
                    f"{share:.1%}"
                    for share in (
                        found.theta_a,
                        found.theta_b,
                        found.expected_error,
                        found.error_by_dataset,
                    )
                ]
            ],
        )
    if summary.least_sure:
        yield "## Least sure samples"
        yield ""
        yield from _table(
            ["sample", "dataset", "label", "score", "confidence", "probability"],
            (
                [
                    s.id,
                    s.dataset,
                    f"{s.label:+d}" if s.label else "none",
                    *map(_short, (s.score, s.confidence, s.probability)),
                ]
                for s in summary.least_sure
            ),
        )
    yield from _origin(summary)


def _compared(summary: Summary) -> Iterator[str]:
    yield "## What was compared"
    yield ""
    yield from _table(
        ["dataset", "from", "rows", "+1", "-1", "no label"],
        (
            [
                d.name,
                d.source or "",
                *("" if n is None else n for n in (d.rows, d.positive, d.negative, d.abstained)),
            ]
            for d in summary.datasets
        ),
    )
    columns = summary.columns
    texts = [f"{column} ({len(levels)} levels)" for column, levels in columns.categorical.items()]
    dropped = [f"{column} ({why})" for column, why in columns.dropped.items()]
    for title, names in (("Numbers", columns.numeric), ("Text", texts), ("Left out", dropped)):
        if names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            yield f"- {title}: {', '.join(map(escaped, names[:_MOST_NAMES]))}{more}"
    converged = {None: "", True: ", converged", False: ", did not converge"}[summary.converged]
    yield f"- Method: {escaped(summary.method)}{converged}"
    yield ""


def _evidence(summary: Summary) -> Iterator[str]:
    evidence = summary.evidence
    if evidence is None:
        return
    low, high = evidence["gap_interval"]
    yield "## Evidence"
    yield ""
    yield from _table(
        ["held-out gap", "interval", "p-value", "permutations", "balanced error at most"],
        [
            [
                f"{evidence['gap']:.2f}",
                f"{low:.2f} to {high:.2f}",
                f"{evidence['p_value']:.2g}",
                evidence["permutations"],
                f"{evidence['error_bound']:.0%}",
            ]
        ],
    )


def _origin(summary: Summary) -> Iterator[str]:
    origin = summary.origin
    yield "## How to get this again"
    yield ""
    if origin.command is not None:
        fence = "`" * (3 + max(map(len, re.findall("`+", origin.command)), default=0))
        yield from (f"{fence}shell", " ".join(origin.command.splitlines()), fence, "")
    versions = ", ".join(f"{package} {version}" for package, version in origin.versions.items())
    yield f"- Seed: {'none given' if origin.seed is None else escaped(origin.seed)}"
    yield f"- Versions: {escaped(versions)}"
    for part in origin.inputs:
        yield f"- SHA-256 of {escaped(part['name'])}: {escaped(part['sha256'])}"


def _short(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
