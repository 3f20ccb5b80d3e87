"""PyTorch has its home here: loading it, choosing a device, and what goes wrong in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .errors import MissingExtraError, ParameterError, TooLargeError

__all__ = ["choose_device", "explained_memory", "load_torch"]

_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")


def load_torch(what: str) -> Any:
    """PyTorch, or an error that names the extra; ``what`` begins the sentence.

    Examples
    --------
    >>> from unclustered.accelerators import load_torch
    >>> load_torch("This example").__name__
    'torch'
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError(
            f'{what} needs PyTorch: pip install "unclustered[torch]".'
        ) from error
    return torch


def choose_device(name: str) -> Any:
    """Device of PyTorch with this name; "auto" is the fastest kind there is.

    Parameters
    ----------
    name : str
        "auto", "cpu", "cuda", "cuda:1", "mps" and so on.

    Examples
    --------
    >>> from unclustered.accelerators import choose_device
    >>> choose_device("cpu")
    device(type='cpu')
    """
    torch = load_torch(f"device={name!r}")
    has_mps = torch.backends.mps.is_available()
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if has_mps else "cpu"
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError) as error:
        raise ParameterError(
            f'device must be "auto", "cpu", "cuda", "cuda:1" or "mps", got {name!r}.'
        ) from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ParameterError(
            f"device={name!r}, but PyTorch {torch.__version__} finds no CUDA device here. Take "
            'device="cpu"; or, if the machine has an NVIDIA card, install its driver and a CUDA '
            "build of PyTorch (https://pytorch.org/get-started/locally)."
        )
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ParameterError(
            f"device={name!r}, but there are {torch.cuda.device_count()} CUDA devices, counted "
            "from 0."
        )
    if device.type == "mps" and not has_mps:
        raise ParameterError(
            'device="mps" needs a Mac with an Apple GPU and macOS 12.3 or newer. Take device="cpu".'
        )
    return device


@contextmanager
def explained_memory(what: str, instead: str) -> Iterator[None]:
    """Raise TooLargeError where PyTorch runs out of memory.

    Parameters
    ----------
    what : str
        What was going on, as the start of a sentence.
    instead : str
        What the user can do, as a sentence.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        message = str(error)
        if not isinstance(error, MemoryError) and not any(m in message for m in _OUT_OF_MEMORY):
            raise
        raise TooLargeError(
            f"{what} ran out of memory. {instead} PyTorch says: {message.splitlines()[0]}"
        ) from error
