"""What the methods that cluster first share: naming by the gap, and labels for new samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from ..core.kernels import distinct_rows
from ..errors import DataError
from ..gap import membership_gap
from ..graphs import Value
from ..graphs import kernels as in_graph
from ..selection.folds import canonical_order
from ._base import MembershipClassifier

__all__ = ["NearestLabeler", "distinct_in_order", "name_by_gap"]

Float = NDArray[np.float64]
Labels = NDArray[np.int64]


def distinct_in_order(X: Float) -> tuple[Float, NDArray[np.intp]]:
    """Distinct samples in their canonical order, and which of them each row of X is.

    Clusters of these do not depend on the order of the rows, and equal samples are never torn
    apart.
    """
    rows, which = distinct_rows(X)
    if len(rows) < 2:
        raise DataError(
            f"All {len(X)} samples are equal: there is nothing to cluster. Check that the columns "
            "hold what they should."
        )
    order = canonical_order(X[rows])
    return X[rows[order]], np.argsort(order)[which]


def name_by_gap(clusters: NDArray[Any], side: Float) -> Labels:
    """Label +1 for the cluster with the larger share of ``classes_[1]``, -1 for the other.

    This is all that a clustering learns from the membership.
    """
    second = clusters == clusters.max()
    sign = 1 if membership_gap(second, side) >= 0 else -1
    return np.where(second, sign, -sign)


class NearestLabeler(MembershipClassifier):
    """A method that labels the fitted samples, and a new one as its nearest fitted sample.

    A subclass calls :meth:`_remember` in ``fit``. The score is the distance to the nearest sample
    labelled -1 minus the distance to the nearest sample labelled +1.
    """

    _saved: tuple[str, ...] = ("offset_", "samples_")

    def _remember(self, X: Float, labels: Labels) -> None:
        self.labels_ = labels
        # Differences of large numbers lose digits; from the centre none are large.
        offset = X.mean(axis=0)
        samples = [X[labels == value] - offset for value in (-1, 1)]
        self._restore({"offset_": offset, "samples_": samples})

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        self.neighbors_ = [NearestNeighbors(n_neighbors=1).fit(x) for x in self.samples_]

    def _score(self, X: Float) -> Float:
        X = X - self.offset_
        # The quick formula for distances may say which is nearest. Of small ones it loses half of
        # the digits, so how near that is comes from the difference.
        nearest = [near.kneighbors(X, return_distance=False)[:, 0] for near in self.neighbors_]
        to_negative, to_positive = (
            np.linalg.norm(X - samples[rows], axis=1)
            for samples, rows in zip(self.samples_, nearest, strict=True)
        )
        return np.asarray(to_negative - to_positive)

    def _graph(self, X: Value) -> Value:
        X = X - self.offset_
        to_negative, to_positive = (in_graph.distance_to_nearest(X, s) for s in self.samples_)
        return to_negative - to_positive
