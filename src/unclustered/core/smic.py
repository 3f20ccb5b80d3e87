r"""Information-maximization clustering: two clusters from two eigenvectors.

Sugiyama et al. (2011) model :math:`p(y \mid x)` by kernels on the samples and maximise the
squared-loss mutual information. With orthonormal coefficients the maximum is analytic: the leading
eigenvectors :math:`\varphi_y` of the kernel matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sl
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

__all__ = ["SMICSolution", "local_scaling_kernel", "two_clusters"]

Float = NDArray[np.float64]
_DENSE_UP_TO = 500


@dataclass(frozen=True)
class SMICSolution:
    """Clusters 0 and 1, and how strongly each sample belongs to them."""

    clusters: NDArray[np.int64]
    membership: Float
    """Shape (n_samples, 2): max(0, phi_y) / sum(max(0, phi_y)), the larger of which decides."""


def local_scaling_kernel(D: Float, nearest: NDArray[np.intp], n_neighbors: int) -> Any:
    r"""Kernel :math:`\exp(-\|x_i-x_j\|^2 / 2\sigma_i\sigma_j)` between near neighbours, else 0.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_samples)
        Squared distances between samples, of which no two are equal.
    nearest : ndarray of shape (n_samples, >= n_neighbors + 1)
        The samples nearest to each, itself first.
    n_neighbors : int
        t: :math:`\sigma_i` is the distance of the t-th nearest neighbour, and two samples are near
        where one of them is among the t nearest of the other.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        The kernel.
    """
    n_samples = len(D)
    rows = np.repeat(np.arange(n_samples), n_neighbors + 1)
    columns = nearest[:, : n_neighbors + 1].ravel()
    scale = np.sqrt(D[np.arange(n_samples), nearest[:, n_neighbors]])
    values = np.exp(-D[rows, columns] / (2.0 * scale[rows] * scale[columns]))
    K = sp.csr_array((values, (rows, columns)), shape=D.shape)
    return K.maximum(K.T)


def two_clusters(K: Any) -> SMICSolution:
    r"""Split samples by the two leading eigenvectors of their kernel matrix.

    With the signs fixed by :math:`\varphi_y^\top 1 \ge 0`, sample i is in the cluster
    :math:`\arg\max_y [\max(0, \varphi_y)]_i / \sum_j [\max(0, \varphi_y)]_j`.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from unclustered.core.smic import two_clusters
    >>> K = sp.csr_array(np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.1], [0.0, 0.1, 1.0]]))
    >>> two_clusters(K).clusters
    array([0, 0, 1])
    """
    vectors = _leading(K)
    vectors = np.maximum(vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0), 0.0)
    membership = vectors / vectors.sum(axis=0)
    return SMICSolution(membership.argmax(axis=1), membership)


def _leading(K: Any) -> Float:
    n_samples = K.shape[0]
    if n_samples > _DENSE_UP_TO:
        try:
            vectors = eigsh(K, k=2, which="LA", v0=np.ones(n_samples))[1]
            return np.asarray(vectors[:, ::-1])
        except ArpackNoConvergence:
            pass  # eigenvalues too close together for Lanczos; the dense solver does not mind
    vectors = sl.eigh(K.toarray(), subset_by_index=[n_samples - 2, n_samples - 1])[1]
    return np.asarray(vectors[:, ::-1])
