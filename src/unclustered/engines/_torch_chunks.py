"""The samples on a device: a few large chunks, kept there between passes where they fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..accelerators import load_torch
from ._base import Sums
from ._data import Block, Source

__all__ = ["MULTIPLE", "Chunk", "Chunks", "Tensors", "chunks_of", "split"]

Float = NDArray[np.float64]
_ROWS = {"cuda": 2**20, "mps": 2**17, "cpu": 2**14}
_SHARE = 0.6  # of the free memory of a GPU that samples may take for good
MULTIPLE = 128  # the fused pass takes so many rows at a time


class Tensors(NamedTuple):
    """Sums of values, pulls and outer products, in float64, on a device."""

    values: Any
    pulls: Any
    gram: Any

    def add(self, found: Tensors) -> Tensors:
        """Take over what another chunk adds."""
        for mine, other in zip(self, found, strict=True):
            if mine is not None:
                mine.add_(other)
        return self

    def sums(self) -> Sums:
        """Turn them into NumPy's arrays."""
        return Sums(
            self.values.cpu().numpy(),
            self.pulls.cpu().numpy(),
            None if self.gram is None else _fetched(self.gram),
        )


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rows of a few parts; in a fused pass padded with rows of zeros."""

    X: Any
    """Samples around the base: (n_rows, n_features); fused (3, n_padded, width), bfloat16."""
    squares: Any
    """Squared distances from the base."""
    side: Any
    weight: Any
    lengths: tuple[int, ...]
    """Rows of each part."""
    as_tensors: bool

    @property
    def n_rows(self) -> int:
        """Number of samples."""
        return sum(self.lengths)


@dataclass(eq=False)
class Chunks:
    """Chunks of a source. Going through them reads the source, unless they were kept."""

    source: Source | None
    device: Any
    kind: str
    base: Float
    kept: list[Chunk] | None = None

    def __iter__(self) -> Iterator[Chunk]:
        if self.kept is not None:
            yield from self.kept
            return
        assert self.source is not None
        blocks: list[Block] = []
        lengths: list[int] = []
        waiting = 0
        for part in self.source.parts():
            length = 0
            for block in part:
                blocks.append(block)
                length += block.X.shape[0]
            lengths.append(length)
            waiting += length
            if waiting >= _ROWS[self.device.type]:
                yield self._chunk(blocks, lengths)
                blocks, lengths, waiting = [], [], 0
        if waiting:
            yield self._chunk(blocks, lengths)

    def _chunk(self, blocks: list[Block], lengths: list[int]) -> Chunk:
        torch = load_torch("The torch engine")
        as_tensors = all(isinstance(block.X, torch.Tensor) for block in blocks)
        X = torch.cat([self._around_base(block.X) for block in blocks])
        # Apple GPUs have no float64; what the reduction makes of a row is computed beside them.
        exact = torch.device("cpu") if self.device.type == "mps" else self.device
        side, weight = (
            torch.cat([_tensor(torch, getattr(b, name), exact).double() for b in blocks])
            for name in ("side", "weight")
        )
        squares = (X * X).sum(dim=1)
        if self.kind == "fused":
            X, squares = _padded(torch, X, squares)
        return Chunk(X, squares, side, weight, tuple(lengths), as_tensors)

    def _around_base(self, X: Any) -> Any:
        """Rows minus the base: in float64, so that a large offset costs no digits."""
        torch = load_torch("The torch engine")
        dtype = torch.float64 if self.kind == "float64" else torch.float32
        if hasattr(X, "toarray"):
            X = X.toarray()
        exact = torch.device("cpu") if self.device.type == "mps" else self.device
        if not isinstance(X, torch.Tensor):
            X = torch.tensor(np.ascontiguousarray(X))
        Z = X.to(exact).double() - torch.from_numpy(self.base).to(exact)
        return Z.to(device=self.device, dtype=dtype)


_KEPT: WeakKeyDictionary[Any, dict[tuple[str, str], Chunks]] = WeakKeyDictionary()


def chunks_of(source: Source, device: Any, kind: str) -> Chunks:
    """Chunks of a source on a device, of one kind: "float32", "float64" or "fused".

    On a GPU they stay as long as the source lives, where there is room.
    """
    torch = load_torch("The torch engine")
    key = str(device), kind
    try:
        known = _KEPT.setdefault(source, {})
    except TypeError:  # a source of another make that cannot be referred to weakly
        known = {}
    if key not in known:
        chunks = Chunks(source, device, kind, _base(source))
        if device.type == "cuda":
            width = 8 + 6 * _padded_features(source.n_features) if kind == "fused" else 16
            needed = source.n_rows * (16 + width + 8 * source.n_features * (kind != "fused"))
            if needed < _SHARE * torch.cuda.mem_get_info(device)[0]:
                chunks.kept = list(chunks)
                chunks.source = None  # else the source would keep itself alive
                known[key] = chunks
        return chunks
    return known[key]


def _fetched(tensor: Any) -> Float:
    """Copy a matrix of a GPU to memory that it can write to itself: 30 times as fast."""
    if tensor.device.type != "cuda":
        return np.asarray(tensor.cpu().numpy())
    torch = load_torch("The torch engine")
    room = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    room.copy_(tensor)
    return np.asarray(room.numpy())


def _base(source: Source) -> Float:
    """Find a point amid the samples: the mean of the first of them."""
    for part in source.parts():
        for block in part:
            X = block.X[:4096]
            if hasattr(X, "toarray"):
                X = X.toarray()
            if hasattr(X, "detach"):
                X = X.detach().cpu().numpy()
            if len(X):
                return np.asarray(np.mean(X, axis=0, dtype=np.float64))
    return np.zeros(source.n_features)


def _tensor(torch: Any, values: Any, device: Any) -> Any:
    if isinstance(values, torch.Tensor):
        return values.to(device)
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float64)).to(device)


def _padded_features(n_features: int) -> int:
    return max(16, 1 << (n_features - 1).bit_length())


def _padded(torch: Any, X: Any, squares: Any) -> tuple[Any, Any]:
    """Write samples as sums of three bfloat16 numbers, and zeros up to whole tiles."""
    n_rows, n_features = X.shape
    n_padded = -(-n_rows // MULTIPLE) * MULTIPLE
    wide = torch.zeros((n_padded, _padded_features(n_features)), device=X.device)
    wide[:n_rows, :n_features] = X
    room = torch.zeros(n_padded, device=X.device)
    room[:n_rows] = squares
    return split(torch, wide), room


def split(torch: Any, X: Any) -> Any:
    """Three bfloat16 numbers that add up to each float32 number, one behind the other."""
    first = X.to(torch.bfloat16)
    rest = X - first.float()
    second = rest.to(torch.bfloat16)
    return torch.stack([first, second, (rest - second.float()).to(torch.bfloat16)])
