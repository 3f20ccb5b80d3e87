"""The paper's two figures: what the methods make of the toy problems."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..datasets import (
    DrawnDatasets,
    bayes_score,
    mixture_density,
    toy_problem_1,
    toy_problem_2,
)
from ..errors import MissingExtraError
from ..metrics import labeling_error_rate
from .lineup import contestant

__all__ = ["FIGURES", "draw_figure"]

Float = NDArray[np.float64]

_PRIORS = (0.3, 0.7)
_N = 30
_ORANGE, _GREEN, _BLUE = "#d9730d", "#2d8659", "#0645e6"
# Text as outlines, a fixed salt, no date: the same figure has the same bytes.
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "path",
    "svg.hashsalt": "unclustered",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 10.5,
}
# Figure -> number of the toy problem, and the methods whose boundaries it shows.
FIGURES: dict[str, tuple[int, tuple[str, ...]]] = {
    "figure1": (1, ("dsdd",)),
    "figure2": (2, ("kmeans", "spectral", "dsdd")),
}


def draw_figure(name: str, seed: int = 0) -> dict[str, bytes]:
    """Draw a figure of the paper.

    Parameters
    ----------
    name : {"figure1", "figure2"}
        Which one. Figure 1 is the toy problem on which clustering would do as well, Figure 2 the
        one on which it fails.
    seed : int
        Seed of the samples.

    Returns
    -------
    dict
        The picture as ``"svg"`` and as ``"png"``.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(
            'The figures need matplotlib: pip install "unclustered[plot]".'
        ) from error
    problem, methods = FIGURES[name]
    with mpl.rc_context(_STYLE):
        panels = 1 + len(methods)
        figure = Figure(figsize=(3.5 * panels, 4.3), layout="constrained")
        _fill(figure, problem, methods, _samples(name, problem, seed), seed)
        files = {}
        for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            stream = io.BytesIO()
            figure.savefig(stream, format=kind, dpi=150, metadata=metadata)
            files[kind] = stream.getvalue()
    return files


def _samples(name: str, problem: int, seed: int) -> DrawnDatasets:
    draw: Callable[..., DrawnDatasets] = {1: toy_problem_1, 2: toy_problem_2}[problem]
    key = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()),))
    return draw(_N, _PRIORS, random_state=np.random.default_rng(key))


def _fill(
    figure: Any, problem: int, methods: tuple[str, ...], toy: DrawnDatasets, seed: int
) -> None:
    given, *found = figure.subplots(1, 1 + len(methods), sharex=True, sharey=True)
    reach = np.abs(toy.X).max() + 0.5
    line = np.linspace(-reach, reach, 301)
    grid = np.meshgrid(line, line)
    points = np.column_stack([g.ravel() for g in grid])

    def shaped(values: Float) -> Float:
        return values.reshape(grid[0].shape)

    densities = [shaped(mixture_density(points, problem, prior)) for prior in _PRIORS]
    levels = np.linspace(0, max(d.max() for d in densities), 7)[1:-1]
    for density, colour in zip(densities, (_ORANGE, _GREEN), strict=True):
        given.contour(*grid, density, levels=levels, colors=colour, linewidths=0.8, alpha=0.8)
    given.set_title("densities and samples")
    optimal = shaped(bayes_score(points, problem))
    for axes, name in zip(found, methods, strict=True):
        player = contestant(name)
        model = player.make(seed).fit(toy.X, toy.membership)
        score = shaped(model.decision_function(points))
        _boundary(axes, grid, score, _BLUE, "solid", 2.0)
        ler = labeling_error_rate(toy.labels, model.labels_)
        axes.set_title(f"{player.heading}: error {ler:.3f}")
    for axes in (given, *found):
        _boundary(axes, grid, optimal, "black", "dashed", 1.4)
        for x, colour, marker in ((toy.A, _ORANGE, "o"), (toy.B, _GREEN, "s")):
            axes.scatter(*x.T, s=20, marker=marker, facecolors="none", edgecolors=colour, lw=1.1)
        axes.set_aspect("equal")
        axes.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[])
    _legend(figure)


def _boundary(axes: Any, grid: Any, score: Float, colour: str, dashes: str, width: float) -> None:
    axes.contour(
        *grid, score, levels=[0.0], colors=colour, linewidths=width, linestyles=dashes, zorder=3
    )


def _legend(figure: Any) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], ls="", marker="o", mfc="none", color=_ORANGE, label="A"),
        Line2D([], [], ls="", marker="s", mfc="none", color=_GREEN, label="B"),
        Line2D([], [], color=_BLUE, lw=2, label="estimated boundary"),
        Line2D([], [], color="black", lw=1.4, ls="dashed", label="optimal boundary"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
