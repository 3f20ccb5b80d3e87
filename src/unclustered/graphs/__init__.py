"""Formulas as ONNX graphs, which other programs compute. The ``onnx`` package has its home here."""

from .builder import Graph, Value

__all__ = ["Graph", "Value"]
