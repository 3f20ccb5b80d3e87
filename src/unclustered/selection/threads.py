"""One piece of work for each of many items, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from joblib import effective_n_jobs

__all__ = ["in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None
) -> list[Result]:
    """Do the work for each item, in so many threads; results come in the order of the items.

    joblib's own threads take longer to start than a small search takes in all.

    Examples
    --------
    >>> from unclustered.selection.threads import in_threads
    >>> in_threads(abs, [-1, 2, -3], n_jobs=2)
    [1, 2, 3]
    """
    jobs = min(effective_n_jobs(n_jobs), len(items))
    if jobs <= 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(work, items))
