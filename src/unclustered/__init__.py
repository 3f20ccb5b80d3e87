"""Label two unlabelled datasets whose hidden classes are mixed in different proportions.

Public names are loaded when they are first asked for, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .errors import (
        ConvergenceWarning,
        DataError,
        DroppedColumnWarning,
        MissingExtraError,
        NoEvidenceWarning,
        ParameterError,
        TooLargeError,
        UnclusteredError,
        UnclusteredWarning,
    )
    from .gap import membership_gap
    from .labeling import ChunkedLabeling, Labeling, label, label_chunks
    from .methods.auto import AutoLabeler
    from .methods.dsdd import DSDD
    from .methods.kde import KDEDifference
    from .methods.kmeans import KMeansLabeler
    from .methods.lsdd import LSDD
    from .methods.origin import OriginLabeler
    from .methods.smic import SMIC
    from .methods.spectral import SpectralLabeler
    from .models import load_model
    from .networks import TorchLabeler

__all__ = [
    "DSDD",
    "LSDD",
    "SMIC",
    "AutoLabeler",
    "ChunkedLabeling",
    "ConvergenceWarning",
    "DataError",
    "DroppedColumnWarning",
    "KDEDifference",
    "KMeansLabeler",
    "Labeling",
    "MissingExtraError",
    "NoEvidenceWarning",
    "OriginLabeler",
    "ParameterError",
    "SpectralLabeler",
    "TooLargeError",
    "TorchLabeler",
    "UnclusteredError",
    "UnclusteredWarning",
    "__version__",
    "label",
    "label_chunks",
    "load_model",
    "membership_gap",
]

_HOMES = {
    "label": "labeling",
    "label_chunks": "labeling",
    "ChunkedLabeling": "labeling",
    "Labeling": "labeling",
    "load_model": "models",
    "membership_gap": "gap",
    "TorchLabeler": "networks",
    "ConvergenceWarning": "errors",
    "DataError": "errors",
    "DroppedColumnWarning": "errors",
    "MissingExtraError": "errors",
    "NoEvidenceWarning": "errors",
    "ParameterError": "errors",
    "TooLargeError": "errors",
    "UnclusteredError": "errors",
    "UnclusteredWarning": "errors",
}
_SUBPACKAGES = (
    "datasets",
    "engines",
    "errors",
    "evidence",
    "methods",
    "metrics",
    "models",
    "networks",
    "plots",
    "report",
    "tables",
)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    if name in _SUBPACKAGES:
        return import_module(f".{name}", __name__)
    if name in __all__:  # every other public name is a method
        return getattr(import_module(".methods", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBPACKAGES])
