"""Samples in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .record import Cells, Map, Points

__all__ = ["map_of"]

Float = NDArray[np.float64]

_MOST_POINTS = 20_000
_N_CELLS = 48  # in each direction
_FITTED_ROWS = 20_000  # the directions of more are no others
_FEW_COLUMNS = 500  # whose covariance matrix is cheap


def map_of(
    X: Any,
    numbers: tuple[str, ...],
    scores: Float,
    n_a: int,
    ids: list[str],
    labels: NDArray[np.int64] | None,
) -> Map:
    """Put the samples in the plane, and count them in cells where they are too many.

    One column is drawn against the score, two as they are; of more, the two directions in which
    the samples differ most.

    Parameters
    ----------
    X : ndarray or csr_array
        Samples as the method sees them, those of A first.
    numbers : tuple of str
        Titles of the encoded columns, where these are all columns of numbers.
    scores : ndarray
        Their scores; they turn the map so that +1 is mostly on the right.
    n_a : int
        How many are of A.
    ids : list of str
        What the samples are called.
    labels : ndarray of int or None
        Their labels, where they are shown.
    """
    axes, how, plane = _plane(X, numbers, scores)
    drawn = plane.astype(np.float32)
    n = len(plane)
    points = cells = None
    if n <= _MOST_POINTS:
        points = Points(
            x=tuple(float(f"{value:.5g}") for value in drawn[:, 0]),
            y=tuple(float(f"{value:.5g}") for value in drawn[:, 1]),
            ids=tuple(ids),
            labels=None if labels is None else tuple(labels.tolist()),
        )
    else:
        cells = _cells(plane, n_a, labels)
    return Map(axes, how, n_a, n - n_a, points, cells)


def _plane(X: Any, numbers: tuple[str, ...], scores: Float) -> tuple[tuple[str, str], str, Float]:
    n_columns = X.shape[1]
    if n_columns <= 2 and len(numbers) == n_columns:
        block = X.toarray() if sp.issparse(X) else X
        if n_columns == 2:
            return (numbers[0], numbers[1]), "The two columns, in standard units.", block
        return (numbers[0], "score"), "The column, in standard units.", np.c_[block, scores]
    plane, share = _main_directions(X)
    for k in range(2):
        if plane[:, k] @ (scores - scores.mean()) < 0:
            plane[:, k] *= -1
    how = (
        f"All {n_columns} encoded columns, seen along the two directions in which the samples "
        f"differ most; these hold {share:.0%} of the variance."
    )
    return ("first direction", "second direction"), how, plane


def _main_directions(X: Any) -> tuple[Float, float]:
    """Put samples along two principal components; also gives their share of the variance."""
    step = -(-X.shape[0] // _FITTED_ROWS)
    fitted = X[::step]
    if sp.issparse(X):
        from sklearn.decomposition import TruncatedSVD

        # Sparse samples are not centred: that would fill them.
        model = TruncatedSVD(2, random_state=0).fit(fitted)
        return model.transform(X), float(model.explained_variance_ratio_.sum())
    means = fitted.mean(axis=0)
    centred = fitted - means
    total = float((centred**2).sum())
    if X.shape[1] <= _FEW_COLUMNS:
        directions = np.linalg.eigh(centred.T @ centred)[1][:, :-3:-1]
    else:
        from sklearn.utils.extmath import randomized_svd

        directions = randomized_svd(centred, 2, random_state=0)[2].T
    kept = float(((centred @ directions) ** 2).sum())
    return (X - means) @ directions, kept / total if total > 0 else 0.0


def _cells(plane: Float, n_a: int, labels: NDArray[np.int64] | None) -> Cells:
    # Without the outermost thousandth at each end, whose cells would squeeze all others together.
    low, high = np.quantile(plane, [0.001, 0.999], axis=0)
    edges = np.linspace(low, np.where(high > low, high, low + 1.0), _N_CELLS + 1).T
    place = [
        np.clip(np.searchsorted(edge, values, side="right") - 1, 0, _N_CELLS - 1)
        for edge, values in zip(edges, plane.T, strict=True)
    ]
    cell = place[0] * _N_CELLS + place[1]
    in_a = np.arange(len(plane)) < n_a
    found = np.unique(cell)

    def counts(mask: NDArray[np.bool_]) -> tuple[int, ...]:
        return tuple(np.bincount(cell[mask], minlength=_N_CELLS**2)[found].tolist())

    return Cells(
        x=tuple(float(f"{edge:.5g}") for edge in edges[0]),
        y=tuple(float(f"{edge:.5g}") for edge in edges[1]),
        column=tuple((found // _N_CELLS).tolist()),
        row=tuple((found % _N_CELLS).tolist()),
        n_a=counts(in_a),
        n_b=counts(~in_a),
        n_plus=None if labels is None else counts(labels > 0),
        n_minus=None if labels is None else counts(labels < 0),
    )
