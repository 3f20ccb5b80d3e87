"""From the name of a method, a class or an estimator to an unfitted estimator."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from ..errors import ParameterError
from ..methods import method_class, method_names
from ..seeds import as_generator

__all__ = ["make_estimator"]


def make_estimator(method: Any, params: Mapping[str, Any], random_state: Any) -> Any:
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
