"""The front door: ``label(A, B)``, and :class:`Labeling`, what comes out of it."""

from __future__ import annotations

from .front import label
from .result import Labeling

__all__ = ["Labeling", "label"]
