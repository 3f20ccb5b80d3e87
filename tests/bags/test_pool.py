"""What pooling promises: columns by name, one unit each, nothing lost to a large offset."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from unclustered import DataError, DroppedColumnWarning, ParameterError
from unclustered.bags import pool

numbers = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda v: round(v, 3))
words = st.sampled_from(["u", "v", "w"])


@st.composite
def tables(draw):
    """A and B of a few numeric and categorical columns."""
    n_a, n_b = draw(st.integers(2, 8)), draw(st.integers(2, 8))
    kinds = draw(st.lists(st.sampled_from([numbers, words]), min_size=1, max_size=4))
    pair = []
    for n in (n_a, n_b):
        columns = [draw(st.lists(kind, min_size=n, max_size=n)) for kind in kinds]
        pair.append({f"c{k}": column for k, column in enumerate(columns)})
    return pair


def pooled(a, b, **options):
    """Bags and encoding, or None where there is nothing to learn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedColumnWarning)
        try:
            return pool(a, b, **options)
        except DataError as error:
            if "No column" in str(error) or "same rows" in str(error):
                return None
            raise


@given(tables(), st.randoms(use_true_random=False), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_order_of_columns_does_not_matter(pair, random, standardize):
    a, b = pair
    names = list(b)
    random.shuffle(names)
    one = pooled(a, b, standardize=standardize)
    other = pooled(a, {name: b[name] for name in names}, standardize=standardize)
    assert (one is None) == (other is None)
    if one is not None:
        assert one[0].names == other[0].names
        np.testing.assert_array_equal(one[0].X, other[0].X)


@given(tables(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_encoding_gives_the_fitted_samples_back(pair, standardize):
    a, b = pair
    found = pooled(a, b, standardize=standardize)
    if found is None:
        return
    bags, encoding = found
    np.testing.assert_array_equal(encoding.transform(a), bags.X[: bags.n_a])
    np.testing.assert_array_equal(encoding.transform(b), bags.X[bags.n_a :])
    assert bags.X.shape == (bags.n_a + bags.n_b, len(bags.names))
    assert np.isfinite(bags.X).all()
    if standardize:  # each column of the table that is used has one unit of variance
        used = len(encoding.numbers) + len(encoding.levels)
        assert bags.X.var(axis=0).sum() == pytest.approx(used)
        np.testing.assert_allclose(bags.X.mean(axis=0), 0, atol=1e-9)


@given(tables())
@settings(max_examples=40, deadline=None)
def test_swapping_a_and_b_swaps_the_rows(pair):
    a, b = pair
    one, other = pooled(a, b), pooled(b, a)
    assert (one is None) == (other is None)
    if one is not None:
        n_a = one[0].n_a
        np.testing.assert_allclose(one[0].X[:n_a], other[0].X[-n_a:], atol=1e-9)
        np.testing.assert_array_equal(other[0].side, -np.roll(one[0].side, -n_a))


@given(arrays(float, (9, 3), elements=st.floats(-1e3, 1e3).map(lambda v: round(v, 2))))
@settings(max_examples=40, deadline=None)
def test_standardisation_is_that_of_scikit_learn(X):
    found = pooled(X[:4], X[4:])
    if found is not None:
        bags, encoding = found
        kept = [int(name) for name in encoding.numbers]
        np.testing.assert_allclose(bags.X, StandardScaler().fit_transform(X)[:, kept], atol=1e-9)


def test_indicators_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    a = pd.DataFrame({"c": rng.choice(list("xyz"), 20), "d": rng.choice([True, False], 20)})
    b = pd.DataFrame({"c": rng.choice(list("wxy"), 15), "d": rng.choice([True, False], 15)})
    bags, encoding = pool(a, b, standardize=False)
    expected = OneHotEncoder(sparse_output=False).fit(pd.concat([a, b]))
    np.testing.assert_array_equal(bags.X, expected.transform(pd.concat([a, b])))
    assert encoding.levels == {"c": ("w", "x", "y", "z"), "d": ("False", "True")}
    assert bags.names == ("c=w", "c=x", "c=y", "c=z", "d=False", "d=True")


def test_true_and_false_are_as_far_apart_as_one_and_zero():
    flags = np.array([True, False, False, True, True])
    x = np.array([1.0, 2.0, 5.0, 2.0, 0.0])
    distances = []
    for values in (flags, flags.astype(float)):
        bags, _ = pool({"c": values[:3], "x": x[:3]}, {"c": values[2:4], "x": x[3:]})
        distances.append(cdist(bags.X, bags.X))
    np.testing.assert_allclose(*distances, atol=1e-12)


def test_the_side_is_the_membership_and_nothing_else():
    bags, _ = pool([[1.0], [2.0], [4.0]], [[3.0], [0.0]])
    assert bags.side.tolist() == [1, 1, 1, -1, -1]
    assert bags.side.dtype.kind == "i"
    assert (bags.n_a, bags.n_b) == (3, 2)


@pytest.mark.parametrize("offset", [2.0**27, -(2.0**31)])
def test_a_large_offset_costs_no_digits(offset):
    X = np.random.default_rng(0).integers(-500, 500, (40, 3)) / 1024  # exact beside the offset
    plain, _ = pool(X[:20], X[20:])
    moved, _ = pool(X[:20] + offset, X[20:] + offset)
    differences = plain.X - plain.X[0]
    np.testing.assert_allclose(moved.X - moved.X[0], differences, rtol=1e-11, atol=1e-12)
    # The centre itself is rounded to the digits that a float has beside the offset.
    centre_error = np.spacing(abs(offset)) / X.std(axis=0).min()
    np.testing.assert_allclose(moved.X, plain.X, rtol=0, atol=centre_error)


@pytest.mark.parametrize("unit", [1e-90, 1e-30, 1e30, 1e90])
def test_the_unit_of_a_column_does_not_matter(unit):
    X = np.random.default_rng(0).normal(size=(40, 3))
    plain, _ = pool(X[:20], X[20:])
    other, _ = pool(X[:20] * unit, X[20:] * unit)
    np.testing.assert_allclose(other.X, plain.X, rtol=1e-10, atol=1e-12)


def column(values):
    rng = np.random.default_rng(3)
    X = np.c_[rng.normal(size=len(values)), values]
    half = len(values) // 2
    return X[:half], X[half:]


def noise(n=40, seed=0):
    return np.random.default_rng(seed).normal(size=n)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.full(40, 7.0), "constant"),
        (np.zeros(40), "constant"),
        (np.full(40, 1e-300), "constant"),
        (0.1 + 1e-16 * np.round(noise()), "nearly constant"),
        (1e8 + 1e-3 * noise(), "nearly constant"),
        (
            np.float32(1 / 3) + np.float32(3e-8) * np.sign(noise()).astype(np.float32),
            "nearly constant",
        ),
        (np.repeat([2019.0, 2020.0], 20), "tells A from B, not the classes: each has one value"),
    ],
)
def test_a_number_that_tells_nothing_is_left_out(values, reason):
    a, b = column(values)
    if np.asarray(values).dtype == np.float32:
        a, b = a.astype(np.float32), b.astype(np.float32)
    with pytest.warns(DroppedColumnWarning) as caught:
        bags, encoding = pool(a, b)
    assert [str(w.message) for w in caught] == [f"Columns left out: column 1 ({reason})."]
    assert bags.X.shape == (40, 1)
    assert encoding.dropped == {"1": reason}


