"""Drawing the datasets A and B from a set whose labels are known."""

from __future__ import annotations

from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, ParameterError
from ..seeds import as_generator

__all__ = ["DrawnDatasets", "draw_datasets"]

Rows = NDArray[np.intp]


class DrawnDatasets(NamedTuple):
    """Datasets A and B, and the labels that no method may see.

    It unpacks into its four arrays: ``A, B, labels_a, labels_b = toy_problem_1()``.

    Attributes
    ----------
    A, B : ndarray of shape (n_a, n_features) and (n_b, n_features)
        The samples.
    labels_a, labels_b : ndarray of shape (n_a,) and (n_b,)
        Their true labels, +1 or -1.

    Examples
    --------
    >>> from unclustered.datasets import toy_problem_1
    >>> drawn = toy_problem_1(n=3)
    >>> drawn.A.shape, drawn.X.shape
    ((3, 2), (6, 2))
    >>> drawn.membership
    array([ 1,  1,  1, -1, -1, -1])
    """

    A: NDArray[Any]
    B: NDArray[Any]
    labels_a: NDArray[np.int64]
    labels_b: NDArray[np.int64]

    @property
    def X(self) -> NDArray[Any]:  # noqa: N802
        """The pooled samples, those of A first."""
        return np.concatenate([self.A, self.B])

    @property
    def membership(self) -> NDArray[np.int64]:
        """Where each pooled sample is from: +1 for A, -1 for B. What ``fit`` takes as ``y``."""
        return np.repeat([1, -1], [len(self.A), len(self.B)])

    @property
    def labels(self) -> NDArray[np.int64]:
        """True labels of the pooled samples. What :mod:`unclustered.metrics` compares with."""
        return np.concatenate([self.labels_a, self.labels_b])


def draw_datasets(
    X: ArrayLike,
    y: ArrayLike,
    n_a: int,
    n_b: int,
    theta_a: float,
    theta_b: float,
    random_state: Any = None,
) -> DrawnDatasets:
    """Draw two disjoint datasets with fixed class balances from a labelled set.

    A gets round(n_a theta_a) samples of the class +1 and the rest from the class -1; B likewise. No
    sample is drawn twice. The samples come in random order.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Their classes, two values; the larger one becomes the label +1.
    n_a, n_b : int
        Sizes of A and B.
    theta_a, theta_b : float
        Share of the class +1 in A and in B.
    random_state : None, int, Generator or RandomState
        Seed of the draw. None is the seed 0.

    Returns
    -------
    DrawnDatasets
        A, B, labels_a, labels_b.

    Raises
    ------
    DataError
        The set has too few samples of a class; the message says how many are needed.

    Examples
    --------
    >>> from unclustered.datasets import draw_datasets, load_benchmark
    >>> heart = load_benchmark("heart")
    >>> drawn = draw_datasets(heart.X, heart.y, 40, 40, theta_a=0.2, theta_b=0.8, random_state=1)
    >>> int((drawn.labels_a == 1).sum()), int((drawn.labels_b == 1).sum())
    (8, 32)
    """
    samples, positive = _labelled(X, y)
    sizes = [as_size(name, n) for name, n in (("n_a", n_a), ("n_b", n_b))]
    shares = [as_share(name, t) for name, t in (("theta_a", theta_a), ("theta_b", theta_b))]
    n_positive = [round(n * share) for n, share in zip(sizes, shares, strict=True)]
    n_negative = [n - k for n, k in zip(sizes, n_positive, strict=True)]
    rng = as_generator(random_state)
    of_positive = _disjoint("+1", np.flatnonzero(positive), n_positive, rng)
    of_negative = _disjoint("-1", np.flatnonzero(~positive), n_negative, rng)
    rows_a, rows_b = (
        rng.permutation(np.concatenate(parts))
        for parts in zip(of_positive, of_negative, strict=True)
    )
    labels = np.where(positive, 1, -1)
    return DrawnDatasets(samples[rows_a], samples[rows_b], labels[rows_a], labels[rows_b])


def as_size(name: str, n: Any) -> int:
    """Check a number of samples to draw."""
    try:
        size = index(n)
    except TypeError:
        raise ParameterError(f"{name} must be a whole number of samples, got {n!r}.") from None
    if size < 1:
        raise ParameterError(f"{name} must be at least 1, got {size}.")
    return size


def as_share(name: str, share: Any) -> float:
    """Check a class balance."""
    try:
        value = float(share)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0 <= value <= 1:
        raise ParameterError(
            f"{name} must be a number from 0 to 1, the share of class +1; got {share!r}."
        )
    return value


def _labelled(X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    samples, classes = np.asarray(X), np.asarray(y)
    if samples.ndim != 2 or classes.shape != samples.shape[:1]:
        raise DataError(
            f"X must be a table with one row for each value of y; got shapes {samples.shape} and "
            f"{classes.shape}."
        )
    values = np.unique(classes)
    if len(values) != 2 or np.any(values != values):
        shown = ", ".join(repr(v) for v in values[:5].tolist())
        raise DataError(
            f"y must hold exactly two classes, got {len(values)}: {shown}"
            f"{', ...' if len(values) > 5 else ''}."
        )
    return samples, classes == values[1]


def _disjoint(
    label: str, rows: Rows, counts: list[int], rng: np.random.Generator
) -> tuple[Rows, Rows]:
    """Two samples without replacement, of the given sizes, with no row in common."""
    count_a, count_b = counts
    if count_a + count_b > len(rows):
        raise DataError(
            f"The set is too small: A needs {count_a} and B needs {count_b} samples of the class "
            f"{label}, {count_a + count_b} in all, but only {len(rows)} are available. "
            "Draw fewer samples (n_a, n_b), or change the shares (theta_a, theta_b)."
        )
    drawn = rng.permutation(rows)[: count_a + count_b]
    return drawn[:count_a], drawn[count_a:]
