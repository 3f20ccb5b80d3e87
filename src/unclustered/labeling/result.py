"""What :func:`unclustered.label` gives back."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..bags import Encoding
from ..errors import MissingExtraError, ParameterError
from ..evidence import (
    ClassProbabilities,
    Evidence,
    Priors,
    PriorSensitivity,
    sensitivity_to_priors,
)
from ..models import Predictor
from ..report import Summary, check_report, summarize

__all__ = ["Labeling"]

Float = NDArray[np.float64]
Label = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Labeling(Predictor):
    """Labels of two datasets, and the model that gave them.

    Attributes
    ----------
    labels_a, labels_b : ndarray of int
        Label of each sample of A and of B: +1 for the class over-represented in A, else -1; 0 where
        ``label`` was told to abstain.
    scores_a, scores_b : ndarray of float
        Score of each sample: what the method says of it; its sign points to the label.
    plain_scores_a, plain_scores_b : ndarray of float
        What the model says of each sample as if it were a new one. Only where the method counts the
        dataset of a fitted sample as well, as the automatic one does, are the scores others.
    confidence_a, confidence_b : ndarray of float, or None
        How often refits to parts of the samples agree with the label, between 0 and 1; None without
        evidence.
    evidence : Evidence or None
        How far the labels can be trusted; None where it was not asked for, or the samples are too
        few to hold any out.
    probabilities : ClassProbabilities or None
        Probabilities of class +1, where ``label`` was given priors.
    priors : Priors or None
        The class balances, where these are estimates, and not known.
    held_out_a, held_out_b : ndarray of float, or None
        Score of each sample by fits that have not seen it, in units of their spread, where there
        are probabilities: what these come from (:func:`unclustered.evidence.bagged_scores`).
    model : estimator
        The fitted method; its target was the membership, +1 for A and -1 for B.
    encoding : Encoding
        How a table becomes the numbers that the model sees.
    library : str or None
        The data frame library that A came from.
    """

    labels_a: Label
    labels_b: Label
    scores_a: Float
    scores_b: Float
    plain_scores_a: Float
    plain_scores_b: Float
    confidence_a: Float | None
    confidence_b: Float | None
    evidence: Evidence | None
    probabilities: ClassProbabilities | None
    priors: Priors | None
    held_out_a: Float | None
    held_out_b: Float | None
    model: Any
    encoding: Encoding
    library: str | None = None

    def sensitivity_to_priors(self, *, spread: float = 0.1, steps: int = 5) -> PriorSensitivity:
        """Share of the labels that other class balances would change.

        Parameters
        ----------
        spread : float
            How far the balances are moved either way. Where they were estimated, over their
            intervals instead.
        steps : int
            Number of values for each of the two, at least 2.

        Returns
        -------
        PriorSensitivity
            The share of labels that move, over the grid.
        """
        if self.probabilities is None or self.held_out_a is None or self.held_out_b is None:
            raise ParameterError(
                "No label hangs on the class balances of A and B unless they are given: "
                "label(A, B, priors=(theta_a, theta_b))."
            )
        return sensitivity_to_priors(
            self.held_out_a,
            self.held_out_b,
            self.probabilities.priors if self.priors is None else self.priors,
            spread=spread,
            steps=steps,
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """Labels and scores as a data frame.

        Parameters
        ----------
        backend : str, optional
            ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another that narwhals knows. By default
            the library that A came from, and pandas where A was an array.

        Returns
        -------
        data frame
            Columns ``dataset`` (A or B), ``row`` (counted from 0 in its dataset), ``label``,
            ``score`` and, with evidence, ``confidence``, with priors ``probability``; the rows of
            A, then those of B.
        """
        library: Any = backend or self.library or "pandas"
        columns = {
            "dataset": ["A"] * len(self.labels_a) + ["B"] * len(self.labels_b),
            "row": np.r_[np.arange(len(self.labels_a)), np.arange(len(self.labels_b))].tolist(),
            "label": np.r_[self.labels_a, self.labels_b].tolist(),
            "score": np.r_[self.scores_a, self.scores_b].tolist(),
        }
        if self.confidence_a is not None and self.confidence_b is not None:
            columns["confidence"] = np.r_[self.confidence_a, self.confidence_b].tolist()
        if self.probabilities is not None:
            posterior = self.probabilities.posterior_a, self.probabilities.posterior_b
            columns["probability"] = np.concatenate(posterior).tolist()
        try:
            return nw.from_dict(columns, backend=library).to_native()
        except ImportError as error:
            raise MissingExtraError(
                f"{library} is not installed: `pip install {library}`, or name a data frame "
                'library that is, as in to_frame(backend="polars").'
            ) from error
        except (AssertionError, TypeError, ValueError) as error:  # which, depends on narwhals
            reason = " ".join(str(error).split())
            raise ParameterError(f"backend={library!r} makes no data frame: {reason}") from error

    def summary(self, A: Any, B: Any, **options: Any) -> Summary:
        """Everything that a report says, as plain data.

        Parameters
        ----------
        A, B : table or array
            The samples, as ``label`` took them; a result does not keep them.
        **options : Any
            As :func:`unclustered.report.summarize` takes them.

        Returns
        -------
        Summary
            The record; ``to_html``, ``to_markdown`` and ``to_json`` draw it.
        """
        return summarize(self, A, B, **options)

    def report(self, path: str | os.PathLike[str], A: Any, B: Any, **options: Any) -> None:
        """Write a report: a page to look at and to send on.

        Parameters
        ----------
        path : str or path
            A name that ends in ``.html`` (one page that needs nothing else), ``.md`` or ``.json``.
        A, B : table or array
            The samples, as ``label`` took them; a result does not keep them.
        **options : Any
            As :func:`unclustered.report.summarize` takes them.
        """
        check_report(path)  # before the work, not after it
        summarize(self, A, B, **options).save(path)

    def _counts(self) -> list[tuple[str, int, int]]:
        pairs = (("A", self.labels_a), ("B", self.labels_b))
        return [(name, int((labels > 0).sum()), len(labels)) for name, labels in pairs]

    def _how(self) -> str:
        converged = "" if self.converged in (None, True) else ", did not converge"
        if self.evidence is None:
            trust = ""
        else:
            trust = "; trustworthy" if self.evidence.trustworthy else "; no evidence"
        return f"method {self.method}{converged}{trust}"

    def __repr__(self) -> str:
        counts = [f"{name}: {plus} of {n} labelled +1" for name, plus, n in self._counts()]
        return f"Labeling({'; '.join([*counts, self._how()])})"

    def _repr_html_(self) -> str:
        # No colours of its own: it takes those of the page, be it light or dark.
        rows = "".join(
            f"<tr><th>{name}</th><td>{plus}</td><td>{n - plus}</td><td>{n}</td></tr>"
            for name, plus, n in self._counts()
        )
        return (
            '<table style="color:inherit;background:transparent">'
            f"<caption>Labeling, {escape(self._how())}</caption>"
            "<thead><tr><th>dataset</th><th>+1</th><th>&minus;1</th><th>rows</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )
