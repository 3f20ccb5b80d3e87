"""How to get the same again: versions, and hashes of what went in."""

from __future__ import annotations

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import scipy.sparse as sp

from .._version import __version__
from ..bags.columns import Columns

__all__ = ["content_hash", "versions"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """Versions of Python, of this library, and of what it computes with."""
    found = {"python": platform.python_version(), "unclustered": __version__}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def content_hash(columns: Columns) -> str:
    """SHA-256 of a table's names and values, whatever kind of table holds them."""
    digest = hashlib.sha256(json.dumps(columns.names).encode())
    block = columns.block
    if sp.issparse(block):
        block = sp.csr_array(block)
        parts = [block.indptr.astype("<i8"), block.indices.astype("<i8"), block.data]
    else:
        parts = [block]
    for part in parts:
        kind = "<i8" if part.dtype.kind == "i" else "<f8"
        digest.update(np.ascontiguousarray(part, dtype=kind).data)
    for name, text in columns.texts.items():
        digest.update(json.dumps([name, text.levels]).encode())
        digest.update(np.ascontiguousarray(text.codes, dtype="<i8").data)
    return digest.hexdigest()
