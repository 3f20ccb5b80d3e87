"""What every method shares: the check at the door, and from score to label."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from ..engines import Source
from ..errors import DataError, ParameterError

Float = NDArray[np.float64]


class MembershipClassifier(ClassifierMixin, BaseEstimator):
    """A scikit-learn classifier whose target is the membership, never the label.

    A subclass calls :meth:`_check_fit` first in ``fit``, sets ``labels_`` and defines ``_score``.
    ``_saved`` names the fitted attributes that a model file holds: all that the score needs, and
    the few that tell how the fit went.
    """

    _accept_sparse = False
    _saved: tuple[str, ...] = ()
    _parameter_constraints: dict[str, list[Any]] = {}  # noqa: RUF012

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = self._accept_sparse
        return tags

    def _check_fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[Any, Float, Float]:
        """Check the arguments of ``fit``.

        Returns the samples (float64, C order or CSR), the side of each (+1 for ``classes_[1]``,
        -1 for ``classes_[0]``) and weights that sum to one within each side.
        """
        self._check_parameters()
        X, y = self._check_samples(X, y, reset=True)
        self.classes_, side = self._check_membership(y)
        weight = _normalised_weight(sample_weight, X, side, self.classes_)
        return X, side, weight

    def _start_source(self, source: Source) -> None:
        """Take the place of :meth:`_check_fit` where the data come from a source."""
        self._check_parameters()
        self.classes_ = np.array([-1, 1])
        self.n_features_in_ = source.n_features

    def _check_parameters(self) -> None:
        try:
            self._validate_params()
        except InvalidParameterError as error:
            raise ParameterError(str(error)) from error

    def _check_samples(self, X: Any, y: Any = "no_validation", *, reset: bool) -> Any:
        sparse = "csr" if self._accept_sparse else False
        try:
            checked = validate_data(
                self, X, y, reset=reset, accept_sparse=sparse, dtype=np.float64, order="C"
            )
        except (ValueError, TypeError) as error:
            _explain(X, error)
        return checked

    @staticmethod
    def _check_membership(y: Any) -> tuple[NDArray[Any], Float]:
        if not _discrete(y):
            kind = type_of_target(y, input_name="y", raise_unknown=True)
            if kind not in ("binary", "multiclass"):
                raise DataError(
                    "Unknown label type: y must hold the membership of each sample, two distinct "
                    f"values; got a target of type {kind!r}."
                )
        classes, inverse = np.unique(y, return_inverse=True)
        if len(classes) == 1:
            raise DataError(
                "y must hold two membership values, one for each dataset, but it holds only one "
                f"class: {classes[0]!r}."
            )
        if len(classes) > 2:
            shown = ", ".join(repr(c) for c in classes[:5].tolist())
            raise DataError(
                "Only binary classification is supported. The type of the target is "
                "multiclass: y must hold two membership values, one for each dataset, but it holds "
                f"{len(classes)}: {shown}{', ...' if len(classes) > 5 else ''}."
            )
        return classes, np.where(inverse == 1, 1.0, -1.0)

    def _score(self, X: Any) -> Float:
        """Score of samples that passed the check; positive points to ``classes_[1]``."""
        raise NotImplementedError

    @classmethod
    def _state_names(cls) -> tuple[str, ...]:
        return ("classes_", "n_features_in_", *cls._saved)

    def _state(self) -> dict[str, Any]:
        """Fitted attributes, by name, that a model file holds."""
        check_is_fitted(self)
        return {name: getattr(self, name) for name in self._state_names()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Take over the fitted attributes of another; what is derived from them is made here."""
        for name, value in state.items():
            setattr(self, name, value)

    def decision_function(self, X: Any) -> Float:
        """Score of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The score; its sign is the label. Positive: the sample's class is over-represented in
            the dataset ``classes_[1]``.
        """
        check_is_fitted(self)
        return self._score(self._check_samples(X, reset=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """Name the dataset in which the class of each sample is over-represented.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Values of ``classes_``.
        """
        score = self.decision_function(X)
        return np.asarray(self.classes_[(score > 0).astype(int)])


def as_label(score: Float) -> NDArray[np.int64]:
    """Label of a score: +1 where it is positive, -1 elsewhere."""
    return np.where(score > 0, 1, -1)


def _discrete(y: NDArray[Any]) -> bool:
    """Whether y holds whole numbers, truth values or texts; then it needs no closer look."""
    return y.dtype.kind in "biuUS" or (y.dtype.kind == "f" and bool((y == np.floor(y)).all()))


def _normalised_weight(sample_weight: Any, X: Any, side: Float, classes: NDArray[Any]) -> Float:
    weight: Float = np.ones(len(side))
    if sample_weight is not None:
        try:
            weight = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            ).copy()
        except ValueError as error:
            raise DataError(str(error)) from error
    for value, name in ((1.0, classes[1]), (-1.0, classes[0])):
        mask = side == value
        total = weight[mask].sum()
        if not total > 0:
            raise DataError(
                f"sample_weight is zero on every sample of the dataset {name!r}: only one class "
                "of membership is left."
            )
        weight[mask] /= total
    return weight


def _explain(X: Any, error: Exception) -> NoReturn:
    """Raise scikit-learn's complaint as ours, with the place of the first bad value."""
    message = str(error)
    array = None
    if not sp.issparse(X) and not np.iscomplexobj(X):
        with contextlib.suppress(TypeError, ValueError):
            array = np.asarray(X, dtype=np.float64)
    if array is not None and array.ndim == 2:
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            row, column = (int(i) for i in bad[0])
            names = getattr(X, "columns", None)
            where = f"column {column}" if names is None else f"column {names[column]!r}"
            message += (
                f"\nThe first of {len(bad)} such values is in row {row}, {where}. "
                "Remove these rows, or impute the values first."
            )
    if isinstance(error, TypeError):
        raise TypeError(message) from error
    raise DataError(message) from error
