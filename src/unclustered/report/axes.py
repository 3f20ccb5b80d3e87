"""Scales and axes of the charts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .markup import Element, tag

__all__ = ["MINUS_SIGN", "Frame", "fixed", "number", "percent", "svg"]

MINUS_SIGN = "\N{MINUS SIGN}"


def number(value: float, digits: int = 3) -> str:
    """Write a number of a few digits, with a true minus sign."""
    text = f"{value:.{digits}g}"
    if "e" in text and 1 <= abs(value) < 1e6:
        text = f"{value:.0f}"
    return text.replace("-", MINUS_SIGN)


def fixed(value: float) -> str:
    """Write a number with two decimals and a true minus sign."""
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", MINUS_SIGN)


def percent(share: float) -> str:
    """Write a share as a percentage, with one decimal below one per cent."""
    return f"{share:.1%}" if 0 < share < 0.01 else f"{share:.0%}"


def svg(width: int, height: int, words: str, *children: object) -> Element:
    """Drawing that says in words what it shows, and that is as wide as there is room."""
    return tag(
        "svg", *children, viewBox=f"0 0 {width} {height}", role="img", aria_label=words, class_="c"
    )


@dataclass(frozen=True)
class Frame:
    """A rectangle of the drawing, and the values at its sides.

    Attributes
    ----------
    left, right, top, bottom : float
        The rectangle.
    x, y : pair of float
        Values at the left and right sides, and at the bottom and top.
    """

    left: float
    right: float
    top: float
    bottom: float
    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Place of a pair of values."""
        return self.across(x), self.down(y)

    def across(self, x: float) -> float:
        """Place of a value on the horizontal axis."""
        low, high = self.x
        return round(self.left + (x - low) / (high - low) * (self.right - self.left), 1)

    def down(self, y: float) -> float:
        """Place of a value on the vertical axis."""
        low, high = self.y
        return round(self.bottom - (y - low) / (high - low) * (self.bottom - self.top), 1)

    def box(self, x0: float, x1: float, y0: float, y1: float, class_: str) -> Element:
        """Bar between these values."""
        left, right = sorted((self.across(x0), self.across(x1)))
        top, bottom = sorted((self.down(y0), self.down(y1)))
        return tag(
            "rect",
            x=left,
            y=top,
            width=round(max(right - left, 0.3), 1),
            height=round(max(bottom - top, 0.0), 1),
            class_=f"mark {class_}",
        )

    def horizontal(self, title: str, text: Callable[[float], str] = number) -> list[Element]:
        """Axis below: ticks with their values, and a title."""
        parts = [
            tag("line", x1=self.left, x2=self.right, y1=self.bottom, y2=self.bottom, class_="axis")
        ]
        for value in ticks(*self.x, most=6):
            x = self.across(value)
            parts += [
                tag("line", x1=x, x2=x, y1=self.bottom, y2=self.bottom + 4, class_="axis"),
                tag("text", text(value), x=x, y=self.bottom + 15, class_="mid"),
            ]
        middle = round((self.left + self.right) / 2, 1)
        return [*parts, tag("text", title, x=middle, y=self.bottom + 30, class_="mid title")]

    def vertical(self, text: Callable[[float], str] = number, most: int = 5) -> list[Element]:
        """Lines across with their values at the left."""
        parts = []
        for value in ticks(*self.y, most=most):
            y = self.down(value)
            parts += [
                tag("line", x1=self.left, x2=self.right, y1=y, y2=y, class_="grid"),
                tag("text", text(value), x=self.left - 5, y=y + 4, class_="end"),
            ]
        return parts


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round values inside an interval, at most so many.

    Examples
    --------
    >>> from unclustered.report.axes import ticks
    >>> ticks(-0.13, 0.42, most=6)
    [-0.1, 0.0, 0.1, 0.2, 0.3, 0.4]
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    for factor in (1, 2, 5, 10):
        step = factor * power
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            break
    return [float(f"{k * step:.6g}") for k in range(first, last + 1)]
