"""The map of a report: the samples in the plane, coloured by dataset and by label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .axes import MINUS_SIGN, Frame, svg
from .markup import Element, tag
from .record import Cells, Map, Points

__all__ = ["MapChart", "map_charts"]

_WIDTH, _HEIGHT = 400, 330
_MARGIN = 0.04
# Up to so many samples, dots of this size.
_SIZES = ((150, 7.0), (600, 5.5), (2500, 4.0), (8000, 3.0), (20_000, 2.2))
_PALEST = 0.2  # a cell in which both kinds are as frequent


@dataclass(frozen=True)
class MapChart:
    """A drawing, its title, and its key: class and text of each of two kinds."""

    title: str
    key: tuple[tuple[str, str], tuple[str, str]]
    drawing: Element


def map_charts(map_: Map) -> list[MapChart]:
    """Chart by dataset and, where labels are shown, by label."""
    n_a, n_b = (f"{n:,}".replace(",", "\N{THIN SPACE}") for n in (map_.n_a, map_.n_b))
    by_dataset = MapChart(
        "By dataset",
        (("a", f"A ({n_a})"), ("b", f"B ({n_b})")),
        _drawing(map_, "A and B", ("a", "b")),
    )
    part = map_.points or map_.cells
    if (part.labels if isinstance(part, Points) else part.n_plus if part else None) is None:
        return [by_dataset]
    by_label = MapChart(
        "By label",
        (("plus", "+1"), ("minus", f"{MINUS_SIGN}1")),
        _drawing(map_, "the labels plus one and minus one", ("plus", "minus")),
    )
    return [by_dataset, by_label]


def _drawing(map_: Map, kinds: str, classes: tuple[str, str]) -> Element:
    points, cells = map_.points, map_.cells
    words = f"Map of {map_.n_a + map_.n_b} samples, coloured by {kinds}. {map_.how}"
    if points is not None:
        frame = _frame(_ends(points.x), _ends(points.y))
        marks = _dots(points, frame, map_.n_a, classes)
    else:
        assert cells is not None
        frame = _frame((cells.x[0], cells.x[-1]), (cells.y[0], cells.y[-1]))
        marks = _squares(cells, frame, map_, classes)
    middle = (frame.top + frame.bottom) / 2
    up = tag(
        "text", map_.axes[1], x=14, y=middle, transform=f"rotate(-90 14 {middle})", class_="mid"
    )
    sides = [
        tag(
            "rect",
            x=frame.left,
            y=frame.top,
            width=frame.right - frame.left,
            height=frame.bottom - frame.top,
            class_="frame",
        )
    ]
    across = tag("text", map_.axes[0], x=(frame.left + frame.right) / 2, y=_HEIGHT - 8)
    across.set("class", "mid")
    drawing = svg(_WIDTH, _HEIGHT, words, sides, marks, across, up)
    if points is not None:  # where the script finds the sample under the pointer
        drawing.set("class", "c map")
        ends = (frame.left, frame.right, frame.top, frame.bottom, *frame.x, *frame.y)
        drawing.set("data-frame", " ".join(f"{end:.6g}" for end in ends))
    return drawing


def _ends(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def _frame(x: tuple[float, float], y: tuple[float, float]) -> Frame:
    x_margin, y_margin = (_MARGIN * (high - low) for low, high in (x, y))
    return Frame(
        26,
        _WIDTH - 6,
        6,
        _HEIGHT - 26,
        (x[0] - x_margin, x[1] + x_margin),
        (y[0] - y_margin, y[1] + y_margin),
    )


def _dots(points: Points, frame: Frame, n_a: int, classes: tuple[str, str]) -> list[Element]:
    """One path for each kind, a dot being a line of hardly any length: thousands cost little.

    Of no length at all, squares would be lost on the way to a printer.
    """
    n = len(points.x)
    labels = points.labels
    if classes[0] == "a" or labels is None:
        parts = [range(n_a), range(n_a, n)]
    else:
        parts = [[k for k in range(n) if labels[k] * sign > 0] for sign in (1, -1)]  # type: ignore[misc]
    width = next((size for most, size in _SIZES if n <= most), _SIZES[-1][1])
    marks = []
    for class_, rows in zip(classes, parts, strict=True):
        places = (frame.at(points.x[k], points.y[k]) for k in rows)
        path = "".join(f"M{x:g} {y:g}h.1" for x, y in places)
        if path:
            marks.append(tag("path", d=path, stroke_width=width, class_=f"mark dots {class_}"))
    return marks


def _squares(cells: Cells, frame: Frame, map_: Map, classes: tuple[str, str]) -> list[Element]:
    """Draw a square for each cell, large for many, and strong in colour where one kind prevails."""
    counts = (cells.n_a, cells.n_b) if classes[0] == "a" else (cells.n_plus, cells.n_minus)
    first, second = (part or () for part in counts)
    totals = [max(1, sum(part)) for part in (first, second)]
    n = [p + q for p, q in zip(first, second, strict=True)]
    full = sorted(n)[int(0.95 * (len(n) - 1))] or 1
    marks = []
    for k, (p, q) in enumerate(zip(first, second, strict=True)):
        share_p, share_q = p / totals[0], q / totals[1]
        if not share_p + share_q:
            continue
        pure = abs(share_p - share_q) / (share_p + share_q)
        shrunk = (1 - max(0.3, min(1.0, (n[k] / full) ** 0.5))) / 2
        column, row = cells.column[k], cells.row[k]
        x0, x1, y0, y1 = (
            *(cells.x[column], cells.x[column + 1]),
            *(cells.y[row], cells.y[row + 1]),
        )
        dx, dy = shrunk * (x1 - x0), shrunk * (y1 - y0)
        mark = frame.box(
            x0 + dx, x1 - dx, y0 + dy, y1 - dy, classes[0] if share_p >= share_q else classes[1]
        )
        mark.set("fill-opacity", f"{_PALEST + (1 - _PALEST) * pure:.2f}")
        marks.append(mark)
    return marks
