"""Tables of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .markup import Element, tag

__all__ = ["grid"]


def grid(
    columns: Sequence[tuple[str, str]],
    rows: Iterable[Sequence[Any]],
    caption: str | None,
    class_: str | None = None,
) -> Element:
    """Table; each column has a title and a class, each cell a content, or a content and a class.

    Where no column has a title, the first cell of each row is its heading.
    """
    titled = any(title for title, _ in columns)
    head = (
        tag("thead", tag("tr", [tag("th", t, scope="col", class_=c or None) for t, c in columns]))
        if titled
        else None
    )
    body = []
    for row in rows:
        cells = []
        for k, (cell, (_, kind)) in enumerate(zip(row, columns, strict=True)):
            if isinstance(cell, tuple):
                cell, kind = cell
            if k == 0 and not titled:
                cells.append(tag("th", cell, scope="row"))
            else:
                cells.append(tag("td", cell, class_=kind or None))
        body.append(tag("tr", cells))
    table = tag(
        "table",
        None if caption is None else tag("caption", caption),
        head,
        tag("tbody", body),
        class_=class_,
    )
    return tag("div", table, class_="scroll", tabindex=0)
