"""The front door: ``label(A, B)``, and :class:`Labeling`, what comes out of it."""

from __future__ import annotations

from .chunked import ChunkedLabeling, label_chunks
from .front import label
from .result import Labeling

__all__ = ["ChunkedLabeling", "Labeling", "label", "label_chunks"]
