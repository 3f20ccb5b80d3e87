"""The real score of each sample, from whatever a classifier offers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["score_of"]


def score_of(model: Any, X: Any) -> NDArray[np.float64]:
    """Score of each sample, positive towards A, by a classifier fitted on +1 (A) and -1 (B).

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from unclustered.selection.scores import score_of
    >>> model = DecisionTreeClassifier().fit([[0.0], [1.0]], [-1, 1])
    >>> score_of(model, [[0.0], [1.0]])
    array([-0.5,  0.5])
    """
    if hasattr(model, "decision_function"):
        scores = model.decision_function(X)
    elif hasattr(model, "predict_proba"):
        scores = model.predict_proba(X)[:, [*model.classes_].index(1)] - 0.5
    else:
        scores = model.predict(X)
    return np.asarray(scores, dtype=np.float64).ravel()
