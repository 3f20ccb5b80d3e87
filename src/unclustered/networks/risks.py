"""What a network descends on: risks that two datasets without labels suffice to compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["CORRECTIONS", "LOSSES", "SYMMETRIC", "Risk"]

_WIDTH, _SLOPE = 10.0, 10.0  # of the barrier: symmetric where |z| <= 10
_LEAK = 0.1  # of the published family max(x, -k x), between relu (k = 0) and abs (k = 1)


def _ramp(z: Any) -> Any:
    return (1 - z.clamp(-1, 1)) / 2


def _sigmoid(z: Any) -> Any:
    return (-z).sigmoid()


def _unhinged(z: Any) -> Any:
    return (1 - z) / 2


def _barrier(z: Any) -> Any:
    """Falls like r - z inside [-r, r] and is steep outside it."""
    inside = _WIDTH - z
    right, left = _SLOPE * (z - _WIDTH), _WIDTH - _SLOPE * (_WIDTH + z)
    return inside.maximum(right).maximum(left) / (2 * _WIDTH)


def _logistic(z: Any) -> Any:
    return (-z).clamp(min=0) + (-z.abs()).exp().log1p()  # log(1 + e^-z) that never overflows


LOSSES: dict[str, Callable[[Any], Any]] = {
    "barrier": _barrier,
    "logistic": _logistic,
    "ramp": _ramp,
    "sigmoid": _sigmoid,
    "unhinged": _unhinged,
}
"""Loss of a margin z; it falls where z grows."""

SYMMETRIC = {"barrier", "ramp", "sigmoid", "unhinged"}
"""Those with loss(z) + loss(-z) = 1 (the barrier: inside its walls): no balances are needed."""

CORRECTIONS: dict[str, Callable[[Any], Any]] = {
    "none": lambda x: x,
    "relu": lambda x: x.clamp(min=0),
    "abs": lambda x: x.abs(),
    "leaky": lambda x: x.maximum(-_LEAK * x),
}
"""What is done to a part of the risk that would be an average of losses, had it labels."""


@dataclass(frozen=True)
class Risk:
    r"""Risk of scores on a mini-batch of both datasets.

    Without ``balances``, the balanced risk of telling the datasets apart: with a symmetric loss, it
    has the same minimum as the balanced risk of telling the classes apart. With the balances
    (theta_A, theta_B), the risk of telling the classes apart where ``target`` is the share of +1,

    .. math:: f(a\,E_A \ell(g) - c\,E_B \ell(g)) + f(d\,E_B \ell(-g) - b\,E_A \ell(-g)),

    whose two parts estimate :math:`\pi E_+ \ell(g)` and :math:`(1 - \pi) E_- \ell(-g)`; f is the
    correction, which keeps a network from pushing them below zero.
    """

    loss: str
    balances: tuple[float, float] | None = None
    target: float = 0.5
    correction: str = "abs"

    def __call__(self, scores_a: Any, scores_b: Any) -> Any:
        """Risk of the scores of some samples of A and of B, tensors of one dimension."""
        loss = LOSSES[self.loss]
        if self.balances is None:
            return (loss(scores_a).mean() + loss(-scores_b).mean()) / 2
        theta_a, theta_b = self.balances
        positive, negative = (
            self.target / (theta_a - theta_b),
            (1 - self.target) / (theta_a - theta_b),
        )
        a, c = positive * (1 - theta_b), positive * (1 - theta_a)
        b, d = negative * theta_b, negative * theta_a
        correct = CORRECTIONS[self.correction]
        return correct(a * loss(scores_a).mean() - c * loss(scores_b).mean()) + correct(
            d * loss(-scores_b).mean() - b * loss(-scores_a).mean()
        )
