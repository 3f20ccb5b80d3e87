"""Scores of A above, those of B below: how differently a labelling falls on the two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError
from ._axes import MINUS, PLUS, axes_for, bare
from ._scores import scores_of

__all__ = ["ScoreDistributionDisplay"]

Float = NDArray[np.float64]
_MOST_BINS = 60


class ScoreDistributionDisplay:
    """Histogram of the scores of A, upward, and of B, downward.

    The sign of a score is the label, so what is right of 0 is labelled +1. The share above less the
    share below, right of 0, is the gap on these samples.

    Parameters
    ----------
    scores_a, scores_b : array-like of float
        Scores of the samples of A and of B.

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
    >>> from unclustered.plots import ScoreDistributionDisplay
    >>> toy = toy_problem_1(n=50, random_state=0)
    >>> result = label(toy.A, toy.B, method="lsdd", evidence=False)
    >>> display = ScoreDistributionDisplay.from_labeling(result)
    >>> display.ax_.get_xlabel()
    'score'
    """

    def __init__(self, scores_a: ArrayLike, scores_b: ArrayLike) -> None:
        self.scores_a, self.scores_b = (
            _finite(scores, name) for scores, name in ((scores_a, "A"), (scores_b, "B"))
        )

    @classmethod
    def from_labeling(cls, labeling: Any, *, ax: Any = None) -> ScoreDistributionDisplay:
        """Draw the scores of a labelling.

        Parameters
        ----------
        labeling : Labeling
            What ``label`` gave.
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        ScoreDistributionDisplay
            The picture, drawn.
        """
        return cls(labeling.scores_a, labeling.scores_b).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Any = None
    ) -> ScoreDistributionDisplay:
        """Draw the scores that a fitted classifier of the membership gives.

        Parameters
        ----------
        estimator : classifier
            Fitted on the membership; ``classes_[1]`` stands for A.
        X : array-like of shape (n_samples, n_features)
            Samples, better not those that it was fitted on.
        y : array-like of shape (n_samples,)
            Their membership.
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        ScoreDistributionDisplay
            The picture, drawn.
        """
        scores = scores_of(estimator, X)
        in_a = np.asarray(y) == estimator.classes_[1]
        return cls(scores[in_a], scores[~in_a]).plot(ax)

    def plot(self, ax: Any = None) -> ScoreDistributionDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        ScoreDistributionDisplay
            Itself.
        """
        ax = axes_for(ax, 6.4, 4.0)
        edges = _edges(np.concatenate([self.scores_a, self.scores_b]))
        colours = np.where(edges[:-1] >= 0, PLUS, MINUS)
        for name, scores, up in (("A", self.scores_a, 1), ("B", self.scores_b, -1)):
            # Negated, as the label of a score of 0 is -1, and bins hold their lower edge.
            shares = np.histogram(-scores, -edges[::-1])[0][::-1] / len(scores)
            ax.bar(
                edges[:-1],
                up * shares,
                np.diff(edges),
                align="edge",
                color=colours,
                ec="white",
                lw=0.4,
            )
            positive = float((scores > 0).mean())
            vertical = {"y": 0.5 + 0.46 * up, "va": "top" if up > 0 else "bottom"}
            for x, side, text in (
                (0.015, "left", f"{name}: {1 - positive:.0%} labelled \N{MINUS SIGN}1"),
                (0.985, "right", f"{name}: {positive:.0%} labelled +1"),
            ):
                ax.text(x, s=text, ha=side, transform=ax.transAxes, **vertical)
        ink = ax.xaxis.label.get_color()
        ax.axhline(0, color=ink, lw=0.8)
        ax.axvline(0, color=ink, lw=1.2, ls=(0, (4, 3)))
        reach = 1.28 * max(abs(y) for y in ax.dataLim.intervaly)  # room for the words
        ax.set(xlabel="score", ylabel="share of the dataset", ylim=(-reach, reach))
        ax.yaxis.set_major_formatter(lambda share, _: f"{abs(share):.0%}")
        bare(ax, "top", "right")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _finite(scores: ArrayLike, name: str) -> Float:
    checked = np.asarray(scores, dtype=np.float64).ravel()
    if not len(checked) or not np.isfinite(checked).all():
        raise DataError(f"The scores of {name} must be at least one finite number.")
    return checked


def _edges(scores: Float) -> Float:
    """Edges of equal bins of which one is at 0: no bar has samples of both labels."""
    automatic = np.histogram_bin_edges(scores, "auto")
    low, high = min(automatic[0], 0.0), max(automatic[-1], 0.0)
    width = max(automatic[1] - automatic[0], (high - low) / _MOST_BINS)
    first, last = np.floor(low / width), np.ceil(high / width)
    edges: Float = width * np.arange(min(first, -1), max(last, 1) + 1)
    return edges