@pytest.mark.parametrize(
    "values",
    [
        1e8 + noise(),
        1e-200 * noise(),
        np.where(np.arange(40) == 3, 1.0, 0.0),
        np.arange(40.0),  # an array has no index column
    ],
)
def test_a_number_that_tells_something_is_kept(values):
    bags, _ = pool(*column(values))
    assert bags.X.shape == (40, 2)
    np.testing.assert_allclose(bags.X.std(axis=0), 1, rtol=1e-6)


def test_without_standardisation_only_exact_constants_are_left_out():
    a, b = column(1e8 + 1e-3 * noise())
    bags, _ = pool(a, b, standardize=False)
    np.testing.assert_array_equal(bags.X, np.vstack([a, b]))


def test_text_that_tells_nothing_is_left_out_in_one_warning():
    n = 12
    common = {"x": noise(n), "same": ["k"] * n}
    a = pd.DataFrame(common | {"id": [f"a{i}" for i in range(n)], "site": ["n", "m"] * 6})
    b = pd.DataFrame(common | {"id": [f"b{i}" for i in range(n)], "site": ["s"] * n})
    a["index"], b["index"] = np.arange(n), np.arange(100, 100 + n)
    b["x"] += 1
    with pytest.warns(DroppedColumnWarning) as caught:
        bags, encoding = pool(a, b)
    assert len(caught) == 1
    assert bags.names == ("x",)
    assert encoding.dropped == {
        "same": "constant",
        "id": "every value is different",
        "site": "tells A from B, not the classes: no value in common",
        "index": "numbers the rows",
    }


def test_too_many_levels_are_refused_before_they_fill_the_memory():
    levels = [f"l{i}" for i in range(60_000)]
    a = {"c": levels, "x": np.arange(60_000)}
    with pytest.raises(DataError, match="60000 different values"):
        pool(a, {"c": levels[::-1], "x": np.arange(60_000)})


def test_a_few_words_among_numbers_are_a_mistake():
    values = [str(v) for v in range(20)]
    a = {"age": [*values, "?"]}
    b = {"age": [*values[3:], "?"]}
    with pytest.raises(DataError, match=r"numbers in 20 rows, but text in 1: row 20 holds '\?'"):
        pool(a, b)
    codes = {"grade": ["1", "2", "3", "4+", "1", "2"]}, {"grade": ["1", "1", "3", "4+"]}
    assert pool(*codes)[1].levels == {"grade": ("1", "2", "3", "4+")}


def test_imputation_takes_the_median_and_a_level_of_its_own():
    a = {"x": [1.0, None, 4.0], "c": ["u", None, "v"]}
    b = {"x": [8.0, None, 10.0], "c": ["u", "v", "v"]}
    bags, encoding = pool(a, b, missing="impute", standardize=False)
    assert bags.names == ("x", "c=u", "c=v", "c=(missing)")
    np.testing.assert_array_equal(bags.X[:, 0], [1, 6, 4, 8, 6, 10])
    np.testing.assert_array_equal(bags.X[:, 3], [0, 1, 0, 0, 0, 0])
    new = encoding.transform({"x": [None], "c": [None]})
    np.testing.assert_array_equal(new, [[6, 0, 0, 1]])


def test_an_unknown_choice_for_missing_is_refused():
    with pytest.raises(ParameterError, match='"error" or "impute", got \'drop\''):
        pool([[1.0]], [[2.0]], missing="drop")


def test_sparse_values_that_are_not_finite_are_refused():
    for value, advice in ((np.nan, "cannot be filled in"), (np.inf, "Remove the row")):
        X = sp.csr_matrix(np.eye(4))
        X.data[2] = value
        with pytest.raises(DataError, match=f"Column 2 of B holds {value} in row 2.*{advice}"):
            pool(sp.csr_matrix(np.eye(4)[:3]), X, missing="impute")


def test_more_columns_than_rows_work():
    rng = np.random.default_rng(0)
    bags, _ = pool(rng.normal(size=(5, 3000)), rng.normal(size=(4, 3000)))
    assert bags.X.shape == (9, 3000)
