"""Coin flips: what a labelling is worth that knows nothing at all."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ..methods._base import MembershipClassifier
from ..seeds import as_generator

__all__ = ["CoinFlips"]


class CoinFlips(MembershipClassifier):
    """Label every fitted sample by a fair coin.

    Its labelling error rate on n samples is on average
    :func:`~unclustered.metrics.expected_random_error`, which is below 0.5, since the better naming
    counts. No method of the library, but a line in every table.

    Parameters
    ----------
    random_state : None, int, Generator or RandomState
        Seed of the coin.
    """

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> CoinFlips:
        """Flip a coin for each sample."""
        X, _, _ = self._check_fit(X, y)
        self.labels_ = as_generator(self.random_state).choice([-1, 1], size=len(X))
        return self

    def _score(self, X: Any) -> Any:
        return as_generator(self.random_state).choice([-1.0, 1.0], size=len(X))
