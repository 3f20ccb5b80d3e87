"""Permutation test of the hypothesis that A and B do not differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, ParameterError

__all__ = ["PermutationTest", "permutation_test"]

Float = NDArray[np.float64]
_TASKS_A_JOB = 4

Statistic = tuple[float, float]
"""A gap, and what decides between equal gaps."""


@dataclass(frozen=True)
class PermutationTest:
    """How the gap compares with the gaps of shuffled memberships.

    Attributes
    ----------
    p_value : float
        Share of all memberships, the true one among them, whose gap is at least as large.
    null_gaps : ndarray
        Gaps of the shuffled memberships.
    smallest_p : float
        The smallest p-value that this test could have given.
    exhaustive : bool
        Whether the shuffled memberships are all that there are, so that nothing was drawn.
    stopped_early : bool
        Whether the answer was clear before all permutations were done.
    next_p : float
        The largest p-value below ``p_value`` that this test could have given, 0 if there is none.
        Where nothing differs, a number drawn evenly between the two is uniform on [0, 1] (unless
        memberships tie): what a simulation can check.
    """

    p_value: float
    null_gaps: Float
    smallest_p: float
    exhaustive: bool
    stopped_early: bool
    next_p: float


def permutation_test(
    statistic: Callable[[Float], Statistic],
    side: Float,
    *,
    permutations: int = 199,
    groups: NDArray[np.intp] | None = None,
    level: float = 0.05,
    sequential: bool = True,
    enough: int = 10,
    random_state: np.random.Generator,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PermutationTest:
    r"""Compare a statistic of the membership with its values under shuffled memberships.

    Under "A and B come from one distribution" the true membership is one of many equally likely
    ones, whatever the method: p = (1 + #{at least as large}) / (1 + permutations) is at most a
    with probability at most a.

    Parameters
    ----------
    statistic : callable
        From a membership (+1 and -1) to the gap and what breaks ties; the same each time it is
        asked. It must run the whole pipeline: whatever is chosen by looking at the membership is
        chosen anew.
    side : ndarray of shape (n_samples,)
        True membership: +1 for A, -1 for B.
    permutations : int
        How many memberships to try. All there are, once each, where there are no more.
    groups : ndarray of int of shape (n_samples,), optional
        Number of each sample's group, counted from 0; groups change datasets as wholes.
    level : float
        What p-value is small enough: sequential stopping depends on it.
    sequential : bool
        Whether to stop as soon as so many were as large that the p-value must end above ``level``
        (Besag & Clifford, 1991). The p-value is then the number of these, h, over the number tried,
        l. It is as valid as the other: to see no more than h / l, the true membership must be among
        the h largest of l.
    enough : int
        So many as large ones are seen, at least, before it stops. Fewer are quicker, and the
        p-values above ``level`` are cruder.
    random_state : Generator
        Draws the memberships.
    n_jobs : int, optional
        Threads; no result depends on it.
    progress : callable, optional
        Called with the number of permutations done and to do.

    Returns
    -------
    PermutationTest
        The p-value and the gaps it comes from.

    References
    ----------
    J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78(2), 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.evidence import permutation_test
    >>> x = np.arange(12.0)
    >>> side = np.repeat([1.0, -1.0], 6)
    >>> def mean_difference(side):
    ...     return abs(x[side > 0].mean() - x[side < 0].mean()), 0.0
    >>> permutation_test(
    ...     mean_difference, side, permutations=999, random_state=np.random.default_rng(0)
    ... ).p_value < 0.01
    True
    """
    for name, value in (("permutations", permutations), ("enough", enough)):
        if value < 1:
            raise ParameterError(f"{name} must be at least 1, got {value}.")
    units, unit_side = _units(side, groups)
    n_arrangements = math.comb(len(unit_side), int((unit_side > 0).sum()))
    exhaustive = n_arrangements <= permutations + 1
    total = n_arrangements - 1 if exhaustive else permutations
    enough = max(enough, math.floor(level * (1 + total)))
    observed = statistic(side)
    # In random order, all of them too: what the first few show must be the luck of the draw.
    others = (
        iter(random_state.permutation(_all_others(unit_side)))
        if exhaustive
        else (random_state.permutation(unit_side) for _ in range(total))
    )

    null_gaps: list[float] = []
    n_exceeding = 0
    memberships = (other[units] for other in others)
    with closing(_in_order(statistic, memberships, n_jobs)) as results:
        for found in results:
            null_gaps.append(found[0])
            n_exceeding += int(found >= observed)
            if progress is not None:
                progress(len(null_gaps), total)
            if sequential and n_exceeding >= enough:
                break
    n_tried = len(null_gaps)
    if sequential and n_exceeding >= enough:
        p_value, next_p = n_exceeding / n_tried, n_exceeding / (1 + n_tried)
    else:
        p_value, next_p = (1 + n_exceeding) / (1 + total), n_exceeding / (1 + total)
    return PermutationTest(
        p_value=p_value,
        null_gaps=np.array(null_gaps),
        smallest_p=_smallest(unit_side, total, exhaustive),
        exhaustive=exhaustive,
        stopped_early=n_tried < total,
        next_p=next_p,
    )


def _units(side: Float, groups: NDArray[np.intp] | None) -> tuple[NDArray[np.intp], Float]:
    """Which unit each sample belongs to, and the side of each unit; a unit moves as a whole."""
    if groups is None:
        return np.arange(len(side)), side
    unit_side = np.zeros(int(groups.max()) + 1)
    unit_side[groups] = side
    torn = np.flatnonzero(unit_side[groups] != side)
    if len(torn):
        raise DataError(f"Group number {groups[torn[0]]} has samples in A and in B.")
    return groups, unit_side


def _all_others(side: Float) -> Float:
    """Every arrangement of the units but the true one, a row each."""
    n_a = int((side > 0).sum())
    arrangements = [
        np.where(np.isin(np.arange(len(side)), chosen), 1.0, -1.0)
        for chosen in combinations(range(len(side)), n_a)
    ]
    return np.array([other for other in arrangements if not np.array_equal(other, side)])


def _smallest(side: Float, total: int, exhaustive: bool) -> float:
    # With equal numbers of units, swapping A and B is an arrangement too, and has the same gap.
    mirrored = exhaustive and 2 * int((side > 0).sum()) == len(side)
    return (2 if mirrored else 1) / (1 + total)


def _in_order(
    statistic: Callable[[Float], Statistic],
    memberships: Iterator[Float],
    n_jobs: int | None,
) -> Generator[Statistic, None, None]:
    """Values of the statistic in order; one job computes each when it is asked for."""
    from joblib import Parallel, delayed, effective_n_jobs

    jobs = effective_n_jobs(n_jobs)
    if jobs == 1:
        yield from map(statistic, memberships)
        return
    # A few tasks at a time: whoever stops listening has little in the air to wait for.
    with Parallel(n_jobs=jobs, prefer="threads") as parallel:
        while some := list(islice(memberships, _TASKS_A_JOB * jobs)):
            yield from parallel(delayed(statistic)(other) for other in some)
