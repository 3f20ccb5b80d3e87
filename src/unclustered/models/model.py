"""What a model file becomes again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bags import Encoding
from ..errors import DataError
from ..evidence import ScoreProbabilities
from ..methods import name_of
from ..tables._files import opened
from .archive import is_archive, read_archive
from .content import from_archive
from .predictor import Predictor

__all__ = ["Model", "is_model_file", "load_model", "model_facts"]


@dataclass(frozen=True, eq=False, repr=False)
class Model(Predictor):
    """A fitted method out of a file; it labels new samples as the result that was saved does.

    Attributes
    ----------
    model : estimator
        The fitted method. What its fit kept of the fitted samples' labels and of the search for
        parameters is not in a file.
    encoding : Encoding
        How a table becomes the numbers that the model sees.
    evidence : dict or None
        The evidence that the result had, as plain data.
    probabilities : ScoreProbabilities or None
        From a score to a probability, where the result had priors.
    library_version : str
        The version of this library that wrote the file.
    """

    model: Any
    encoding: Encoding
    evidence: dict[str, Any] | None
    probabilities: ScoreProbabilities | None
    library_version: str

    def __repr__(self) -> str:
        return f"Model(method {self.method}; {len(self.encoding.columns)} columns)"


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read a model file, as :meth:`Labeling.save` writes it.

    The file is data and nothing else: whoever wrote it, opening it runs no code.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Model
        Has ``predict``, ``score_samples`` and, if the result had priors, ``predict_proba``, which
        give what those of the saved result gave, to the last bit.

    Raises
    ------
    DataError
        If it is no model file, a damaged one, or one of a later version.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from unclustered import label, load_model
    >>> from unclustered.datasets import toy_problem_1
    >>> toy = toy_problem_1(n=50, random_state=0)
    >>> result = label(toy.A, toy.B, method="lsdd", evidence=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "toy.unclustered"
    ...     result.save(path)
    ...     model = load_model(path)
    >>> model
    Model(method LSDD; 2 columns)
    >>> bool((model.score_samples(toy.A) == result.score_samples(toy.A)).all())
    True
    """
    with opened(Path(path)) as stream:
        try:
            content = from_archive(read_archive(stream))
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path} is not a model file that can be used: {error}.") from error
    return Model(
        model=content.model,
        encoding=content.encoding,
        evidence=content.evidence,
        probabilities=content.probabilities,
        library_version=content.library_version,
    )


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Tell a model file from other files, by how it begins.

    Parameters
    ----------
    path : str or path
        A file that is there.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from unclustered.models import is_model_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "toy.csv"
    ...     _ = path.write_text("size")
    ...     is_model_file(path)
    False
    """
    with opened(Path(path)) as stream:
        return is_archive(stream)


def model_facts(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what there is to tell about a model file, as plain data.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    dict
        ``library_version``, ``method``, ``parameters``, ``fit`` (the numbers that the fit chose and
        came to), ``columns`` (``numeric``, ``categorical`` with their levels, ``dropped`` with
        the reasons), ``matched_by`` ("name" or "position"), ``missing`` ("impute" or "error"),
        ``evidence`` and ``priors`` (theta_A and theta_B, or None).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from unclustered import label
    >>> from unclustered.datasets import toy_problem_1
    >>> from unclustered.models import model_facts
    >>> toy = toy_problem_1(n=50, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "toy.unclustered"
    ...     label(toy.A, toy.B, method="kmeans", evidence=False).save(path)
    ...     facts = model_facts(path)
    >>> facts["method"], facts["parameters"], facts["columns"]["numeric"]
    ('kmeans', {'n_init': 10, 'random_state': None}, ['0', '1'])
    """
    model = load_model(path)
    encoding, method = model.encoding, model.model
    return {
        "library_version": model.library_version,
        "method": name_of(method),
        "parameters": method.get_params(deep=False),
        "fit": {
            name.removesuffix("_"): value
            for name, value in method._state().items()
            if isinstance(value, bool | int | float) and name != "n_features_in_"
        },
        "columns": {
            "numeric": list(encoding.numbers),
            "categorical": {name: list(levels) for name, levels in encoding.levels.items()},
            "dropped": dict(encoding.dropped),
        },
        "matched_by": "name" if encoding.named else "position",
        "missing": "error" if encoding.medians is None else "impute",
        "evidence": model.evidence,
        "priors": None if model.probabilities is None else list(model.probabilities.priors),
    }
