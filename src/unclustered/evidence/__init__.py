"""How far to trust labels that nobody can check."""

from __future__ import annotations

from .assumptions import SharedClassesTest, TailShare, check_shared_classes
from .bagged import bagged_scores
from .calibration import Calibration, calibrate
from .gap import HeldOutGap, held_out_gap
from .gather import gather_evidence
from .interval import balance_difference_bound, balanced_error, error_bound, newcombe_interval
from .permutation import PermutationTest, permutation_test
from .posterior import class_posterior
from .power import required_n
from .prior_sensitivity import PriorSensitivity, sensitivity_to_priors
from .priors import Priors, estimate_priors, priors_from_scores
from .probabilities import ClassProbabilities, ScoreProbabilities, class_probabilities
from .record import Evidence
from .sensitivity import WithoutPart

__all__ = [
    "Calibration",
    "ClassProbabilities",
    "Evidence",
    "HeldOutGap",
    "PermutationTest",
    "PriorSensitivity",
    "Priors",
    "ScoreProbabilities",
    "SharedClassesTest",
    "TailShare",
    "WithoutPart",
    "bagged_scores",
    "balance_difference_bound",
    "balanced_error",
    "calibrate",
    "check_shared_classes",
    "class_posterior",
    "class_probabilities",
    "error_bound",
    "estimate_priors",
    "gather_evidence",
    "held_out_gap",
    "newcombe_interval",
    "permutation_test",
    "priors_from_scores",
    "required_n",
    "sensitivity_to_priors",
]
