"""The samples as a network sees them: a few rows at a time, in float32, on its device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Samples", "Units", "balanced_batches", "units_of"]

Index = NDArray[np.intp]
Float = NDArray[np.float64]
_RESIDENT = 2**28  # bytes in float32; fewer are put on the device once and for all
_BLOCK = 2**24  # numbers that are looked at in one go


@dataclass(frozen=True)
class Units:
    """What is taken from each column, and what it is divided by (images: from each channel)."""

    mean: Float
    scale: Float

    def apply(self, X: NDArray[Any]) -> NDArray[np.float32]:
        """Rows in these units; the difference in float64, as float32 forgets large offsets."""
        return ((X.astype(np.float64) - self.mean) / self.scale).astype(np.float32)


def units_of(X: NDArray[Any]) -> Units:
    """Mean and standard deviation of each column, or of each channel of images (n, channel, ...).

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.networks.samples import units_of
    >>> units = units_of(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> units.mean, units.scale
    (array([2., 5.]), array([1., 1.]))
    """
    axes = (0, *range(2, X.ndim))
    keep = (-1, *[1] * (X.ndim - 2))
    first = X[:1].astype(np.float64).mean(axis=axes).reshape(keep)
    total, square, count = np.zeros_like(first), np.zeros_like(first), 0
    for rows in _blocks(len(X), X[0].size):
        # Around the first sample: sums of squares lose all digits where a column is far from 0.
        D = X[rows].astype(np.float64) - first
        total += D.sum(axis=axes).reshape(keep)
        square += (D * D).sum(axis=axes).reshape(keep)
        count += D.size // first.size
    mean = total / count
    variance = np.maximum(square / count - mean**2, 0.0)
    # A constant column has a variance of rounding only, and stays as it is.
    tiny = variance <= 1e-14 * (square / count + np.finfo(float).tiny)
    return Units(first + mean, np.where(tiny, 1.0, np.sqrt(variance)))


class Samples:
    """Rows of an array, on request: large ones, memory-mapped ones too, are never copied whole."""

    def __init__(self, torch: Any, X: NDArray[Any], units: Units | None, device: Any) -> None:
        self._torch, self._X, self._units, self._device = torch, X, units, device
        self._resident = None
        if 4 * X.size <= _RESIDENT:
            blocks = [self._tensor(X[rows]) for rows in _blocks(len(X), X[0].size)]
            self._resident = torch.cat(blocks)

    def __len__(self) -> int:
        return len(self._X)

    def rows(self, index: Index) -> Any:
        """Fetch these rows as a tensor."""
        if self._resident is not None:
            return self._resident[self._torch.from_numpy(index).to(self._device)]
        order = np.argsort(index)  # a file is read fastest from front to back
        taken = self._X[index[order]]
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return self._tensor(taken[back])

    def _tensor(self, X: NDArray[Any]) -> Any:
        rows = np.ascontiguousarray(X, dtype=np.float32) if self._units is None else None
        if rows is None and self._units is not None:
            rows = self._units.apply(X)
        return self._torch.tensor(rows, device=self._device)


def _blocks(n_rows: int, width: int) -> Iterator[slice]:
    step = max(1, _BLOCK // max(1, width))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def balanced_batches(
    rows_a: Index, rows_b: Index, batch_size: int, rng: np.random.Generator
) -> Iterator[tuple[Index, Index]]:
    """Rows of A and of B of each mini-batch of an epoch: as many of the one as of the other.

    An epoch goes once through the larger dataset. The smaller one starts over, shuffled anew, as
    often as that takes; where it has fewer rows than half a batch, all of it is in each.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.networks.samples import balanced_batches
    >>> rng = np.random.default_rng(0)
    >>> batches = [*balanced_batches(np.arange(4), np.arange(4, 6), 4, rng)]
    >>> [(sorted(a.tolist()), sorted(b.tolist())) for a, b in batches]
    [([0, 2], [4, 5]), ([1, 3], [4, 5])]
    """
    half = max(1, batch_size // 2)
    n_batches = -(-max(len(rows_a), len(rows_b)) // half)
    first, second = (_parts(rows, n_batches, half, rng) for rows in (rows_a, rows_b))
    yield from zip(first, second, strict=True)


def _parts(rows: Index, n_batches: int, half: int, rng: np.random.Generator) -> list[Index]:
    if len(rows) > (n_batches - 1) * half:  # the larger dataset, or one that is as large
        return np.array_split(rng.permutation(rows), n_batches)
    size = min(half, len(rows))
    rounds = -(-n_batches * size // len(rows)) + 1
    endless = np.concatenate([rng.permutation(rows) for _ in range(rounds)])
    return [endless[k * size : (k + 1) * size] for k in range(n_batches)]
