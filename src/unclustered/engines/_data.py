"""Data as an engine meets it: a sequence of parts, each of which yields blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArraySource", "Block", "Part", "Source"]

Float = NDArray[np.float64]
PART_ROWS = 2**16  # of an array in memory: enough to be worth a task, and many on a large array
FEWEST_ROWS = 2**12  # fewer are no task of their own
MOST_PARTS = 64  # enough for any number of processors; what each part gives has to be put together


class Block(NamedTuple):
    """Some samples, the side each is from, and their weights."""

    X: Any
    """Shape (n_rows, n_features), of any type of number; dense or CSR."""
    side: Any
    """+1 on A, -1 on B."""
    weight: Any
    """Weights, which sum to one over A and over B."""


class Part(Protocol):
    """Blocks that are read one behind the other, as often as they are asked for."""

    def __iter__(self) -> Iterator[Block]: ...


class Source(Protocol):
    """A fixed sequence of parts that can be read independently of each other, and again.

    A part may be an array, the row groups of a file, a partition of a cluster; where an engine runs
    parts in other processes, they can be pickled.
    """

    @property
    def n_rows(self) -> int:
        """Number of samples."""
        ...

    @property
    def n_features(self) -> int:
        """Number of columns."""
        ...

    def parts(self) -> Sequence[Part]:
        """Return the parts, always the same."""
        ...


@dataclass(frozen=True, eq=False)
class ArraySource:
    """Arrays in memory, or mapped into it from a file.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Samples: anything that is sliced by rows into arrays, dense or CSR.
    side, weight : ndarray of shape (n_rows,), optional
        +1 on A and -1 on B; weights that sum to one within each. Samples that are only to be
        scored need none.
    part_rows : int, optional
        Rows of a part. By default 65,536, or more where that would be more than 64 parts.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.engines import ArraySource
    >>> source = ArraySource(np.zeros((5, 2)), np.ones(5), np.ones(5), part_rows=2)
    >>> [len(block.X) for part in source.parts() for block in part]
    [2, 2, 1]
    """

    X: Any
    side: Float | None = None
    weight: Float | None = None
    part_rows: int | None = None

    @property
    def n_rows(self) -> int:
        """Number of samples."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    def parts(self) -> Sequence[Part]:
        """Return the rows, so many at a time."""
        a_few = min(PART_ROWS, max(FEWEST_ROWS, -(-self.n_rows // 8)))
        step = self.part_rows or max(a_few, -(-self.n_rows // MOST_PARTS))
        return [
            _Slice(self, slice(start, min(start + step, self.n_rows)))
            for start in range(0, self.n_rows, step)
        ]


@dataclass(frozen=True, eq=False)
class _Slice:
    source: ArraySource
    rows: slice

    def __iter__(self) -> Iterator[Block]:
        n_rows = self.rows.stop - self.rows.start
        side, weight = (
            np.ones(n_rows) if column is None else column[self.rows]
            for column in (self.source.side, self.source.weight)
        )
        yield Block(self.source.X[self.rows], side, weight)
