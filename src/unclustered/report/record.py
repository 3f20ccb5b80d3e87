"""What a report says, as plain data: the record first, then ways to draw it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ..tables._files import writing

__all__ = [
    "Cells",
    "ColumnShare",
    "Columns",
    "Dataset",
    "Histogram",
    "Map",
    "Origin",
    "Points",
    "Probabilities",
    "Sample",
    "Separating",
    "Summary",
    "check_report",
]

MEANING = "+1 is the class over-represented in A: the sign is known, the name of the class is not."
_FORMAT = {"format": "unclustered report", "format_version": 1}
_KINDS = {".html": "to_html", ".htm": "to_html", ".json": "to_json", ".md": "to_markdown"}


@dataclass(frozen=True)
class Dataset:
    """One of the two datasets; its labels are counted where labels are shown."""

    name: str
    source: str | None
    rows: int
    positive: int | None
    negative: int | None
    abstained: int | None


@dataclass(frozen=True)
class Columns:
    """Columns by what became of them: numbers, text with its levels, left out with the reason."""

    numeric: tuple[str, ...]
    categorical: Mapping[str, tuple[str | None, ...]]
    dropped: Mapping[str, str]


@dataclass(frozen=True)
class Histogram:
    """Two groups in the same bins, or the same levels of text: the share of each group in each.

    ``beyond`` counts values outside the bins, which would leave all others in one bin.
    """

    groups: tuple[str, str]
    shares: tuple[tuple[float, ...], tuple[float, ...]]
    edges: tuple[float, ...] = ()
    levels: tuple[str, ...] = ()
    beyond: int = 0


@dataclass(frozen=True)
class Points:
    """A point for each sample, those of A first."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    ids: tuple[str, ...]
    labels: tuple[int, ...] | None


