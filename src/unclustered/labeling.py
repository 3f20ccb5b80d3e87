"""``label(A, B)``, the front door, and :class:`Labeling`, what comes out of it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

from .bags import Encoding, pool
from .errors import DataError, MissingExtraError, ParameterError
from .methods import method_class, method_names
from .methods._base import as_label
from .seeds import as_generator

__all__ = ["Labeling", "label"]

Float = NDArray[np.float64]
Label = NDArray[np.int64]


def label(
    A: Any,
    B: Any,
    method: Any = "dsdd",
    *,
    standardize: bool = True,
    missing: Literal["error", "impute"] = "error",
    random_state: Any = None,
    **params: Any,
) -> Labeling:
    r"""Label every sample of two unlabelled datasets.

    A and B hold samples of the same two hidden classes, mixed in different proportions: p(x | y) is
    shared, p(y) differs. Then the sign of p_A(x) - p_B(x) separates the classes, and the method
    learns it from which dataset each sample is in.

    Parameters
    ----------
    A, B : table or array
        The samples, one a row: data frames (pandas, polars, pyarrow or whatever narwhals knows),
        :class:`~unclustered.tables.Table`, dicts of columns, two-dimensional arrays, lists of rows,
        or sparse matrices. Columns of tables are matched by name. Text, categories and true/false
        become one indicator per level.
    method : str, estimator or class
        Short name of a method (see :func:`unclustered.methods.method_names`), or any scikit-learn
        classifier, which is cloned, never changed.
    standardize : bool, default=True
        Centre each column and divide it by its standard deviation, both of A and B together. The
        indicators of one category share a unit, so that each column counts the same. Sparse
        matrices are scaled but not centred.
    missing : {"error", "impute"}, default="error"
        What to do with missing values: refuse them, or put in the column's median, and in columns
        of text a level of its own.
    random_state : None, int, Generator or RandomState, default=None
        Seed of everything random. None always gives the same labels for this library's methods.
    **params : Any
        Parameters of the method.

    Returns
    -------
    Labeling
        Labels and scores of all samples, and the fitted model.

    Raises
    ------
    DataError
        If the data cannot be used; the message says which table, column and rows.
    ParameterError
        If a parameter makes no sense.

    Warns
    -----
    DroppedColumnWarning
        If columns were left out because they tell nothing: constant ones, text with all values
        different, numbers of rows, or what merely names the dataset.

    Notes
    -----
    A label has a sign but no name: +1 is the class over-represented in A. Which of your
    classes that is takes knowledge from outside.

    A classifier that learns its training samples by heart (a forest, one nearest neighbour) labels
    each of these by its dataset, which tells nothing. Regularise it, or label samples that it was
    not fitted on with :meth:`Labeling.predict`.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import label
    >>> rng = np.random.default_rng(0)
    >>> def draw(n_first, n_second):
    ...     return np.r_[rng.normal(-3, 1, (n_first, 2)), rng.normal(3, 1, (n_second, 2))]
    >>> result = label(draw(40, 10), draw(10, 40), method="lsdd")
    >>> result
    Labeling(A: 40 of 50 labelled +1; B: 10 of 50 labelled +1; method LSDD)
    >>> result.predict([[-3.0, -2.0], [2.0, 3.0]])
    array([ 1, -1])
    """
    estimator = _prepared(method, params, random_state)
    bags, encoding = pool(A, B, standardize=standardize, missing=missing)
    if sp.issparse(bags.X) and not get_tags(estimator).input_tags.sparse:
        raise DataError(
            f"{type(estimator).__name__} cannot use sparse samples: choose a method that can, or "
            "pass A.toarray() and B.toarray()."
        )
    model = estimator.fit(bags.X, bags.side)
    scores = _scores(model, bags.X)
    labels = _fitted_labels(model, scores)
    return Labeling(
        labels_a=_frozen(labels[: bags.n_a]),
        labels_b=_frozen(labels[bags.n_a :]),
        scores_a=_frozen(scores[: bags.n_a]),
        scores_b=_frozen(scores[bags.n_a :]),
        model=model,
        encoding=encoding,
        library=bags.library,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Labeling:
    """Labels of two datasets, and the model that gave them.

    Attributes
    ----------
    labels_a, labels_b : ndarray of int
        Label of each sample of A and of B: +1 for the class over-represented in A, else -1.
    scores_a, scores_b : ndarray of float
        Score of each sample: what the model says of it; its sign points to the label.
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
    model: Any
    encoding: Encoding
    library: str | None = field(default=None)

    @property
    def method(self) -> str:
        """Name of the method's class."""
        return type(self.model).__name__

    @property
    def converged(self) -> bool | None:
        """Whether the fit converged; None where the method does not say."""
        converged = getattr(self.model, "converged_", None)
        return None if converged is None else bool(converged)

    def score_samples(self, X_new: Any) -> Float:
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
        return _scores(self.model, self.encoding.transform(X_new))

    def predict(self, X_new: Any) -> Label:
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
            ``score``; the rows of A, then those of B.
        """
        library: Any = backend or self.library or "pandas"
        columns = {
            "dataset": ["A"] * len(self.labels_a) + ["B"] * len(self.labels_b),
            "row": np.r_[np.arange(len(self.labels_a)), np.arange(len(self.labels_b))].tolist(),
            "label": np.r_[self.labels_a, self.labels_b].tolist(),
            "score": np.r_[self.scores_a, self.scores_b].tolist(),
        }
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

    def _counts(self) -> list[tuple[str, int, int]]:
        pairs = (("A", self.labels_a), ("B", self.labels_b))
        return [(name, int((labels > 0).sum()), len(labels)) for name, labels in pairs]

    def _how(self) -> str:
        converged = "" if self.converged in (None, True) else ", did not converge"
        return f"method {self.method}{converged}"

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


def _prepared(method: Any, params: Mapping[str, Any], random_state: Any) -> Any:
    """Unfitted estimator with these parameters and this seed."""
    if isinstance(method, str):
        method = method_class(method)
    if inspect.isclass(method):
        signature = inspect.signature(method).parameters
        if not any(p.kind is p.VAR_KEYWORD for p in signature.values()):
            _check_names(method.__name__, params, [*signature])
        try:
            estimator = method(**params)
        except TypeError as error:
            raise ParameterError(f"{method.__name__} cannot be made: {error}.") from error
    elif hasattr(method, "fit") and hasattr(method, "get_params"):
        estimator = clone(method)
        _check_names(type(method).__name__, params, [*estimator.get_params()])
        estimator.set_params(**params)
    else:
        raise ParameterError(
            f"method must be one of {', '.join(method_names())}, or a scikit-learn classifier, "
            f"got {method!r}."
        )
    if not is_classifier(estimator):
        raise ParameterError(
            f"method must be a classifier, which {type(estimator).__name__} is not."
        )
    return _seeded(estimator, random_state)


def _check_names(what: str, params: Mapping[str, Any], valid: list[str]) -> None:
    unknown = [name for name in params if name not in valid]
    if unknown:
        own = [name for name in valid if "__" not in name and name != "self"]
        raise ParameterError(
            f"{what} has no parameter {', '.join(unknown)}; it has: {', '.join(own)}."
        )


def _seeded(estimator: Any, random_state: Any) -> Any:
    """Pass the seed to the estimator and to all inside it that take one."""
    generator = as_generator(random_state)  # raises where it makes no sense
    if random_state is None:
        return estimator
    # Not every estimator takes a Generator; all take an integer.
    whole = isinstance(random_state, int | np.integer)
    seed = int(random_state if whole else generator.integers(2**31))
    names = [n for n in estimator.get_params() if n.split("__")[-1] == "random_state"]
    return estimator.set_params(**dict.fromkeys(names, seed))


def _scores(model: Any, X: Any) -> Float:
    """Real score of each sample, positive towards A, from whatever the classifier offers."""
    if hasattr(model, "decision_function"):
        scores = model.decision_function(X)
    elif hasattr(model, "predict_proba"):
        scores = model.predict_proba(X)[:, [*model.classes_].index(1)] - 0.5
    else:
        scores = model.predict(X)
    return np.asarray(scores, dtype=np.float64).ravel()


def _fitted_labels(model: Any, scores: Float) -> Label:
    """Labels of the fitted samples: the method's own where it has any."""
    labels = getattr(model, "labels_", None)
    if labels is None:
        return as_label(scores)
    return np.asarray(labels, dtype=np.int64)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array = array.copy()
    array.flags.writeable = False
    return array
