"""Whether a method finds more in the true membership than in shuffled ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ..selection.cross_fit import cross_fit, held_out_scores
from .permutation import PermutationTest, permutation_test

__all__ = ["refit_test", "split_test"]

Float = NDArray[np.float64]
Codes = NDArray[np.intp]

_SMALL = 120  # samples: more are held out by halves
_FOLDS = {True: 5, False: 2}  # of each permutation, up to _SMALL or above
_SPLITS = 5


def refit_test(
    estimator: Any,
    X: Any,
    side: Float,
    groups: Codes | None,
    *,
    random_state: np.random.Generator,
    **options: Any,
) -> PermutationTest:
    """Permutation test that fits everything anew to each shuffled membership.

    Each membership is asked the same question: how large is the held-out gap, in folds of one seed?
    Any such number makes a valid test. Up to 120 samples it is that of five folds. Beyond, it is
    that of two halves, a sixth of the work: it varies less between memberships, and the
    fits to half of so many samples are nearly as good.

    Parameters
    ----------
    estimator : scikit-learn classifier
        The method, with all that it chooses; cloned, never changed.
    X : ndarray or csr_array of shape (n_samples, n_features)
        Samples of both datasets.
    side : ndarray of shape (n_samples,)
        Membership: +1 for A, -1 for B.
    groups : ndarray of int of shape (n_samples,) or None
        Number of each sample's group, counted from 0.
    random_state : Generator
        Draws folds and permutations.
    **options : Any
        As in :func:`unclustered.evidence.permutation_test`.
    """
    seed = int(random_state.integers(2**32))
    n_folds = _FOLDS[len(side) <= _SMALL]

    def score(shuffled: Float) -> Float:
        return held_out_scores(
            estimator,
            X,
            shuffled,
            n_folds=n_folds,
            groups=groups,
            random_state=np.random.default_rng(seed),
        )

    if hasattr(estimator, "_held_out_scorer"):
        # A method that holds samples out by itself need not be held out of once more: what it
        # chooses, it chooses anew for each membership.
        score = estimator._held_out_scorer(X, groups)

    def statistic(shuffled: Float) -> tuple[float, float]:
        scores = score(shuffled)
        return _compared(scores > 0, rankdata(scores), shuffled)

    return permutation_test(statistic, side, groups=groups, random_state=random_state, **options)


def split_test(
    estimator: Any,
    X: Any,
    side: Float,
    groups: Codes | None,
    *,
    random_state: np.random.Generator,
    **options: Any,
) -> PermutationTest:
    """Test each half of the samples with the fit to the other half, several times over.

    A fit knows nothing of the half it is tested on, so no permutation needs another fit. Twice the
    median of p-values that depend on each other, however they do, is a p-value (Meinshausen, Meier
    & Buehlmann, "p-values for high-dimensional regression", JASA 2009), a conservative one. The
    parameters are those of :func:`refit_test`.
    """
    halves = cross_fit(
        estimator,
        X,
        side,
        n_folds=2,
        n_repeats=1 if hasattr(estimator, "_held_out_scorer") else _SPLITS,
        groups=groups,
        random_state=random_state,
    )
    tests = []
    for scores, folds in zip(halves.scores, halves.folds, strict=True):
        for number in (0, 1):
            half = folds == number
            tests.append(
                permutation_test(
                    _fixed(scores[half]),
                    side[half],
                    groups=None if groups is None else _renumbered(groups[half]),
                    random_state=random_state,
                    **options,
                )
            )

    def twice_the_median(values: list[float]) -> float:
        return min(1.0, 2.0 * float(np.median(values)))

    return PermutationTest(
        p_value=twice_the_median([test.p_value for test in tests]),
        null_gaps=np.concatenate([test.null_gaps for test in tests]),
        smallest_p=twice_the_median([test.smallest_p for test in tests]),
        exhaustive=all(test.exhaustive for test in tests),
        stopped_early=any(test.stopped_early for test in tests),
        next_p=twice_the_median([test.next_p for test in tests]),
    )


def _fixed(scores: Float) -> Callable[[Float], tuple[float, float]]:
    positive, ranks = scores > 0, rankdata(scores)
    return lambda side: _compared(positive, ranks, side)


def _renumbered(groups: Codes) -> Codes:
    return np.unique(groups, return_inverse=True)[1]


def _compared(positive: NDArray[np.bool_], ranks: Float, side: Float) -> tuple[float, float]:
    """Gap, and between equal gaps the share of pairs that the scores put in order.

    The gap alone takes few values on few samples; ties would cost power.
    """
    a = side > 0
    gap = positive[a].mean() - positive[~a].mean()
    # Rounded, so that equal shares tie however they were summed.
    return round(float(gap), 12), round(float(ranks[a].mean() - ranks[~a].mean()), 9)
