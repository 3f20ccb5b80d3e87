"""Methods beside each other, by their held-out gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bags.columns import Columns
from ..bags.reading import read_columns
from ..errors import DataError
from ._axes import PLUS, axes_for, bare

__all__ = ["LeaderboardDisplay"]

_TEXTS = ("method", "configuration")
_NUMBERS = ("gap", "gap_low", "gap_high", "weight", "seconds")


class LeaderboardDisplay:
    r"""Held-out gap of each method with its interval, the largest on top.

    A filled dot is a method that has a weight in the combination, an open one one that has none.

    Parameters
    ----------
    table : table
        A row a method, of any kind that :func:`unclustered.label` takes, with the columns
        ``method``, ``configuration``, ``gap``, ``gap_low``, ``gap_high``, ``weight`` (its share in
        a combination; missing: none) and ``seconds``.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes that it was drawn on.
    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from unclustered.plots import LeaderboardDisplay
    >>> display = LeaderboardDisplay(
    ...     {
    ...         "method": ["kmeans", "dsdd"],
    ...         "configuration": ["", "penalty=rkhs"],
    ...         "gap": [0.21, 0.34],
    ...         "gap_low": [0.12, 0.25],
    ...         "gap_high": [0.3, 0.43],
    ...         "weight": [0.0, 1.0],
    ...         "seconds": [0.1, 2.0],
    ...     }
    ... ).plot()
    >>> [tick.get_text() for tick in display.ax_.get_yticklabels()]
    ['dsdd\npenalty=rkhs', 'kmeans']
    """

    def __init__(self, table: Any) -> None:
        columns = read_columns(table, "the leaderboard")
        absent = [name for name in (*_TEXTS, *_NUMBERS) if name not in columns.names]
        if absent:
            raise DataError(f"The leaderboard lacks the columns {', '.join(absent)}.")
        wrong = [name for name in _NUMBERS if name in columns.texts]
        if wrong:
            raise DataError(f"The leaderboard must hold numbers in {', '.join(wrong)}.")
        numbers = dict(zip(_NUMBERS, columns.numbers(_NUMBERS).T, strict=True))
        order = np.argsort(-numbers["gap"], kind="stable")  # missing gaps come last
        self.names = _names(columns)[order].tolist()
        self.gap, self.gap_low, self.gap_high, self.weight, self.seconds = (
            numbers[name][order] for name in _NUMBERS
        )

    def plot(self, ax: Any = None) -> LeaderboardDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        LeaderboardDisplay
            Itself.
        """
        ax = axes_for(ax, 7.2, 1.1 + 0.44 * len(self.names))
        rows = np.arange(len(self.names))
        chosen = self.weight > 0
        ax.hlines(rows, self.gap_low, self.gap_high, color=PLUS, lw=2)
        for which, face in ((chosen, PLUS), (~chosen, ax.get_facecolor())):
            ax.plot(
                self.gap[which], rows[which], "o", ms=8, color=PLUS, mfc=face, mew=1.8, zorder=3
            )
        ink = ax.xaxis.label.get_color()
        ax.axvline(0, color=ink, lw=0.8)
        for points, title, texts in (
            (50, "weight", [f"{weight:.0%}" if weight > 0 else "" for weight in self.weight]),
            (105, "seconds", ["" if s != s else f"{s:.3g}" for s in self.seconds]),
        ):
            for y, text in zip([-0.75, *rows], [title, *texts], strict=True):
                ax.annotate(
                    text,
                    (1, y),
                    (points, 0),
                    xycoords=ax.get_yaxis_transform(),
                    textcoords="offset points",
                    ha="right",
                    va="center",
                    annotation_clip=False,
                )
        ax.set(xlabel="held-out gap", yticks=rows, yticklabels=self.names)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.tick_params("y", length=0)
        ax.grid(axis="x", alpha=0.3)
        ax.set_axisbelow(True)
        bare(ax, "top", "right", "left")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _names(columns: Columns) -> NDArray[Any]:
    parts = []
    for name in _TEXTS:
        if name in columns.texts:
            text = columns.texts[name]
            parts.append([text.levels[code] if code >= 0 else "" for code in text.codes])
        else:  # a column without any text counts as one of numbers
            parts.append([""] * columns.n_rows)
    return np.array(
        ["\n".join(filter(None, pair)) for pair in zip(*parts, strict=True)], dtype=object
    )
