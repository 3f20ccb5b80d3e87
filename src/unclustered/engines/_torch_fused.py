"""A pass on an NVIDIA GPU that never writes the features: they live in registers, tile by tile.

Scores need all features of a row before any pull is known, so a pass computes the features twice:
once for the scores, once for the pulls. That still costs less than to write and read them. Only
for the curvature are features written, those of the rows that have any.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..accelerators import load_torch
from ._base import Reduction
from ._features import FeatureMap
from ._torch_chunks import MULTIPLE, Chunk, Tensors, split
from ._torch_plain import around

__all__ = ["Fused", "can_be_fused"]

Float = NDArray[np.float64]
_WIDEST = 128  # features of a sample: a tile of them has to stay in registers
_POINTS = 16  # the tensor cores multiply at least so many columns
_GRAM_ROWS = 2**17  # rows of curvature for one product
_AVERAGED = 2**20  # rows from which on the rounding of bfloat16 averages out of their sum
_NEVER = -1e4  # exponent of features that only fill a tile
_LOG2_E = float(np.log2(np.e))


def can_be_fused(n_features: int, features: FeatureMap) -> bool:
    """Whether this pass can be made here."""
    return n_features <= _WIDEST and find_spec("triton") is not None


class Fused:
    """Passes with one feature map and one set of points.

    Matrices are sums of three bfloat16 matrices, and of the nine products the six largest are
    added: that is float32 on units that are 15 times as fast.
    """

    def __init__(self, features: FeatureMap, base: Float, coef: Float, device: Any) -> None:
        from . import _torch_kernels

        self.kernels = _torch_kernels
        self.torch = load_torch("The torch engine")
        self.features, self.device = features, device
        self.cos = features.function == "cos"
        directions, offsets = around(features, base)
        unit = 1.0 if self.cos else _LOG2_E
        self.rank = features.rank
        self.padded = -(-self.rank // MULTIPLE) * MULTIPLE
        width = max(16, 1 << (len(directions) - 1).bit_length())
        wide = np.zeros((self.padded, width), dtype=np.float32)
        wide[: self.rank, : len(directions)] = unit * directions.T
        shifts = np.full(self.padded, 0.0 if self.cos else _NEVER, dtype=np.float32)
        shifts[: self.rank] = unit * offsets
        self.directions = split(self.torch, self._tensor(wide))
        self.offsets = self._tensor(shifts)
        self.square = unit * features.square
        self.n_points = coef.shape[1]
        self.coef = self._columns(features.scale * coef[: self.rank], self.padded)
        self.constant = self._tensor(coef[self.rank :]).double()  # a line, or none

    def scores(self, chunk: Chunk) -> Any:
        """Scores of the rows of a chunk, in float64."""
        n_padded = chunk.X.shape[1]
        if self.n_points == 0:
            return chunk.side.new_zeros((chunk.n_rows, 0))
        room = self.torch.empty((n_padded, self.coef.shape[1]), device=self.device)
        self.kernels.scores(self, chunk.X, chunk.squares, room)
        found = room[: chunk.n_rows, : self.n_points].double()
        return found + self.constant if len(self.constant) else found

    def sums(self, chunk: Chunk, reduction: Reduction) -> Tensors:
        """Add up the rows of a chunk, as tensors of float64."""
        torch = self.torch
        rows = reduction.rows(self.scores(chunk), chunk.side, chunk.weight)
        values = [v.sum(dim=0) for v in rows.values]
        gram = None if rows.curvature is None else self._gram(chunk, rows.curvature)
        return Tensors(
            torch.stack(values) if values else chunk.side.new_zeros((0,)),
            self._pulls(chunk, rows.pulls),
            gram,
        )

    def _pulls(self, chunk: Chunk, pulls: Any) -> Any:
        torch = self.torch
        n_columns = pulls.shape[1]
        total = pulls.new_zeros((self.features.n_outputs, n_columns))
        if n_columns:
            columns = self._columns(pulls, chunk.X.shape[1])
            splits = self.kernels.pulls(self, chunk.X, chunk.squares, columns)
            found = splits.sum(dim=0, dtype=torch.float64)[: self.rank, :n_columns]
            total[: self.rank] = self.features.scale * found
            if self.features.constant:
                total[self.rank] = pulls.sum(dim=0)
        return total

    def _gram(self, chunk: Chunk, curvature: Any) -> Any:
        torch = self.torch
        some = curvature.nonzero()[:, 0]
        exact = len(some) < _AVERAGED
        width = self.padded + (64 if self.features.constant else 0)
        total = curvature.new_zeros((width, width))
        n_rows = min(_GRAM_ROWS, -(-len(some) // MULTIPLE) * MULTIPLE)
        room = torch.zeros((1 + exact, n_rows, width), device=self.device, dtype=torch.bfloat16)
        for start in range(0, len(some), _GRAM_ROWS):
            index = some[start : start + _GRAM_ROWS]
            root = curvature[index].sqrt().float()
            lacking = -len(index) % MULTIPLE
            index = torch.nn.functional.pad(index, (0, lacking))
            root = torch.nn.functional.pad(root, (0, lacking))
            high = room[:, : len(index)]
            self.kernels.features(self, chunk.X, chunk.squares, index, root, high)
            if self.features.constant:
                parts = split(torch, root / self.features.scale)
                high[:, :, self.padded] = parts[: len(high)]
            found = _product(torch, high[0], high[0])
            if exact:  # (H + L)'(H + L) without the last term: two products, as it is symmetric
                cross = _product(torch, high[0], high[1])
                found += cross + cross.T
            total += found
        outputs = [*range(self.rank), *([self.padded] if self.features.constant else [])]
        kept = torch.tensor(outputs, device=self.device)
        return self.features.scale**2 * total[kept][:, kept]

    def _tensor(self, values: Any) -> Any:
        values = np.ascontiguousarray(values, dtype=np.float32)
        return self.torch.from_numpy(values).to(self.device)

    def _columns(self, values: Any, n_padded: int) -> Any:
        """Columns as lines of three bfloat16 numbers each, and zeros up to whole tiles."""
        torch = self.torch
        if isinstance(values, np.ndarray):
            values = torch.from_numpy(np.ascontiguousarray(values)).to(self.device)
        n_rows, n_columns = values.shape
        n_lines = max(_POINTS, 1 << (n_columns - 1).bit_length())
        wide = torch.zeros((n_lines, n_padded), device=self.device)
        wide[:n_columns, :n_rows] = values.T
        return split(torch, wide)


def _product(torch: Any, A: Any, B: Any) -> Any:
    """A'B of bfloat16 matrices, added up and returned in float32."""
    try:
        return torch.mm(A.T, B, out_dtype=torch.float32)
    except (RuntimeError, TypeError, NotImplementedError):  # before PyTorch 2.8
        return A.float().T @ B.float()