@dataclass(frozen=True)
class Cells:
    """How many samples lie in each cell of a grid; cells without any are left out.

    Cell (column, row) begins at the edges ``x[column]`` and ``y[row]``.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    column: tuple[int, ...]
    row: tuple[int, ...]
    n_a: tuple[int, ...]
    n_b: tuple[int, ...]
    n_plus: tuple[int, ...] | None
    n_minus: tuple[int, ...] | None


@dataclass(frozen=True)
class Map:
    """Samples in the plane: points, or cells where they are too many."""

    axes: tuple[str, str]
    how: str
    n_a: int
    n_b: int
    points: Points | None
    cells: Cells | None


@dataclass(frozen=True)
class ColumnShare:
    """What one column does for the gap, and how its values differ between the labels."""

    name: str
    loss: float
    spread: float
    values: Histogram | None


@dataclass(frozen=True)
class Separating:
    """Columns that separate the classes most, by the held-out gap that is lost without them.

    ``gap`` is the held-out gap of the fits that were asked; ``n_asked`` of ``n_columns`` columns
    were shuffled.
    """

    gap: float
    n_folds: int
    n_shuffles: int
    n_asked: int
    n_columns: int
    columns: tuple[ColumnShare, ...]


@dataclass(frozen=True)
class Probabilities:
    """Class balances that were given, or estimated with these intervals, and what follows."""

    theta_a: float
    theta_b: float
    interval_a: tuple[float, float] | None
    interval_b: tuple[float, float] | None
    expected_error: float
    error_by_dataset: float
    calibration: str
    values: Histogram


@dataclass(frozen=True)
class Sample:
    """One sample and its label."""

    dataset: str
    id: str
    label: int
    score: float
    confidence: float | None
    probability: float | None


@dataclass(frozen=True)
class Origin:
    """How to get the same again.

    ``inputs`` names each file, or each table, and the SHA-256 hash of its content.
    """

    command: str | None
    seed: str | None
    versions: Mapping[str, str]
    inputs: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """Everything that a report says of a labelling, as plain data.

    ``to_html``, ``to_markdown`` and ``to_json`` give it as text, ``save`` writes it to a file.

    Attributes
    ----------
    version : str
        Version of this library.
    method : str
        Short name of the method, or of its class.
    parameters : dict
        Its parameters.
    converged : bool or None
        Whether its fit converged; None where it does not say.
    shows_labels : bool
        Whether the labels are in the report; those that nothing speaks for are not, unless asked.
    labels_count_dataset : bool
        Whether the dataset of a sample counts as evidence for its label, as with class balances.
    datasets : tuple of Dataset
        A and B.
    columns : Columns
        What became of the columns.
    evidence : dict or None
        As :meth:`Evidence.to_dict` gives it, the gaps of shuffled memberships as a histogram.
    map : Map or None
        The samples in the plane.
    scores : Histogram
        Scores of A and B, as the model gives them to new samples.
    leaderboard : dict or None
        Methods beside each other, where the method compared some.
    separating : Separating or None
        Columns that separate the classes most.
    probabilities : Probabilities or None
        Where the class balances were given or estimated.
    least_sure : tuple of Sample
        The samples whose labels are least sure, the least sure first.
    origin : Origin
        How to get the same again.
    """

    version: str
    method: str
    parameters: Mapping[str, Any]
    converged: bool | None
    shows_labels: bool
    labels_count_dataset: bool
    datasets: tuple[Dataset, Dataset]
    columns: Columns
    evidence: Mapping[str, Any] | None
    map: Map | None
    scores: Histogram
    leaderboard: Mapping[str, Sequence[Any]] | None
    separating: Separating | None
    probabilities: Probabilities | None
    least_sure: tuple[Sample, ...]
    origin: Origin

    @property
    def trustworthy(self) -> bool | None:
        """Whether there is evidence for the labels; None where nothing was tested."""
        return None if self.evidence is None else bool(self.evidence["trustworthy"])

    @property
    def verdict(self) -> str:
        """What it comes to, in plain words."""
        if self.evidence is None:
            return "Not tested: nothing is known of how far these labels can be trusted."
        return str(self.evidence["verdict"])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {**_FORMAT, **_plain(self), "verdict": self.verdict, "meaning": MEANING}

    def to_json(self) -> str:
        """One JSON object; only ASCII, and None where there is no number."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Markdown, without pictures."""
        from .markdown import as_markdown

        return as_markdown(self)

    def to_html(self) -> str:
        """One HTML page that needs nothing else: no network, no further file."""
        from .page import as_html

        return as_html(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file; the end of its name says what: ``.html``, ``.md`` or ``.json``.

        Parameters
        ----------
        path : str or path
            It appears whole or not at all.
        """
        text = getattr(self, _kind_of(path))()
        with writing(Path(path)) as stream:
            # A file may hold half of a pair that makes a character; UTF-8 has no bytes for it.
            stream.write(text.encode("utf-8", "backslashreplace"))

    def __repr__(self) -> str:
        trust = {None: "not tested", True: "trustworthy", False: "no evidence"}[self.trustworthy]
        rows = ", ".join(f"{dataset.rows} rows of {dataset.name}" for dataset in self.datasets)
        return f"Summary({rows}; method {self.method}; {trust})"


def check_report(path: str | os.PathLike[str]) -> None:
    """Raise the error now that saving a report of this name would end in later.

    Parameters
    ----------
    path : str or path
        As :meth:`Summary.save` takes it. The place is not looked at.

    Examples
    --------
    >>> from unclustered.report import check_report
    >>> check_report("report.html")
    >>> check_report("report.pdf")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    unclustered.errors.ParameterError: report.pdf: the name of a report must end in ...
    """
    _kind_of(path)


def _kind_of(path: str | os.PathLike[str]) -> str:
    """Name of the way to write a report of this name; ParameterError where there is none."""
    suffix = Path(path).suffix.lower()
    if suffix not in _KINDS:
        raise ParameterError(
            f"{os.fspath(path)}: the name of a report must end in .html, .md or .json."
        )
    return _KINDS[suffix]


def _plain(value: Any) -> Any:
    """Dicts, lists, texts and numbers; None for what is no number."""
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
