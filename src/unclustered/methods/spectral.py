"""Spectral clustering: two clusters that the graph of neighbours hardly connects."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import SpectralClustering
from sklearn.neighbors import kneighbors_graph
from sklearn.utils._param_validation import Interval

from ..core.graph import join_components
from ..core.kernels import squared_distances
from ..memory import require_memory
from ..seeds import as_generator
from ._clusters import NearestLabeler, distinct_in_order, name_by_gap

__all__ = ["SpectralLabeler"]


class SpectralLabeler(NearestLabeler):
    """scikit-learn's spectral clustering on the nearest neighbours, named by the gap.

    The membership plays no part in the clustering; it only decides which cluster is called +1.

    Parameters
    ----------
    n_neighbors : int
        Each sample is tied to so many nearest ones, itself among them, as in scikit-learn.
    random_state : None, int, Generator or RandomState
        Draws the starts of the eigensolver and of k-means on the embedding. None is the seed 0: the
        same answer each time.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two membership values; positive scores point to the second.
    labels_ : ndarray of shape (n_samples,)
        Labels +1 and -1 of the fitted samples.

    Notes
    -----
    Where the graph falls into parts, its eigenvectors tell the parts apart and nothing else. Such
    parts are first tied together, each to its nearest neighbour outside.

    Clusters are of samples, so new samples are labelled as their nearest fitted sample. The score
    is the distance to the nearest sample labelled -1 minus that to the nearest labelled +1. Samples
    that occur more than once count once.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import SpectralLabeler
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(-3, 1, (40, 1)), rng.normal(3, 1, (40, 1))]
    >>> true = np.r_[-np.ones(40), np.ones(40)]
    >>> membership = np.where(rng.random(80) < 0.5 + 0.3 * true, "A", "B")
    >>> model = SpectralLabeler().fit(X, membership)
    >>> float(abs((model.labels_ == true).mean() - 0.5) + 0.5)
    1.0
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(self, n_neighbors: int = 7, random_state: Any = None) -> None:
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> SpectralLabeler:
        """Cluster the samples and name the clusters by the gap.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples of both datasets.
        y : array-like of shape (n_samples,)
            Membership: two values, one for each dataset. Never the label.

        Returns
        -------
        SpectralLabeler
            Itself, fitted.
        """
        X, side, _ = self._check_fit(X, y)
        samples, which = distinct_in_order(X)
        clusters = self._cluster(samples - samples.mean(axis=0))
        self._remember(X, name_by_gap(clusters[which], side))
        return self

    def _cluster(self, samples: NDArray[np.float64]) -> NDArray[np.int64]:
        n_samples = len(samples)
        if n_samples == 2:
            return np.arange(2)
        graph = kneighbors_graph(samples, min(self.n_neighbors, n_samples), include_self=True)
        affinity = sp.csr_array(0.5 * (graph + graph.T))
        if connected_components(affinity, directed=False)[0] > 1:
            require_memory(
                8.0 * 2 * n_samples**2,
                f"Tying together the parts of a graph of {n_samples} samples",
                "Raise n_neighbors, or fit on a subset of the samples and predict the rest.",
            )
            affinity = join_components(affinity, squared_distances(samples), weight=0.5)
        seed = int(as_generator(self.random_state).integers(2**31))
        found = SpectralClustering(2, affinity="precomputed", random_state=seed).fit(affinity)
        return np.asarray(found.labels_)
