"""An ONNX graph in the making, and the values in it, which add and multiply as arrays do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._version import __version__
from ..errors import MissingExtraError, TooLargeError

__all__ = ["Graph", "Value"]

# Of 2022: old enough for every runtime in use, new enough for all that is needed here.
_IR_VERSION, _OPSETS = 8, (("", 18), ("ai.onnx.ml", 3))
_LARGEST = 2**31 - 2**20  # a protobuf message ends at 2 GiB


class Graph:
    """An ONNX graph in the making.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.graphs import Graph
    >>> graph = Graph()
    >>> x = graph.input("x", np.float64, 2)
    >>> graph.output("first", (x @ [[2.0], [0.0]]).apply("Squeeze", [1]), np.float64)
    >>> [node.op_type for node in graph.model("Twice the first column.").graph.node]
    ['MatMul', 'Squeeze', 'Identity']
    """

    def __init__(self) -> None:
        try:
            import onnx
        except ImportError as error:
            raise MissingExtraError(
                'Writing ONNX needs the onnx package: pip install "unclustered[onnx]".'
            ) from error
        self._onnx = onnx
        self._types = {
            np.float64: onnx.TensorProto.DOUBLE,
            np.int64: onnx.TensorProto.INT64,
            np.str_: onnx.TensorProto.STRING,
        }
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._constants: list[Any] = []
        self._nodes: list[Any] = []
        self._names: set[str] = set()

    def input(self, name: str, dtype: Any, n_columns: int) -> Value:
        """Matrix that the graph is given, of so many columns and any number of rows."""
        self._inputs.append(self._info(name, dtype, "rows", n_columns))
        self._names.add(name)
        return Value(self, name)

    def output(self, name: str, value: Value, dtype: Any) -> None:
        """Vector that the graph computes, an entry a row."""
        self._nodes.append(self._onnx.helper.make_node("Identity", [value.name], [name]))
        self._outputs.append(self._info(name, dtype, "rows"))

    def _info(self, name: str, dtype: Any, *shape: str | int) -> Any:
        return self._onnx.helper.make_tensor_value_info(name, self._types[dtype], shape)

    def constant(self, array: ArrayLike) -> Value:
        """Array that is part of the graph."""
        name = self._fresh("constant")
        self._constants.append(self._onnx.numpy_helper.from_array(np.asarray(array), name))
        return Value(self, name)

    def apply(self, operator: str, *inputs: Value | ArrayLike, **attributes: Any) -> Value:
        """Apply an operator of ONNX; inputs that are no values yet become constants."""
        names = [(x if isinstance(x, Value) else self.constant(x)).name for x in inputs]
        result = self._fresh(operator)
        self._nodes.append(self._onnx.helper.make_node(operator, names, [result], **attributes))
        return Value(self, result)

    def _fresh(self, word: str) -> str:
        name = f"{word}_{len(self._names)}"
        while name in self._names:  # a column may be called so
            name += "_"
        self._names.add(name)
        return name

    def cast(self, value: Value, dtype: Any) -> Value:
        """Value with entries of another type."""
        return self.apply("Cast", value, to=self._types[dtype])

    def model(self, meaning: str) -> Any:
        """Make the model (``onnx.ModelProto``) that computes the outputs."""
        size = sum(len(constant.raw_data) for constant in self._constants)
        if size > _LARGEST:
            raise TooLargeError(
                f"The graph would hold {size / 2**30:.1f} GiB, and an ONNX file holds at most 2. "
                "Fit with fewer samples or centers."
            )
        helper = self._onnx.helper
        graph = helper.make_graph(
            self._nodes, "unclustered", self._inputs, self._outputs, self._constants
        )
        return helper.make_model(
            graph,
            ir_version=_IR_VERSION,
            opset_imports=[helper.make_opsetid(*opset) for opset in _OPSETS],
            producer_name="unclustered",
            producer_version=__version__,
            doc_string=meaning,
        )


@dataclass(frozen=True, eq=False)
class Value:
    """Array that a graph will hold once it is computed."""

    graph: Graph
    name: str

    def apply(self, operator: str, *others: Value | ArrayLike, **attributes: Any) -> Value:
        """Apply an operator of ONNX whose first input is this value."""
        return self.graph.apply(operator, self, *others, **attributes)

    def __add__(self, other: Value | ArrayLike) -> Value:
        return self.apply("Add", other)

    def __sub__(self, other: Value | ArrayLike) -> Value:
        return self.apply("Sub", other)

    def __mul__(self, other: Value | ArrayLike) -> Value:
        return self.apply("Mul", other)

    def __truediv__(self, other: Value | ArrayLike) -> Value:
        return self.apply("Div", other)

    def __matmul__(self, other: Value | ArrayLike) -> Value:
        return self.apply("MatMul", other)

    def row_sums(self) -> Value:
        """Sum of each row, as a column."""
        return self.apply("ReduceSum", [1], keepdims=1)

    def column(self) -> Value:
        """Turn a matrix of one column into a vector."""
        return self.apply("Squeeze", [1])
