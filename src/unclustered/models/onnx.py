"""A fitted method and its encoding as one ONNX graph, from the columns of a table to labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bags import Encoding
from ..errors import ParameterError
from ..graphs import Graph, Value

__all__ = ["OUTPUTS", "onnx_model"]

OUTPUTS = ("score", "label")
_LARGEST = 1e100  # what ``bags`` refuses, the graph has no score for
_MEANING = (
    "score: positive where the sample's class is over-represented in dataset A. label: +1 there, "
    "-1 elsewhere, and 0 with a score of NaN for rows that cannot be used: a missing value, "
    "or a text that neither dataset had."
)


def onnx_model(model: Any, encoding: Encoding) -> Any:
    """ONNX model (``onnx.ModelProto``) with the outputs ``score`` and ``label``."""
    if not hasattr(model, "_graph"):
        raise ParameterError(
            f"{type(model).__name__} cannot be written as ONNX by this library, which writes its "
            "own methods. For classifiers of scikit-learn there is skl2onnx: convert result.model."
        )
    graph = Graph()
    X, usable = _encoded(graph, encoding)
    # Rows that cannot be used are computed as rows of zeros, and their score is replaced.
    X = graph.apply("Where", usable, (X - encoding.means) / encoding.scales, 0.0)
    usable = usable.column()
    score = graph.apply("Where", usable, model._graph(X), np.nan)
    sign = graph.apply("Where", score.apply("Greater", 0.0), np.int64(1), np.int64(-1))
    graph.output("score", score, np.float64)
    graph.output("label", graph.apply("Where", usable, sign, np.int64(0)), np.int64)
    return graph.model(_MEANING)


def _encoded(graph: Graph, encoding: Encoding) -> tuple[Value, Value]:
    """Numbers and indicators, not yet scaled, and a column that says which rows can be used."""
    parts, flaws = [], []
    if encoding.numbers:
        numbers = _numbers(graph, encoding)
        if encoding.medians is not None:
            numbers = graph.apply("Where", numbers.apply("IsNaN"), encoding.medians, numbers)
        usable = numbers.apply("Abs").apply("LessOrEqual", _LARGEST)  # no NaN is
        parts.append(numbers)
        flaws.append(usable.apply("Not"))
    for name, levels in encoding.levels.items():
        slots = {level: k for k, level in enumerate(levels) if level is not None}
        if encoding.medians is not None:
            # An empty text is a missing one. Where A and B had none, it is of no level.
            slots.setdefault("", levels.index(None) if None in levels else len(levels))
        slot = graph.input(_input_name(name, encoding), np.str_, 1).apply(
            "LabelEncoder",
            domain="ai.onnx.ml",
            keys_strings=[*slots],
            values_int64s=[*slots.values()],
            default_int64=-1,
        )
        parts.append(graph.cast(slot.apply("Equal", np.arange(len(levels))), np.float64))
        flaws.append(slot.apply("Less", np.int64(0)))
    n_flaws = graph.cast(_side_by_side(graph, flaws), np.float64).row_sums()
    return _side_by_side(graph, parts), n_flaws.apply("Less", 0.5)


def _numbers(graph: Graph, encoding: Encoding) -> Value:
    """Columns of numbers: out of one matrix if A was one, else an input each."""
    if encoding.named or encoding.levels:
        names = [_input_name(name, encoding) for name in encoding.numbers]
        return _side_by_side(graph, [graph.input(name, np.float64, 1) for name in names])
    X = graph.input("X", np.float64, len(encoding.columns))
    used: NDArray[np.int64] = np.array([encoding.columns.index(n) for n in encoding.numbers])
    return X.apply("Gather", used, axis=1)


def _side_by_side(graph: Graph, parts: list[Value]) -> Value:
    return parts[0] if len(parts) == 1 else graph.apply("Concat", *parts, axis=1)


def _input_name(column: str, encoding: Encoding) -> str:
    """Name of the column's input: its own, unless an output is called so, or it is empty."""
    name = column
    while name in OUTPUTS or not name or (name != column and name in encoding.columns):
        name = f"column {name}"
    return name
