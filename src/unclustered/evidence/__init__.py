"""How far to trust labels that nobody can check."""

from __future__ import annotations

from .gap import HeldOutGap, held_out_gap
from .gather import gather_evidence
from .interval import balance_difference_bound, balanced_error, error_bound, newcombe_interval
from .permutation import PermutationTest, permutation_test
from .record import Evidence
from .sensitivity import WithoutPart

__all__ = [
    "Evidence",
    "HeldOutGap",
    "PermutationTest",
    "WithoutPart",
    "balance_difference_bound",
    "balanced_error",
    "error_bound",
    "gather_evidence",
    "held_out_gap",
    "newcombe_interval",
    "permutation_test",
]
