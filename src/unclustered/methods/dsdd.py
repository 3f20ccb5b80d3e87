"""DSDD: the sign of the density difference, estimated directly."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from ..core.cccp import STARTS, JoinedFolds, held_out_scores, minimise_ramp
from ..core.expansion import kernel_expansion
from ..core.features import make_features
from ..core.kernels import gaussian, gaussian_kernel, median_distance, squared_distances
from ..core.sample import Sample
from ..core.status import Status
from ..engines import ArraySource, Engine, Source, make_engine
from ..errors import ConvergenceWarning
from ..graphs import Value
from ..graphs import kernels as in_graph
from ..memory import require_memory
from ..seeds import as_generator
from ..selection.folds import make_folds
from ..selection.grid import bandwidth_grid
from ..selection.search import Choice, candidates, search
from ._base import MembershipClassifier, as_label
from ._centres import choose_centres
from ._low_rank import Scorer, fit_ramp

__all__ = ["DSDD"]

Float = NDArray[np.float64]
REGULARIZATIONS = np.logspace(-3, 1, 9)
RANK = 1024
# Numbers of samples up to which the exact solver is quicker; the latter where nothing is chosen.
_EXACT, _EXACT_GIVEN = 5000, 15_000


class DSDD(MembershipClassifier):
    r"""Direct sign density difference estimation (du Plessis & Sugiyama, 2013).

    Finds the score :math:`g(x) = \sum_l \alpha_l \exp(-\|x - c_l\|^2 / 2\sigma^2)` whose sign
    estimates :math:`\mathrm{sign}[p_A(x) - p_B(x)]`, by descending on

    .. math:: J(\alpha) = \tfrac{1}{n_B}\sum_{x \in B} R(g(x))
              - \tfrac{1}{n_A}\sum_{x \in A} R(g(x))
              + \tfrac{\lambda}{2}\|\alpha\|^2, \qquad R(z) = \min(1, \max(-1, z)),

    with the convex-concave procedure. Each of its convex steps is a box-constrained quadratic
    programme that is solved exactly.

    Parameters
    ----------
    bandwidth : float, optional
        Width :math:`\sigma` of the kernels, in the units of the fitted data. By default chosen by
        cross-validation from multiples of the median distance between samples.
    regularization : float, optional
        :math:`\lambda` as in J. By default chosen by cross-validation.
    penalty : {"coefficients", "rkhs"}
        What is penalised: :math:`\|\alpha\|^2`, as in the paper, or
        :math:`\alpha^\top K \alpha`, the norm in the kernel's function space.
    start : {"hinge", "paper", "best"}
        Convex problem to start from: the support vector machine on the membership ("hinge"), the
        convex part of J alone ("paper"), or both, of which the lower end is kept ("best"). Only
        "hinge" treats A and B alike, so that swapping them flips every score's sign exactly.
    intercept : bool
        Whether to add a constant basis function 1, penalised like the others. The paper's model has
        none; with it, errors on the paper's ten sets are lower on average.
    centers : int, optional
        How many of the distinct samples to draw as centres :math:`c_l`. All of them by default.
    cv : int, cross-validation generator or iterable
        Folds for choosing bandwidth and regularization by the ramp objective on held-out samples.
        The centres are the same in every fold.
    tol : float
        Largest violation of the optimality conditions of a convex step, in units of the score.
    max_iter : int
        Limit of convex steps.
    random_state : None, int, Generator or RandomState
        Draws the folds and the centres. None is the seed 0: the same answer each time.
    n_jobs : int, optional
        Threads over the bandwidths, or over blocks of samples. The answer does not depend on it.
    solver : {"auto", "exact", "lowrank"}
        "exact" solves each convex step to the last digit, in time and memory that grow with the
        square of the number of samples. "lowrank" keeps at most ``rank`` dimensions of the space of
        scores (Nystroem's approximation) and passes over the data some twenty times; then
        ``bandwidth`` and ``regularization`` are chosen on 2,000 samples by the exact solver, and
        confirmed on up to 32,768. "auto" is "exact" as long as that is quicker: up to
        5,000 samples, and up to 15,000 with the penalty "rkhs" where nothing has to be chosen.
        ``solver_`` tells which one it was.
    rank : int
        Largest number of landmarks of the low-rank solver.
    engine : str or Engine
        Where the low-rank solver's passes run; see :mod:`unclustered.engines`.

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
        Held-out scores (minus the ramp objective) of every candidate, as scikit-learn's searches
        give them. Only where something had to be chosen.
    coef_ : ndarray of shape (n_centers,)
        :math:`\alpha`.
    intercept_ : float
        Coefficient of the constant basis function; 0 without it.
    centers_ : ndarray or sparse array of shape (n_centers, n_features)
        The centres; of the low-rank solver, the landmarks.
    objective_ : float
        J at the solution.
    objective_path_ : ndarray of shape (n_steps,)
        J after each convex step; it never rises. The low-rank solver rounds off the kinks of J on
        its way down.
    dual_gap_ : float
        The last convex step is solved to within this much of its minimum, in units of J:
        ``objective_ - dual_gap_`` is a lower bound of what it could reach.
    kkt_residual_ : float
        Largest violation of its optimality conditions; NaN from the low-rank solver, which stops
        where ``dual_gap_`` is below ``sqrt(tol)`` of J.
    n_iter_ : int
        Convex steps taken; passes over all samples, of the low-rank solver.
    converged_ : bool
        Whether the procedure came to rest and every convex step met its tolerance.

    References
    ----------
    M. C. du Plessis and M. Sugiyama, "Clustering unclustered data: unsupervised binary labeling of
    two datasets having different class balances", 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import DSDD
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(-2, 1, (40, 1)), rng.normal(2, 1, (40, 1))]
    >>> true = np.r_[-np.ones(40), np.ones(40)]
    >>> membership = np.where(rng.random(80) < 0.5 + 0.3 * true, "A", "B")
    >>> model = DSDD().fit(X, membership)
    >>> wrong = (model.labels_ != true).mean()
    >>> bool(min(wrong, 1 - wrong) < 0.05)
    True
    """

    _accept_sparse = True
    _saved = (
        "bandwidth_",
        "regularization_",
        "centers_",
        "coef_",
        "intercept_",
        "objective_",
        "dual_gap_",
        "kkt_residual_",
        "n_iter_",
        "converged_",
    )
    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "bandwidth": [Interval(Real, 0, None, closed="neither"), None],
        "regularization": [Interval(Real, 0, None, closed="neither"), None],
        "penalty": [StrOptions({"coefficients", "rkhs"})],
        "start": [StrOptions(set(STARTS))],
        "intercept": ["boolean"],
        "centers": [Interval(Integral, 1, None, closed="left"), None],
        "cv": ["cv_object"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "solver": [StrOptions({"auto", "exact", "lowrank"})],
        "rank": [Interval(Integral, 2, None, closed="left")],
        "engine": [str, Engine],
    }

    def __init__(
        self,
        bandwidth: float | None = None,
        regularization: float | None = None,
        penalty: str = "coefficients",
        start: str = "hinge",
        intercept: bool = True,
        centers: int | None = None,
        cv: Any = 5,
        tol: float = 1e-6,
        max_iter: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
        solver: str = "auto",
        rank: int = RANK,
        engine: Any = "numpy",
    ) -> None:
        self.bandwidth = bandwidth
        self.regularization = regularization
        self.penalty = penalty
        self.start = start
        self.intercept = intercept
        self.centers = centers
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.solver = solver
        self.rank = rank
        self.engine = engine

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> DSDD:
        """Fit the score to samples and their membership.

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
        DSDD
            Itself, fitted.
        """
        X, side, weight = self._check_fit(X, y, sample_weight)
        rng = as_generator(self.random_state)
        self.solver_ = self._solver(len(side))
        if self.solver_ == "lowrank":
            source = ArraySource(X, side, weight)
            self.labels_ = as_label(self._fit_passes(source, rng).scores(source))
        else:
            scores = self._fit_exactly(X, side, weight, rng)
            # Where every sample carries weight, its score is at hand.
            self.labels_ = as_label(scores if weight.all() else self._score(X))
        return self

    def _solver(self, n_samples: int) -> str:
        """Solver to use: the exact one as long as it is quicker."""
        if self.solver != "auto":
            return self.solver
        given = self.bandwidth is not None and self.regularization is not None
        limit = _EXACT_GIVEN if given and self.penalty == "rkhs" else _EXACT
        return "exact" if n_samples <= limit else "lowrank"

    def _fit_exactly(self, X: Any, side: Float, weight: Float, rng: np.random.Generator) -> Float:
        """Fit with all pairs of samples in memory; gives the scores of the samples."""
        centres, centre_of = choose_centres(X, weight, self.centers, rng)
        _require_memory(len(side), len(centres), self.penalty)
        if self.bandwidth is None or self.regularization is None:
            D = squared_distances(X, None if len(centres) == len(side) else X[centres])
            self.bandwidth_, self.regularization_, self.cv_results_ = self._choose(
                X, D, centres, centre_of, side, weight, rng
            )
            Phi = gaussian(D, self.bandwidth_, out=D)
        else:
            self.bandwidth_ = float(self.bandwidth)
            self.regularization_ = float(self.regularization)
            Phi = gaussian_kernel(
                X, None if len(centres) == len(side) else X[centres], self.bandwidth_
            )

        chosen = make_features(Phi, centres, centre_of, self.penalty, self.intercept)
        solution = minimise_ramp(
            chosen.gram,
            side,
            weight,
            self.regularization_,
            starts=STARTS[self.start],
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self.centers_ = X[centres]
        self.coef_, self.intercept_ = chosen.coefficients(solution.beta)
        self.objective_path_ = solution.path
        self.objective_ = solution.objective
        self.dual_gap_ = solution.certificate.dual_gap
        self.kkt_residual_ = solution.certificate.kkt_residual
        self.n_iter_ = len(solution.path)
        self.converged_ = solution.converged and self.kkt_residual_ <= self.tol
        if not self.converged_:
            self._warn(
                f"the optimality conditions are violated by {self.kkt_residual_:.1e} "
                f"(tol={self.tol:g}). {solution.status.sentence}"
            )
        return solution.scores

    def _choose(
        self,
        X: Any,
        D: Float,
        centres: NDArray[np.intp],
        centre_of: NDArray[np.intp] | None,
        side: Float,
        weight: Float,
        rng: np.random.Generator,
    ) -> Choice:
        """Choose bandwidth and regularization by the ramp objective of held-out samples."""
        folds = JoinedFolds.of(make_folds(self.cv, X, side, weight, rng))
        regularizations = candidates(self.regularization, REGULARIZATIONS)

        def score(bandwidth: float) -> Float:
            Phi = gaussian(D, bandwidth)
            return held_out_scores(
                make_features(Phi, centres, centre_of, self.penalty, self.intercept).gram,
                side,
                weight,
                folds,
                regularizations,
                starts=STARTS[self.start],
                tol=self.tol,
                max_iter=self.max_iter,
            )

        grid = candidates(self.bandwidth, bandwidth_grid(median_distance(D[centres])))
        return search(grid, regularizations, score, n_jobs=self.n_jobs)

    def fit_source(self, source: Source) -> DSDD:
        """Fit to data that are passed over and never held, with the low-rank solver.

        Parameters
        ----------
        source : Source
            Samples, sides and weights; see :mod:`unclustered.engines`. ``classes_`` are -1 (B) and
            +1 (A). There are no ``labels_``.

        Returns
        -------
        DSDD
            Itself, fitted.

        Examples
        --------
        >>> import numpy as np
        >>> from unclustered import DSDD
        >>> from unclustered.datasets import toy_problem_1
        >>> from unclustered.engines import ArraySource
        >>> toy = toy_problem_1(n=300, priors=(0.8, 0.2), random_state=0)
        >>> source = ArraySource(toy.X, toy.membership, np.full(600, 1 / 300), part_rows=100)
        >>> model = DSDD(bandwidth=2.0, regularization=0.01, rank=50).fit_source(source)
        >>> bool((model.predict(toy.X) == toy.labels).mean() > 0.75)
        True
        """
        self._start_source(source)
        self.solver_ = "lowrank"
        self._fit_passes(source, as_generator(self.random_state))
        return self

    def _fit_passes(self, source: Source, rng: np.random.Generator) -> Scorer:
        """Fit by passes over the data."""

        def choose(sample: Sample) -> Choice:
            X, side = sample.X, sample.side
            weight = np.asarray(sample.source().weight)
            centres, centre_of = choose_centres(X, weight, self.centers, rng)
            D = squared_distances(X, None if len(centres) == len(side) else X[centres])
            return self._choose(X, D, centres, centre_of, side, weight, rng)

        engine = make_engine(self.engine, n_jobs=self.n_jobs)
        fitted = fit_ramp(
            engine,
            source,
            choose,
            bandwidth=self.bandwidth,
            regularization=self.regularization,
            n_centres=self.centers,
            rank=self.rank,
            penalty=self.penalty,
            intercept=self.intercept,
            random_state=rng,
            starts=STARTS[self.start],
            tol=float(np.sqrt(self.tol)),
            max_iter=self.max_iter,
        )
        self.bandwidth_, self.regularization_ = fitted.bandwidth, fitted.regularization
        if fitted.cv_results is not None:
            self.cv_results_ = fitted.cv_results
        solution = fitted.solution
        self.centers_ = fitted.space.landmarks
        self.coef_, self.intercept_ = fitted.space.coefficients(solution.u)
        self.objective_path_ = solution.path
        self.objective_ = solution.objective
        self.dual_gap_ = solution.gap
        self.kkt_residual_ = float("nan")
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.status is Status.CONVERGED
        if not self.converged_:
            self._warn(
                f"the objective may be {self.dual_gap_:.1e} above what the next step reaches "
                f"(tol={self.tol:g}). {solution.status.sentence}"
            )
        return Scorer(engine, fitted.space.features, fitted.space.lift @ solution.u)

    def _warn(self, what: str) -> None:
        warnings.warn(
            f"DSDD did not converge in {self.n_iter_} steps: {what} Raise max_iter or tol, or take "
            "a larger regularization.",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _score(self, X: Any) -> Float:
        return kernel_expansion(X, self.centers_, self.bandwidth_, self.coef_) + self.intercept_

    def _graph(self, X: Value) -> Value:
        g = in_graph.kernel_expansion(X, self.centers_, self.bandwidth_, self.coef_)
        return g + self.intercept_


def _require_memory(n_samples: int, n_centres: int, penalty: str) -> None:
    matrices = 2 * n_samples * n_centres  # distances and kernel
    if penalty == "coefficients" or n_centres < n_samples:
        matrices += n_samples * n_samples
    require_memory(
        8.0 * matrices,
        f"DSDD on {n_samples} samples with {n_centres} centres",
        'Take solver="lowrank", or fit on a subset of the samples and predict the rest.',
    )
