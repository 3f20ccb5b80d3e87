"""The held-out gap and its interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..selection.cross_fit import CrossFit
from .interval import newcombe_interval

__all__ = ["HeldOutGap", "held_out_gap"]

Float = NDArray[np.float64]
_REFITTING = 2.5  # variance of the rule itself, in units of the disagreement among its refits


@dataclass(frozen=True)
class HeldOutGap:
    """Share of A labelled +1 minus share of B labelled +1, on samples held out.

    Attributes
    ----------
    share_a, share_b : float
        The two shares.
    interval : tuple of float
        Interval of the gap.
    """

    share_a: float
    share_b: float
    interval: tuple[float, float]

    @property
    def gap(self) -> float:
        """Their difference."""
        return self.share_a - self.share_b


def held_out_gap(
    fitted: CrossFit,
    side: Float,
    *,
    groups: NDArray[np.intp] | None = None,
    confidence: float = 0.95,
) -> HeldOutGap:
    r"""Gap of cross-fitted labels, with an interval for the gap of the rule fitted to all samples.

    The interval is Newcombe's, for as many samples as would tell as much. Two things make these
    fewer than there are. Samples of one group tend to be labelled alike. And the rule itself would
    be another had other samples been drawn: where refits disagree, the variance of a share is
    taken as p (1 - p) + 2.5 v (1 - v), over n, v being the share of refits that vote +1; the
    factor was found by simulation, as refits to nine tenths of the same samples differ by less than
    fits to other samples would.

    Parameters
    ----------
    fitted : CrossFit
        Held-out scores.
    side : ndarray of shape (n_samples,)
        Membership: +1 for A, -1 for B.
    groups : ndarray of int of shape (n_samples,), optional
        Number of each sample's group, counted from 0. Samples of a group tend to be labelled alike
        and count for less than as many single ones.
    confidence : float
        Of the interval.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.evidence import held_out_gap
    >>> from unclustered.selection.cross_fit import CrossFit
    >>> side = np.repeat([1.0, -1.0], 50)
    >>> scores = np.where(np.arange(100) % 5 == 0, -side, side)[np.newaxis]
    >>> folds = np.arange(100)[np.newaxis] % 10
    >>> found = held_out_gap(CrossFit(scores, folds, scores[0] > 0, scores), side)
    >>> round(found.gap, 3), [round(end, 2) for end in found.interval]
    (0.6, [0.42, 0.72])
    """
    positive = fitted.positive
    a, b = side > 0, side < 0
    share_a, share_b = float(positive[a].mean()), float(positive[b].mean())
    n_a, n_b = (
        _effective_size(positive[mine], None if groups is None else groups[mine]) for mine in (a, b)
    )
    sampling = max(
        share_a * (1 - share_a) / n_a + share_b * (1 - share_b) / n_b, 1 / n_a**2 + 1 / n_b**2
    )
    dissent = fitted.votes * (1 - fitted.votes)
    refitting = _REFITTING * (dissent[a].mean() / n_a + dissent[b].mean() / n_b)
    fewer = 1 + refitting / sampling
    interval = newcombe_interval(share_a, share_b, n_a / fewer, n_b / fewer, confidence)
    return HeldOutGap(share_a, share_b, interval)


def _effective_size(positive: Float, groups: NDArray[np.intp] | None) -> float:
    """As many single samples as tell as much as the groups do, by the variance between groups."""
    n = len(positive)
    if groups is None:
        return float(n)
    share = positive.mean()
    which = np.unique(groups, return_inverse=True)[1]
    deviations = np.bincount(which, positive - share)
    n_groups = len(deviations)
    if n_groups < 2 or not 0 < share < 1:
        return float(n_groups)
    variance = n_groups / (n_groups - 1) * (deviations @ deviations) / n**2
    return float(min(n, share * (1 - share) / variance)) if variance > 0 else float(n)
