"""Distances between samples and the Gaussian kernel on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = [
    "distinct_rows",
    "gaussian",
    "gaussian_kernel",
    "log_kernel_sums",
    "median_distance",
    "squared_distances",
]

Float = NDArray[np.float64]
_LEAST_LOG = -745.0  # log of the smallest double
_BLOCK = 128  # rows and columns of a block that stays in the cache


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
    if sp.issparse(X) or sp.issparse(Y):
        D: Float = _sparse_distances(X, X if Y is None else Y)
        if Y is None:
            np.fill_diagonal(D, 0.0)
        return D
    if Y is None:
        return _symmetric(X, lambda block: block)
    centre = Y.mean(axis=0)
    X, Y = X - centre, Y - centre
    D = X @ (-2.0 * Y.T)
    D += np.einsum("ij,ij->i", X, X)[:, None]
    D += np.einsum("ij,ij->i", Y, Y)
    np.maximum(D, 0.0, out=D)
    return D


def gaussian(D: Float, bandwidth: float, *, out: Float | None = None) -> Float:
    """Gaussian kernel exp(-D / (2 bandwidth^2)) of squared distances D.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.kernels import gaussian
    >>> gaussian(np.array([[0.0, 2.0]]), 1.0).round(4)
    array([[1.    , 0.3679]])
    """
    K = np.multiply(D, -0.5 / (bandwidth * bandwidth), out=out)
    return np.exp(K, out=K)


def gaussian_kernel(X: Any, Y: Any, bandwidth: float) -> Float:
    """Gaussian kernel between the rows of X and those of Y (of X itself if None).

    The same as ``gaussian(squared_distances(X, Y), bandwidth)``, without room for the distances.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.kernels import gaussian_kernel
    >>> gaussian_kernel(np.array([[0.0], [2.0]]), None, 2.0).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    if Y is None and not sp.issparse(X):
        return _symmetric(X, lambda block: gaussian(block, bandwidth, out=block))
    D = squared_distances(X, Y)
    return gaussian(D, bandwidth, out=D)


def log_kernel_sums(D: Float, bandwidth: float, share: Float) -> Float:
    """Log of the weighted sums of Gaussian kernels, from squared distances.

    The nearest sample is factored out, so that nothing underflows: far from all samples the log
    goes on as that of the nearest one.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.kernels import log_kernel_sums
    >>> log_kernel_sums(np.array([[2e6, 2e6]]), 1.0, np.array([[0.5], [0.5]]))
    array([[-1000000.]])
    """
    E = D * (-0.5 / bandwidth**2)
    largest = E.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):  # the nearest may be one that a fold holds out
        sums = np.log(np.exp(E - largest) @ share)
    return np.asarray(np.maximum(sums, _LEAST_LOG) + largest)


def _symmetric(X: Float, finish: Callable[[Float], Float]) -> Float:
    """Finished squared distances, a block at a time; what is below the diagonal is mirrored."""
    n = len(X)
    X = X - X.mean(axis=0)
    norms = np.einsum("ij,ij->i", X, X)
    out = np.empty((n, n))
    for i in range(0, n, _BLOCK):
        rows = slice(i, i + _BLOCK)
        for j in range(i, n, _BLOCK):
            columns = slice(j, j + _BLOCK)
            block = X[rows] @ X[columns].T
            block *= -2.0
            block += norms[rows, None] + norms[columns]
            np.maximum(block, 0.0, out=block)
            if i == j:
                np.fill_diagonal(block, 0.0)
            out[rows, columns] = finish(block)
            if i != j:
                out[columns, rows] = out[rows, columns].T
    return out


def _sparse_distances(X: Any, Y: Any) -> Float:
    X, Y = sp.csr_array(X), sp.csr_array(Y)
    norm_x, norm_y = (
        np.asarray(Z.multiply(Z).sum(axis=1), dtype=np.float64).ravel() for Z in (X, Y)
    )
    D = np.asarray((X @ Y.T).todense(), dtype=np.float64)
    D *= -2.0
    D += norm_x[:, None]
    D += norm_y
    return np.maximum(D, 0.0, out=D)


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
    pairs = D[np.tri(len(D), k=-1, dtype=np.bool_)]
    pairs = pairs[pairs > 0]
    return float(np.sqrt(np.median(pairs))) if len(pairs) else 1.0
