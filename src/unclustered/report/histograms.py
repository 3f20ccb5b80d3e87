"""Two groups of values in the same bins."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..bags.columns import Columns
from .record import Histogram

__all__ = ["column_histogram", "null_histogram", "probability_histogram", "score_histogram"]

Float = NDArray[np.float64]

_MOST_BINS = 48
_COLUMN_BINS = 24
_MOST_LEVELS = 8
_OTHERS, _MISSING = "(others)", "(missing)"
_TAIL = 0.01  # of a column's values, at each end
_FAR = 3.0  # times the range without the tails: wider, and the bins leave the tails out


def score_histogram(scores_a: Float, scores_b: Float) -> Histogram:
    """Scores of A and of B; one edge is 0, so no bin has scores of both signs."""
    edges = _edges_at_zero(np.concatenate([scores_a, scores_b]))
    # Negated, as the label of a score of 0 is -1, and bins hold their lower edge.
    counts = [np.histogram(-s, -edges[::-1])[0][::-1] for s in (scores_a, scores_b)]
    return _histogram(("A", "B"), counts, (len(scores_a), len(scores_b)), edges)


def probability_histogram(posterior_a: Float, posterior_b: Float) -> Histogram:
    """Probabilities of class +1 in twenty bins."""
    edges = np.linspace(0.0, 1.0, 21)
    counts = [np.histogram(p, edges)[0] for p in (posterior_a, posterior_b)]
    return _histogram(("A", "B"), counts, (len(posterior_a), len(posterior_b)), edges)


def null_histogram(gaps: Float) -> dict[str, list[float]]:
    """Gaps of shuffled memberships: how many are in each bin."""
    counts, edges = np.histogram(gaps, min(_MOST_BINS, max(5, round(2 * len(gaps) ** (1 / 3)))))
    return {"edges": [_rounded(edge) for edge in edges], "counts": counts.tolist()}


def column_histogram(
    a: Columns, b: Columns, name: str, labels: NDArray[np.int64]
) -> Histogram | None:
    """Values of a column in the samples labelled +1 and in those labelled -1."""
    groups = ("+1", "-1")
    masks = (labels > 0, labels < 0)
    if not all(mask.any() for mask in masks):
        return None
    if name in a.texts or name in b.texts:
        levels, codes = _codes(a, b, name)
        counts = [np.bincount(codes[mask], minlength=len(levels)) for mask in masks]
        return _histogram(groups, counts, [int(mask.sum()) for mask in masks], levels=levels)
    values = np.concatenate([_numbers(part, name) for part in (a, b)])
    known = np.isfinite(values)
    if not known.any():
        return None
    edges = _column_edges(values[known])
    parts = [values[mask & known] for mask in masks]
    counts = [np.histogram(part, edges)[0] for part in parts]
    beyond = sum(map(len, parts)) - sum(int(count.sum()) for count in counts)
    return _histogram(groups, counts, [max(1, len(part)) for part in parts], edges, beyond=beyond)


def _histogram(
    groups: tuple[str, str],
    counts: Any,
    totals: Any,
    edges: Any = (),
    levels: tuple[str, ...] = (),
    beyond: int = 0,
) -> Histogram:
    first, second = (
        tuple(_rounded(share) for share in count / total)
        for count, total in zip(counts, totals, strict=True)
    )
    return Histogram(groups, (first, second), tuple(map(_rounded, edges)), levels, beyond)


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _edges_at_zero(values: Float) -> Float:
    automatic = np.histogram_bin_edges(values, "auto")
    low, high = min(automatic[0], 0.0), max(automatic[-1], 0.0)
    width = max(automatic[1] - automatic[0], (high - low) / _MOST_BINS)
    first, last = np.floor(low / width), np.ceil(high / width)
    edges: Float = width * np.arange(min(first, -1), max(last, 1) + 1)
    return edges


def _column_edges(values: Float) -> Float:
    low, high = float(values.min()), float(values.max())
    inner = np.quantile(values, [_TAIL, 1 - _TAIL])
    width = float(inner[1] - inner[0])
    if width > 0 and high - low > _FAR * width:
        low, high = max(low, float(inner[0]) - width / 4), min(high, float(inner[1]) + width / 4)
    inside = values[(values >= low) & (values <= high)]
    n_bins = len(np.histogram_bin_edges(inside, "auto")) - 1
    return np.linspace(low, high if high > low else low + 1.0, min(n_bins, _COLUMN_BINS) + 1)


def _numbers(columns: Columns, name: str) -> Float:
    block = columns.numbers([name])
    values: Float = (block.toarray() if sp.issparse(block) else block)[:, 0]
    return values


def _codes(a: Columns, b: Columns, name: str) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Levels, the most frequent first, and the number of each sample's level."""
    texts = [part.texts.get(name) for part in (a, b)]
    # A column without a value counts as one of numbers, and is missing throughout.
    known = sorted({level for text in texts if text is not None for level in text.levels})
    names = [*known, _MISSING]
    number = {level: k for k, level in enumerate(known)}
    parts = []
    for part, text in zip((a, b), texts, strict=True):
        if text is None:
            parts.append(np.full(part.n_rows, len(known)))
        else:  # code -1 is the last one
            parts.append(np.array([*map(number.__getitem__, text.levels), len(known)])[text.codes])
    found = np.concatenate(parts)
    counts = np.bincount(found, minlength=len(names))
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    place = np.empty(len(names), dtype=np.intp)
    place[order] = np.arange(len(order))
    levels = [names[k] for k in order]
    codes = place[found]
    if len(levels) > _MOST_LEVELS:
        levels = [*levels[: _MOST_LEVELS - 1], _OTHERS]
        codes = np.minimum(codes, _MOST_LEVELS - 1)
    return tuple(levels), codes
