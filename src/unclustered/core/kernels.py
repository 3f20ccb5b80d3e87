"""Distances between samples and the Gaussian kernel on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["distinct_rows", "gaussian", "median_distance", "squared_distances"]

Float = NDArray[np.float64]


def squared_distances(X: Any, Y: Any = None) -> Float:
    """Squared Euclidean distances between the rows of X and those of Y (of X itself if None).

    Dense samples are centred first, so a large common offset costs no digits.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.kernels import squared_distances
    >>> squared_distances(np.array([[0.0, 0.0], [3.0, 4.0]]))
    array([[ 0., 25.],
           [25.,  0.]])
    """
    symmetric = Y is None
    if symmetric:
        Y = X
    if sp.issparse(X) or sp.issparse(Y):
        X, Y = sp.csr_array(X), sp.csr_array(Y)
        norm_x = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
        norm_y = np.asarray(Y.multiply(Y).sum(axis=1), dtype=np.float64).ravel()
        D = np.asarray((X @ Y.T).todense(), dtype=np.float64)
    else:
        centre = Y.mean(axis=0)
        X = X - centre
        Y = X if symmetric else Y - centre
        norm_x = np.einsum("ij,ij->i", X, X)
        norm_y = norm_x if symmetric else np.einsum("ij,ij->i", Y, Y)
        D = X @ Y.T
    D *= -2.0
    D += norm_x[:, None]
    D += norm_y[None, :]
    np.maximum(D, 0.0, out=D)
    if symmetric:
        np.fill_diagonal(D, 0.0)
    return D


def gaussian(D: Float, bandwidth: float) -> Float:
    """Gaussian kernel exp(-D / (2 bandwidth^2)) of squared distances D.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.kernels import gaussian
    >>> gaussian(np.array([[0.0, 2.0]]), 1.0).round(4)
    array([[1.    , 0.3679]])
    """
    K = D * (-0.5 / (bandwidth * bandwidth))
    return np.exp(K, out=K)


def distinct_rows(X: Any, weight: Float | None = None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One row for every distinct row of positive weight, and which of them each sample is.

    Returns
    -------
    rows : ndarray of shape (n_distinct,)
        Index of the first sample of each, in the order they came.
    which : ndarray of shape (n_samples,)
        Position in ``rows`` of the row that the sample equals; 0 for samples of no weight.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.kernels import distinct_rows
    >>> distinct_rows(np.array([[2.0], [1.0], [2.0]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    kept = np.arange(X.shape[0]) if weight is None else np.flatnonzero(weight > 0)
    first: dict[bytes | tuple[bytes, bytes], int] = {}
    which = np.zeros(X.shape[0], dtype=np.intp)
    if sp.issparse(X):
        X = sp.csr_array(X)
        X.sum_duplicates()
        for row in kept.tolist():
            part = slice(X.indptr[row], X.indptr[row + 1])
            key = (X.indices[part].tobytes(), X.data[part].tobytes())
            which[row] = first.setdefault(key, len(first))
    else:
        X = np.ascontiguousarray(X + 0.0)  # + 0.0 makes -0.0 and 0.0 the same bytes
        for row in kept.tolist():
            which[row] = first.setdefault(X[row].tobytes(), len(first))
    position = np.full(len(first), -1, dtype=np.intp)
    position[which[kept[::-1]]] = kept[::-1]
    return position, which


def median_distance(D: Float) -> float:
    """Median distance between the pairs of distinct samples, from their squared distances.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.kernels import median_distance, squared_distances
    >>> median_distance(squared_distances(np.array([[0.0], [1.0], [3.0]])))
    2.0
    """
    pairs = D[np.triu_indices(len(D), 1)]
    pairs = pairs[pairs > 0]
    return float(np.sqrt(np.median(pairs))) if len(pairs) else 1.0
