"""What a model file holds: a fitted method, how tables become its numbers, and the evidence."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._version import __version__
from ..bags import Encoding
from ..evidence import Calibration, ScoreProbabilities
from .archive import Archive
from .packing import pack, pack_method, unpack, unpack_method

__all__ = ["Content", "from_archive", "to_archive"]

_FORMAT = "unclustered model"
_VERSION = 1  # raised when a file could no longer be read by the release before
_KEYS = {"format", "format_version", "library_version", "model", "encoding", "evidence"}
_OPTIONAL_KEYS = {"probabilities"}
_ENCODING_KEYS = set(Encoding.__dataclass_fields__)


@dataclass(frozen=True)
class Content:
    """A fitted method, how a table becomes the numbers that it sees, and the evidence for it."""

    model: Any
    encoding: Encoding
    evidence: dict[str, Any] | None
    probabilities: ScoreProbabilities | None = None
    library_version: str = __version__


def to_archive(content: Content) -> Archive:
    """Header and arrays of a content; ParameterError where a file cannot hold it."""
    arrays: dict[str, NDArray[Any]] = {}
    encoding = content.encoding
    header = {
        "format": _FORMAT,
        "format_version": _VERSION,
        "library_version": content.library_version,
        "model": pack_method(content.model, "model", arrays),
        "encoding": {
            "columns": list(encoding.columns),
            "named": encoding.named,
            "sparse": encoding.sparse,
            "numbers": list(encoding.numbers),
            "levels": {name: list(levels) for name, levels in encoding.levels.items()},
            "dropped": dict(encoding.dropped),
            **{
                name: pack(getattr(encoding, name), f"encoding.{name}", arrays)
                for name in ("medians", "means", "scales")
            },
        },
        "evidence": _plain(content.evidence),
    }
    if content.probabilities is not None:  # without them, older versions read the file
        header["probabilities"] = _packed_probabilities(content.probabilities, arrays)
    return Archive(header, arrays)


def _packed_probabilities(
    probabilities: ScoreProbabilities, arrays: dict[str, NDArray[Any]]
) -> dict[str, Any]:
    curve = probabilities.calibration
    return {
        "theta_a": probabilities.priors[0],
        "theta_b": probabilities.priors[1],
        "centre": probabilities.centre,
        "spread": probabilities.spread,
        "kind": curve.kind,
        "log_loss": curve.log_loss,
        "scores": pack(curve.scores, "probabilities.scores", arrays),
        "memberships": pack(curve.memberships, "probabilities.memberships", arrays),
    }


def _plain(value: Any) -> Any:
    """Evidence as JSON can hold it: arrays as lists, and None where there is no number."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def from_archive(archive: Archive) -> Content:
    """Content of an archive; a ValueError says what is wrong with it."""
    header, arrays = archive.header, dict(archive.arrays)
    if header.get("format") != _FORMAT:
        raise ValueError("its header does not say that it is a model file")
    if header.get("format_version") != _VERSION:
        raise ValueError(
            f"it has format version {header.get('format_version')!r}, written by unclustered "
            f"{header.get('library_version')!r}, and unclustered {__version__} reads version "
            f"{_VERSION}: use a version as new as that one"
        )
    _check_keys("its header", header, _KEYS | (_OPTIONAL_KEYS & set(header)))
    evidence, version = header["evidence"], header["library_version"]
    if not (evidence is None or isinstance(evidence, dict)) or not isinstance(version, str):
        raise ValueError("its evidence is no JSON object, or its library version no text")
    content = Content(
        model=unpack_method(header["model"], arrays),
        encoding=_encoding(header["encoding"], arrays),
        evidence=_plain(evidence),
        probabilities=_probabilities(header.get("probabilities"), arrays),
        library_version=version,
    )
    if arrays:
        raise ValueError(f"its arrays {', '.join(map(repr, sorted(arrays)))} belong to nothing")
    _check_it_scores(content)
    return content


def _check_keys(where: str, record: Any, keys: set[str]) -> None:
    if not isinstance(record, dict):
        raise ValueError(f"{where} is no JSON object")
    for what, names in (("lacks", keys - {*record}), ("has the unknown", {*record} - keys)):
        if names:
            raise ValueError(f"{where} {what} {', '.join(map(repr, sorted(names)))}")


