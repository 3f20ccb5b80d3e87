"""Who takes part: the paper's methods, the baselines, and any method of the library by name.

A method is written as its short name, with parameters after a colon where they are not the
paper's, or, where the paper says nothing of them, the library's defaults: ``dsdd``,
``dsdd:penalty=rkhs,intercept=true``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..errors import ParameterError
from ..methods import method_class, method_names

__all__ = ["BASELINES", "PAPER_METHODS", "Contestant", "contestant", "lineup"]

# Short name here -> heading of the column in the paper's tables, in their order.
PAPER_METHODS = {
    "dsdd": "DSDD",
    "lsdd": "LSDD",
    "kde": "KDE",
    "kmeans": "KM",
    "spectral": "SC",
    "smic": "SMIC",
}
# What the paper says of them, whatever the library's defaults are.
_PAPER_PARAMS: dict[str, dict[str, Any]] = {
    "dsdd": {"penalty": "coefficients", "intercept": False},
    "spectral": {"n_neighbors": 7},
}
BASELINES = {"origin": "origin", "coin": "coin flips"}


@dataclass(frozen=True)
class Contestant:
    """A method with its parameters.

    Attributes
    ----------
    name : str
        Short name and parameters, always written the same way: the key of its results.
    method : str
        Short name of the method.
    params : tuple of (str, value)
        Parameters that differ from the paper's, sorted.
    """

    name: str
    method: str
    params: tuple[tuple[str, Any], ...] = ()

    @property
    def baseline(self) -> bool:
        """Whether it learns nothing and is there to be compared with."""
        return self.name in BASELINES

    @property
    def published_as(self) -> str | None:
        """The paper's column that this is, if it is one of the paper's methods."""
        return PAPER_METHODS.get(self.name)

    @property
    def heading(self) -> str:
        """Heading of its column."""
        return self.published_as or BASELINES.get(self.name) or self.name

    def make(self, seed: int) -> Any:
        """Make the unfitted estimator; one that draws at random gets the seed."""
        params = _PAPER_PARAMS.get(self.method, {}) | dict(self.params)
        estimator = _class_of(self.method)(**params)
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=seed)
        return estimator


def contestant(text: str) -> Contestant:
    """Read a method and its parameters.

    Examples
    --------
    >>> from unclustered.paper.lineup import contestant
    >>> contestant("dsdd: penalty=rkhs, intercept=true").name
    'dsdd:intercept=true,penalty=rkhs'
    >>> contestant("spectral").heading
    'SC'
    """
    method, _, rest = (part.strip() for part in text.partition(":"))
    cls = _class_of(method)
    base = cls(**_PAPER_PARAMS.get(method, {}))
    usual = {k: v for k, v in base.get_params().items() if k != "random_state"}
    params: dict[str, Any] = {}
    for item in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or key not in usual:
            known = f"it has: {', '.join(usual)}" if usual else "it has none"
            raise ParameterError(
                f"{item!r} is no parameter of the method {method}; {known}. Write parameters as "
                f"in {method}:name=value,name=value."
            )
        params[key] = _value(value)
    params = {k: params[k] for k in sorted(params) if params[k] != usual[k]}
    _check_values(base.set_params(**params), text)
    written = ",".join(f"{key}={_written(value)}" for key, value in params.items())
    return Contestant(f"{method}:{written}" if params else method, method, tuple(params.items()))


def lineup(methods: Iterable[str] | None = None) -> tuple[Contestant, ...]:
    """Contestants of a run: the given ones, or the paper's six; the baselines always.

    A text may name several, with commas between; a comma between two parameters belongs to their
    method.

    Examples
    --------
    >>> from unclustered.paper.lineup import lineup
    >>> [c.name for c in lineup(["dsdd:penalty=rkhs,start=best,lsdd"])]
    ['dsdd:penalty=rkhs,start=best', 'lsdd', 'origin', 'coin']
    """
    texts = list(PAPER_METHODS) if methods is None else [s for m in methods for s in _split(m)]
    found = {c.name: c for c in map(contestant, [*texts, *BASELINES])}
    # Baselines come last, wherever they were named.
    return tuple(sorted(found.values(), key=lambda c: c.baseline))


def _split(text: str) -> list[str]:
    # A piece like "start=best" goes on with the method before it.
    pieces = re.split(r",(?!\s*\w+\s*=)", text)
    return [piece.strip() for piece in pieces if piece.strip()]


def _class_of(method: str) -> Any:
    if method == "coin":
        from .coin import CoinFlips

        return CoinFlips
    if method not in method_names():
        raise ParameterError(
            f"There is no method {method!r}; there are: {', '.join(method_names())}, coin."
        )
    return method_class(method)


def _check_values(estimator: Any, text: str) -> None:
    from sklearn.utils._param_validation import InvalidParameterError

    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        raise ParameterError(f"{text}: {error}") from error


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _written(value: Any) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
