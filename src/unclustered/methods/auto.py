"""The automatic labeler: many methods, weighed by their held-out gaps."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..errors import ParameterError
from ..graphs import Value
from ..seeds import as_generator
from . import method_class, name_of
from ._base import MembershipClassifier, as_label
from ._portfolio.combine import combine, gaps
from ._portfolio.defaults import BUDGETS, Effort, default_families, effort
from ._portfolio.family import Candidate, Family
from ._portfolio.models import Estimator
from ._portfolio.origin import fitted_scores
from ._portfolio.problem import Problem, Samples, some_rows
from ._portfolio.trial import fitted_only, leaderboard, try_all
from ._portfolio.voters import joined, voter_from_state

__all__ = ["AutoLabeler"]

Float = NDArray[np.float64]


class AutoLabeler(MembershipClassifier):
    r"""Many methods at once, none of which has to be chosen or tuned.

    Every configuration of every candidate is fitted to the same folds, and votes on the samples
    that its fit has not seen. The gap of these votes ranks configurations as their true error
    would, so it decides how much each one weighs. The score is the weighted mean of the votes.

    For the fitted samples, more is known than where they lie: which dataset they are from. Their
    labels follow from both, by Bayes' rule; see ``difference``. New samples are labelled by the
    plain sign of the score.

    Parameters
    ----------
    candidates : "default", or list of str, classifier or (str, classifier)
        What to try: classifiers, with a name or without, short names of methods, and "default" for
        all that suit the samples and the budget.
    budget : {"fast", "balanced", "thorough"}
        How many configurations, repetitions and samples the choice is made on.
    max_time : float, optional
        Seconds after which no further candidate is begun. What is tried then depends on the
        machine, and so do the labels.
    difference : float
        Difference of the two class balances to be expected, which says how much the dataset of a
        fitted sample counts where the score is unsure. 0: labels by the score alone.
    pooled_share : float, optional
        Share of the class +1 to be expected in A and B together. None: nothing is known of it.
    cv : int
        Folds of a repetition.
    random_state : None, int, Generator or RandomState
        Draws the folds, and seeds the candidates that draw. None is the seed 0: the same answer
        each time.
    n_jobs : int, optional
        Threads over the candidates. The answer does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two membership values; positive scores point to the second.
    labels_ : ndarray of shape (n_samples,)
        Labels +1 and -1 of the fitted samples.
    fitted_scores_ : ndarray of shape (n_samples,)
        Scores of the fitted samples that their labels are the signs of: held-out votes, and what
        their dataset adds.
    difference_ : float
        Estimated difference of the two class balances that these rest on.
    gap_ : float
        Gap of the held-out votes. It is the best of many, if only by a little: for an honest one,
        cross-validate the whole, as :func:`unclustered.label` does.
    leaderboard_ : dict of lists
        A row a candidate, the largest gap first: ``method``, ``configuration``, ``gap``,
        ``gap_low``, ``gap_high``, ``weight``, ``seconds``.
    failures_ : dict
        Why candidates failed or were left out.

    See Also
    --------
    unclustered.plots.LeaderboardDisplay : Draws the leaderboard.

    Examples
    --------
    >>> from unclustered import AutoLabeler
    >>> from unclustered.datasets import toy_problem_1
    >>> toy = toy_problem_1(random_state=0)
    >>> model = AutoLabeler(budget="fast").fit(toy.X, toy.membership)
    >>> float((model.labels_ == -toy.labels).mean())
    0.9666666666666667
    >>> sorted(set(model.leaderboard_["method"]))
    ['dsdd', 'kde', 'kmeans', 'lsdd', 'smic', 'spectral']
    """

    _accept_sparse = True
    _saved = ("gap_", "samples_", "voters_", "leaderboard_")
    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "candidates": [StrOptions({"default"}), list, tuple],
        "budget": [StrOptions(set(BUDGETS))],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "difference": [Interval(Real, 0, 1, closed="left")],
        "pooled_share": [Interval(Real, 0, 1, closed="neither"), None],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        candidates: Any = "default",
        budget: str = "balanced",
        max_time: float | None = None,
        difference: float = 0.4,
        pooled_share: float | None = 0.5,
        cv: int = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.candidates = candidates
        self.budget = budget
        self.max_time = max_time
        self.difference = difference
        self.pooled_share = pooled_share
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> AutoLabeler:
        """Try the candidates on samples and their membership.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples of both datasets.
        y : array-like of shape (n_samples,)
            Membership: two values, one for each dataset. Never the label.

        Returns
        -------
        AutoLabeler
            Itself, fitted.
        """
        X, side, _ = self._check_fit(X, y)
        rng = as_generator(self.random_state)
        seed = int(rng.integers(2**31))
        spent = effort(self.budget, len(side))
        rows = some_rows(X, side, spent.max_samples, rng)
        part_side = side[rows]
        problem = Problem.of(Samples(X[rows]), part_side, self.cv, spent.n_repeats, rng)
        families = self._families(spent, problem.X, seed)
        tried, self.failures_ = try_all(families, problem, self.max_time, self.n_jobs)
        found = combine(fitted_only(tried), part_side, self.difference)
        flat = [one for _, some in tried for one in some]
        self.voters_ = joined(
            voter
            for one, weights in zip(flat, found.weights, strict=True)
            if weights.any()
            for voter in one.fitted.voters(weights)
        )
        self.leaderboard_ = leaderboard(flat, found, part_side)
        score = np.empty(len(side))
        score[rows] = found.score
        others = np.setdiff1d(np.arange(len(side)), rows)
        if len(others):
            score[others] = self._score(X[others])
        self.gap_ = float(gaps(found.score[None], part_side))
        expected = found.difference if self.difference else 0.0
        self.fitted_scores_, self.difference_ = fitted_scores(
            score, side, expected, self.pooled_share, rows
        )
        self.labels_ = as_label(self.fitted_scores_)
        return self

    def _for_refits(self) -> AutoLabeler:
        """Make the same labeler with the least budget, for evidence from many refits.

        Their gap is that of a slightly weaker method, so it promises nothing too much.
        """
        labeler: AutoLabeler = clone(self).set_params(budget="fast")
        return labeler

    def _held_out_scorer(self, X: Any, groups: NDArray[np.intp] | None) -> Callable[[Float], Float]:
        """Make what scores samples, held out, by memberships that are still to come.

        For the permutation test, which asks for hundreds: what the membership does not change is
        done once, and the least budget is spent on each.
        """
        spent = effort("fast", X.shape[0])
        seed = int(as_generator(self.random_state).integers(2**31))
        samples = Samples(X)
        families = self._families(spent, X, seed)

        def score(side: Float) -> Float:
            rng = np.random.default_rng(seed)
            problem = Problem.of(samples, side, self.cv, 1, rng, groups)
            tried, _ = try_all(families, problem, None, None)
            return combine(fitted_only(tried), side, self.difference).score

        return score

    def _families(self, spent: Effort, X: Any, seed: int) -> list[Family]:
        """Candidates that the user asked for; the default ones of a method by its name."""
        default = default_families(spent, X, seed)
        if isinstance(self.candidates, str):
            return default
        families: list[Family] = []
        for item in self.candidates:
            if isinstance(item, str):
                families += _called(item, default, seed)
                continue
            named = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
            name, estimator = item if named else (type(item).__name__, item)
            families.append(Family((_estimator(name, estimator, seed),)))
        if not families:
            raise ParameterError("candidates is empty: there is nothing to try.")
        return families

    def _score(self, X: Any) -> Float:
        total = np.zeros(X.shape[0])
        for voter in self.voters_:
            total += voter.votes(X)
        return total

    def _graph(self, X: Value) -> Value:
        return functools.reduce(operator.add, [voter.graph(X) for voter in self.voters_])

    def _state(self) -> dict[str, Any]:
        check_is_fitted(self)
        samples: list[Any] = []
        return {
            "classes_": self.classes_,
            "n_features_in_": self.n_features_in_,
            "gap_": self.gap_,
            "voters_": [voter.state(samples) for voter in self.voters_],
            "samples_": samples,
            "leaderboard_": [[name, values] for name, values in self.leaderboard_.items()],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        samples = state["samples_"]
        super()._restore(
            {
                **{name: state[name] for name in ("classes_", "n_features_in_", "gap_")},
                "voters_": [voter_from_state(voter, samples) for voter in state["voters_"]],
                "leaderboard_": dict(state["leaderboard_"]),
            }
        )


def _called(name: str, default: list[Family], seed: int) -> list[Family]:
    """Families of this name: "default", a method that is among them, or another one as it is."""
    if name == "default":
        return default
    found = [
        Family(tuple(c for c in family.candidates if c.method == name), family.clusters)
        for family in default
        if any(c.method == name for c in family.candidates)
    ]
    if found:
        return found
    if name == name_of(AutoLabeler()):
        raise ParameterError(f"candidates cannot hold {name!r}, which is what tries them.")
    return [Family((_estimator(name, method_class(name)(), seed),))]


def _estimator(name: str, estimator: Any, seed: int) -> Candidate:
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")) or not is_classifier(
        estimator
    ):
        raise ParameterError(
            f"candidates must be classifiers, names of methods, or pairs of a name and a "
            f"classifier; got {estimator!r}."
        )
    estimator = clone(estimator)
    seeds = [n for n in estimator.get_params() if n.split("__")[-1] == "random_state"]
    unset = {n: seed for n in seeds if estimator.get_params()[n] is None}
    return Estimator(name, estimator.set_params(**unset))
