"""Class balances of A and B: the estimate, and which pairs the data leave possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ParameterError
from ._axes import PLUS, axes_for, bare

__all__ = ["PriorsDisplay"]


class PriorsDisplay:
    """Estimate of theta_A and theta_B with its intervals, on the set of all feasible pairs.

    Parameters
    ----------
    theta_a, theta_b : float
        The estimate, for classes that are mutually irreducible.
    interval_a, interval_b : pair of float
        Its intervals.
    corners : array-like of shape (n_corners, 2)
        Corners (theta_A, theta_B) of the feasible set, in the order around it.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes that it was drawn on.
    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from unclustered.plots import PriorsDisplay
    >>> corners = [(0.75, 0.25), (0.7, 0.0), (1.0, 0.0), (1.0, 0.3)]
    >>> display = PriorsDisplay(0.8, 0.2, (0.75, 0.85), (0.15, 0.25), corners).plot()
    >>> display.ax_.get_xlabel()
    'share of class +1 in A'
    """

    def __init__(
        self,
        theta_a: float,
        theta_b: float,
        interval_a: tuple[float, float],
        interval_b: tuple[float, float],
        corners: ArrayLike,
    ) -> None:
        self.theta_a, self.theta_b = float(theta_a), float(theta_b)
        self.interval_a = (float(interval_a[0]), float(interval_a[1]))
        self.interval_b = (float(interval_b[0]), float(interval_b[1]))
        self.corners: NDArray[np.float64] = np.asarray(corners, dtype=np.float64)

    @classmethod
    def from_priors(cls, priors: Any, *, ax: Any = None) -> PriorsDisplay:
        """Draw what ``estimate_priors`` or ``priors_from_scores`` found.

        Parameters
        ----------
        priors : Priors
            The estimate.
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        PriorsDisplay
            The picture, drawn.
        """
        return cls(
            priors.theta_a,
            priors.theta_b,
            priors.interval_a,
            priors.interval_b,
            priors.feasible_corners,
        ).plot(ax)

    @classmethod
    def from_labeling(cls, labeling: Any, *, ax: Any = None) -> PriorsDisplay:
        """Draw the class balances that a labelling estimated.

        Parameters
        ----------
        labeling : Labeling
            What ``label(..., priors="estimate")`` gave.
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        PriorsDisplay
            The picture, drawn.
        """
        if labeling.priors is None:
            raise ParameterError(
                'There are no estimated balances to draw: it takes label(..., priors="estimate").'
            )
        return cls.from_priors(labeling.priors, ax=ax)

    def plot(self, ax: Any = None) -> PriorsDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        PriorsDisplay
            Itself.
        """
        ax = axes_for(ax, 4.8, 4.8)
        ink = ax.xaxis.label.get_color()
        ax.fill(*self.corners.T, fc=PLUS, alpha=0.2, ec="none", label="feasible")
        ax.plot([0, 1], [0, 1], color=ink, lw=0.8, ls=":")
        ax.annotate(
            "A and B alike",
            (0.5, 0.5),
            (-4, 4),
            textcoords="offset points",
            rotation=45,
            rotation_mode="anchor",
            ha="center",
        )
        ax.plot(self.interval_a, [self.theta_b] * 2, color=PLUS, lw=2)
        ax.plot([self.theta_a] * 2, self.interval_b, color=PLUS, lw=2)
        ax.plot(self.theta_a, self.theta_b, "o", color=PLUS, ms=8, label=self._words())
        ax.set(
            xlabel="share of class +1 in A",
            ylabel="share of class +1 in B",
            xlim=(0, 1),
            ylim=(0, 1),
            aspect="equal",
        )
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
        bare(ax, "top", "right")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _words(self) -> str:
        return f"if irreducible: {self.theta_a:.2f} and {self.theta_b:.2f}"
