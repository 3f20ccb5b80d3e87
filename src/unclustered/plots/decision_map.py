"""What label a model gives where, over two columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bags.columns import Columns
from ..bags.reading import read_columns
from ..errors import ParameterError
from ._axes import MINUS, PLUS, axes_for
from ._scores import scores_of

__all__ = ["DecisionMapDisplay"]

Float = NDArray[np.float64]
_STEPS = 160
_MARGIN = 0.06


class DecisionMapDisplay:
    """Regions of the labels +1 and -1 over two columns, with the samples of A and of B.

    Parameters
    ----------
    xx, yy : ndarray of shape (n_y, n_x)
        Grid of points, as ``numpy.meshgrid`` makes it.
    scores : ndarray of shape (n_y, n_x)
        Score at each point of the grid.
    points_a, points_b : ndarray of shape (n_samples, 2)
        Samples of A and of B in the two columns.
    names : pair of str
        Names of the columns.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes that it was drawn on.
    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from unclustered import label
    >>> from unclustered.datasets import toy_problem_1
    >>> from unclustered.plots import DecisionMapDisplay
    >>> toy = toy_problem_1(n=50, random_state=0)
    >>> result = label(toy.A, toy.B, method="lsdd", evidence=False)
    >>> display = DecisionMapDisplay.from_labeling(result, toy.A, toy.B)
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('column 0', 'column 1')
    """

    def __init__(
        self,
        xx: ArrayLike,
        yy: ArrayLike,
        scores: ArrayLike,
        points_a: ArrayLike,
        points_b: ArrayLike,
        names: tuple[str, str],
    ) -> None:
        self.xx, self.yy, self.scores = (np.asarray(v, np.float64) for v in (xx, yy, scores))
        self.points_a, self.points_b = (np.asarray(v, np.float64) for v in (points_a, points_b))
        self.names = names

    @classmethod
    def from_labeling(
        cls,
        labeling: Any,
        A: Any,
        B: Any,
        *,
        columns: Sequence[Any] | None = None,
        ax: Any = None,
    ) -> DecisionMapDisplay:
        """Draw the labels that a result, or a model out of a file, gives over two columns.

        Parameters
        ----------
        labeling : Labeling or Model
            What ``label`` or ``load_model`` gave.
        A, B : table or array
            The samples, as ``label`` took them.
        columns : pair, optional
            Two columns of numbers, by name or, of arrays, by position; the first two by default.
            All others stay at their median, those of text at their most frequent value.
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        DecisionMapDisplay
            The picture, drawn.
        """
        a, b = read_columns(A, "A"), read_columns(B, "B")
        encoding = labeling.encoding
        if encoding.sparse:
            raise ParameterError("A map of sparse samples cannot be drawn: they have no medians.")
        names = [*encoding.numbers[:2]] if columns is None else [str(name) for name in columns]
        unknown = [name for name in names if name not in encoding.numbers]
        if len(set(names)) != 2 or unknown:
            raise ParameterError(
                "A map has two columns of numbers that the model uses, which are "
                f"{', '.join(encoding.numbers) or 'none'}; got {', '.join(names) or 'none'}."
            )
        for part in (a, b):
            encoding.check_columns(part)
        points_a, points_b = (part.numbers(names) for part in (a, b))
        xx, yy = _grid(np.vstack([points_a, points_b]))
        table = {name: _typical(a, b, name, xx.size) for name in encoding.columns}
        table |= {names[0]: xx.ravel(), names[1]: yy.ravel()}
        scores = labeling.score_samples(table if encoding.named else _rows(table))
        first, second = (name if encoding.named else f"column {name}" for name in names)
        scores = scores.reshape(xx.shape)
        return cls(xx, yy, scores, points_a, points_b, (first, second)).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Any = None
    ) -> DecisionMapDisplay:
        """Draw the labels that a fitted classifier of the membership gives to samples in the plane.

        Parameters
        ----------
        estimator : classifier
            Fitted on two columns and the membership; ``classes_[1]`` stands for A.
        X : array-like of shape (n_samples, 2)
            Samples.
        y : array-like of shape (n_samples,)
            Their membership.
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        DecisionMapDisplay
            The picture, drawn.
        """
        frame = nw.from_native(X, pass_through=True)
        names = ["column 0", "column 1"]
        if isinstance(frame, nw.DataFrame):
            names, X = frame.columns, frame.to_numpy()
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != 2:
            raise ParameterError(f"A map needs samples of two columns, got the shape {X.shape}.")
        xx, yy = _grid(X)
        points: Any = np.column_stack([xx.ravel(), yy.ravel()])
        if isinstance(frame, nw.DataFrame):  # columns are matched by name where there are any
            points = nw.from_dict(
                dict(zip(names, points.T, strict=True)), backend=frame.implementation
            ).to_native()
        scores = scores_of(estimator, points).reshape(xx.shape)
        in_a = np.asarray(y) == estimator.classes_[1]
        return cls(xx, yy, scores, X[in_a], X[~in_a], (names[0], names[1])).plot(ax)

    def plot(self, ax: Any = None) -> DecisionMapDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        DecisionMapDisplay
            Itself.
        """
        ax = axes_for(ax, 5.6, 5.4)
        from matplotlib.patches import Patch

        ink, paper = ax.xaxis.label.get_color(), ax.get_facecolor()
        ax.contourf(
            self.xx,
            self.yy,
            self.scores > 0,
            levels=[-0.5, 0.5, 1.5],
            colors=[MINUS, PLUS],
            alpha=0.3,
        )
        if self.scores.min() < 0 < self.scores.max():
            ax.contour(self.xx, self.yy, self.scores, levels=[0.0], colors=[ink], linewidths=1.5)
        handles = [
            ax.scatter(*points.T, s=24, marker=marker, color=face, ec=edge, lw=0.9, label=name)
            for name, points, marker, face, edge in (
                ("A", self.points_a, "o", ink, paper),
                ("B", self.points_b, "s", paper, ink),
            )
        ]
        regions = (("label +1", PLUS), ("label \N{MINUS SIGN}1", MINUS))
        handles += [Patch(fc=colour, alpha=0.3, label=text) for text, colour in regions]
        ax.legend(
            handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False
        )
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _grid(points: Float) -> tuple[Float, Float]:
    """Grid over these points, with a margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = _MARGIN * np.where(high > low, high - low, 1.0)
    xx, yy = np.meshgrid(*np.linspace(low - margin, high + margin, _STEPS).T)
    return xx, yy


def _typical(a: Columns, b: Columns, name: str, n_rows: int) -> NDArray[Any]:
    """Column of one value: the median of A and B, or the most frequent text."""
    parts = [part for part in (a, b) if name in part.names]
    if any(name in part.texts for part in parts):
        counts: Counter[str] = Counter()
        for part in parts:
            if name in part.texts:
                text = part.texts[name]
                counts.update(text.levels[code] for code in text.codes if code >= 0)
        return np.full(n_rows, counts.most_common(1)[0][0], dtype=object)
    values = np.concatenate([part.numbers([name])[:, 0] for part in parts])
    return np.full(n_rows, 0.0 if np.isnan(values).all() else np.nanmedian(values))


def _rows(table: Mapping[str, NDArray[Any]]) -> Any:
    """Array of these columns, or a list of rows where some are text."""
    if any(column.dtype == object for column in table.values()):
        return [*zip(*table.values(), strict=True)]
    return np.column_stack([*table.values()])
