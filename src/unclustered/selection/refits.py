"""What is fitted where many fits are asked for."""

from __future__ import annotations

from typing import Any

__all__ = ["for_refits"]


def for_refits(estimator: Any) -> Any:
    """Unfitted estimator for many fits to parts of the samples.

    A method whose fit is dear may name a cheaper one of its kind, which is no better than itself:
    what is measured with it then promises nothing too much.

    Parameters
    ----------
    estimator : scikit-learn classifier
        The method; never changed.

    Examples
    --------
    >>> from unclustered import AutoLabeler
    >>> from unclustered.selection.refits import for_refits
    >>> for_refits(AutoLabeler()).budget
    'fast'
    """
    from sklearn.base import clone

    return estimator._for_refits() if hasattr(estimator, "_for_refits") else clone(estimator)
