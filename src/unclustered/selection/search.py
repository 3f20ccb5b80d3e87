"""The search over bandwidths and regularizations that DSDD and LSDD share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .cv_results import best_candidate, cv_results
from .threads import in_threads

__all__ = ["Choice", "candidates", "search"]

Float = NDArray[np.float64]


class Choice(NamedTuple):
    """The candidate with the best held-out score, and the scores of all."""

    bandwidth: float
    regularization: float
    cv_results: dict[str, Any]


def candidates(fixed: float | None, grid: Float) -> Float:
    """Return the grid, or the one value that the user has fixed.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.selection.search import candidates
    >>> candidates(0.5, np.array([1.0, 2.0]))
    array([0.5])
    """
    return grid if fixed is None else np.array([float(fixed)])


def search(
    bandwidths: Float,
    regularizations: Float,
    score: Callable[[float], Float],
    *,
    in_common_units: Callable[[Float], Float] | None = None,
    n_jobs: int | None = None,
) -> Choice:
    """Choose by held-out score, the bandwidths side by side in threads.

    Parameters
    ----------
    bandwidths, regularizations : ndarray
        Candidates.
    score : callable
        From a bandwidth to its held-out scores, shape (n_regularizations, n_folds); higher is
        better.
    in_common_units : callable, optional
        Makes the scores of different bandwidths comparable, where they are not.
    n_jobs : int, optional
        Threads. The choice does not depend on it.
    """
    scores = np.stack(in_threads(score, list(bandwidths), n_jobs))
    if in_common_units is not None:
        scores = in_common_units(scores)
    best_bandwidth, best_regularization = best_candidate(scores)
    return Choice(
        float(bandwidths[best_bandwidth]),
        float(regularizations[best_regularization]),
        cv_results(bandwidths, regularizations, scores),
    )
