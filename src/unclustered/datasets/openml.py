"""Fetching a benchmark set from OpenML, through scikit-learn and its cache."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError

__all__ = ["NotDeliveredError", "fetch"]

_SECONDS_WITHOUT_ANSWER = 10.0


class NotDeliveredError(DataError):
    """A set that is nowhere on this machine, and OpenML gave no answer."""


def fetch(
    data_id: int, positive: str, advice: str
) -> tuple[NDArray[np.float64], NDArray[np.int64], str]:
    """Fetch samples, labels (+1 for the class ``positive``) and the name of where they came from.

    ``advice`` ends the error message when there is no answer.
    """
    from sklearn.datasets import fetch_openml

    try:
        with _impatience():
            # This parser needs no pandas.
            bunch = fetch_openml(data_id=data_id, as_frame=False, parser="liac-arff")
    except (OSError, HTTPException, ValueError) as error:
        raise NotDeliveredError(
            f"OpenML did not deliver its data set {data_id} "
            f"({type(error).__name__}: {error}). {advice}"
        ) from error
    where = f"OpenML data set {data_id}"
    labels = np.where(np.asarray(bunch.target).astype(str) == positive, 1, -1)
    return _decoded(bunch, where), labels, where


def _decoded(bunch: Any, where: str) -> NDArray[np.float64]:
    """Give features as numbers: a nominal one comes as positions in its list of values."""
    X = np.array(bunch.data, dtype=np.float64)
    for column, name in enumerate(bunch.feature_names):
        if name not in bunch.categories:
            continue
        try:
            values = np.array(bunch.categories[name], dtype=np.float64)
        except ValueError as error:
            raise DataError(f"{where}: feature {name} has values that are no numbers.") from error
        X[:, column] = values[X[:, column].astype(int)]
    return X


@contextmanager
def _impatience() -> Iterator[None]:
    """Make a network that never answers an error; scikit-learn itself would wait for ever."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_SECONDS_WITHOUT_ANSWER if before is None else before)
    try:
        with warnings.catch_warnings():
            # One for each new attempt; the error at the end says it all.
            warnings.filterwarnings("ignore", "A network error occurred")
            warnings.filterwarnings("ignore", "Invalid cache, redownloading")
            yield
    finally:
        socket.setdefaulttimeout(before)
