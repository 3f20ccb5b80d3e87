"""LSDD: the density difference by least squares, in closed form."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval

from ..core import lsdd as core
from ..core.expansion import kernel_expansion
from ..core.kernels import gaussian, median_distance, squared_distances
from ..errors import UnclusteredWarning
from ..graphs import Value
from ..graphs import kernels as in_graph
from ..memory import require_memory
from ..seeds import as_generator
from ..selection.folds import Fold, make_folds
from ..selection.search import candidates, search
from ._base import MembershipClassifier, as_label
from ._centres import choose_centres

__all__ = ["LSDD"]

Float = NDArray[np.float64]
# Of the median distance. Wider kernels than it blur a density difference more than they help.
MULTIPLES = np.array([0.15, 0.25, 0.4, 0.6, 0.8, 1.0])
REGULARIZATIONS = np.logspace(-3, 0.5, 8)


class LSDD(MembershipClassifier):
    r"""Least-squares density difference (Sugiyama et al., 2013).

    Fits :math:`g(x) = \sum_l \theta_l \exp(-\|x - c_l\|^2 / 2\sigma^2)` to
    :math:`p_A(x) - p_B(x)` by least squares. The minimum is a closed form,

    .. math:: \theta = (H + \lambda I)^{-1} h, \qquad
              H_{ll'} = v \exp(-\|c_l - c_{l'}\|^2 / 4\sigma^2), \quad v = (\pi\sigma^2)^{d/2},

    .. math:: h_l = \tfrac{1}{n_A}\sum_{x \in A} \psi_l(x) - \tfrac{1}{n_B}\sum_{x \in B} \psi_l(x).

    Bandwidth and regularization are chosen by cross-validation of the same squared error,
    :math:`\theta^\top H \theta - 2\theta^\top h_{\text{held out}}`.

    Parameters
    ----------
    bandwidth : float, optional
        Width :math:`\sigma` of the kernels, in the units of the fitted data. By default chosen by
        cross-validation from multiples of the median distance between the centres.
    regularization : float, optional
        The ridge in units of the diagonal of H: :math:`\lambda = v \cdot` ``regularization``. The
        published code gives :math:`\lambda` itself; but v is :math:`10^{-8}` or :math:`10^{300}`
        depending on the number of features and on their units, and so is its effect. In
        these units the labels do not change when the data are rescaled. By default chosen by
        cross-validation between 0.001 and 3.
    centers : int, optional
        How many of the distinct samples to draw as centres :math:`c_l`. All of them by default.
    cv : int, cross-validation generator or iterable
        Folds for choosing bandwidth and regularization. The centres are the same in every fold.
    random_state : None, int, Generator or RandomState
        Draws the folds and the centres. None is the seed 0: the same answer each time.
    n_jobs : int, optional
        Threads over the bandwidths. The answer does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two membership values; positive scores point to the second.
    labels_ : ndarray of shape (n_samples,)
        Labels +1 and -1 of the fitted samples.
    bandwidth_, regularization_ : float
        The values used.
    cv_results_ : dict
        Held-out scores (minus the squared error, up to a constant) of every candidate, as
        scikit-learn's searches give them, in units of :math:`1/v` of the chosen bandwidth. Only
        where something had to be chosen.
    coef_ : ndarray of shape (n_centers,)
        :math:`v\theta`. The score is the estimated density difference times v, so that
        neither leaves the range of a double however many features there are.
    centers_ : ndarray or sparse array of shape (n_centers, n_features)
        The centres.
    log_volume_ : float
        :math:`\log v`. ``decision_function(X) * exp(-log_volume_)`` is the density difference.
    l2_distance_ : float
        :math:`2\theta^\top h - \theta^\top H\theta`, the estimate of
        :math:`\int (p_A - p_B)^2`.
    log_l2_distance_ : float
        Its logarithm, which is finite (unless A equals B) even where the distance itself
        leaves the range of a double.
    residual_ : float
        How far the coefficients are from solving their equations, relative to h.

    References
    ----------
    M. Sugiyama, T. Kanamori, T. Suzuki, M. C. du Plessis, S. Liu and I. Takeuchi,
    "Density-difference estimation", Neural Computation 25(10), 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import LSDD
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(-2, 1, (40, 1)), rng.normal(2, 1, (40, 1))]
    >>> true = np.r_[-np.ones(40), np.ones(40)]
    >>> membership = np.where(rng.random(80) < 0.5 + 0.3 * true, "A", "B")
    >>> model = LSDD().fit(X, membership)
    >>> float(abs((model.labels_ == true).mean() - 0.5) + 0.5)
    0.9875
    """

    _accept_sparse = True
    _saved = (
        "bandwidth_",
        "regularization_",
        "centers_",
        "coef_",
        "log_volume_",
        "log_l2_distance_",
        "residual_",
    )
    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "bandwidth": [Interval(Real, 0, None, closed="neither"), None],
        "regularization": [Interval(Real, 0, None, closed="neither"), None],
        "centers": [Interval(Integral, 1, None, closed="left"), None],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        bandwidth: float | None = None,
        regularization: float | None = None,
        centers: int | None = None,
        cv: Any = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.regularization = regularization
        self.centers = centers
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> LSDD:
        """Fit the density difference to samples and their membership.

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
        LSDD
            Itself, fitted.
        """
        X, side, weight = self._check_fit(X, y, sample_weight)
        rng = as_generator(self.random_state)
        centres, _ = choose_centres(X, weight, self.centers, rng)
        _require_memory(len(side), len(centres))
        self.centers_ = X[centres]
        D = (
            squared_distances(X)
            if len(centres) == len(side)
            else squared_distances(X, self.centers_)
        )
        if self.bandwidth is None or self.regularization is None:
            self._choose(X, D, centres, side, weight, rng)
        else:
            self.bandwidth_ = float(self.bandwidth)
            self.regularization_ = float(self.regularization)

        Psi = gaussian(D, self.bandwidth_)
        solution = core.solve(
            _overlaps(Psi, centres),
            (side * weight) @ Psi,
            self.regularization_,
            self.bandwidth_,
            X.shape[1],
        )
        self.coef_ = solution.coef
        self.log_volume_ = solution.log_volume
        self.log_l2_distance_ = solution.log_l2_distance
        self.residual_ = solution.residual
        self.labels_ = as_label(Psi @ self.coef_)
        return self

    def _choose(
        self,
        X: Any,
        D: Float,
        centres: NDArray[np.intp],
        side: Float,
        weight: Float,
        rng: np.random.Generator,
    ) -> None:
        bandwidths = candidates(self.bandwidth, MULTIPLES * median_distance(D[centres]))
        regularizations = candidates(self.regularization, REGULARIZATIONS)
        volumes = np.array([core.log_volume(b, X.shape[1]) for b in bandwidths])
        train, test = _signed_weights(make_folds(self.cv, X, side, weight, rng), side, weight)

        def score(bandwidth: float) -> Float:
            Psi = gaussian(D, bandwidth)
            G = _overlaps(Psi, centres)
            return core.held_out_scores(G, Psi.T @ train, Psi.T @ test, regularizations)

        self.bandwidth_, self.regularization_, self.cv_results_ = search(
            bandwidths,
            regularizations,
            score,
            in_common_units=lambda scores: core.in_common_units(scores, volumes),
            n_jobs=self.n_jobs,
        )

    @property
    def l2_distance_(self) -> float:
        """Estimate of the integral of (p_A - p_B)^2."""
        with np.errstate(over="ignore", under="ignore"):
            distance = float(np.exp(self.log_l2_distance_))
        if np.isfinite(self.log_l2_distance_) and (distance == 0.0 or np.isinf(distance)):
            warnings.warn(
                f"The L2 distance, e^{self.log_l2_distance_:.1f}, is outside the range of a double "
                f"and was rounded to {distance}. Use log_l2_distance_.",
                UnclusteredWarning,
                stacklevel=2,
            )
        return distance

    def _score(self, X: Any) -> Float:
        return kernel_expansion(X, self.centers_, self.bandwidth_, self.coef_)

    def _graph(self, X: Value) -> Value:
        return in_graph.kernel_expansion(X, self.centers_, self.bandwidth_, self.coef_)


def _overlaps(Psi: Float, centres: NDArray[np.intp]) -> Float:
    """G, from the kernels between samples and centres: exp(-D / 4) is the root of exp(-D / 2)."""
    return np.asarray(np.sqrt(Psi if len(centres) == len(Psi) else Psi[centres]))


def _signed_weights(folds: list[Fold], side: Float, weight: Float) -> tuple[Float, Float]:
    """Weights of the samples in h, a column a fold: those it is fitted on, those held out."""
    train, test = (
        # bincount: a row that a fold names twice counts twice
        np.stack([np.bincount(fold[part], minlength=len(side)) for fold in folds], axis=1)
        * weight[:, None]
        for part in (0, 1)
    )
    for columns in (train, test):
        for value in (1.0, -1.0):
            mine = side == value
            columns[mine] *= value / columns[mine].sum(axis=0)
    return train, test


def _require_memory(n_samples: int, n_centres: int) -> None:
    require_memory(
        8.0 * (2 * n_samples * n_centres + 3 * n_centres**2),
        f"LSDD on {n_samples} samples with {n_centres} centres",
        "Give fewer centers, for example centers=1000.",
    )
