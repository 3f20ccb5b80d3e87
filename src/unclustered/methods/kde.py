"""KDE: a density for each dataset, and where which is higher."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval

from ..core.expansion import distance_blocks
from ..core.kde import choose_bandwidth, log_density
from ..core.kernels import distinct_rows, squared_distances
from ..errors import DataError
from ..graphs import Value
from ..graphs import kernels as in_graph
from ..memory import require_memory
from ._base import MembershipClassifier, as_label

__all__ = ["KDEDifference"]

Float = NDArray[np.float64]


class KDEDifference(MembershipClassifier):
    r"""Two Gaussian kernel density estimates, compared.

    The score is :math:`\log \hat p_A(x) - \log \hat p_B(x)`, each density being

    .. math:: \hat p(x) = \frac{1}{n}\sum_i (2\pi\sigma^2)^{-d/2}
              \exp(-\|x - x_i\|^2 / 2\sigma^2)

    with a bandwidth of its own, by default the one that minimises the leave-one-out
    (least-squares cross-validation) estimate of :math:`\int (\hat p - p)^2`. All is
    computed in logarithms, so a thousand features do not underflow.

    The simplest method, and a baseline of the others: on the way to the difference it solves two
    harder problems, estimating either density. In many dimensions its bandwidths come out so
    small that each fitted sample is labelled by its own dataset.

    Parameters
    ----------
    bandwidth : float, optional
        Width :math:`\sigma` of the kernels of both datasets, in the units of the fitted data. By
        default each dataset's is chosen by cross-validation.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two membership values; positive scores point to the second.
    labels_ : ndarray of shape (n_samples,)
        Labels +1 and -1 of the fitted samples.
    bandwidths_ : ndarray of shape (2,)
        The bandwidth of each dataset, in the order of ``classes_``. A dataset that has only one
        distinct sample takes the other's.
    samples_, shares_ : lists of 2 arrays
        The distinct samples of each dataset, and the share of its weight that each carries.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import KDEDifference
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(-2, 1, (40, 1)), rng.normal(2, 1, (40, 1))]
    >>> true = np.r_[-np.ones(40), np.ones(40)]
    >>> membership = np.where(rng.random(80) < 0.5 + 0.3 * true, "A", "B")
    >>> model = KDEDifference().fit(X, membership)
    >>> float(abs((model.labels_ == true).mean() - 0.5) + 0.5)
    0.9875
    """

    _accept_sparse = True
    _saved = ("samples_", "shares_", "bandwidths_")
    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "bandwidth": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(self, bandwidth: float | None = None) -> None:
        self.bandwidth = bandwidth

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> KDEDifference:
        """Fit the two densities to samples and their membership.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples of both datasets.
        y : array-like of shape (n_samples,)
            Membership: two values, one for each dataset. Never the label.
        sample_weight : array-like of shape (n_samples,), optional
            Weights; only their proportions within each dataset matter.

        Returns
        -------
        KDEDifference
            Itself, fitted.
        """
        X, side, weight = self._check_fit(X, y, sample_weight)
        samples, shares = [], []
        for value in (-1.0, 1.0):
            mine = side == value
            rows, which = distinct_rows(X, np.where(mine, weight, 0.0))
            samples.append(X[rows])
            shares.append(np.bincount(which[mine], weight[mine], len(rows)).astype(np.float64))
        self.samples_, self.shares_ = samples, shares
        self.bandwidths_ = self._choose_bandwidths()
        self.labels_ = as_label(self._score(X))
        return self

    def _choose_bandwidths(self) -> Float:
        if self.bandwidth is not None:
            return np.full(2, float(self.bandwidth))
        chosen = np.array(
            [
                _cross_validated(samples, share) if samples.shape[0] > 1 else np.nan
                for samples, share in zip(self.samples_, self.shares_, strict=True)
            ]
        )
        if np.isnan(chosen).all():
            raise DataError(
                "Each dataset has a single distinct sample: nothing tells how wide its density is. "
                "Give bandwidth to fit without choosing."
            )
        return np.where(np.isnan(chosen), chosen[::-1], chosen)

    def _score(self, X: Any) -> Float:
        log_densities = np.empty((2, X.shape[0]))
        for values, samples, share, bandwidth in zip(
            log_densities, self.samples_, self.shares_, self.bandwidths_, strict=True
        ):
            for rows, D in distance_blocks(X, samples):
                values[rows] = log_density(D, share, bandwidth, X.shape[1])
        return np.asarray(log_densities[1] - log_densities[0])

    def _graph(self, X: Value) -> Value:
        of_b, of_a = (
            in_graph.log_density(X, samples, share, bandwidth)
            for samples, share, bandwidth in zip(
                self.samples_, self.shares_, self.bandwidths_.tolist(), strict=True
            )
        )
        return of_a - of_b


def _cross_validated(samples: Any, share: Float) -> float:
    n_distinct, n_features = samples.shape
    require_memory(
        8.0 * 6 * n_distinct**2,
        f"Choosing the bandwidth on {n_distinct} samples",
        "Give bandwidth to fit without choosing.",
    )
    return choose_bandwidth(squared_distances(samples), share, n_features).bandwidth
