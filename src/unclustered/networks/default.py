"""The network that is fitted where none is given, and how a given one becomes ours."""

from __future__ import annotations

import copy
from typing import Any

from ..errors import ParameterError

__all__ = ["build"]

_WIDTH = 256


def build(torch: Any, module: Any, n_features: int) -> Any:
    """Network to be fitted: a copy of the one given, what a function makes, or a perceptron.

    Whatever is drawn at random comes from PyTorch's generator, which the caller has seeded.
    """
    if module is None:
        return _perceptron(torch, n_features)
    if isinstance(module, torch.nn.Module):
        return copy.deepcopy(module)
    made = module(n_features)
    if not isinstance(made, torch.nn.Module):
        raise ParameterError(
            "module must be a torch.nn.Module, or a function that makes one from the number of "
            f"features, but it made a {type(made).__name__}."
        )
    return made


def _perceptron(torch: Any, n_features: int) -> Any:
    nn = torch.nn
    layers = []
    for width in (n_features, _WIDTH):
        layers += [nn.Linear(width, _WIDTH, bias=False), nn.BatchNorm1d(_WIDTH), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(_WIDTH, 1))
