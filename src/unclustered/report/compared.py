"""Sections on what was compared: the datasets, the columns, the methods."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .axes import MINUS_SIGN, fixed, number, percent
from .charts import column_chart, interval_chart, loss_chart
from .grids import grid
from .markup import Element, name, tag
from .record import Separating, Summary

__all__ = ["compared", "leaderboard", "separating"]

_MOST_NAMES = 100  # columns named on the page; the record has all


def compared(summary: Summary) -> Element:
    """Tell what was compared: rows, columns, what was encoded and left out."""
    named = any(dataset.source for dataset in summary.datasets)
    titles = [("dataset", ""), *([("from", "")] if named else []), ("rows", "n")]
    if summary.shows_labels:
        titles += [("labelled +1", "n"), (f"labelled {MINUS_SIGN}1", "n")]
        if any(dataset.abstained for dataset in summary.datasets):
            titles.append(("no label", "n"))
    rows = []
    for dataset in summary.datasets:
        counts = [dataset.positive, dataset.negative, dataset.abstained]
        rows.append(
            [
                (dataset.name, dataset.name.lower()),
                *([name(dataset.source or "")] if named else []),
                f"{dataset.rows:,}",
                *(_of(count, dataset.rows) for count in counts[: len(titles) - 2 - named]),
            ]
        )
    columns = summary.columns
    listed: list[list[Any]] = []
    if columns.numeric:
        listed.append([f"Numbers ({len(columns.numeric)})", _names(columns.numeric)])
    if columns.categorical:
        texts = [
            (column, f" ({len(levels)} levels)") for column, levels in columns.categorical.items()
        ]
        listed.append([f"Text, one indicator a level ({len(texts)})", _names(texts)])
    if columns.dropped:
        dropped = [(column, f" ({why})") for column, why in columns.dropped.items()]
        listed.append([f"Left out ({len(dropped)})", _names(dropped)])
    converged = {None: "", True: ", converged", False: ", did not converge"}[summary.converged]
    listed.append(["Method", f"{summary.method}{converged}"])
    return tag(
        "section",
        tag("h2", "What was compared"),
        grid(titles, rows, None),
        grid([("", ""), ("", "")], listed, None, class_="long"),
    )


def _of(count: int | None, rows: int) -> str:
    return "" if count is None else f"{count:,} ({count / rows:.0%})"


def _names(columns: Sequence[Any]) -> Iterator[Any]:
    for k, column in enumerate(columns[:_MOST_NAMES]):
        if k:
            yield ", "
        if isinstance(column, tuple):
            yield name(column[0])
            yield column[1]
        else:
            yield name(column)
    if len(columns) > _MOST_NAMES:
        yield f" and {len(columns) - _MOST_NAMES:,} more"


def leaderboard(table: Mapping[str, Sequence[Any]]) -> Element:
    """Methods beside each other, the largest held-out gap first."""
    names = ("method", "configuration", "gap", "gap_low", "gap_high", "weight", "seconds")
    rows = sorted(
        zip(*(table[key] for key in names), strict=True),
        key=lambda row: -row[2] if _known(row[2]) else math.inf,
    )
    ends = [float(end) for row in rows for end in row[2:5] if _known(end)]
    reach = (min([0.0, *ends]) - 0.02, max([0.0, *ends]) + 0.02)
    lines = []
    for method, configuration, gap, low, high, weight, seconds in rows:
        known = all(map(_known, (gap, low, high)))
        lines.append(
            [
                [name(method), tag("div", name(configuration), class_="soft small")]
                if configuration
                else name(method),
                (interval_chart(gap, low, high, reach) if known else "", "bar"),
                f"{fixed(gap)} ({fixed(low)} to {fixed(high)})" if known else "",
                percent(weight) if _known(weight) and weight > 0 else "",
                number(float(seconds), 2) if _known(seconds) else "",
            ]
        )
    return tag(
        "section",
        tag("h2", "Methods beside each other"),
        tag(
            "p",
            "The held-out gap ranks methods by their balanced error, without a label. Weight is "
            "the share that a method has in the answer.",
            class_="soft small",
        ),
        grid(
            [
                ("method", ""),
                ("interval", ""),
                ("held-out gap", "n"),
                ("weight", "n"),
                ("seconds", "n"),
            ],
            lines,
            None,
        ),
    )


def _known(value: Any) -> bool:
    return value is not None and math.isfinite(value)


def separating(found: Separating) -> Element:
    """Columns that separate the classes most, and their values by label."""
    ends = [c.loss + s for c in found.columns for s in (c.spread, -c.spread)]
    reach = (min([0.0, *ends]), max([0.01, *ends]) * 1.02)
    rows = [
        [
            name(column.name),
            (loss_chart(column.loss, column.spread, reach), "bar"),
            f"{fixed(column.loss)} \N{PLUS-MINUS SIGN} {fixed(column.spread)}",
        ]
        for column in found.columns
    ]
    many = (
        ""
        if found.n_asked == found.n_columns
        else f" Of {found.n_columns:,} columns, the {found.n_asked} that differ most between the "
        "labels were asked."
    )
    figures = []
    for column in found.columns:
        if column.values is None:
            continue
        beyond = f" {column.values.beyond} values lie beyond." if column.values.beyond else ""
        figures.append(
            tag(
                "figure",
                tag("h3", name(column.name)),
                column_chart(column.values),
                tag("figcaption", beyond) if beyond else None,
            )
        )
    key = tag(
        "ul",
        tag("li", "labelled +1", class_="plus"),
        tag("li", f"labelled {MINUS_SIGN}1", class_="minus"),
        class_="key",
    )
    return tag(
        "section",
        tag("h2", "Columns that separate the classes"),
        tag(
            "p",
            f"The held-out gap of {found.n_folds} refits is {fixed(found.gap)}. This much of it "
            "is lost when the values of one column are shuffled among the samples held out. "
            f"Columns that tell the same stand in for each other, and then neither "
            f"loses much.{many}",
            class_="soft small",
        ),
        grid([("column", ""), ("loss", ""), ("gap lost", "n")], rows, None),
        [tag("h3", "Their values by label"), key, tag("div", figures, class_="two")]
        if figures
        else None,
    )
