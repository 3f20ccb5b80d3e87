"""From a labelling and its tables to the record that a report is drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._version import __version__
from ..bags import Encoding
from ..bags.columns import Columns as TableColumns
from ..bags.reading import read_columns
from ..errors import DataError
from ..methods import name_of
from ..seeds import as_generator
from ..selection.scores import score_of
from .histograms import column_histogram, null_histogram, probability_histogram, score_histogram
from .importance import column_importance
from .origin import content_hash, versions
from .projection import map_of
from .record import (
    Columns,
    ColumnShare,
    Dataset,
    Origin,
    Probabilities,
    Sample,
    Separating,
    Summary,
)

__all__ = ["summarize"]

Float = NDArray[np.float64]
Label = NDArray[np.int64]

_LEAST_SURE = 20
_MOST_DRAWN = 8  # columns whose values are drawn
_CHECKED_ROWS = 20


def summarize(
    labeling: Any,
    A: Any,
    B: Any,
    *,
    ids: tuple[Sequence[Any], Sequence[Any]] | None = None,
    sources: tuple[str, str] | None = None,
    show_labels: bool | None = None,
    groups: tuple[Sequence[Any], Sequence[Any]] | None = None,
    random_state: Any = None,
    command: str | None = None,
    inputs: Sequence[Mapping[str, str]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Summary:
    """Gather everything that a report says of a labelling.

    Parameters
    ----------
    labeling : Labeling
        What :func:`unclustered.label` gave.
    A, B : table or array
        The samples, as ``label`` took them.
    ids : pair of sequences, optional
        What the samples of A and of B are called; their row, counted from 0, by default.
    sources : pair of str, optional
        Where A and B come from, such as names of files.
    show_labels : bool, optional
        Whether the labels are told. By default they are, unless the evidence speaks against them.
    groups : pair of sequences, optional
        As ``label`` took them.
    random_state : None, int, Generator or RandomState
        Draws folds and shuffles for the columns that separate most; give the seed that ``label``
        had, and the report says it.
    command : str, optional
        The command that makes this report.
    inputs : sequence of dict, optional
        ``{"name": ..., "sha256": ...}`` of each input; by default hashes of the tables' content.
    progress : callable, optional
        Called with the number of refits done and to do.

    Returns
    -------
    Summary
        The record.

    Examples
    --------
    >>> from unclustered import label
    >>> from unclustered.datasets import toy_problem_1
    >>> from unclustered.report import summarize
    >>> toy = toy_problem_1(n=50, priors=(0.9, 0.1), random_state=0)
    >>> result = label(toy.A, toy.B, method="lsdd", permutations=19)
    >>> summary = summarize(result, toy.A, toy.B)
    >>> summary
    Summary(50 rows of A, 50 rows of B; method lsdd; trustworthy)
    >>> sorted(column.name for column in summary.separating.columns)
    ['column 0', 'column 1']
    """
    a, b = read_columns(A, "A"), read_columns(B, "B")
    encoding = labeling.encoding
    X = _samples(labeling, a, b)
    labels, scores = _joined(labeling, "labels"), _joined(labeling, "scores")
    evidence = labeling.evidence
    if show_labels is None:
        show_labels = evidence is None or evidence.trustworthy
    names = _ids(ids, a.n_rows, b.n_rows)
    titles = {name: name if encoding.named else f"column {name}" for name in encoding.columns}
    separating = None
    if show_labels and min(a.n_rows, b.n_rows) >= 2:
        separating = _separating(labeling, a, b, X, labels, titles, groups, random_state, progress)
    return Summary(
        version=__version__,
        method=name_of(labeling.model) or labeling.method,
        parameters=_parameters(labeling.model),
        converged=labeling.converged,
        shows_labels=show_labels,
        labels_count_dataset=_labels_count_dataset(labeling),
        datasets=_datasets(labeling, sources or (a.place.path, b.place.path), show_labels),
        columns=Columns(
            tuple(titles[name] for name in encoding.numbers),
            {titles[name]: tuple(levels) for name, levels in encoding.levels.items()},
            {titles[name]: why for name, why in encoding.dropped.items()},
        ),
        evidence=_evidence(evidence),
        map=map_of(
            X,
            () if encoding.levels else tuple(titles[name] for name in encoding.numbers),
            scores,
            a.n_rows,
            names,
            labels if show_labels else None,
        ),
        scores=score_histogram(labeling.plain_scores_a, labeling.plain_scores_b),
        leaderboard=_leaderboard(labeling.model),
        separating=separating,
        probabilities=_probabilities(labeling) if show_labels else None,
        least_sure=_least_sure(labeling, names) if show_labels else (),
        origin=Origin(
            command=command,
            seed=None if random_state is None else str(random_state),
            versions=versions(),
            inputs=tuple(
                inputs
                or ({"name": name, "sha256": content_hash(t)} for name, t in (("A", a), ("B", b)))
            ),
        ),
    )


def _samples(labeling: Any, a: TableColumns, b: TableColumns) -> Any:
    """Encode samples as the method saw them; an error where others were labelled."""
    encoding = labeling.encoding
    encoded = []
    for part, scores in ((a, labeling.plain_scores_a), (b, labeling.plain_scores_b)):
        place = part.place
        if part.n_rows != len(scores):
            raise DataError(
                f"{place} has {part.n_rows} rows, but {len(scores)} were labelled: a report needs "
                "the tables that were labelled."
            )
        encoding.check_columns(part)
        encoded.append(encoding.scaled(encoding.encoded(part)))
        again = score_of(labeling.model, encoded[-1][:_CHECKED_ROWS])
        if not np.allclose(again, scores[:_CHECKED_ROWS], rtol=1e-6, atol=1e-9):
            raise DataError(
                f"{place} holds other rows than those that were labelled, or in another order: a "
                "report needs the tables that were labelled."
            )
    return sp.vstack(encoded, format="csr") if encoding.sparse else np.vstack(encoded)


def _joined(labeling: Any, what: str) -> Any:
    return np.concatenate([getattr(labeling, f"{what}_a"), getattr(labeling, f"{what}_b")])


def _ids(ids: Any, n_a: int, n_b: int) -> list[str]:
    if ids is None:
        return [*map(str, range(n_a)), *map(str, range(n_b))]
    lengths = tuple(len(part) for part in ids)
    if lengths != (n_a, n_b):
        raise DataError(
            f"ids must name each row, {n_a} of A and {n_b} of B, but there are {lengths}."
        )
    return ["(missing)" if value is None else str(value) for part in ids for value in part]


def _parameters(model: Any) -> dict[str, Any]:
    parameters = model.get_params(deep=False)
    return {
        name: value if isinstance(value, bool | int | float | str | None) else repr(value)
        for name, value in parameters.items()
    }


def _datasets(labeling: Any, sources: Any, show_labels: bool) -> tuple[Dataset, Dataset]:
    first, second = (
        Dataset(
            name,
            source,
            len(labels),
            int((labels > 0).sum()) if show_labels else None,
            int((labels < 0).sum()) if show_labels else None,
            int((labels == 0).sum()) if show_labels else None,
        )
        for name, source, labels in zip(
            "AB", sources, (labeling.labels_a, labeling.labels_b), strict=True
        )
    )
    return first, second


def _evidence(evidence: Any) -> dict[str, Any] | None:
    if evidence is None:
        return None
    record: dict[str, Any] = evidence.to_dict()
    record["null"] = null_histogram(np.asarray(record.pop("null_gaps")))
    return record


def _leaderboard(model: Any) -> dict[str, list[Any]] | None:
    table = getattr(model, "leaderboard_", None)
    return None if table is None else {name: list(values) for name, values in table.items()}


def _separating(
    labeling: Any,
    a: TableColumns,
    b: TableColumns,
    X: Any,
    labels: Label,
    titles: Mapping[str, str],
    groups: Any,
    random_state: Any,
    progress: Callable[[int, int], None] | None,
) -> Separating:
    encoding: Encoding = labeling.encoding
    names, places = [*encoding.numbers], [np.array([k]) for k in range(len(encoding.numbers))]
    start = len(names)
    for name, levels in encoding.levels.items():
        names.append(name)
        places.append(np.arange(start, start + len(levels)))
        start += len(levels)
    codes = None
    if groups is not None:
        codes = np.unique(np.concatenate([*map(np.asarray, groups)]), return_inverse=True)[1]
    found = column_importance(
        labeling.model,
        X,
        np.repeat([1.0, -1.0], [a.n_rows, b.n_rows]),
        labels,
        places,
        groups=codes,
        random_state=as_generator(random_state),
        progress=progress,
    )
    order = np.argsort(-found.loss, kind="stable")
    columns = []
    for rank, k in enumerate(order):
        name = names[found.asked[k]]
        drawn = column_histogram(a, b, name, labels) if rank < _MOST_DRAWN else None
        columns.append(
            ColumnShare(titles[name], float(found.loss[k]), float(found.spread[k]), drawn)
        )
    return Separating(
        gap=found.gap,
        n_folds=found.n_folds,
        n_shuffles=found.n_shuffles,
        n_asked=len(found.asked),
        n_columns=len(names),
        columns=tuple(columns),
    )


def _labels_count_dataset(labeling: Any) -> bool:
    """Whether the dataset of a sample is evidence for its label, beside what the model says."""
    if labeling.probabilities is not None:
        return True
    scores, plain = _joined(labeling, "scores"), _joined(labeling, "plain_scores")
    return not np.array_equal(scores > 0, plain > 0)


def _probabilities(labeling: Any) -> Probabilities | None:
    found, estimate = labeling.probabilities, labeling.priors
    if found is None:
        return None
    return Probabilities(
        theta_a=found.priors[0],
        theta_b=found.priors[1],
        interval_a=None if estimate is None else estimate.interval_a,
        interval_b=None if estimate is None else estimate.interval_b,
        expected_error=found.expected_error,
        error_by_dataset=found.error_by_dataset,
        calibration=str(found.calibration.kind),
        values=probability_histogram(found.posterior_a, found.posterior_b),
    )


def _least_sure(labeling: Any, names: Sequence[str]) -> tuple[Sample, ...]:
    """Find the samples that are closest to the other label."""
    labels, scores = _joined(labeling, "labels"), _joined(labeling, "scores")
    confidence = None if labeling.confidence_a is None else _joined(labeling, "confidence")
    found = labeling.probabilities
    posterior = None if found is None else np.concatenate([found.posterior_a, found.posterior_b])
    if posterior is not None:
        sure = np.abs(posterior - 0.5)
    else:
        sure = np.ones(len(labels)) if confidence is None else confidence
    n_a = len(labeling.labels_a)
    return tuple(
        Sample(
            dataset="A" if row < n_a else "B",
            id=names[row],
            label=int(labels[row]),
            score=float(scores[row]),
            confidence=None if confidence is None else float(confidence[row]),
            probability=None if posterior is None else float(posterior[row]),
        )
        for row in np.lexsort((np.abs(scores), sure))[:_LEAST_SURE]
    )
