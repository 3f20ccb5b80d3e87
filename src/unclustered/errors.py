"""The exceptions and warnings a user can meet.

Each message says what was wrong, where (file, row, column) and what to do about it.
"""

from __future__ import annotations

__all__ = [
    "ConvergenceWarning",
    "DataError",
    "DroppedColumnWarning",
    "MissingExtraError",
    "NoEvidenceWarning",
    "ParameterError",
    "PriorsWarning",
    "TooLargeError",
    "UnclusteredError",
    "UnclusteredWarning",
]


class UnclusteredError(Exception):
    """Base class of every error this library raises on purpose."""


class DataError(UnclusteredError, ValueError):
    """The data cannot be used as they are."""


class ParameterError(UnclusteredError, ValueError):
    """A parameter has a value that makes no sense."""


class TooLargeError(UnclusteredError, MemoryError):
    """The problem would not fit in memory; the message names an alternative that would."""


class MissingExtraError(UnclusteredError, ImportError):
    """An optional dependency is not installed; the message names the extra to install."""


class UnclusteredWarning(UserWarning):
    """Base class of every warning this library gives."""


class ConvergenceWarning(UnclusteredWarning):
    """An iteration stopped at its limit; the answer carries its certificate."""


class DroppedColumnWarning(UnclusteredWarning):
    """A column told nothing (constant, or nearly so) and was left out."""


class NoEvidenceWarning(UnclusteredWarning):
    """Nothing shows that the labels are more than noise."""


class PriorsWarning(UnclusteredWarning):
    """The data contradict the class balances that were given, or cannot tell any."""
