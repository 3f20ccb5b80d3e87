"""Labels of new samples, by a fitted method."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bags import Encoding
from ..errors import ParameterError
from ..evidence import ScoreProbabilities
from ..methods._base import as_label
from ..selection.scores import score_of
from ..tables._files import writing
from .archive import write_archive
from .content import Content, to_archive
from .onnx import onnx_model

__all__ = ["Predictor"]


class Predictor:
    """What labels new samples: a fitted method, and how a table becomes the numbers it sees.

    Attributes
    ----------
    model : estimator
        The fitted method; its target was the membership, +1 for A and -1 for B.
    encoding : Encoding
        How a table becomes the numbers that the model sees.
    probabilities : ScoreProbabilities or None
        From a score to a probability, where there were priors.
    """

    model: Any
    encoding: Encoding
    probabilities: ScoreProbabilities | None

    @property
    def method(self) -> str:
        """Name of the method's class."""
        return type(self.model).__name__

    @property
    def converged(self) -> bool | None:
        """Whether the fit converged; None where the method does not say."""
        converged = getattr(self.model, "converged_", None)
        return None if converged is None else bool(converged)

    def score_samples(self, X_new: Any) -> NDArray[np.float64]:
        """Score new samples.

        Parameters
        ----------
        X_new : table or array
            Samples with the columns of A and B, in any order where they have names.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive: the sample's class is over-represented in A.
        """
        return score_of(self.model, self.encoding.transform(X_new))

    def predict(self, X_new: Any) -> NDArray[np.int64]:
        """Label new samples.

        Parameters
        ----------
        X_new : table or array
            Samples with the columns of A and B, in any order where they have names.

        Returns
        -------
        ndarray of shape (n_samples,)
            +1 for the class over-represented in A, else -1.
        """
        return as_label(self.score_samples(X_new))

    def predict_proba(self, X_new: Any, prior: float) -> NDArray[np.float64]:
        """Probability of class +1 for new samples; it takes the priors of A and B.

        Parameters
        ----------
        X_new : table or array
            Samples with the columns of A and B, in any order where they have names.
        prior : float
            Share of class +1 where the new samples come from.

        Returns
        -------
        ndarray of shape (n_samples,)
            Between 0 and 1.
        """
        if self.probabilities is None:
            raise ParameterError(
                "There are no probabilities without the class balances of A and B: "
                "label(A, B, priors=(theta_a, theta_b))."
            )
        return self.probabilities.of(self.score_samples(X_new), prior)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, which :func:`unclustered.load_model` reads.

        It holds what labels new samples, or gives them probabilities, and the evidence, not the
        labels of A and B. Opening it
        runs nothing, whoever wrote it, and later versions of this library will read it.

        Parameters
        ----------
        path : str or path
            Any name; ``.unclustered`` is a good end. The file appears whole or not at all.
        """
        evidence: Any = getattr(self, "evidence", None)
        if hasattr(evidence, "to_dict"):
            evidence = evidence.to_dict()
        archive = to_archive(Content(self.model, self.encoding, evidence, self.probabilities))
        with writing(Path(path)) as stream:
            write_archive(archive, stream)

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Write an ONNX file, which labels new samples without this library, or without Python.

        Its outputs are ``score`` (float64) and ``label`` (int64: +1, -1, and 0 with a score of NaN
        where the library would refuse the row). Its input is ``X``, a float64 matrix, where A was
        an array of numbers. Else each column that is used is an input of its own name, of shape
        (rows, 1): float64 (NaN: missing), or text (empty: missing; true/false as ``True`` and
        ``False``).

        Parameters
        ----------
        path : str or path
            Any name; ``.onnx`` is a good end. The file appears whole or not at all.
        """
        content = onnx_model(self.model, self.encoding).SerializeToString(deterministic=True)
        with writing(Path(path)) as stream:
            stream.write(content)
