"""Neural networks that label two datasets; PyTorch is loaded when one is fitted."""

from .labeler import TorchLabeler

__all__ = ["TorchLabeler"]
