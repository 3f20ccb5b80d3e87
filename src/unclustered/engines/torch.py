"""The engine for GPUs: PyTorch on CUDA, on Apple's MPS, or on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..accelerators import choose_device, explained_memory, load_torch
from ..errors import ParameterError
from ._base import Engine, Reduction, Sums
from ._data import Part, Source
from ._features import FeatureMap
from ._torch_chunks import Tensors, chunks_of
from ._torch_fused import Fused, can_be_fused
from ._torch_plain import Plain
from ._torch_twins import Twins
from .numpy import NumpyEngine

__all__ = ["TorchEngine"]

Float = NDArray[np.float64]
_WHAT = "This engine"
_CURE = "Give a smaller rank, or the samples as an array in memory or mapped from a file."


@dataclass(frozen=True)
class TorchEngine(Engine):
    """Passes over the data with PyTorch.

    On an NVIDIA GPU the features are computed anew in each pass, in registers, and never written;
    elsewhere a block of them at a time. Samples that fit are moved to the device once. Where they
    come as tensors, scores come as tensors, on the same device.

    Parameters
    ----------
    device : str
        "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
    dtype : {"float32", "float64"}
        Type of the features. Sums are in float64 either way.

    Examples
    --------
    >>> from unclustered.engines import make_engine
    >>> make_engine("torch", device="cpu")
    TorchEngine(device='cpu', dtype='float32')
    """

    device: str = "auto"
    dtype: str = "float32"
    _where: Any = field(init=False, repr=False, compare=False)
    _twins: Twins = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        torch = load_torch("The torch engine")
        if self.dtype not in ("float32", "float64"):
            raise ParameterError(f'dtype must be "float32" or "float64", got {self.dtype!r}.')
        device = choose_device(self.device)
        if device.type == "mps" and self.dtype == "float64":
            raise ParameterError('Apple GPUs have no float64: take dtype="float32".')
        object.__setattr__(self, "_where", device)
        object.__setattr__(self, "_twins", Twins(torch, device))

    def __reduce__(self) -> Any:
        return type(self), (self.device, self.dtype)

    def add_up(self, source: Source, features: FeatureMap, reduction: Reduction) -> Sums:
        """Add up chunk by chunk, in the order of the parts."""
        total: Tensors | None = None
        with self._ready():
            chunks = chunks_of(source, self._where, self._parts(source, features))
            passing = self._passing(features, chunks.base, np.asarray(reduction.coef))
            for chunk in chunks:
                found = passing.sums(chunk, reduction)
                total = found if total is None else total.add(found)
            if total is None:
                raise ValueError("There are no rows to add up.")
            sums = total.sums()
            if sums.gram is not None and self._where.type == "cuda":
                self._twins.remember(sums.gram, total.gram)
            return sums

    def each(self, task: Callable[[int, Part], Any], source: Source) -> Iterator[Any]:
        """Run the task on the parts, on all processors of the machine: it is no pass."""
        return NumpyEngine(n_jobs=-1).each(task, source)

    def newton_direction(self, lift: Float, gram: Float, ridge: float, gradient: Float) -> Float:
        """Solve on the device, where that is an NVIDIA GPU."""
        if self._where.type != "cuda":
            return super().newton_direction(lift, gram, ridge, gradient)
        torch = load_torch("The torch engine")
        with self._ready():
            L, G = self._twins.of(lift), self._twins.of(gram)
            g = torch.from_numpy(gradient).to(self._where)
            H = L.T @ (G @ L)
            while True:
                A = H.clone()
                A.diagonal().add_(ridge)
                factor, failed = torch.linalg.cholesky_ex(A)
                if not failed.item():
                    found = torch.cholesky_solve(-g[:, None], factor)[:, 0]
                    return np.asarray(found.cpu().numpy())
                ridge *= 10.0

    def eigh(self, matrix: Float) -> tuple[Float, Float]:
        """Decompose on the device, where that is an NVIDIA GPU."""
        if self._where.type != "cuda":
            return super().eigh(matrix)
        torch = load_torch("The torch engine")
        with self._ready():
            values, vectors = torch.linalg.eigh(torch.from_numpy(matrix).to(self._where))
            return values.cpu().numpy(), vectors.cpu().numpy()

    def scores(self, source: Source, features: FeatureMap, coef: Float) -> Iterator[Any]:
        """Scores, part by part; tensors where the samples are tensors."""
        with self._ready():
            chunks = chunks_of(source, self._where, self._parts(source, features))
            passing = self._passing(features, chunks.base, np.asarray(coef).reshape(-1, 1))
        for chunk in chunks:
            with self._ready():
                found = passing.scores(chunk)[:, 0]
                found = found if chunk.as_tensors else found.cpu().numpy()
            start = 0
            for length in chunk.lengths:
                yield found[start : start + length]
                start += length

    def _parts(self, source: Source, features: FeatureMap) -> str:
        """How the samples are kept on the device: as the fused pass reads them, or plainly."""
        fused = self._where.type == "cuda" and self.dtype == "float32"
        return "fused" if fused and can_be_fused(source.n_features, features) else self.dtype

    def _passing(self, features: FeatureMap, base: Float, coef: Float) -> Any:
        fused = self._where.type == "cuda" and self.dtype == "float32"
        if fused and can_be_fused(len(features.directions), features):
            return Fused(features, base, coef, self._where)
        return Plain(features, base, coef, self._where, self.dtype)

    def _ready(self) -> Any:
        return explained_memory(f"A pass on {self._where}", _CURE)
