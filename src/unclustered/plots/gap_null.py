"""A gap beside those of shuffled memberships: what chance alone achieves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ParameterError
from ._axes import PLUS, axes_for, bare

__all__ = ["GapNullDisplay"]


class GapNullDisplay:
    """Held-out gap with its interval, and the gaps that shuffled memberships gave.

    Parameters
    ----------
    gap : float
        Held-out gap of the labelling.
    gap_interval : pair of float
        Interval of the gap.
    null_gaps : array-like of float
        Gaps of shuffled memberships: what chance alone achieves.
    p_value : float
        Of the permutation test.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes that it was drawn on.
    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.plots import GapNullDisplay
    >>> null = np.random.default_rng(0).normal(0, 0.05, 199)
    >>> display = GapNullDisplay(0.3, (0.2, 0.4), null, 0.005).plot()
    >>> display.ax_.get_legend().get_texts()[1].get_text()
    'gap 0.30 (0.20 to 0.40), p = 0.005'
    """

    def __init__(
        self,
        gap: float,
        gap_interval: tuple[float, float],
        null_gaps: ArrayLike,
        p_value: float,
    ) -> None:
        self.gap = float(gap)
        self.gap_interval = (float(gap_interval[0]), float(gap_interval[1]))
        self.null_gaps: NDArray[np.float64] = np.asarray(null_gaps, dtype=np.float64).ravel()
        self.p_value = float(p_value)

    @classmethod
    def from_labeling(cls, labeling: Any, *, ax: Any = None) -> GapNullDisplay:
        """Draw the evidence for a labelling.

        Parameters
        ----------
        labeling : Labeling
            What ``label`` gave, with evidence.
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        GapNullDisplay
            The picture, drawn.
        """
        found = labeling.evidence
        if found is None:
            raise ParameterError(
                "There is no evidence to draw: it takes label(..., evidence=True)."
            )
        return cls(found.gap, found.gap_interval, found.null_gaps, found.p_value).plot(ax)

    def plot(self, ax: Any = None) -> GapNullDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        GapNullDisplay
            Itself.
        """
        ax = axes_for(ax, 6.4, 3.4)
        heights, *_ = ax.hist(
            self.null_gaps, "auto", color="0.72", ec="0.45", lw=0.6, label="memberships shuffled"
        )
        top = max(heights, default=1.0)
        low, high = self.gap_interval
        ax.plot([self.gap, self.gap], [0, 0.55 * top], color=PLUS, lw=2.5)
        ax.plot([low, high], [0.55 * top] * 2, color=PLUS, lw=2.5)
        ax.plot(self.gap, 0.55 * top, "o", color=PLUS, ms=8, label=self._words())
        ax.plot([0, 0], [0, 1.1 * top], color=ax.xaxis.label.get_color(), lw=0.8)
        ax.set(
            xlabel="held-out gap",
            ylabel=f"of {len(self.null_gaps)} permutations",
            ylim=(0, 1.1 * top),
        )
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
        bare(ax, "top", "right")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _words(self) -> str:
        low, high = self.gap_interval
        gap = f"gap {self.gap:.2f} ({low:.2f} to {high:.2f})".replace("-", "\N{MINUS SIGN}")
        return f"{gap}, p = {self.p_value:.2g}"
