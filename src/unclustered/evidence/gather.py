"""From a method and its samples to the evidence for its labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from ..errors import ParameterError
from ..seeds import as_generator
from ..selection.cross_fit import CrossFit, cross_fit
from ..selection.refits import for_refits
from .gap import held_out_gap
from .groups import coded_groups
from .membership_tests import refit_test, split_test
from .record import Evidence
from .sensitivity import WithoutPart, gap_without_clusters, gap_without_groups

__all__ = ["gather_evidence"]

Float = NDArray[np.float64]
Progress = Callable[[int, int], None]

_REFITS = ((120, 199), (400, 99))  # up to so many samples, so many refits to shuffled memberships
_REFITS_OF_MANY = 99  # where each refits many methods
_SPLIT_PERMUTATIONS = 999  # beyond: half against half, where no permutation needs a refit
_LARGE = 1000  # samples: more have fewer folds, as the gap is sure enough
_FOLDS = {True: (10, 2), False: (5, 1)}  # of the gap and their repetitions, up to _LARGE or above


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
        samples and 99 for up to 400, or for fewer where the method is many in one. For more, where
        a refit to each would take too long and power is no worry, the method is fitted to halves of
        the samples and tested on the other halves.
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
        Threads over the fits; no result depends on it.
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
    codes, names = (None, ()) if groups is None else coded_groups(groups, side)
    n_folds, n_repeats = _FOLDS[len(side) <= _LARGE]
    refits = permutations or next((b for n, b in _REFITS if len(side) <= n), None)
    estimator = for_refits(estimator)
    if hasattr(estimator, "_held_out_scorer"):  # many methods in one: a refit is dear
        refits = permutations or (refits and _REFITS_OF_MANY)
    # On few samples, waking the threads of BLAS takes longer than what they do.
    with threadpool_limits(1 if len(side) <= _LARGE else None), warnings.catch_warnings():
        fitted = cross_fit(
            estimator,
            X,
            side,
            n_folds=n_folds,
            n_repeats=n_repeats,
            groups=codes,
            random_state=rng_gap,
            n_jobs=n_jobs,
        )
        found = held_out_gap(fitted, side, groups=codes, confidence=confidence)
        test = (refit_test if refits else split_test)(
            estimator,
            X,
            side,
            codes,
            permutations=refits or _SPLIT_PERMUTATIONS,
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
        test="refit" if refits else "split",
        stopped_early=test.stopped_early,
        level=level,
        confidence=confidence,
        sensitivity=sensitivity,
        n_a=int((side > 0).sum()),
        n_b=int((side < 0).sum()),
    )
    return evidence, fitted
