r"""How the votes of many configurations become one score.

A configuration whose held-out votes have the gap g explains the membership of m samples a side
better than chance by about :math:`m g^2` in the logarithm (a vote that is right with probability
(1 + g) / 2 on each of 2m samples), so its weight is :math:`e^{m g |g|}`: steep where gaps are
large or samples many, flat where nothing can be told apart. Families are weighed the same way, but
with half the exponent, as their gaps come from the same few samples. Votes that call nearly all
samples alike tell nothing and would only move the threshold of the others, so what has the share s
of votes for +1 weighs :math:`(4 s (1 - s))^2` times as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .family import Family, Fitted

__all__ = ["Combination", "combine", "gaps"]

Float = NDArray[np.float64]
_TRUST_IN_FAMILIES = 0.5
_TRUST_IN_CLUSTERS = 0.1
_MOST_AGREEMENT = 0.98
_LEAST_EVENNESS = 1e-3
_LEAST_WEIGHT = 1e-3  # of the largest: less changes no label and costs time for each new sample


@dataclass(frozen=True)
class Combination:
    """Weights of all configurations, and the score of the fitted samples that they lead to.

    Attributes
    ----------
    weights : list of ndarray
        For each candidate, in the order of the families, the weights of its configurations.
    votes : list of ndarray of shape (n_repeats, n_samples)
        For each candidate, the weighted mean of its held-out votes.
    score : ndarray of shape (n_samples,)
        Weighted mean of all held-out votes, between -1 and 1.
    difference : float
        Class balance difference to be expected.
    """

    weights: list[Float]
    votes: list[Float]
    score: Float
    difference: float


def gaps(votes: Float, side: Float) -> Float:
    """Held-out gap of each configuration, the mean over the repetitions.

    Parameters
    ----------
    votes : ndarray of shape (..., n_repeats, n_samples)
        Held-out votes.
    side : ndarray of shape (n_samples,)
        +1 on A, -1 on B.
    """
    positive = votes > 0
    share_a, share_b = (positive[..., side == value].mean(axis=-1) for value in (1.0, -1.0))
    return np.asarray((share_a - share_b).mean(axis=-1))


def combine(
    families: Sequence[tuple[Family, Sequence[Fitted]]], side: Float, difference: float
) -> Combination:
    """Weigh configurations within their families, and families by what each has made of them.

    Parameters
    ----------
    families : sequence of (Family, sequence of Fitted)
        What was fitted, without what failed.
    side : ndarray of shape (n_samples,)
        +1 on A, -1 on B.
    difference : float
        Class balance difference to expect where a family finds no clusters.
    """
    m = 2.0 / (1.0 / (side > 0).sum() + 1.0 / (side < 0).sum())
    within: list[Float] = []
    scores, logs, differences = [], [], []
    for family, fitted in families:
        votes = np.concatenate([one.held_out for one in fitted])
        prior = 1.0
        if family.clusters:
            weights = np.full(len(votes), 1.0 / len(votes))
            prior = _TRUST_IN_CLUSTERS * _odds_of_agreement(fitted)
        else:
            weights = _softmax(m * _signed_square(gaps(votes, side)) + _log_evenness(votes, side))
        together = np.tensordot(weights, votes, (0, 0))
        gap = float(gaps(together, side))
        within.append(weights)
        scores.append(together.mean(axis=0))
        evenness = float(_log_evenness(together, side))
        logs.append(_TRUST_IN_FAMILIES * m * _signed_square(gap) + np.log(prior) + evenness)
        # Clusters that are classes have no error: their gap is the difference of the balances.
        differences.append(max(gap, 0.0) if family.clusters else difference)
    says = _softmax(np.array(logs))
    of_each, voted = [], []
    for (_, fitted), mine, say in zip(families, within, says.tolist(), strict=True):
        ends = np.cumsum([len(one.held_out) for one in fitted])[:-1]
        for one, part in zip(fitted, np.split(mine, ends), strict=True):
            of_each.append(say * part)
            share = part / part.sum() if part.any() else np.full(len(part), 1.0 / len(part))
            voted.append(np.tensordot(share, one.held_out, (0, 0)))
    return Combination(of_each, voted, says @ np.array(scores), float(says @ differences))


def _signed_square(gap: Any) -> Any:
    return gap * np.abs(gap)


def _log_evenness(votes: Float, side: Float) -> Float:
    positive = votes > 0
    share = np.mean([positive[..., side == value].mean(axis=(-2, -1)) for value in (1, -1)], axis=0)
    return np.asarray(2.0 * np.log(4.0 * share * (1.0 - share) + _LEAST_EVENNESS))


def _softmax(logs: Float) -> Float:
    weights = np.exp(logs - logs.max())
    weights[weights < _LEAST_WEIGHT] = 0.0
    return np.asarray(weights / weights.sum())


def _odds_of_agreement(fitted: Sequence[Any]) -> float:
    """Odds of how far clusterings agree, whatever they call their clusters."""
    pairs = [abs(float((a.labels * b.labels).mean())) for a, b in combinations(fitted, 2)]
    agreement = min(float(np.mean(pairs)), _MOST_AGREEMENT) if pairs else 0.5
    return max(agreement, 1.0 - _MOST_AGREEMENT) / (1.0 - agreement)
