"""LSDD: the density difference by least squares, in closed form."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from ..core import lsdd as core
from ..core.expansion import kernel_expansion
from ..core.kernels import gaussian, median_distance, squared_distances
from ..core.sample import Sample
from ..engines import ArraySource, Engine, Source, make_engine
from ..errors import UnclusteredWarning
from ..graphs import Value
from ..graphs import kernels as in_graph
from ..memory import require_memory
from ..seeds import as_generator
from ..selection.folds import Fold, make_folds
from ..selection.search import Choice, candidates, search
from ._base import MembershipClassifier, as_label
from ._centres import choose_centres
from ._low_rank import Scorer, fit_difference

__all__ = ["LSDD"]

Float = NDArray[np.float64]
# Of the median distance. Wider kernels than it blur a density difference more than they help.
MULTIPLES = np.array([0.15, 0.25, 0.4, 0.6, 0.8, 1.0])
REGULARIZATIONS = np.logspace(-3, 0.5, 8)
_EXACT, _EXACT_KERNELS = (
    5000,
    10**8,
)  # samples, and kernels, up to which the exact solver is quicker


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
        Threads over the bandwidths, or over blocks of samples. The answer does not depend on it.
    solver : {"auto", "exact", "lowrank"}
        "exact" has all kernels between samples and centres in memory. "lowrank" keeps at most
        ``rank`` dimensions of the space of scores and passes over the data once; then
        ``bandwidth`` and ``regularization`` are chosen on 2,000 samples by the exact solver, and
        confirmed on up to 32,768. "auto" is "exact" as long as that is quicker: up to 5,000
        samples, or where samples times ``centers`` are at most 100 million. ``solver_`` tells which
        one it was.
    rank : int
        Largest number of landmarks of the low-rank solver.
    engine : str or Engine
        Where the low-rank solver's pass runs; see :mod:`unclustered.engines`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two membership values; positive scores point to the second.
    labels_ : ndarray of shape (n_samples,)
        Labels +1 and -1 of the fitted samples.
    solver_ : {"exact", "lowrank"}
        The solver that was used.
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
        The centres; of the low-rank solver, the landmarks.
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
        "solver": [StrOptions({"auto", "exact", "lowrank"})],
        "rank": [Interval(Integral, 2, None, closed="left")],
        "engine": [str, Engine],
    }

    def __init__(
        self,
        bandwidth: float | None = None,
        regularization: float | None = None,
        centers: int | None = None,
        cv: Any = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
        solver: str = "auto",
        rank: int = 1024,
        engine: Any = "numpy",
    ) -> None:
        self.bandwidth = bandwidth
        self.regularization = regularization
        self.centers = centers
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.solver = solver
        self.rank = rank
        self.engine = engine

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
        self.solver_ = self._solver(len(side))
        if self.solver_ == "lowrank":
            source = ArraySource(X, side, weight)
            self.labels_ = as_label(self._fit_pass(source, rng).scores(source))
        else:
            self.labels_ = as_label(self._fit_exactly(X, side, weight, rng))
        return self

    def _solver(self, n_samples: int) -> str:
        """Solver to use: the exact one as long as it is quicker."""
        if self.solver != "auto":
            return self.solver
        few = n_samples <= _EXACT or (
            self.centers is not None and n_samples * self.centers <= _EXACT_KERNELS
        )
        return "exact" if few else "lowrank"

    def _fit_exactly(self, X: Any, side: Float, weight: Float, rng: np.random.Generator) -> Float:
        """Fit with all kernels in memory; gives the scores of the samples."""
        centres, _ = choose_centres(X, weight, self.centers, rng)
        _require_memory(len(side), len(centres))
        D = squared_distances(X) if len(centres) == len(side) else squared_distances(X, X[centres])
        if self.bandwidth is None or self.regularization is None:
            self.bandwidth_, self.regularization_, self.cv_results_ = self._choose(
                X, D, centres, side, weight, rng
            )
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
        self.centers_ = X[centres]
        self._keep(solution, solution.coef)
        return np.asarray(Psi @ self.coef_)

    def fit_source(self, source: Source) -> LSDD:
        """Fit to data that are passed over and never held, with the low-rank solver.

        Parameters
        ----------
        source : Source
            Samples, sides and weights; see :mod:`unclustered.engines`. ``classes_`` are -1 (B) and
            +1 (A). There are no ``labels_``.

        Returns
        -------
        LSDD
            Itself, fitted.
        """
        self._start_source(source)
        self.solver_ = "lowrank"
        self._fit_pass(source, as_generator(self.random_state))
        return self

    def _fit_pass(self, source: Source, rng: np.random.Generator) -> Scorer:
        """Fit by one pass over the data."""

        def choose(sample: Sample) -> Choice:
            weight = np.asarray(sample.source().weight)
            centres, _ = choose_centres(sample.X, weight, self.centers, rng)
            D = squared_distances(sample.X, sample.X[centres])
            return self._choose(sample.X, D, centres, sample.side, weight, rng)

        engine = make_engine(self.engine, n_jobs=self.n_jobs)
        fitted = fit_difference(
            engine,
            source,
            choose,
            bandwidth=self.bandwidth,
            regularization=self.regularization,
            n_centres=self.centers,
            rank=self.rank,
            random_state=rng,
        )
        self.bandwidth_, self.regularization_ = fitted.bandwidth, fitted.regularization
        if fitted.cv_results is not None:
            self.cv_results_ = fitted.cv_results
        space = fitted.space
        self.centers_ = space.landmarks
        self._keep(fitted.solution, space.coefficients(fitted.solution.coef)[0])
        return Scorer(engine, space.features, self.coef_)

    def _keep(self, solution: core.LSDDSolution, coef: Float) -> None:
        self.coef_ = coef
        self.log_volume_ = solution.log_volume
        self.log_l2_distance_ = solution.log_l2_distance
        self.residual_ = solution.residual

    def _choose(
        self,
        X: Any,
        D: Float,
        centres: NDArray[np.intp],
        side: Float,
        weight: Float,
        rng: np.random.Generator,
    ) -> Choice:
        bandwidths = candidates(self.bandwidth, MULTIPLES * median_distance(D[centres]))
        regularizations = candidates(self.regularization, REGULARIZATIONS)
        volumes = np.array([core.log_volume(b, X.shape[1]) for b in bandwidths])
        train, test = _signed_weights(make_folds(self.cv, X, side, weight, rng), side, weight)

        def score(bandwidth: float) -> Float:
            Psi = gaussian(D, bandwidth)
            G = _overlaps(Psi, centres)
            return core.held_out_scores(G, Psi.T @ train, Psi.T @ test, regularizations)

        return search(
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
