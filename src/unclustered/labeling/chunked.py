"""``label_chunks(A, B)``: labels of tables that are read some rows at a time."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..bags import Encoding
from ..engines import ArraySource
from ..errors import NoEvidenceWarning, ParameterError
from ..evidence import Evidence
from ..evidence.gap import held_out_gap
from ..methods._base import as_label
from ..models import Predictor
from ..seeds import as_generator
from ..selection.cross_fit import CrossFit
from ._survey import survey
from .estimator import make_estimator

__all__ = ["ChunkedLabeling", "label_chunks"]

Float = NDArray[np.float64]

_IN_MEMORY = 2**30  # bytes of encoded samples; more are kept in a temporary file
_MOST_HELD_OUT = 2**17  # of each dataset, at most a fifth
_PERMUTATIONS = 9999


@dataclass(frozen=True, eq=False, repr=False)
class ChunkedLabeling(Predictor):
    """Labels of two large tables, and the model that gave them.

    Attributes
    ----------
    scores_a, scores_b : ndarray of float
        Score of each row; its sign is the label.
    evidence : Evidence or None
        How far the labels can be trusted, from rows that the model was not fitted on.
    model : estimator
        The fitted method.
    encoding : Encoding
        How a table becomes the numbers that the model sees.
    """

    scores_a: Float
    scores_b: Float
    evidence: Evidence | None
    model: Any
    encoding: Encoding
    probabilities: None = None

    def rows(self, n_rows: int = 2**16) -> Iterator[dict[str, NDArray[Any]]]:
        """Rows of the labels, some at a time: dataset, row (counted from 1), label and score.

        Parameters
        ----------
        n_rows : int
            How many at a time.

        Yields
        ------
        dict from str to ndarray
            The columns.
        """
        for dataset, scores in (("A", self.scores_a), ("B", self.scores_b)):
            for start in range(0, len(scores), n_rows):
                some = scores[start : start + n_rows]
                yield {
                    "dataset": np.full(len(some), dataset, dtype=object),
                    "row": np.arange(start + 1, start + 1 + len(some)),
                    "label": as_label(some),
                    "score": some,
                }

    def __repr__(self) -> str:
        counts = [
            f"{name}: {int((scores > 0).sum())} of {len(scores)} labelled +1"
            for name, scores in (("A", self.scores_a), ("B", self.scores_b))
        ]
        return f"ChunkedLabeling({'; '.join(counts)}; method {self.method})"


def label_chunks(
    A: Iterable[Any],
    B: Iterable[Any],
    method: Any = "dsdd",
    *,
    standardize: bool = True,
    missing: Literal["error", "impute"] = "error",
    evidence: bool = True,
    random_state: Any = None,
    **params: Any,
) -> ChunkedLabeling:
    """Label every row of two tables that are too large to be held in memory as they are.

    Each is read twice, some rows at a time: once to see what its columns hold, once to turn them
    into numbers. These are kept, in single precision, in memory up to 1 GiB, and else in a
    temporary file. The method then passes over them (see :mod:`unclustered.engines`).

    Parameters
    ----------
    A, B : iterable of tables or arrays
        Chunks of the datasets, of the kinds that :func:`unclustered.label` takes;
        :func:`unclustered.tables.read_chunks` reads them from files. They are looped over twice, so
        generators will not do.
    method : str, estimator or class
        DSDD or LSDD.
    standardize : bool, default=True
        As of :func:`unclustered.label`; units of columns are measured on a sample of the rows.
    missing : {"error", "impute"}, default="error"
        As of :func:`unclustered.label`; medians are those of a sample too.
    random_state : None, int, Generator or RandomState, default=None
        Seed of everything random.
    evidence : bool, default=True
        Whether to hold out a fifth of the rows (at most 131,072 of each dataset), and say from them
        how far the labels can be trusted.
    **params : Any
        Parameters of the method.

    Returns
    -------
    ChunkedLabeling
        Scores of all rows, and the fitted model.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import label_chunks
    >>> rng = np.random.default_rng(0)
    >>> def draw(n_first, n_second):
    ...     X = np.r_[rng.normal(-3, 1, (n_first, 2)), rng.normal(3, 1, (n_second, 2))]
    ...     return np.array_split(rng.permutation(X), 4)
    >>> A, B = draw(800, 200), draw(200, 800)
    >>> result = label_chunks(A, B, bandwidth=1.0, regularization=0.1, rank=64)
    >>> result
    ChunkedLabeling(A: 800 of 1000 labelled +1; B: 200 of 1000 labelled +1; method DSDD)
    >>> result.evidence.trustworthy
    True
    """
    for name, chunks in (("A", A), ("B", B)):
        if iter(chunks) is chunks:
            raise ParameterError(
                f"{name} can be looped over only once: pass a list of chunks, or an object that "
                "starts anew with every loop, as unclustered.tables.read_chunks gives."
            )
    estimator = make_estimator(method, params, random_state)
    if not hasattr(estimator, "fit_source"):
        raise ParameterError(
            f"{type(estimator).__name__} needs all samples at once: take DSDD or LSDD, or label()."
        )
    rng = as_generator(random_state)
    encoding, n_a, n_b = survey(A, B, standardize=standardize, missing=missing, random_state=rng)
    with tempfile.TemporaryFile(prefix="unclustered-") as file:
        X = _encoded(A, B, encoding, n_a + n_b, file)
        side = np.repeat([1.0, -1.0], [n_a, n_b])
        held_out = _held_out(side, rng) if evidence else np.zeros(len(side), dtype=bool)
        weight = (~held_out).astype(np.float64)
        for value in (1.0, -1.0):
            weight[side == value] /= weight[side == value].sum()
        fitted = estimator.fit_source(ArraySource(X, side, weight))
        scores = np.empty(len(side))
        for start in range(0, len(side), 2**16):
            rows = slice(start, start + 2**16)
            scores[rows] = fitted.decision_function(X[rows])
        del X
    found = _evidence(scores[held_out], side[held_out], rng) if evidence else None
    if found is not None and not found.trustworthy:
        warnings.warn(found.verdict, NoEvidenceWarning, stacklevel=2)
    return ChunkedLabeling(scores[:n_a], scores[n_a:], found, fitted, encoding)


def _encoded(
    A: Iterable[Any], B: Iterable[Any], encoding: Encoding, n_rows: int, file: Any
) -> NDArray[np.float32]:
    shape = n_rows, len(encoding.names)
    X: NDArray[np.float32] = (
        np.empty(shape, dtype=np.float32)
        if 4 * n_rows * shape[1] <= _IN_MEMORY
        else np.memmap(file, np.float32, "w+", shape=shape)
    )
    start = 0
    for dataset, chunks in (("A", A), ("B", B)):
        for chunk in chunks:
            some = encoding.transform(chunk, dataset)
            X[start : start + len(some)] = some
            start += len(some)
    if start != n_rows:
        raise ParameterError(
            f"The chunks had {n_rows} rows when they were read first, and {start} the second time."
        )
    return X


def _held_out(side: Float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Rows that judge; none where there are too few."""
    mask = np.zeros(len(side), dtype=bool)
    for value in (1.0, -1.0):
        rows = np.flatnonzero(side == value)
        mask[rng.choice(rows, min(len(rows) // 5, _MOST_HELD_OUT), replace=False)] = True
    return mask


def _evidence(scores: Float, side: Float, rng: np.random.Generator) -> Evidence | None:
    """Evidence from rows that the fit has not seen."""
    n_a, n_b = int((side > 0).sum()), int((side < 0).sum())
    if min(n_a, n_b) < 2:
        return None
    positive = scores > 0
    fitted = CrossFit(
        scores=scores[None],
        folds=np.zeros((1, len(scores)), dtype=np.intp),
        votes=positive.astype(np.float64),
        in_units=scores[None],
    )
    found = held_out_gap(fitted, side)
    # Shuffling the memberships of rows whose labels are fixed is drawing without replacement.
    n_positive = int(positive.sum())
    in_a = rng.hypergeometric(n_positive, len(side) - n_positive, n_a, _PERMUTATIONS)
    null = in_a / n_a - (n_positive - in_a) / n_b
    p_value = (1.0 + float((null >= found.gap - 1e-12).sum())) / (1.0 + _PERMUTATIONS)
    return Evidence(
        gap=found.gap,
        gap_interval=found.interval,
        p_value=p_value,
        smallest_p=1.0 / (1.0 + _PERMUTATIONS),
        null_gaps=null,
        test="split",
        stopped_early=False,
        level=0.05,
        confidence=0.95,
        sensitivity=(),
        n_a=n_a,
        n_b=n_b,
    )
