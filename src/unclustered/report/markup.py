"""Elements of HTML and SVG as a tree: text is escaped where the tree is written, and only there.

Whoever builds a page never puts markup into a text, so what a file calls its columns cannot.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

__all__ = ["Element", "as_text", "name", "tag"]

Element = ElementTree.Element
_LONG_WORD = 20  # letters; may be broken, so that a table stays as wide as a phone


def tag(kind: str, *children: Any, **attributes: Any) -> Element:
    """Element with these attributes and children: elements, texts, or several of them in a list.

    A child or an attribute None is left out. Underscores in names of attributes stand for hyphens,
    one at the end for nothing.

    Examples
    --------
    >>> from unclustered.report.markup import as_text, tag
    >>> as_text(tag("p", "1 < 2 ", tag("b", "& so on"), class_="note", data_x='"'))
    '<p class="note" data-x="&quot;">1 &lt; 2 <b>&amp; so on</b></p>'
    """
    element = ElementTree.Element(kind)
    for key, value in attributes.items():
        if value is not None:
            element.set(key.rstrip("_").replace("_", "-"), _attribute(value))
    _append(element, children)
    return element


def name(text: Any) -> Element:
    """Show what somebody else named; its direction of writing does not spread to what follows."""
    longest = max(map(len, str(text).split()), default=0)
    return tag("bdi", str(text), class_="w" if longest > _LONG_WORD else None)


def as_text(element: Element) -> str:
    """HTML of an element."""
    return ElementTree.tostring(element, encoding="unicode", method="html")


def _attribute(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _append(element: Element, children: Iterable[Any]) -> None:
    for child in children:
        if child is None:
            continue
        if isinstance(child, Element):
            element.append(child)
        elif isinstance(child, str | int | float):
            _append_text(element, str(child))
        else:
            _append(element, child)


def _append_text(element: Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
