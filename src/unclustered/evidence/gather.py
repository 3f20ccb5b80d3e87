"""From a method and its samples to the evidence for its labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits

from ..errors import DataError, ParameterError
from ..seeds import as_generator
from ..selection.cross_fit import CrossFit, cross_fit
from .gap import held_out_gap
from .permutation import PermutationTest, permutation_test
from .record import Evidence
from .sensitivity import WithoutPart, gap_without_clusters, gap_without_groups

__all__ = ["gather_evidence"]

Float = NDArray[np.float64]
Codes = NDArray[np.intp]
Progress = Callable[[int, int], None]

_SMALL = 120  # samples: more are tested half against half
_LARGE = 1000  # samples: more have fewer folds, as the gap is sure enough
_FOLDS = {True: (10, 2), False: (5, 1)}  # of the gap and their repetitions, up to _LARGE or above
_TEST_FOLDS = 5  # of each permutation
_REFITS = 199
_SPLITS = 5
_SPLIT_PERMUTATIONS = 999


def gather_evidence(
    estimator: Any,
    X: Any,
    side: ArrayLike,
    *,
    permutations: int | None = None,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
    level: float = 0.05,
    sequential: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> tuple[Evidence, CrossFit]:
    """Find out how far the labels of a method can be trusted.

    Parameters
    ----------
    estimator : scikit-learn classifier
        The method, with all that it chooses; cloned, never changed.
    X : ndarray or csr_array of shape (n_samples, n_features)
        Samples of both datasets.
    side : array-like of shape (n_samples,)
        Membership: +1 for A, -1 for B.
    permutations : int, optional
        Shuffled memberships to which the whole method is fitted anew. By default 199 for up to 120
        samples. For more, where a refit to each would take too long and power is no worry, the
        method is fitted to halves of the samples and tested on the other halves.
    groups : array-like of shape (n_samples,), optional
        What each sample belongs to (a donor, a batch, a day), where samples of one group are alike
        for reasons of their own. Each group lies within A or within B. Groups are held out and
        shuffled as wholes.
    confidence : float
        Of the interval of the gap.
    level : float
        Largest p-value that counts as evidence.
    sequential : bool
        Whether to stop permuting as soon as the p-value cannot become small any more.
    random_state : None, int, Generator or RandomState
        Draws folds and permutations.
    n_jobs : int, optional
        Threads over the permutations; no result depends on it.
    progress : callable, optional
        Called with the number of permutations done and to do.

    Returns
    -------
    evidence : Evidence
        The record.
    fitted : CrossFit
        The held-out scores behind the gap.

    Examples
    --------
    >>> from unclustered import LSDD
    >>> from unclustered.datasets import toy_problem_1
    >>> from unclustered.evidence import gather_evidence
    >>> toy = toy_problem_1(n=40, priors=(0.9, 0.1), random_state=0)
    >>> evidence, _ = gather_evidence(LSDD(), toy.X, toy.membership, permutations=19)
    >>> evidence.trustworthy, round(evidence.p_value, 2)
    (True, 0.05)
    """
    if permutations is not None and permutations < 1:
        raise ParameterError(f"permutations must be at least 1, got {permutations}.")
    side = np.asarray(side, dtype=np.float64)
    rng_gap, rng_test = as_generator(random_state).spawn(2)
    codes, names = _coded(groups, side)
    n_folds, n_repeats = _FOLDS[len(side) <= _LARGE]
    refit = permutations is not None or len(side) <= _SMALL
    # On few samples, waking the threads of BLAS takes longer than what they do.
    with threadpool_limits(1 if len(side) <= _LARGE else None):
        fitted = cross_fit(
            estimator,
            X,
            side,
            n_folds=n_folds,
            n_repeats=n_repeats,
            groups=codes,
            random_state=rng_gap,
        )
        found = held_out_gap(fitted, side, groups=codes, confidence=confidence)
        test = (_refit_test if refit else _split_test)(
            estimator,
            X,
            side,
            codes,
            permutations=permutations or (_REFITS if refit else _SPLIT_PERMUTATIONS),
            level=level,
            sequential=sequential,
            random_state=rng_test,
            n_jobs=n_jobs,
            progress=progress,
        )
    sensitivity: tuple[WithoutPart, ...] = (
        gap_without_clusters(fitted, X, side, confidence)
        if codes is None
        else gap_without_groups(fitted, side, codes, names, confidence)
    )
    evidence = Evidence(
        gap=found.gap,
        gap_interval=found.interval,
        p_value=test.p_value,
        smallest_p=test.smallest_p,
        null_gaps=test.null_gaps,
        test="refit" if refit else "split",
        stopped_early=test.stopped_early,
        level=level,
        confidence=confidence,
        sensitivity=sensitivity,
        n_a=int((side > 0).sum()),
        n_b=int((side < 0).sum()),
    )
    return evidence, fitted


def _coded(groups: ArrayLike | None, side: Float) -> tuple[Codes | None, Sequence[Hashable]]:
    """Give each group a number; one that lies in both datasets is an error."""
    if groups is None:
        return None, ()
    named = np.asarray(groups)
    if named.shape != side.shape:
        raise DataError(
            f"groups must name one group a sample, {len(side)} in all, but its shape is "
            f"{named.shape}."
        )
    names, codes = np.unique(named, return_inverse=True)
    torn = np.intersect1d(codes[side > 0], codes[side < 0])
    if len(torn):
        raise DataError(
            f"Group {names[torn[0]].item()!r} has samples in A and in B ({len(torn)} such groups "
            "in all): groups change datasets as wholes, so each must lie within one."
        )
    return codes, names.tolist()


def _refit_test(
    estimator: Any,
    X: Any,
    side: Float,
    groups: Codes | None,
    *,
    random_state: np.random.Generator,
    **options: Any,
) -> PermutationTest:
    """Permutation test that fits everything anew to each shuffled membership."""
    seed = int(random_state.integers(2**32))

    def statistic(shuffled: Float) -> tuple[float, float]:
        fitted = cross_fit(
            estimator,
            X,
            shuffled,
            n_folds=_TEST_FOLDS,
            groups=groups,
            random_state=np.random.default_rng(seed),
        )
        scores = fitted.scores[0]
        return _compared(scores > 0, rankdata(scores), shuffled)

    return permutation_test(statistic, side, groups=groups, random_state=random_state, **options)


def _split_test(
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
    & Buehlmann, "p-values for high-dimensional regression", JASA 2009).
    """
    halves = cross_fit(
        estimator,
        X,
        side,
        n_folds=2,
        n_repeats=_SPLITS,
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
    return PermutationTest(
        p_value=min(1.0, 2.0 * float(np.median([test.p_value for test in tests]))),
        null_gaps=np.concatenate([test.null_gaps for test in tests]),
        smallest_p=min(1.0, 2.0 * float(np.median([test.smallest_p for test in tests]))),
        exhaustive=all(test.exhaustive for test in tests),
        stopped_early=any(test.stopped_early for test in tests),
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
