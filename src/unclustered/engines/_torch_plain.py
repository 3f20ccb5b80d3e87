"""A pass in PyTorch's own operations: a block of features at a time, on any device."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..accelerators import load_torch
from ._base import Reduction
from ._features import FeatureMap
from ._torch_chunks import Chunk, Tensors

__all__ = ["Plain", "around"]

Float = NDArray[np.float64]
_BLOCK_ENTRIES = {"cuda": 2**28, "mps": 2**25, "cpu": 2**20}


def around(features: FeatureMap, base: Float) -> tuple[Float, Float]:
    """Directions and offsets of the same features where samples are seen from ``base``.

    With z = (x - base) - o, p'z + q - s|z|^2 = (p + 2 s o)'(x - base) + ... - s|x - base|^2.
    """
    origin = -base if features.origin is None else features.origin - base
    directions = features.directions + 2.0 * features.square * origin[:, None]
    offsets = features.offsets - origin @ features.directions - features.square * (origin @ origin)
    return directions, offsets


class Plain:
    """Passes with one feature map and one set of points."""

    def __init__(
        self, features: FeatureMap, base: Float, coef: Float, device: Any, dtype: str
    ) -> None:
        self.torch = load_torch("The torch engine")
        self.features, self.device = features, device
        self.dtype = getattr(self.torch, dtype)
        directions, offsets = around(features, base)
        self.directions, self.offsets, self.coef = (
            self.torch.from_numpy(np.ascontiguousarray(a, dtype=dtype)).to(device)
            for a in (directions, offsets, coef)
        )
        self.exact = self.torch.device("cpu") if device.type == "mps" else device

    def scores(self, chunk: Chunk) -> Any:
        """Scores of the rows of a chunk, in float64."""
        found = [Phi @ self.coef for _, Phi in self._blocks(chunk)]
        return self.torch.cat([part.to(self.exact).double() for part in found])

    def sums(self, chunk: Chunk, reduction: Reduction) -> Tensors:
        """Add up the rows of a chunk, as tensors of float64."""
        torch = self.torch
        total: Tensors | None = None
        for rows, Phi in self._blocks(chunk):
            scores = (Phi @ self.coef).to(self.exact).double()
            found = reduction.rows(scores, chunk.side[rows], chunk.weight[rows])
            values = [v.sum(dim=0) for v in found.values]
            pulls = (Phi.T @ found.pulls.to(self.device, self.dtype)).to(self.exact).double()
            gram = None
            if found.curvature is not None:
                root = found.curvature.sqrt().to(self.device, self.dtype)
                some = root.nonzero()[:, 0]
                bent = Phi[some] * root[some, None]
                gram = (bent.T @ bent).to(self.exact).double()
            new = Tensors(torch.stack(values) if values else scores.new_zeros(0), pulls, gram)
            total = new if total is None else total.add(new)
        assert total is not None
        return total

    def _blocks(self, chunk: Chunk) -> Any:
        step = max(64, _BLOCK_ENTRIES[self.device.type] // self.features.n_outputs)
        for start in range(0, len(chunk.X), step):
            rows = slice(start, start + step)
            yield rows, self._phi(chunk.X[rows], chunk.squares[rows])

    def _phi(self, X: Any, squares: Any) -> Any:
        features = self.features
        Phi = self.torch.addmm(self.offsets, X, self.directions)
        if features.function == "exp":  # rounding alone can make the exponent positive
            Phi.sub_(features.square * squares[:, None]).clamp_(max=0.0).exp_()
        else:
            Phi.cos_()
        if features.scale != 1.0:
            Phi.mul_(features.scale)
        if features.constant:
            Phi = self.torch.cat([Phi, Phi.new_ones((len(Phi), 1))], dim=1)
        return Phi
