"""Candidates, what a fit of one gives, and families of them that share one say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .problem import Problem
from .voters import Voter

__all__ = ["Candidate", "Family", "Fitted", "FittedPath"]

Float = NDArray[np.float64]


class Fitted(Protocol):
    """A candidate after it was fitted to every fold."""

    @property
    def configurations(self) -> Sequence[str]:
        """What was tried, in words; "" where there was nothing to choose."""

    @property
    def held_out(self) -> Float:
        """Votes on samples not seen, shape (n_configurations, n_repeats, n_samples)."""

    def voters(self, weights: Float) -> list[Voter]:
        """Make what scores new samples, given the weight of each configuration; some may be 0."""


class Candidate(Protocol):
    """A method, or a variant of one, and the configurations of it that are tried."""

    @property
    def method(self) -> str:
        """Short name of the method."""

    @property
    def variant(self) -> str:
        """What sets it apart from other candidates of the same method; "" if nothing."""

    def fit(self, problem: Problem) -> Fitted:
        """Fit every configuration to every fold."""


@dataclass(frozen=True)
class FittedPath:
    """A candidate each configuration of which is a voter.

    Attributes
    ----------
    configurations : sequence of str
        What was tried, in words.
    held_out : ndarray of shape (n_configurations, n_repeats, n_samples)
        Votes on samples not seen.
    parts : sequence of voters
        One a configuration, whatever it weighs.
    """

    configurations: Sequence[str]
    held_out: Float
    parts: Sequence[Any]

    def voters(self, weights: Float) -> list[Voter]:
        """Those that weigh something."""
        return [
            part.weighing(weight)
            for part, weight in zip(self.parts, weights.tolist(), strict=True)
            if weight > 0
        ]


@dataclass(frozen=True)
class Family:
    """Candidates that are much alike, so that together they have one say.

    Attributes
    ----------
    candidates : tuple of Candidate
        The candidates.
    clusters : bool
        Whether they find clusters, and learn from the membership only what to call them. All of
        them then count the same, and how well they agree says how real the clusters are.
    """

    candidates: tuple[Candidate, ...]
    clusters: bool = False
