"""New samples are encoded as A and B were, and refused where they do not fit."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from unclustered import DataError
from unclustered.bags import pool

A = pd.DataFrame({"x": [1.0, 2.0, 4.0], "c": ["u", "v", "u"], "k": [7, 7, 7]})
B = pd.DataFrame({"k": [7, 7], "c": ["v", "v"], "x": [5.0, 2.5]})


@pytest.fixture
def encoding():
    with pytest.warns(UserWarning, match=r"'k' \(constant\)"):
        return pool(A, B)[1]


def test_order_library_and_dropped_columns_do_not_matter(encoding):
    expected = encoding.transform(A)
    np.testing.assert_array_equal(encoding.transform(A[["c", "k", "x"]]), expected)
    np.testing.assert_array_equal(encoding.transform(A[["c", "x"]]), expected)
    np.testing.assert_array_equal(encoding.transform(pl.DataFrame(A)), expected)
    np.testing.assert_array_equal(encoding.transform(A.assign(k=np.nan)), expected)
    np.testing.assert_array_equal(encoding.transform(A.iloc[[1]]), expected[[1]])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (A.iloc[:0], "X has no rows"),
        (A.drop(columns="x"), "columns of X are not those of A: it lacks 'x'"),
        (A.assign(z=1), "it has in addition 'z'"),
        (A.to_numpy(), "X has no column names, but A has"),
        (A.assign(c=["u", "w", "w"]), r"'c' of X holds 'w' in rows 1 and 2, a value that neither"),
        (A.assign(c=[1, 2, 3]), "'c' of X must hold text as in A, but it has numbers"),
        (A.assign(x=["1", "b", "2"]), "'x' of X must hold numbers as in A, but row 1 holds 'b'"),
        (A.assign(x=[1, np.nan, 2]), "Missing values in X: column 'x' in row 1"),
        (A.assign(c=["u", None, "v"]), "Missing values in X: column 'c' in row 1"),
        (A.assign(c=None), "Missing values in X: column 'c' in rows 0, 1 and 2"),
        (A.assign(x=[1, -np.inf, 2]), "'x' of X holds -inf in row 1"),
        (sp.csr_matrix(np.eye(3)), "X must be dense as A is"),
    ],
)
def test_samples_that_do_not_fit_are_refused(encoding, table, message):
    with pytest.raises(DataError, match=message):
        encoding.transform(table)


def test_missing_values_that_a_and_b_had_none_of():
    _, encoding = pool(A[["x", "c"]], B[["x", "c"]], missing="impute", standardize=False)
    new = encoding.transform({"x": [np.nan, 1.0], "c": ["u", None]})
    np.testing.assert_array_equal(new, [[2.5, 1, 0], [1, 0, 0]])  # no level says neither


def test_what_was_fitted_is_plain_data(encoding):
    plain = {
        field.name: value.tolist() if isinstance(value, np.ndarray) else value
        for field in dataclasses.fields(encoding)
        for value in [getattr(encoding, field.name)]
    }
    assert json.loads(json.dumps(plain))["levels"] == {"c": ["u", "v"]}
    assert repr(encoding) == "Encoding(3 columns: 1 numeric, 1 categorical, 1 dropped)"
    assert encoding.names == ("x", "c=u", "c=v")


def test_the_input_is_never_changed(encoding):
    X = np.random.default_rng(0).normal(size=(6, 2))
    before = X.copy()
    _, fitted = pool(X[:3], X[3:])
    fitted.transform(X)
    np.testing.assert_array_equal(X, before)
    S = sp.csr_array(before)
    _, fitted = pool(S[:3], S[3:])
    fitted.transform(S)
    np.testing.assert_array_equal(S.toarray(), before)
    unsorted = sp.csr_array(([1.0, 2.0, 3.0], [1, 0, 1], [0, 2, 3]), shape=(2, 2))
    pool(unsorted, sp.csr_array([[5.0, 1.0], [2.0, 7.0]]))
    assert unsorted.indices.tolist() == [1, 0, 1]
