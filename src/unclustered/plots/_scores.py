"""Scores of a classifier that was fitted on memberships of any name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError

__all__ = ["scores_of"]


def scores_of(estimator: Any, X: Any) -> NDArray[np.float64]:
    """Score of each sample; positive points to ``classes_[1]``."""
    if len(estimator.classes_) != 2:
        raise ParameterError(
            f"{type(estimator).__name__} was fitted on {len(estimator.classes_)} memberships, and "
            "there are two."
        )
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X), dtype=np.float64)[:, 1] - 0.5
    raise ParameterError(
        f"{type(estimator).__name__} has neither decision_function nor predict_proba: there are no "
        "scores to draw."
    )
