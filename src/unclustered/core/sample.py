"""A random sample of data that is only ever seen part by part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..engines import ArraySource, Engine, Part, Source

__all__ = ["Sample", "draw_sample"]

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Some of the samples, in random order, so that the first k are a sample too.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n, n_features)
        The samples, in float64.
    side : ndarray of shape (n,)
        +1 on A, -1 on B.
    weight : ndarray of shape (n,)
        Weights, as in the whole: not normalised.
    stands_for : ndarray of shape (n,)
        How many samples of its dataset each stands for.
    """

    X: Any
    side: Float
    weight: Float
    stands_for: Float

    def __len__(self) -> int:
        return len(self.side)

    @property
    def n_all(self) -> int:
        """How many samples of positive weight there are in all."""
        return round(float(self.stands_for.sum()))

    def rows(self, rows: Any) -> Sample:
        """Keep some of the rows, which then stand for all."""
        side, counts = self.side[rows], np.ones(len(self.side[rows]))
        for value in (1.0, -1.0):
            mine = side == value
            if mine.any():
                counts[mine] = self.stands_for[self.side == value].sum() / mine.sum()
        return Sample(self.X[rows], side, self.weight[rows], counts)

    def first(self, n: int) -> Sample:
        """At most n of them, as many from A as from B where both have enough."""
        if n >= len(self):
            return self
        positive, negative = (np.flatnonzero(self.side == value) for value in (1.0, -1.0))
        half = max(n // 2, n - len(negative))
        positive = positive[:half]
        return self.rows(np.sort(np.concatenate([positive, negative[: n - len(positive)]])))

    def source(self) -> ArraySource:
        """Make data to pass over of it, with weights normalised."""
        weight = self.weight.copy()
        for value in (1.0, -1.0):
            weight[self.side == value] /= weight[self.side == value].sum()
        return ArraySource(self.X, self.side, weight)


def draw_sample(
    engine: Engine, source: Source, n: int, random_state: np.random.Generator
) -> Sample:
    """Draw at most n samples of positive weight, from A as many as from B.

    One reading of the data; every sample of a dataset is as likely to be drawn as any other of it.
    Which are drawn depends on the parts, but not on the engine.

    Parameters
    ----------
    engine : Engine
        Reads the parts.
    source : Source
        The data.
    n : int
        How many; where one dataset has fewer than half of that, more are drawn from the other.
    random_state : Generator
        Draws them.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.sample import draw_sample
    >>> from unclustered.engines import ArraySource, make_engine
    >>> side = np.where(np.arange(1000) < 900, 1.0, -1.0)
    >>> source = ArraySource(np.arange(1000.0)[:, None], side, np.ones(1000))
    >>> drawn = draw_sample(make_engine(), source, 100, np.random.default_rng(0))
    >>> len(drawn), int((drawn.side > 0).sum()), drawn.n_all
    (100, 50, 1000)
    """
    task = _SmallestKeys(n, int(random_state.integers(2**62)))
    kept: dict[float, _Kept | None] = {1.0: None, -1.0: None}
    for found in engine.each(task, source):
        for value, part in found.items():
            kept[value] = part if kept[value] is None else _merged(kept[value], part, n)
    counts = {value: part.n_seen if part is not None else 0 for value, part in kept.items()}
    smaller = min(counts, key=lambda value: counts[value])
    few = min(counts[smaller], n // 2)
    parts = []
    for value, part in kept.items():
        if part is not None and part.n_seen:
            room = few if value == smaller else n - few
            parts.append((value, _smallest(part, room)))
    keys = np.concatenate([part.keys for _, part in parts])
    order = np.argsort(keys, kind="stable")
    side, weight, stands_for = (
        np.concatenate(columns)[order]
        for columns in zip(
            *(
                (
                    np.full(len(part.keys), value),
                    part.weight,
                    np.full(len(part.keys), part.n_seen / len(part.keys)),
                )
                for value, part in parts
            ),
            strict=True,
        )
    )
    return Sample(_stacked([part.X for _, part in parts])[order], side, weight, stands_for)


class _Kept(NamedTuple):
    """The rows of the smallest keys so far, of one dataset."""

    keys: Float
    X: Any
    weight: Float
    n_seen: int


@dataclass(frozen=True)
class _SmallestKeys:
    """Give every row of a part a random key, and keep the rows of the n smallest."""

    n: int
    seed: int

    def __call__(self, number: int, part: Part) -> dict[float, _Kept]:
        rng = np.random.default_rng([self.seed, number])
        kept: dict[float, _Kept] = {}
        for X, side, weight in part:
            side, weight = (np.asarray(v, dtype=np.float64) for v in (side, weight))
            keys = rng.random(len(side))
            for value in (1.0, -1.0):
                rows = np.flatnonzero((side == value) & (weight > 0))
                count = len(rows)
                if len(rows) > self.n:
                    rows = rows[np.argpartition(keys[rows], self.n)[: self.n]]
                mine = _Kept(keys[rows], _as_float(X[rows]), weight[rows], count)
                kept[value] = _merged(kept[value], mine, self.n) if value in kept else mine
        return kept


def _merged(one: _Kept | None, other: _Kept, n: int) -> _Kept:
    assert one is not None
    both = _Kept(
        np.concatenate([one.keys, other.keys]),
        _stacked([one.X, other.X]),
        np.concatenate([one.weight, other.weight]),
        one.n_seen + other.n_seen,
    )
    return _smallest(both, n)


def _smallest(kept: _Kept, n: int) -> _Kept:
    if len(kept.keys) <= n:
        return kept
    rows = np.argpartition(kept.keys, n)[:n] if n else np.zeros(0, dtype=np.intp)
    return _Kept(kept.keys[rows], kept.X[rows], kept.weight[rows], kept.n_seen)


def _as_float(X: Any) -> Any:
    return sp.csr_array(X, dtype=np.float64) if sp.issparse(X) else np.asarray(X, dtype=np.float64)


def _stacked(parts: list[Any]) -> Any:
    if any(sp.issparse(part) for part in parts):
        return sp.vstack(parts, format="csr")
    return np.concatenate(parts)
