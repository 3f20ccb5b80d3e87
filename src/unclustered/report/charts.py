"""The charts of a report, each an SVG drawing from a part of the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .axes import Frame, fixed, percent, svg
from .markup import Element, tag
from .record import Histogram

__all__ = [
    "column_chart",
    "gap_chart",
    "interval_chart",
    "loss_chart",
    "probability_chart",
    "score_chart",
]

_WIDTH, _HEIGHT = 400, 250


def score_chart(scores: Histogram) -> Element:
    """Scores of A upward, those of B downward, coloured by the label that their sign gives."""
    shares = [
        sum(s for s, edge in zip(group, scores.edges, strict=False) if edge >= 0)
        for group in scores.shares
    ]
    words = (
        f"Histogram of the scores. Above zero lie {percent(shares[0])} of A and "
        f"{percent(shares[1])} of B."
    )
    colours = ["plus" if edge >= 0 else "minus" for edge in scores.edges[:-1]]
    frame, marks = _mirrored(scores, colours, "score")
    zero = tag(
        "line",
        x1=frame.across(0.0),
        x2=frame.across(0.0),
        y1=frame.top,
        y2=frame.bottom,
        class_="axis dash",
    )
    told = [
        _corner(frame, up, left, f"{name}: {percent(share)} {where} 0")
        for name, up, above in (("A", True, shares[0]), ("B", False, shares[1]))
        for left, where, share in ((True, "below", 1 - above), (False, "above", above))
    ]
    return svg(_WIDTH, _HEIGHT, words, marks, zero, told)


def probability_chart(values: Histogram) -> Element:
    """Probabilities of class +1 in A upward, in B downward."""
    sure = [
        sum(s for s, edge in zip(group, values.edges, strict=False) if edge < 0.1 or edge >= 0.899)
        for group in values.shares
    ]
    words = (
        "Histogram of the probability of class plus one. Below 10% or above 90% lie "
        f"{percent(sure[0])} of A and {percent(sure[1])} of B."
    )
    colours = ["plus" if edge >= 0.5 else "minus" for edge in values.edges[:-1]]
    frame, marks = _mirrored(values, colours, "probability of class +1")
    names = [_corner(frame, up, True, name) for name, up in (("A", True), ("B", False))]
    return svg(_WIDTH, _HEIGHT, words, marks, names)


def gap_chart(evidence: Mapping[str, Any]) -> Element:
    """Draw the held-out gap with its interval, and the gaps of shuffled memberships."""
    edges, counts = evidence["null"]["edges"], evidence["null"]["counts"]
    gap, (low, high) = evidence["gap"], evidence["gap_interval"]
    top = max(counts) or 1
    first, last = min(edges[0], low, 0.0), max(edges[-1], high, 0.0)
    margin = 0.04 * (last - first)
    frame = Frame(44, _WIDTH - 8, 26, _HEIGHT - 36, (first - margin, last + margin), (0, 1.1 * top))
    words = (
        f"The held-out gap is {gap:.2f}, its interval from {low:.2f} to {high:.2f}. Shuffled "
        f"memberships gave gaps from {edges[0]:.2f} to {edges[-1]:.2f}."
    )
    bars = [
        frame.box(left, right, 0, count, "null")
        for left, right, count in zip(edges, edges[1:], counts, strict=False)
        if count
    ]
    y, x = frame.down(0.55 * top), frame.across(gap)
    end = "end" if gap > (first + last) / 2 else "start"
    found = [
        tag("line", x1=x, x2=x, y1=y, y2=frame.bottom, class_="gap"),
        tag("line", x1=frame.across(low), x2=frame.across(high), y1=y, y2=y, class_="gap"),
        tag("circle", cx=x, cy=y, r=5, class_="mark gapdot"),
        tag("text", f"gap {fixed(gap)}", x=x, y=y - 10, class_=f"{end} strong"),
        tag("text", "memberships shuffled", x=frame.left + 2, y=14, class_="start"),
        tag("rect", x=frame.left - 12, y=5, width=10, height=10, class_="null"),
    ]
    return svg(
        _WIDTH,
        _HEIGHT,
        words,
        frame.vertical(most=4),
        bars,
        frame.horizontal("held-out gap"),
        found,
    )


def interval_chart(gap: float, low: float, high: float, reach: tuple[float, float]) -> Element:
    """One row of a leaderboard: a dot with its interval."""
    frame = Frame(4, 156, 0, 16, reach, (0, 1))
    y = 8
    return svg(
        160,
        16,
        f"gap {gap:.2f}, interval from {low:.2f} to {high:.2f}",
        tag("line", x1=frame.across(0), x2=frame.across(0), y1=0, y2=16, class_="axis"),
        tag("line", x1=frame.across(low), x2=frame.across(high), y1=y, y2=y, class_="gap"),
        tag("circle", cx=frame.across(gap), cy=y, r=4, class_="mark gapdot"),
    )


def loss_chart(loss: float, spread: float, reach: tuple[float, float]) -> Element:
    """One row of the columns that separate most: a bar, and how far it differs."""
    frame = Frame(4, 156, 0, 16, reach, (0, 1))
    return svg(
        160,
        16,
        f"gap lost: {loss:.2f}, give or take {spread:.2f}",
        frame.box(0.0, loss, 0.2, 0.8, "bar"),
        tag("line", x1=frame.across(0), x2=frame.across(0), y1=0, y2=16, class_="axis"),
        tag(
            "line",
            x1=frame.across(max(loss - spread, reach[0])),
            x2=frame.across(min(loss + spread, reach[1])),
            y1=8,
            y2=8,
            class_="whisker",
        ),
    )


def column_chart(values: Histogram) -> Element:
    """Values of a column: in samples labelled +1 upward, in those labelled -1 downward."""
    colours = [["plus"], ["minus"]]
    if values.levels:
        return _levels_chart(values)
    centres = [
        sum(s * (lo + hi) / 2 for s, lo, hi in zip(g, values.edges, values.edges[1:], strict=False))
        / (sum(g) or 1.0)
        for g in values.shares
    ]
    words = (
        f"Histogram. The mean is about {centres[0]:.3g} where the label is plus one, and "
        f"{centres[1]:.3g} where it is minus one."
    )
    _, marks = _mirrored(values, colours, "", height=170)
    return svg(_WIDTH, 170, words, marks)


def _levels_chart(values: Histogram) -> Element:
    """Two bars for each level, with its name above them."""
    row, left = 34, 8
    height = row * len(values.levels) + 22
    top = max(max(group) for group in values.shares) or 1.0
    frame = Frame(left, _WIDTH - 60, 0, height - 22, (0, top), (0, 1))
    parts: list[Element] = []
    for k, level in enumerate(values.levels):
        y = row * k
        shown = level if len(level) <= 44 else f"{level[:43]}\N{HORIZONTAL ELLIPSIS}"
        parts.append(tag("text", shown, x=left, y=y + 11, class_="start"))
        for (group, shares), offset in zip(
            zip(("plus", "minus"), values.shares, strict=True), (15, 24), strict=True
        ):
            width = round(frame.across(shares[k]) - left, 1)
            parts += [
                tag(
                    "rect",
                    x=left,
                    y=y + offset,
                    width=max(width, 0.5),
                    height=8,
                    class_=f"mark {group}",
                ),
                tag(
                    "text", percent(shares[k]), x=left + width + 5, y=y + offset + 8, class_="tiny"
                ),
            ]
    told = ", ".join(
        f"{level}: {percent(plus)} and {percent(minus)}"
        for level, plus, minus in zip(values.levels, *values.shares, strict=True)
    )
    words = f"Shares of the levels where the label is plus one, and where it is minus one. {told}."
    return svg(_WIDTH, height, words, parts)


def _mirrored(
    values: Histogram, colours: Sequence[Any], title: str, height: int = _HEIGHT
) -> tuple[Frame, list[Element]]:
    """Bars of the first group upward, those of the second downward.

    ``colours`` has one for each bin, or a list with one for each group.
    """
    reach = 1.3 * max(max(group) for group in values.shares)
    frame = Frame(
        44,
        _WIDTH - 8,
        8,
        height - (36 if title else 22),
        (values.edges[0], values.edges[-1]),
        (-reach, reach),
    )
    bars = []
    for number_, (group, sign) in enumerate(zip(values.shares, (1, -1), strict=True)):
        by_group = isinstance(colours[0], list)
        for k, share in enumerate(group):
            if share:
                colour = colours[number_][0] if by_group else colours[k]
                left, right = values.edges[k], values.edges[k + 1]
                bars.append(frame.box(left, right, 0.0, sign * share, colour))
    middle = frame.down(0.0)
    line = tag("line", x1=frame.left, x2=frame.right, y1=middle, y2=middle, class_="axis")
    return frame, [
        *frame.vertical(lambda share: percent(abs(share)), most=6),
        *bars,
        line,
        *frame.horizontal(title),
    ]


def _corner(frame: Frame, up: bool, left: bool, text: str) -> Element:
    return tag(
        "text",
        text,
        x=frame.left + 4 if left else frame.right - 4,
        y=frame.top + 12 if up else frame.bottom - 5,
        class_="start strong" if left else "end strong",
    )
