"""What a training that was cut short goes on from: one file, replaced after every epoch."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError

__all__ = ["Checkpoint", "fingerprint"]

_BLOCK = 2**24  # bytes


class Checkpoint:
    """A file with the state of a training; without a path, nothing is kept."""

    def __init__(self, torch: Any, path: Any, of: str) -> None:
        self._torch, self._path, self._of = torch, None if path is None else Path(path), of

    def load(self, device: Any) -> dict[str, Any] | None:
        """State to go on from, or None where there is no file yet.

        Only numbers and tensors are read: a file from elsewhere can run nothing.
        """
        if self._path is None or not self._path.exists():
            return None
        cure = "Delete the file to train from the beginning, or give another path."
        try:
            state = self._torch.load(self._path, map_location=device, weights_only=True)
            of = state.pop("of")
        except Exception as error:  # whatever PyTorch makes of bytes that are no checkpoint
            raise DataError(f"{self._path} is no checkpoint of TorchLabeler. {cure}") from error
        if of != self._of:
            raise DataError(
                f"{self._path} is from other samples, another network or other parameters; only "
                f"max_epochs and patience may differ. {cure}"
            )
        return dict(state)

    def save(self, state: dict[str, Any]) -> None:
        """Replace the file; whoever is stopped half way leaves the previous one."""
        if self._path is None:
            return
        new = self._path.with_name(self._path.name + ".new")
        self._torch.save({**state, "of": self._of}, new)
        os.replace(new, self._path)


def fingerprint(X: NDArray[Any], side: NDArray[Any], *others: object) -> str:
    """Digest that tells whether a checkpoint belongs to these samples and settings."""
    digest = hashlib.blake2b(digest_size=16)
    for array in (X, side):
        digest.update(f"{array.dtype}{array.shape}".encode())
        step = max(1, _BLOCK // max(1, array[0].nbytes))
        for start in range(0, len(array), step):
            digest.update(np.ascontiguousarray(array[start : start + step]).tobytes())
    for other in others:
        digest.update(repr(other).encode())
    return digest.hexdigest()
