"""Packages that only some formats need, loaded when a file asks for them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MissingExtraError

__all__ = ["need"]


def need(module: str, extra: str, files: str) -> Any:
    """Import a module, or name the extra that brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f'{files} need the package {package}: pip install "unclustered[{extra}]"'
        ) from error
