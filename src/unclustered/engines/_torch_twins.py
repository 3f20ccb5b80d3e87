"""Tensors on a device that stand for arrays of NumPy, as long as these live."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Twins"]


class Twins:
    """What has been moved to a device need not be moved again.

    The arrays must not be written to.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.accelerators import choose_device, load_torch
    >>> from unclustered.engines._torch_twins import Twins
    >>> twins, array = Twins(load_torch("This"), choose_device("cpu")), np.ones(3)
    >>> twins.of(array) is twins.of(array)
    True
    """

    def __init__(self, torch: Any, device: Any) -> None:
        self._torch, self._device = torch, device
        self._known: dict[int, tuple[Any, Any]] = {}

    def of(self, array: NDArray[np.float64]) -> Any:
        """Tensor with the numbers of an array."""
        if id(array) not in self._known:
            self.remember(array, self._torch.from_numpy(array).to(self._device, copy=True))
        return self._known[id(array)][1]

    def remember(self, array: NDArray[np.float64], tensor: Any) -> None:
        """Note that a tensor holds the numbers of an array."""
        key = id(array)
        known = self._known  # an array that goes must not keep this object alive
        self._known[key] = weakref.ref(array, lambda _: known.pop(key, None)), tensor
