"""Values as JSON and arrays, and back: what a model is made of, as a file can hold it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import ParameterError
from ..methods import method_class, method_names, name_of

__all__ = ["pack", "pack_method", "unpack", "unpack_method"]

Arrays = dict[str, NDArray[Any]]

_CSR = ("data", "indices", "indptr")


def pack(value: Any, name: str, arrays: Arrays) -> Any:
    """JSON that stands for a value; its arrays are put into ``arrays``, under names that begin so.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.models.packing import pack, unpack
    >>> arrays = {}
    >>> packed = pack([1.5, np.arange(2.0)], "weights", arrays)
    >>> packed, list(arrays)
    ([1.5, {'array': 'weights.1'}], ['weights.1'])
    >>> unpack(packed, arrays)
    [1.5, array([0., 1.])]
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, list):
        return [pack(item, f"{name}.{k}", arrays) for k, item in enumerate(value)]
    if isinstance(value, np.ndarray) and value.dtype.kind in "if":
        arrays[name] = value
        return {"array": name}
    if sp.issparse(value):
        value = sp.csr_array(value)  # which old versions of scipy make a matrix when they slice it
        for part in _CSR:
            arrays[f"{name}.{part}"] = getattr(value, part)
        return {"csr": name, "shape": list(value.shape)}
    if name_of(value) is not None:
        return pack_method(value, name, arrays)
    raise ParameterError(f"{name} is a {type(value).__name__}, which a model file cannot hold.")


def unpack(packed: Any, arrays: Arrays) -> Any:
    """Value that a JSON stands for; takes its arrays out of ``arrays``.

    A ValueError says what is wrong with it.
    """
    if packed is None or isinstance(packed, bool | int | float | str):
        return packed
    if isinstance(packed, list):
        return [unpack(item, arrays) for item in packed]
    match packed:
        case {"float": "inf" | "-inf" | "nan" as text, **rest} if not rest:
            return float(text)
        case {"array": str(name), **rest} if not rest:
            return _taken(name, arrays)
        case {"csr": str(name), "shape": [int(rows), int(columns)], **rest} if not rest:
            return _sparse(name, (rows, columns), arrays)
        case {"method": _}:
            return unpack_method(packed, arrays)
    raise ValueError(f"its header holds {str(packed)[:60]!r}, which stands for no value")


def _taken(name: str, arrays: Arrays) -> NDArray[Any]:
    if name not in arrays:
        raise ValueError(f"its array {name!r} is not there, or is used twice")
    return arrays.pop(name)


def _sparse(name: str, shape: tuple[int, int], arrays: Arrays) -> Any:
    """Sparse matrix, of which scipy will believe whatever its indices say: they are checked."""
    data, indices, starts = (_taken(f"{name}.{part}", arrays) for part in _CSR)
    fits = (
        0 < shape[1] < 2**31
        and data.ndim == indices.ndim == starts.ndim == 1
        and (data.dtype.kind, indices.dtype.kind, starts.dtype.kind) == ("f", "i", "i")
        and len(starts) == shape[0] + 1
        and starts[0] == 0
        and starts[-1] == len(data) == len(indices)
        and (np.diff(starts) >= 0).all()
        and ((indices >= 0) & (indices < shape[1])).all()
    )
    if not fits:
        raise ValueError(f"the parts of its sparse matrix {name!r} do not fit together")
    return sp.csr_array((data, indices, starts), shape=shape)


def pack_method(model: Any, name: str, arrays: Arrays) -> dict[str, Any]:
    """JSON that stands for a fitted method of this library."""
    method = name_of(model)
    if method is None:
        raise ParameterError(
            f"A model file holds methods of this library ({', '.join(method_names())}), and "
            f"{type(model).__name__} is none. Keep the whole result with joblib "
            "(joblib.dump(result, path)), or the classifier with skops; open the former only "
            "where you trust who wrote it."
        )
    parameters = model.get_params(deep=False)
    for key, value in parameters.items():
        if not _is_plain(value):
            raise ParameterError(
                f"{type(model).__name__} has the parameter {key}={value!r}, which a model file "
                "cannot hold: only numbers, text, true, false and None. What is predicted does not "
                f"depend on it any more, so set another, model.set_params({key}=...), and save."
            )
    return {
        "method": method,
        "parameters": {key: pack(value, key, {}) for key, value in parameters.items()},
        "state": {key: pack(v, f"{name}.{key}", arrays) for key, v in model._state().items()},
    }


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | np.bool_ | np.number)


def unpack_method(packed: Any, arrays: Arrays) -> Any:
    """Fitted method that a JSON stands for; a ValueError says what is wrong with it."""
    match packed:
        case {"method": str(name), "parameters": dict(params), "state": dict(state), **rest}:
            _check_none_left("the method", rest)
        case _:
            raise ValueError("its header has no method with parameters and state")
    if name not in method_names():
        raise ValueError(f"its method {name!r} is unknown; there are: {', '.join(method_names())}")
    model = method_class(name)()
    _check_none_left(f"the parameters of {name}", set(params) - set(model.get_params()))
    model.set_params(**{key: unpack(value, {}) for key, value in params.items()})
    missing = set(model._state_names()) - set(state)
    if missing:
        raise ValueError(f"the state of {name} lacks {', '.join(sorted(missing))}")
    _check_none_left(f"the state of {name}", set(state) - set(model._state_names()))
    values = {key: unpack(value, arrays) for key, value in state.items()}
    try:
        model._restore(values)
    except Exception as error:  # whatever a state of other kinds of values leads to
        raise ValueError(f"the state of {name} does not fit together ({error})") from error
    return model


def _check_none_left(where: str, keys: Any) -> None:
    if keys:
        unknown = ", ".join(repr(key) for key in sorted(keys))
        raise ValueError(f"{where} has what this version does not know: {unknown}")
