"""Sums of Gaussian kernels at new samples, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .kernels import gaussian, squared_distances

__all__ = ["distance_blocks", "kernel_expansion"]

Float = NDArray[np.float64]
_BLOCK_ENTRIES = 2**22  # 32 MiB of distances at a time


def distance_blocks(X: Any, centers: Any) -> Iterator[tuple[slice, Float]]:
    """Squared distances from the rows of X to the centres, a block of rows at a time.

    However many samples are scored, the memory it takes stays the same.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.expansion import distance_blocks
    >>> X, centers = np.array([[0.0], [2.0]]), np.array([[1.0], [4.0]])
    >>> for rows, D in distance_blocks(X, centers):
    ...     print(rows, D.tolist())
    slice(0, 2, None) [[1.0, 16.0], [1.0, 4.0]]
    """
    n_samples = X.shape[0]
    step = max(1, _BLOCK_ENTRIES // max(1, centers.shape[0]))
    for start in range(0, n_samples, step):
        rows = slice(start, min(start + step, n_samples))
        yield rows, squared_distances(X[rows], centers)


def kernel_expansion(X: Any, centers: Any, bandwidth: float, coef: Float) -> Float:
    """Values of g(x) = sum_l coef_l exp(-|x - c_l|^2 / (2 bandwidth^2)) at the rows of X.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.expansion import kernel_expansion
    >>> kernel_expansion(np.array([[0.0]]), np.array([[0.0], [2.0]]), 1.0, np.array([1.0, -1.0]))
    array([0.86466472])
    """
    values = np.empty(X.shape[0])
    for rows, D in distance_blocks(X, centers):
        values[rows] = gaussian(D, bandwidth) @ coef
    return values
