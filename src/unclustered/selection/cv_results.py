"""Scores of a grid, in the form that scikit-learn's searches give them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["best_candidate", "cv_results"]


def cv_results(
    bandwidths: ArrayLike, regularizations: ArrayLike, scores: ArrayLike
) -> dict[str, Any]:
    """``cv_results_`` of a grid of bandwidths and regularizations.

    Parameters
    ----------
    bandwidths : array-like of shape (n_bandwidths,)
        Bandwidths tried.
    regularizations : array-like of shape (n_regularizations,)
        Regularizations tried.
    scores : array-like of shape (n_bandwidths, n_regularizations, n_folds)
        Held-out scores; higher is better.

    Returns
    -------
    dict
        ``params``, ``param_bandwidth``, ``param_regularization``, ``split{k}_test_score``,
        ``mean_test_score``, ``std_test_score`` and ``rank_test_score`` (1 is the best), one entry a
        candidate.

    Examples
    --------
    >>> from unclustered.selection.cv_results import cv_results
    >>> found = cv_results([1.0, 2.0], [0.1], [[[0.5, 0.7]], [[0.9, 0.7]]])
    >>> found["mean_test_score"], found["rank_test_score"]
    (array([0.6, 0.8]), array([2, 1], dtype=int32))
    """
    sigma, lam = np.asarray(bandwidths, dtype=float), np.asarray(regularizations, dtype=float)
    table = np.asarray(scores, dtype=float).reshape(len(sigma) * len(lam), -1)
    mean = table.mean(axis=1)
    param_bandwidth, param_regularization = np.repeat(sigma, len(lam)), np.tile(lam, len(sigma))
    return {
        "params": [
            {"bandwidth": s, "regularization": r}
            for s, r in zip(param_bandwidth.tolist(), param_regularization.tolist(), strict=True)
        ],
        "param_bandwidth": param_bandwidth,
        "param_regularization": param_regularization,
        **{f"split{k}_test_score": column.copy() for k, column in enumerate(table.T)},
        "mean_test_score": mean,
        "std_test_score": table.std(axis=1),
        "rank_test_score": (np.searchsorted(np.sort(-mean), -mean) + 1).astype(np.int32),
    }


def best_candidate(scores: NDArray[np.float64]) -> tuple[int, int]:
    """Where (bandwidth, regularization) the mean score over the folds is highest.

    Candidates that differ by rounding only count as equal; of these the one with the larger
    bandwidth, then the larger regularization is taken: the smoother answer.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.selection.cv_results import best_candidate
    >>> best_candidate(np.array([[[0.5], [0.9]], [[0.9], [0.2]]]))
    (1, 0)
    """
    mean = scores.mean(axis=2)
    best = mean.max()
    close = np.argwhere(mean >= best - 1e-12 * abs(best))
    bandwidth, regularization = close[-1].tolist()
    return bandwidth, regularization
