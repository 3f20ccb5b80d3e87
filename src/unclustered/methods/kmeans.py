"""k-means: two round clusters."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans
from sklearn.utils._param_validation import Interval

from ..graphs import Value
from ..seeds import as_generator
from ._base import MembershipClassifier
from ._clusters import distinct_in_order, name_by_gap

__all__ = ["KMeansLabeler"]


class KMeansLabeler(MembershipClassifier):
    r"""scikit-learn's k-means with two clusters, named by the gap.

    The membership plays no part in the clustering; it only decides which cluster is called +1. The
    score is the signed distance to the plane half way between the two centres.

    Parameters
    ----------
    n_init : int
        How many starts, the best of which is kept.
    random_state : None, int, Generator or RandomState
        Draws the starts. None is the seed 0: the same answer each time.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two membership values; positive scores point to the second.
    labels_ : ndarray of shape (n_samples,)
        Labels +1 and -1 of the fitted samples.
    cluster_centers_ : ndarray of shape (2, n_features)
        The centre of the cluster labelled -1, then that of +1.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import KMeansLabeler
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> model = KMeansLabeler().fit(X, ["B", "B", "A", "A"])
    >>> model.labels_, model.decision_function([[4.0]])
    (array([ 1,  1, -1, -1]), array([-1.]))
    """

    _saved = ("cluster_centers_",)
    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_init: int = 10, random_state: Any = None) -> None:
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> KMeansLabeler:
        """Cluster the samples and name the clusters by the gap.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples of both datasets.
        y : array-like of shape (n_samples,)
            Membership: two values, one for each dataset. Never the label.

        Returns
        -------
        KMeansLabeler
            Itself, fitted.
        """
        X, side, _ = self._check_fit(X, y)
        samples, which = distinct_in_order(X)
        seed = int(as_generator(self.random_state).integers(2**31))
        offset = samples.mean(axis=0)
        found = KMeans(2, n_init=self.n_init, random_state=seed).fit(
            samples - offset, sample_weight=np.bincount(which)
        )
        self.labels_ = name_by_gap(found.labels_[which], side)
        order = np.argsort([self.labels_[found.labels_[which] == k][0] for k in (0, 1)])
        self.cluster_centers_ = found.cluster_centers_[order] + offset
        return self

    def _plane(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Point half way between the centres, and the direction from -1 to +1."""
        negative, positive = self.cluster_centers_
        across = positive - negative
        return negative + across / 2, across / np.linalg.norm(across)

    def _score(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        middle, direction = self._plane()
        return np.asarray((X - middle) @ direction)

    def _graph(self, X: Value) -> Value:
        middle, direction = self._plane()
        return ((X - middle) @ direction[:, None]).column()