def _encoding(record: Any, arrays: dict[str, NDArray[Any]]) -> Encoding:
    _check_keys("its encoding", record, _ENCODING_KEYS)
    columns, numbers = (_texts(record[key], key) for key in ("columns", "numbers"))
    levels, dropped = record["levels"], record["dropped"]
    if not isinstance(levels, dict) or not isinstance(dropped, dict):
        raise ValueError("the levels or the dropped columns of its encoding are no JSON object")
    levels = {name: _levels(values, name) for name, values in levels.items()}
    _texts(list(dropped.values()), "dropped", distinct=False)
    used = [*numbers, *levels, *dropped]
    if len(set(used)) < len(used) or set(used) != set(columns):
        raise ValueError("its columns are not those that its encoding uses and drops")
    named, sparse = record["named"], record["sparse"]
    if not isinstance(named, bool) or not isinstance(sparse, bool) or (sparse and levels):
        raise ValueError("its encoding does not say properly whether it is named and sparse")
    n_encoded = len(numbers) + sum(map(len, levels.values()))
    lengths = {"medians": len(numbers), "means": n_encoded, "scales": n_encoded}
    units = {key: unpack(record[key], arrays) for key in lengths}
    for key, length in lengths.items():
        if key == "medians" and units[key] is None:
            continue
        if getattr(units[key], "dtype", None) != np.float64 or units[key].shape != (length,):
            raise ValueError(f"the {key} of its encoding are not {length} floats")
    if not (units["scales"] > 0).all():
        raise ValueError("the scales of its encoding are not all positive")
    return Encoding(
        columns=columns,
        named=named,
        sparse=sparse,
        numbers=numbers,
        levels=levels,
        dropped=dropped,
        **units,
    )


def _probabilities(record: Any, arrays: dict[str, NDArray[Any]]) -> ScoreProbabilities | None:
    if record is None:
        return None
    numbers = ("theta_a", "theta_b", "centre", "spread", "log_loss")
    _check_keys(
        "the record of its probabilities", record, {*numbers, "kind", "scores", "memberships"}
    )
    if not all(type(record[key]) is float and math.isfinite(record[key]) for key in numbers):
        raise ValueError(f"the {', '.join(numbers)} of its probabilities are not all numbers")
    if not 0 < record["theta_b"] < record["theta_a"] < 1 or not record["spread"] > 0:
        raise ValueError("the priors or the spread of its probabilities cannot be")
    scores, memberships = (unpack(record[key], arrays) for key in ("scores", "memberships"))
    fits = (
        isinstance(record["kind"], str)
        and all(getattr(part, "dtype", None) == np.float64 for part in (scores, memberships))
        and scores.shape == memberships.shape == (scores.size,)
        and scores.size > 0
        and (np.diff(scores) > 0).all()
        and ((memberships > 0) & (memberships < 1)).all()
    )
    if not fits:
        raise ValueError("the calibration of its probabilities is no curve")
    return ScoreProbabilities(
        (record["theta_a"], record["theta_b"]),
        Calibration(record["kind"], scores, memberships, record["log_loss"]),
        centre=record["centre"],
        spread=record["spread"],
    )


def _texts(values: Any, what: str, *, distinct: bool = True) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"the {what} of its encoding are no list of texts")
    if distinct and len(set(values)) < len(values):
        raise ValueError(f"the {what} of its encoding are not all different")
    return tuple(values)


def _levels(values: Any, name: str) -> tuple[str | None, ...]:
    """Levels of a column: texts, and perhaps a last one None for missing values."""
    what = f"levels of {name!r}"
    if isinstance(values, list) and values and values[-1] is None:
        return (*_texts(values[:-1], what), None)
    return _texts(values, what)


def _check_it_scores(content: Content) -> None:
    """Raise an error unless the parts fit together well enough to score samples."""
    model, n_features = content.model, len(content.encoding.means)
    if not np.array_equal(model.classes_, [-1, 1]) or model.n_features_in_ != n_features:
        raise ValueError(
            f"its method is one for other samples than those of {n_features} encoded columns and "
            "the memberships -1 and 1"
        )
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score = np.asarray(model._score(np.zeros((2, n_features))), dtype=np.float64)
    except Exception as error:  # whatever numbers that do not fit together lead to
        raise ValueError(f"its arrays do not fit together ({error})") from error
    if score.shape != (2,) or not np.isfinite(score).all():
        raise ValueError("its arrays do not fit together: they give no score")
