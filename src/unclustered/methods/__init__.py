"""The methods, one file each: every file here that has no leading underscore is a method.

A method file names its one class in ``__all__``. The file name is the method's short name, as in
``label(A, B, method="dsdd")``. Adding a method is adding a file.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

from ..errors import ParameterError

__all__ = ["method_class", "method_names", "name_of"]


def method_names() -> list[str]:
    """Short names of all methods, sorted.

    Examples
    --------
    >>> from unclustered.methods import method_names
    >>> "dsdd" in method_names()
    True
    """
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def method_class(name: str) -> Any:
    """Class of the method with this short name.

    Examples
    --------
    >>> from unclustered.methods import method_class
    >>> method_class("dsdd").__name__
    'DSDD'
    """
    if name not in method_names():
        raise ParameterError(
            f"There is no method {name!r}; there are: {', '.join(method_names())}."
        )
    module = import_module(f".{name}", __name__)
    (class_name,) = module.__all__
    return getattr(module, class_name)


def name_of(method: Any) -> str | None:
    """Short name of a method of this library; None of any other object.

    Parameters
    ----------
    method : object
        A classifier, fitted or not.

    Returns
    -------
    str or None
        The name that :func:`method_class` takes.

    Examples
    --------
    >>> from unclustered import LSDD
    >>> from unclustered.methods import name_of
    >>> name_of(LSDD()), name_of("lsdd")
    ('lsdd', None)
    """
    package, _, name = type(method).__module__.rpartition(".")
    if package != __name__ or name not in method_names():
        return None
    return name if type(method) is method_class(name) else None


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        for method in method_names():
            cls = method_class(method)
            if cls.__name__ == name:
                return cls
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
