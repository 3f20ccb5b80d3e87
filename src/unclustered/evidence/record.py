"""What is known of labels that nobody can check, in one record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .interval import balance_difference_bound, error_bound
from .sensitivity import WithoutPart

__all__ = ["Evidence"]

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """How far to trust a labelling, found without a label.

    Attributes
    ----------
    gap : float
        Held-out gap: share of A labelled +1 minus share of B labelled +1, on samples that neither
        the fit nor the choice of its hyper-parameters saw.
    gap_interval : tuple of float
        Interval of the gap, at ``confidence``.
    p_value : float
        How often shuffled memberships give such a gap: permutation test.
    smallest_p : float
        The smallest p-value that the test could have given.
    null_gaps : ndarray
        Gaps of the shuffled memberships.
    test : {"refit", "split"}
        Whether the whole method was fitted anew to each shuffled membership, or fitted to halves of
        the samples and tested on the other halves.
    stopped_early : bool
        Whether the test stopped because the p-value could not become small any more.
    level : float
        Largest p-value that counts as evidence.
    confidence : float
        Of the interval and the bounds.
    sensitivity : tuple of WithoutPart
        The gap without each group, or each cluster of rows, the smallest first.
    n_a, n_b : int
        Numbers of samples.
    """

    gap: float
    gap_interval: tuple[float, float]
    p_value: float
    smallest_p: float
    null_gaps: Float
    test: str
    stopped_early: bool
    level: float
    confidence: float
    sensitivity: tuple[WithoutPart, ...]
    n_a: int
    n_b: int

    @property
    def trustworthy(self) -> bool:
        """Whether the labels show a difference between A and B that shuffled ones do not."""
        return self.p_value <= self.level

    @property
    def error_bound(self) -> float:
        """Largest balanced error rate on new samples that is compatible with the gap."""
        return error_bound(self.gap_interval[0])

    @property
    def balance_difference_bound(self) -> float:
        """Smallest difference of the class balances that is compatible with the gap."""
        return balance_difference_bound(self.gap_interval[0])

    @property
    def rests_on(self) -> WithoutPart | None:
        """Group or cluster of rows without which less than half of the gap is left, if any."""
        if not self.trustworthy or not self.sensitivity:
            return None
        weakest = self.sensitivity[0]
        lost = weakest.gap < self.gap / 2 and weakest.gap_interval[0] <= 0
        return weakest if lost else None

    @property
    def verdict(self) -> str:
        """What it comes to, in plain words."""
        found = f"{self._gap_in_words()}, {self._p_in_words()}"
        if not self.trustworthy:
            if self.smallest_p > self.level:
                return (
                    f"No evidence possible: with so few groups no p-value can be below "
                    f"{self.smallest_p:.3g} ({found})."
                )
            return (
                f"No evidence: shuffling the samples between A and B gives labels that are as good "
                f"({found}). Do not use these labels."
            )
        bound = (
            f"At most {self.error_bound:.0%} of the labels are wrong, with {self.confidence:.0%} "
            "confidence and both classes counted alike."
            if self.error_bound < 0.5
            else "How many of the labels are wrong cannot be bounded."
        )
        caution = (
            ""
            if self.rests_on is None
            else f" But it all rests on {self.rests_on.part} ({self.rests_on.n_rows} rows): "
            f"without it the gap is {self.rests_on.gap:.2f}."
        )
        return f"The labels show a real difference between A and B ({found}). {bound}{caution}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "trustworthy": self.trustworthy,
            "verdict": self.verdict,
            "gap": self.gap,
            "gap_interval": list(self.gap_interval),
            "confidence": self.confidence,
            "p_value": self.p_value,
            "smallest_p": self.smallest_p,
            "level": self.level,
            "test": self.test,
            "permutations": len(self.null_gaps),
            "stopped_early": self.stopped_early,
            "null_gaps": self.null_gaps.tolist(),
            "error_bound": self.error_bound,
            "balance_difference_bound": self.balance_difference_bound,
            "sensitivity": [
                {
                    "without": part.part,
                    "rows": part.n_rows,
                    "gap": part.gap,
                    "gap_interval": list(part.gap_interval),
                }
                for part in self.sensitivity
            ],
            "n_a": self.n_a,
            "n_b": self.n_b,
        }

    def _gap_in_words(self) -> str:
        low, high = self.gap_interval
        return (
            f"held-out gap {self.gap:.2f}, {self.confidence:.0%} interval {low:.2f} to {high:.2f}"
        )

    def _p_in_words(self) -> str:
        at_most = "<=" if self.p_value <= self.smallest_p else "="
        return f"p {at_most} {self.p_value:.2g}"

    def __repr__(self) -> str:
        return f"Evidence({self.verdict})"
