"""Make a graph of neighbours hang together."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

__all__ = ["join_components"]


def join_components(affinity: Any, D: NDArray[np.float64], weight: float) -> Any:
    """Tie each part of a graph to the nearest sample outside it, until there is one part.

    Parameters
    ----------
    affinity : sparse array of shape (n_samples, n_samples)
        Symmetric affinities.
    D : ndarray of shape (n_samples, n_samples)
        Squared distances between the samples.
    weight : float
        Affinity of an added edge.

    Returns
    -------
    csr_array
        The same affinities and a few more edges: where no two distances are equal, those of a
        minimum spanning tree over the parts.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from unclustered.core.graph import join_components
    >>> x = np.array([0.0, 1.0, 5.0, 6.0])
    >>> apart = sp.csr_array((np.abs(x[:, None] - x) < 2) * 1.0)
    >>> (join_components(apart, (x[:, None] - x) ** 2, 0.5) - apart).toarray()
    array([[0. , 0. , 0. , 0. ],
           [0. , 0. , 0.5, 0. ],
           [0. , 0.5, 0. , 0. ],
           [0. , 0. , 0. , 0. ]])
    """
    affinity = sp.csr_array(affinity)
    while True:
        n_parts, part = connected_components(affinity, directed=False)
        if n_parts == 1:
            return affinity
        outside = np.where(part[:, None] == part, np.inf, D)
        nearest = outside.argmin(axis=1)
        distance = outside[np.arange(len(D)), nearest]
        order = np.argsort(distance, kind="stable")  # of every part its shortest way out is first
        first = order[np.unique(part[order], return_index=True)[1]]
        edges = sp.csr_array(
            (np.full(n_parts, weight), (first.astype(np.int32), nearest[first].astype(np.int32))),
            shape=D.shape,
        )
        affinity = affinity.maximum(edges).maximum(edges.T)
