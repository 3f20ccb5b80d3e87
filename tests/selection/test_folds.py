import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold

from unclustered.errors import DataError, ParameterError
from unclustered.selection.folds import canonical_order, make_folds


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    return rng.normal(size=(23, 3)), np.where(np.arange(23) < 11, 1.0, -1.0)


def _folds(cv, X, side, weight=None):
    weight = np.ones(len(side)) if weight is None else weight
    return make_folds(cv, X, side, weight, np.random.default_rng(5))


def test_every_sample_is_held_out_once_and_datasets_are_spread_evenly(problem):
    X, side = problem
    folds = _folds(4, X, side)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(23))
    for value, size in ((1, 11), (-1, 12)):
        counts = [(side[test] == value).sum() for _, test in folds]
        assert max(counts) - min(counts) <= 1
        assert sum(counts) == size
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(23))


def test_folds_follow_the_samples_not_their_order_or_the_names_of_the_datasets(problem):
    X, side = problem
    p = np.random.default_rng(1).permutation(23)
    for (_, a), (_, b), (_, c) in zip(
        _folds(4, X, side), _folds(4, X[p][:, [2, 0, 1]], side[p]), _folds(4, X, -side), strict=True
    ):
        assert set(a) == set(p[b]) == set(c)


@pytest.mark.parametrize("kind", ["integer", "splitter", "pairs"])
def test_rows_of_zero_weight_are_as_if_absent(problem, kind):
    X, side = problem
    weight = np.where(np.arange(23) % 5 == 0, 0.0, 1.0)
    kept = np.flatnonzero(weight)
    pairs = list(LeaveOneGroupOut().split(X, groups=np.arange(23) % 3))
    present = {row: k for k, row in enumerate(kept)}
    fewer = [tuple([present[i] for i in part if i in present] for part in pair) for pair in pairs]
    cv, cv_kept = {
        "integer": (3, 3),
        "splitter": (StratifiedKFold(3), StratifiedKFold(3)),
        "pairs": (pairs, fewer),
    }[kind]
    with_zeros = _folds(cv, X, side, weight)
    without = _folds(cv_kept, X[kept], side[kept])
    for (a, b), (c, d) in zip(with_zeros, without, strict=True):
        assert set(a) == set(kept[c])
        assert set(b) == set(kept[d])


def test_what_cannot_be_split_is_an_error_that_says_so(problem):
    X, side = problem
    with pytest.raises(ParameterError, match="at least 2"):
        _folds(1, X, side)
    with pytest.raises(ParameterError, match="cv cannot split"):
        _folds([([0, 99], [1, 12])], X, side)
    with pytest.raises(ParameterError, match="lacks samples"):
        _folds([([0, 1, 2], [3, 15])], X, side)
    with pytest.raises(DataError, match="n_samples=1"):
        _folds(2, X[10:], side[10:])


def test_canonical_order_sorts_rows_of_equal_columns_together():
    X = np.array([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0], [0.0, 4.0]])
    assert X[canonical_order(X)].tolist() in (
        [[0.0, 4.0], [0.0, 5.0], [1.0, 2.0], [1.0, 2.0]],
        [[1.0, 2.0], [1.0, 2.0], [0.0, 4.0], [0.0, 5.0]],
    )


def test_canonical_order_is_that_of_the_samples_dense_or_sparse():
    X = np.random.default_rng(2).integers(-1, 2, (60, 7)).astype(float)
    np.testing.assert_array_equal(canonical_order(sp.csr_array(X)), canonical_order(X))
