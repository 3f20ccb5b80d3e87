"""Fitted methods in files: written by ``Labeling.save``, read by ``load_model``."""

from .model import Model, is_model_file, load_model, model_facts
from .predictor import Predictor

__all__ = ["Model", "Predictor", "is_model_file", "load_model", "model_facts"]
