"""Draw the README's picture: toy problem 1, labelled by DSDD without a single label.

python docs/make_picture.py [FOLDER]     (docs/_static by default; in light and in dark)
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from unclustered import Labeling, label
from unclustered.datasets import DrawnDatasets, bayes_score, toy_problem_1

Palette = dict[str, str]
PALETTES: dict[str, Palette] = {
    "light": {"ink": "#1f2328", "faint": "#8c959f", "plus": "#0969da", "minus": "#bc4c00"},
    "dark": {"ink": "#e6edf3", "faint": "#7d8590", "plus": "#58a6ff", "minus": "#f0883e"},
}
# Text as outlines: the picture looks the same on every machine. The salt keeps its bytes the same.
STYLE = {
    "svg.fonttype": "path",
    "svg.hashsalt": "unclustered",
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def main(folder: Path) -> None:
    toy = toy_problem_1(n=100, priors=(0.7, 0.3), random_state=0)
    result = label(toy.A, toy.B, method="dsdd")
    folder.mkdir(parents=True, exist_ok=True)
    for name, palette in PALETTES.items():
        with mpl.rc_context(STYLE):
            figure = draw(toy, result, palette)
            figure.savefig(
                folder / f"toy_problem_1-{name}.svg", transparent=True, metadata={"Date": None}
            )


def draw(toy: DrawnDatasets, result: Labeling, palette: Palette) -> Figure:
    figure = Figure(figsize=(9.6, 5.0), layout="constrained")
    figure.get_layout_engine().set(wspace=0.06)
    given, found = figure.subplots(1, 2, sharex=True, sharey=True)
    samples = {"A": (toy.A, result.labels_a, "o"), "B": (toy.B, result.labels_b, "s")}
    for x, labels, marker in samples.values():
        given.scatter(*x.T, **style(marker, palette["ink"], filled=marker == "o"))
        for sign, colour in ((1, palette["plus"]), (-1, palette["minus"])):
            found.scatter(*x[labels == sign].T, **style(marker, colour, filled=marker == "o"))
    boundaries(found, toy, result, palette)
    for axes, title in (
        (given, "Given: two samples, not one label"),
        (found, "Found: a label for each, and a boundary"),
    ):
        finish(axes, title, palette)
    legend(given, [entry(palette["ink"], "o"), entry(palette["ink"], "s")], ["A", "B"], palette)
    legend(
        found,
        [
            entry(palette["plus"], "D"),
            entry(palette["minus"], "D"),
            Line2D([], [], color=palette["ink"], lw=2),
            Line2D([], [], color=palette["ink"], lw=1.4, ls=(0, (4, 3))),
        ],
        ["label +1", "label -1", "estimated boundary", "optimal boundary"],
        palette,
    )
    return figure


def style(marker: str, colour: str, *, filled: bool) -> dict[str, Any]:
    face = colour if filled else "none"
    return {"marker": marker, "s": 26, "facecolors": face, "edgecolors": colour, "linewidths": 1.2}


def entry(colour: str, marker: str) -> Line2D:
    face = "none" if marker == "s" else colour
    return Line2D([], [], ls="", marker=marker, color=colour, mfc=face, ms=5.5, mew=1.2)


def boundaries(axes: Axes, toy: DrawnDatasets, result: Labeling, palette: Palette) -> None:
    low, high = toy.X.min(axis=0) - 0.4, toy.X.max(axis=0) + 0.4
    grid = np.meshgrid(*(np.linspace(a, b, 241) for a, b in zip(low, high, strict=True)))
    points = np.column_stack([g.ravel() for g in grid])
    for score, width, dashes in (
        (result.score_samples(points), 2, "solid"),
        (bayes_score(points, 1), 1.4, (0, (4, 3))),
    ):
        axes.contour(
            *grid,
            score.reshape(grid[0].shape),
            levels=[0.0],
            colors=palette["ink"],
            linewidths=width,
            linestyles=[dashes],
        )


def finish(axes: Axes, title: str, palette: Palette) -> None:
    axes.set_title(title, color=palette["ink"], loc="left", fontsize=12, pad=10)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color(palette["faint"])


def legend(axes: Axes, handles: list[Line2D], names: list[str], palette: Palette) -> None:
    axes.legend(
        handles,
        names,
        loc="upper left",
        bbox_to_anchor=(0, -0.01),
        ncols=2,
        frameon=False,
        labelcolor=palette["ink"],
        handletextpad=0.5,
        borderaxespad=0.2,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "_static")
