"""Trying the candidates: all that time allows, those that fail among them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ...selection.interval import newcombe_interval
from ...selection.threads import in_threads
from .combine import Combination, gaps
from .family import Candidate, Family, Fitted
from .problem import Problem

__all__ = ["Tried", "fitted_only", "leaderboard", "try_all"]

Float = NDArray[np.float64]


class Tried(NamedTuple):
    """A candidate that was fitted."""

    candidate: Candidate
    fitted: Fitted
    seconds: float


def _name(candidate: Candidate) -> str:
    return ", ".join(filter(None, (candidate.method, candidate.variant)))


def try_all(
    families: Sequence[Family], problem: Problem, max_time: float | None, n_jobs: int | None
) -> tuple[list[tuple[Family, list[Tried]]], dict[str, str]]:
    """Fit every candidate; which of them failed and why."""
    begin = time.perf_counter()
    flat = [candidate for family in families for candidate in family.candidates]

    def attempt(candidate: Candidate) -> Tried | str:
        started = time.perf_counter()
        if max_time is not None and candidate is not flat[0] and started - begin > max_time:
            return f"left out: the {max_time:g} s of max_time were over"
        try:
            fitted = candidate.fit(problem)
        except Exception as error:  # whatever it is: the others go on
            return f"{type(error).__name__}: {error}"
        return Tried(candidate, fitted, time.perf_counter() - started)

    problem.samples.distances, problem.train_weights  # noqa: B018 - once, before threads ask for them
    with warnings.catch_warnings():
        # A configuration that does not converge has a small gap, and that is all that counts.
        warnings.simplefilter("ignore")
        results = in_threads(attempt, flat, n_jobs)
    found, failures = [], {}
    ahead = iter(results)
    for family in families:
        fitted = []
        for candidate in family.candidates:
            result = next(ahead)
            if isinstance(result, str):
                failures[_name(candidate)] = result
            else:
                fitted.append(result)
        if fitted:
            found.append((family, fitted))
    if not found:
        reasons = "; ".join(f"{name}: {why}" for name, why in failures.items())
        raise DataError(f"Every candidate failed. {reasons}")
    return found, failures


def fitted_only(
    tried: Sequence[tuple[Family, Sequence[Tried]]],
) -> list[tuple[Family, list[Fitted]]]:
    """Leave out what only the leaderboard says of each."""
    return [(family, [one.fitted for one in some]) for family, some in tried]


def leaderboard(tried: Sequence[Tried], found: Combination, side: Float) -> dict[str, list[Any]]:
    """Make a row a candidate, the largest gap first, with the best configuration of each."""
    n_a, n_b = int((side > 0).sum()), int((side < 0).sum())
    rows = []
    for one, weights, votes in zip(tried, found.weights, found.votes, strict=True):
        positive = votes > 0
        share_a, share_b = (float(positive[:, side == value].mean()) for value in (1.0, -1.0))
        low, high = newcombe_interval(share_a, share_b, n_a, n_b)
        configurations = one.fitted.configurations
        best = configurations[int(np.argmax(gaps(one.fitted.held_out, side)))]
        if len(configurations) > 1:
            best = f"best of {len(configurations)}: {best}"
        row: dict[str, Any] = {
            "method": one.candidate.method,
            "configuration": "; ".join(filter(None, (one.candidate.variant, best))),
            "gap": share_a - share_b,
            "gap_low": low,
            "gap_high": high,
            "weight": float(weights.sum()),
            "seconds": one.seconds,
        }
        rows.append(row)
    rows.sort(key=lambda row: -row["gap"])
    return {name: [row[name] for row in rows] for name in rows[0]}
