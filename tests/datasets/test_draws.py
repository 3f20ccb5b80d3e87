from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unclustered import DataError, ParameterError
from unclustered.datasets import draw_datasets


def _numbered(n_negative: int, n_positive: int) -> tuple[np.ndarray, np.ndarray]:
    """A set whose first column is the row number, so that a drawn row can be traced back."""
    n = n_negative + n_positive
    y = np.repeat([-1, 1], [n_negative, n_positive])
    return np.column_stack([np.arange(n), y]), y


@settings(max_examples=50)
@given(
    n_a=st.integers(1, 40),
    n_b=st.integers(1, 40),
    theta_a=st.floats(0, 1),
    theta_b=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
def test_counts_are_fixed_rows_disjoint_and_labels_theirs(n_a, n_b, theta_a, theta_b, seed):
    X, y = _numbered(90, 80)
    drawn = draw_datasets(X, y, n_a, n_b, theta_a, theta_b, random_state=seed)
    assert drawn.A.shape == (n_a, 2)
    assert drawn.B.shape == (n_b, 2)
    assert (drawn.labels_a == 1).sum() == round(n_a * theta_a)
    assert (drawn.labels_b == 1).sum() == round(n_b * theta_b)
    rows = drawn.X[:, 0].astype(int)
    assert len(set(rows)) == n_a + n_b
    assert np.array_equal(drawn.X, X[rows])
    assert np.array_equal(drawn.labels, y[rows])


def test_pooled_views_put_a_first():
    drawn = draw_datasets(*_numbered(9, 9), 2, 3, 0.5, 0.5, random_state=0)
    A, B, labels_a, labels_b = drawn
    assert np.array_equal(drawn.X, np.vstack([A, B]))
    assert np.array_equal(drawn.labels, np.concatenate([labels_a, labels_b]))
    assert drawn.membership.tolist() == [1, 1, -1, -1, -1]


def test_the_whole_set_can_be_drawn():
    X, y = _numbered(10, 10)
    drawn = draw_datasets(X, y, 10, 10, 0.3, 0.7, random_state=4)
    assert sorted(drawn.X[:, 0]) == list(range(20))


def test_every_sample_is_as_likely_and_in_no_order():
    X, y = _numbered(30, 20)
    n_draws, n, theta = 4000, 10, 0.4
    counts = np.zeros(50)
    first = 0
    for seed in range(n_draws):
        drawn = draw_datasets(X, y, n, n, theta, theta, random_state=seed)
        counts[drawn.A[:, 0]] += 1
        first += drawn.labels_a[0] == 1
    expected = np.where(y == 1, 4 / 20, 6 / 30)
    standard_error = np.sqrt(expected * (1 - expected) / n_draws)
    assert np.abs(counts / n_draws - expected).max() < 4.5 * standard_error.max()
    assert abs(first / n_draws - theta) < 4 * np.sqrt(theta * (1 - theta) / n_draws)


def test_the_seed_decides():
    X, y = _numbered(50, 50)
    draw = [draw_datasets(X, y, 20, 20, 0.2, 0.8, random_state=s).X for s in (1, 1, 2)]
    assert np.array_equal(draw[0], draw[1])
    assert not np.array_equal(draw[0], draw[2])
    generator = np.random.default_rng(1)
    assert np.array_equal(draw[0], draw_datasets(X, y, 20, 20, 0.2, 0.8, generator).X)
    assert not np.array_equal(draw[0], draw_datasets(X, y, 20, 20, 0.2, 0.8, generator).X)


def test_the_larger_class_is_plus_one_and_types_are_kept():
    X = np.arange(12, dtype=np.float32).reshape(6, 2)
    drawn = draw_datasets(X, ["no", "no", "no", "yes", "yes", "yes"], 3, 3, 0.0, 1.0)
    assert drawn.A.dtype == np.float32
    assert sorted(drawn.A[:, 0]) == [0, 2, 4]
    assert drawn.labels_b.tolist() == [1, 1, 1]


def test_a_set_that_is_too_small_says_what_is_needed_and_available():
    X, y = _numbered(100, 39)
    with pytest.raises(DataError, match=r"class \+1, 40 in all, but only 39 are available"):
        draw_datasets(X, y, 40, 40, 0.2, 0.8)
    X, y = _numbered(39, 100)
    with pytest.raises(DataError, match=r"A needs 32 and B needs 8 .* class -1, 40 in all.* 39 "):
        draw_datasets(X, y, 40, 40, 0.2, 0.8)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"n_a": 0}, ParameterError, "n_a must be at least 1"),
        ({"n_b": 2.5}, ParameterError, "n_b must be a whole number"),
        ({"theta_a": -0.1}, ParameterError, "theta_a must be a number from 0 to 1"),
        ({"theta_b": float("nan")}, ParameterError, "theta_b must be"),
        ({"theta_b": "half"}, ParameterError, "theta_b must be"),
        ({"random_state": "x"}, ParameterError, "random_state"),
        ({"X": np.zeros(10)}, DataError, "X must be a table"),
        ({"y": np.ones(9)}, DataError, "one row for each value of y"),
        ({"y": np.ones(10)}, DataError, "exactly two classes, got 1"),
        ({"y": np.arange(10)}, DataError, "exactly two classes, got 10: 0, 1, 2, 3, 4, ..."),
        ({"y": np.array([np.nan, *[1.0] * 9])}, DataError, "exactly two classes"),
    ],
)
def test_bad_input_is_refused(changed, error, message):
    X, y = _numbered(5, 5)
    arguments = {"X": X, "y": y, "n_a": 2, "n_b": 2, "theta_a": 0.5, "theta_b": 0.5} | changed
    with pytest.raises(error, match=message):
        draw_datasets(**arguments)
