"""What is left of the gap without a part of the rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..selection.cross_fit import CrossFit
from ..selection.folds import canonical_order
from .gap import HeldOutGap, held_out_gap

__all__ = ["WithoutPart", "gap_without_clusters", "gap_without_groups"]

Float = NDArray[np.float64]
_N_CLUSTERS = 8
_ROWS_A_CLUSTER = 10  # on average, at least
_FEWEST_ROWS = 4  # left in each dataset; fewer show nothing


@dataclass(frozen=True)
class WithoutPart:
    """The held-out gap of the rows outside a group or a cluster of rows.

    Attributes
    ----------
    part : str
        What was left out, such as ``group 'donor 7'``.
    n_rows : int
        How many rows that is.
    gap : float
        Held-out gap of the other rows.
    gap_interval : tuple of float
        Its interval.
    """

    part: str
    n_rows: int
    gap: float
    gap_interval: tuple[float, float]


def gap_without_groups(
    fitted: CrossFit,
    side: Float,
    groups: NDArray[np.intp],
    names: Sequence[Hashable],
    confidence: float,
) -> tuple[WithoutPart, ...]:
    """Gap without each group in turn, the smallest first."""
    parts = ((f"group {name!r}", groups == k) for k, name in enumerate(names))
    return _sorted(_without(fitted, side, groups, parts, confidence))


def gap_without_clusters(
    fitted: CrossFit, X: Any, side: Float, confidence: float
) -> tuple[WithoutPart, ...]:
    """Gap without each cluster of rows in turn, the smallest first.

    The clusters are those of k-means, eight or fewer: so small that a gap which is spread over the
    samples does not depend on one of them.
    """
    from sklearn.cluster import KMeans

    n_clusters = min(_N_CLUSTERS, len(side) // _ROWS_A_CLUSTER)
    if n_clusters < 3:
        return ()
    order = canonical_order(X)
    clusters = np.empty(len(side), dtype=np.intp)
    clusters[order] = KMeans(n_clusters, n_init=1, random_state=0).fit_predict(X[order])
    parts = ((f"cluster {k + 1} of {n_clusters}", clusters == k) for k in range(n_clusters))
    return _sorted(_without(fitted, side, None, parts, confidence))


def _without(
    fitted: CrossFit,
    side: Float,
    groups: NDArray[np.intp] | None,
    parts: Iterator[tuple[str, NDArray[np.bool_]]],
    confidence: float,
) -> Iterator[WithoutPart]:
    for part, rows in parts:
        rest = ~rows
        if min((side[rest] > 0).sum(), (side[rest] < 0).sum()) < _FEWEST_ROWS:
            continue
        codes = None if groups is None else np.unique(groups[rest], return_inverse=True)[1]
        found: HeldOutGap = held_out_gap(
            fitted.only(rest), side[rest], groups=codes, confidence=confidence
        )
        yield WithoutPart(part, int(rows.sum()), found.gap, found.interval)


def _sorted(found: Iterator[WithoutPart]) -> tuple[WithoutPart, ...]:
    return tuple(sorted(found, key=lambda without: without.gap))
