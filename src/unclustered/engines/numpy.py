"""The engine that needs nothing: NumPy, blocks that stay in the cache, threads over the parts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ._base import Engine, Reduction, Sums
from ._data import Block, Part, Source
from ._features import FeatureMap

__all__ = ["NumpyEngine"]

Float = NDArray[np.float64]
_BLOCK_ENTRIES = 2**19  # features at a time: 2 MiB, which stays in the cache
_GATHERED_ROWS = 4096  # rows of curvature for one product: it runs at full speed from there on
_SMALLEST_EXPONENT = -80.0  # of exp in float32: below, numbers lose digits and processors all speed


@dataclass(frozen=True)
class NumpyEngine(Engine):
    """Passes over the data with NumPy on the cores of this machine.

    Parameters
    ----------
    n_jobs : int, optional
        Threads, as joblib counts them. The answer does not depend on it.
    dtype : {"float32", "float64"}
        Type of the features. Sums are in float64 either way.
    """

    n_jobs: int | None = None
    dtype: str = "float32"

    def add_up(self, source: Source, features: FeatureMap, reduction: Reduction) -> Sums:
        """Add up in the order of the parts."""
        compiled = _Compiled(features, np.dtype(self.dtype))
        coef = np.ascontiguousarray(reduction.coef, dtype=self.dtype)
        total: Sums | None = None
        for found in self.each(lambda _, part: _sums_of(part, compiled, coef, reduction), source):
            total = found if total is None else _added(total, found)
        if total is None:
            raise ValueError("There are no rows to add up.")
        return total

    def scores(self, source: Source, features: FeatureMap, coef: Float) -> Iterator[Float]:
        """Scores, part by part."""
        compiled = _Compiled(features, np.dtype(self.dtype))
        column = np.ascontiguousarray(coef.reshape(-1, 1), dtype=self.dtype)

        def score(_: int, part: Part) -> Float:
            found = [compiled.scores(Phi, column) for _, Phi in compiled.blocks(part)]
            return np.concatenate(found)[:, 0] if found else np.zeros(0)

        return self.each(score, source)

    def each(self, task: Callable[[int, Part], Any], source: Source) -> Iterator[Any]:
        """Run the task on the parts side by side."""
        jobs = effective_n_jobs(self.n_jobs)
        parts = source.parts()
        # Blocks are too small for threads of BLAS to pay, and these wait for each other in vain
        # where other programs run.
        with threadpool_limits(1, "blas"):
            if jobs == 1 or len(parts) == 1:
                yield from map(task, range(len(parts)), parts)
                return
            with ThreadPoolExecutor(jobs) as pool:
                waiting: deque[Any] = deque()  # only a few, so that memory stays bounded
                for number, part in enumerate(parts):
                    waiting.append(pool.submit(task, number, part))
                    if len(waiting) == 2 * jobs:
                        yield waiting.popleft().result()
                for future in waiting:
                    yield future.result()


class _Compiled:
    """A feature map in the engine's type; (x, -s|x|^2, 1) times one matrix is the argument of f."""

    def __init__(self, features: FeatureMap, dtype: np.dtype[Any]) -> None:
        self.features = features
        self.dtype = dtype
        # The constant is f(0) = 1.
        self.matrix = np.zeros((len(features.directions) + 2, features.n_outputs), dtype=dtype)
        self.matrix[:-2, : features.rank] = features.directions
        self.matrix[-2, : features.rank] = 1.0
        self.matrix[-1, : features.rank] = features.offsets
        # |x - c| <= |x| + |c|, where c is the centre of a kernel and x is seen from the origin.
        self.farthest = (
            float(np.sqrt(max(0.0, -features.offsets.min() / features.square)))
            if features.function == "exp"
            else 0.0
        )

    def blocks(self, part: Part) -> Iterator[tuple[Block, Any]]:
        """Blocks of the part with their features, which are overwritten by the next."""
        n_outputs = self.features.n_outputs
        step = max(64, _BLOCK_ENTRIES // n_outputs)
        room = np.empty((step, n_outputs), dtype=self.dtype)
        for X, side, weight in part:
            for start in range(0, X.shape[0], step):
                rows = slice(start, start + step)
                some = Block(X[rows], side[rows], weight[rows])
                yield some, self.phi(some.X, room[: some.X.shape[0]])

    def phi(self, X: Any, Phi: Any) -> Any:
        """Features of a few rows, written to ``Phi``."""
        features = self.features
        if hasattr(X, "toarray"):
            X = X.toarray()
        wide = np.empty((len(X), X.shape[1] + 2), dtype=self.dtype)
        Z = np.subtract(X, 0.0 if features.origin is None else features.origin, dtype=np.float64)
        squares = np.einsum("ij,ij->i", Z, Z)
        wide[:, :-2] = Z
        wide[:, -2] = -features.square * squares
        wide[:, -1] = 1.0
        np.matmul(wide, self.matrix, out=Phi)
        if features.function == "cos":
            np.cos(Phi, out=Phi)
        else:
            largest = float(np.sqrt(squares.max(initial=0.0))) + self.farthest
            if features.square * largest**2 > -_SMALLEST_EXPONENT:
                np.maximum(Phi, self.dtype.type(_SMALLEST_EXPONENT), out=Phi)
            np.exp(Phi, out=Phi)
        if features.scale != 1.0:
            Phi *= self.dtype.type(features.scale)
            if features.constant:
                Phi[:, -1] = 1.0
        return Phi

    @staticmethod
    def scores(Phi: Any, coef: Any) -> Float:
        """Scores in float64."""
        return np.asarray(Phi @ coef, dtype=np.float64)


def _sums_of(part: Part, compiled: _Compiled, coef: Any, reduction: Reduction) -> Sums:
    total: Sums | None = None
    bent = _Bent(compiled)
    for block, Phi in compiled.blocks(part):
        scores = compiled.scores(Phi, coef)
        side, weight = (np.asarray(v, dtype=np.float64) for v in (block.side, block.weight))
        rows = reduction.rows(scores, side, weight)
        if rows.curvature is not None:
            bent.take(Phi, rows.curvature)
        found = Sums(
            np.array([values.sum(axis=0) for values in rows.values]),
            np.asarray(Phi.T @ rows.pulls.astype(compiled.dtype), dtype=np.float64),
            None,
        )
        total = found if total is None else _added(total, found)
    if total is None:
        raise ValueError("A part has no rows.")
    return total._replace(gram=bent.gram())


class _Bent:
    """Phi' diag(curvature) Phi of a part: rows of curvature are few, and gathered for a product."""

    def __init__(self, compiled: _Compiled) -> None:
        self.n_outputs, self.dtype = compiled.features.n_outputs, compiled.dtype
        self.room: Any = None
        self.filled = 0
        self.total: Any = None

    def take(self, Phi: Any, curvature: Float) -> None:
        """Gather the rows of a block that have any curvature."""
        if self.room is None:
            self.room = np.empty((_GATHERED_ROWS, self.n_outputs), dtype=self.dtype)
            self.total = np.zeros((self.n_outputs, self.n_outputs))
        for start in range(0, len(Phi), _GATHERED_ROWS):
            part = curvature[start : start + _GATHERED_ROWS]
            rows = np.flatnonzero(part)
            if self.filled + len(rows) > _GATHERED_ROWS:
                self._empty()
            room = self.room[self.filled : self.filled + len(rows)]
            root = np.sqrt(part[rows]).astype(self.dtype)
            np.multiply(Phi[start + rows], root[:, None], out=room)
            self.filled += len(rows)

    def _empty(self) -> None:
        Z = self.room[: self.filled]
        self.total += Z.T @ Z
        self.filled = 0

    def gram(self) -> Float | None:
        """Sum so far; None where no curvature was given."""
        if self.room is not None and self.filled:
            self._empty()
        return None if self.total is None else np.asarray(self.total)


def _added(total: Sums, found: Sums) -> Sums:
    np.add(total.values, found.values, out=total.values)
    np.add(total.pulls, found.pulls, out=total.pulls)
    if total.gram is not None and found.gram is not None:
        np.add(total.gram, found.gram, out=total.gram)
    return total
