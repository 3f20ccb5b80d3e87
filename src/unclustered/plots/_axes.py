"""Axes to draw on, and the colours that the pictures share. matplotlib has its home here."""

from __future__ import annotations

from typing import Any

from ..errors import MissingExtraError

__all__ = ["MINUS", "PLUS", "axes_for", "bare"]

# Of Okabe and Ito's colours the two that are furthest apart in grey: dark and light.
PLUS, MINUS = "#0072B2", "#E69F00"


def axes_for(ax: Any, width: float, height: float) -> Any:
    """Axes that were given, or new ones on a figure of this size in inches."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtraError(
            'Pictures need matplotlib: pip install "unclustered[plot]".'
        ) from error
    if ax is not None:
        return ax
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def bare(ax: Any, *sides: str) -> None:
    """Take away the lines of the frame that carry no scale."""
    for side in sides:
        ax.spines[side].set_visible(False)
