"""SMIC: clusters that tell most about where a sample lies."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval

from ..core.kernels import median_distance, squared_distances
from ..core.lsmi import estimate_smi
from ..core.smic import local_scaling_kernel, two_clusters
from ..memory import require_memory
from ..selection.grid import bandwidth_grid
from ._clusters import NearestLabeler, distinct_in_order, name_by_gap

__all__ = ["SMIC"]

MOST_NEIGHBORS = 10


class SMIC(NearestLabeler):
    r"""Squared-loss information-maximization clustering (Sugiyama et al., 2011), named by the gap.

    Finds two clusters whose squared-loss mutual information with the samples is largest, which
    has an analytic solution: with :math:`\varphi_1, \varphi_2` the leading eigenvectors of
    a kernel matrix, their signs fixed by :math:`\varphi_y^\top 1 \ge 0`, sample i is in cluster

    .. math:: \arg\max_y \frac{[\max(0, \varphi_y)]_i}{\sum_j [\max(0, \varphi_y)]_j}.

    The kernel scales itself to the distance :math:`\sigma_i` of each sample's t-th nearest
    neighbour: :math:`\exp(-\|x_i-x_j\|^2 / 2\sigma_i\sigma_j)` where one of the two is among the t
    nearest of the other, else 0.

    The membership plays no part in this; it only decides, by the gap, which cluster is called +1.

    Parameters
    ----------
    n_neighbors : int, optional
        t. By default the one of 1 to 10 whose clusters have the largest mutual information with the
        samples, as LSMI estimates it (with its own cross-validation). Nothing in it is random.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two membership values; positive scores point to the second.
    labels_ : ndarray of shape (n_samples,)
        Labels +1 and -1 of the fitted samples.
    n_neighbors_ : int
        The t used.
    smi_ : ndarray of shape (n_candidates,)
        Estimated mutual information of the clusters of t = 1, 2, ... Only where t was chosen.

    Notes
    -----
    Clusters are of samples, so new samples are labelled as their nearest fitted sample. The score
    is the distance to the nearest sample labelled -1 minus that to the nearest labelled +1. Samples
    that occur more than once count once.

    References
    ----------
    M. Sugiyama, M. Yamada, M. Kimura and H. Hachiya, "On information-maximization clustering:
    tuning parameter selection and analytic solution", ICML 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import SMIC
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(-3, 1, (40, 1)), rng.normal(3, 1, (40, 1))]
    >>> true = np.r_[-np.ones(40), np.ones(40)]
    >>> membership = np.where(rng.random(80) < 0.5 + 0.3 * true, "A", "B")
    >>> model = SMIC().fit(X, membership)
    >>> float(abs((model.labels_ == true).mean() - 0.5) + 0.5)
    1.0
    """

    _saved = (*NearestLabeler._saved, "n_neighbors_")
    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(self, n_neighbors: int | None = None) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: ArrayLike) -> SMIC:
        """Cluster the samples and name the clusters by the gap.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples of both datasets.
        y : array-like of shape (n_samples,)
            Membership: two values, one for each dataset. Never the label.

        Returns
        -------
        SMIC
            Itself, fitted.
        """
        X, side, _ = self._check_fit(X, y)
        samples, which = distinct_in_order(X)
        require_memory(
            8.0 * 3 * len(samples) ** 2,
            f"SMIC on {len(samples)} samples",
            "Fit on a subset of the samples and predict the rest.",
        )
        clusters = self._cluster(squared_distances(samples))
        self._remember(X, name_by_gap(clusters[which], side))
        return self

    def _cluster(self, D: NDArray[np.float64]) -> NDArray[np.int64]:
        most = len(D) - 1
        fixed = self.n_neighbors
        candidates = (
            range(1, 1 + min(MOST_NEIGHBORS, most)) if fixed is None else [min(fixed, most)]
        )
        nearest = np.argsort(D, axis=1, kind="stable")[:, : 1 + candidates[-1]]
        clusterings = [
            two_clusters(local_scaling_kernel(D, nearest, t)).clusters for t in candidates
        ]
        chosen = 0
        if fixed is None:
            estimates = estimate_smi(D, clusterings, bandwidth_grid(median_distance(D)))
            self.smi_ = np.array([estimate.smi for estimate in estimates])
            chosen = int(np.argmax(self.smi_))
        self.n_neighbors_ = int(candidates[chosen])
        return clusterings[chosen]
