"""Where arrays live and where passes over the data run, one file an engine.

Whatever the low-rank solvers need of the data is one operation: compute the features of a block of
samples, turn their scores into a few numbers a row, and add up over all blocks
(:meth:`Engine.add_up`). An engine is that operation on some machine. Every file here without a
leading underscore is one; its ``__all__`` names its one class, a subclass of :class:`Engine`.
Adding an engine is adding a file.
"""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from typing import Any

from ..errors import ParameterError
from ._base import Engine, Reduction, Rows, Sums
from ._data import ArraySource, Block, Part, Source
from ._features import FeatureMap

__all__ = [
    "ArraySource",
    "Block",
    "Engine",
    "FeatureMap",
    "Part",
    "Reduction",
    "Rows",
    "Source",
    "Sums",
    "engine_names",
    "make_engine",
]


def engine_names() -> list[str]:
    """Short names of all engines, sorted.

    Examples
    --------
    >>> from unclustered.engines import engine_names
    >>> "numpy" in engine_names()
    True
    """
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def make_engine(engine: Any = "numpy", **options: Any) -> Engine:
    """Return an engine as it is, or make the one of this name.

    Parameters
    ----------
    engine : str or Engine
        One of :func:`engine_names`, or an engine.
    **options : Any
        Parameters of the engine, where it is named; it takes those that it knows.

    Examples
    --------
    >>> from unclustered.engines import make_engine
    >>> make_engine("numpy", n_jobs=2)
    NumpyEngine(n_jobs=2, dtype='float32')
    """
    if isinstance(engine, Engine):
        return engine
    if engine not in engine_names():
        raise ParameterError(
            f"There is no engine {engine!r}; there are: {', '.join(engine_names())}."
        )
    module = import_module(f".{engine}", __name__)
    (class_name,) = module.__all__
    engine_class = getattr(module, class_name)
    known = inspect.signature(engine_class).parameters
    made: Engine = engine_class(**{name: v for name, v in options.items() if name in known})
    return made
