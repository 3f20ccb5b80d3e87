"""A sample of data seen part by part."""

import numpy as np
import pytest
import scipy.sparse as sp

from unclustered.core.sample import draw_sample
from unclustered.engines import ArraySource, make_engine


def source(n_a=3000, n_b=500, part_rows=256):
    side = np.repeat([1.0, -1.0], [n_a, n_b])
    X = np.arange(n_a + n_b, dtype=float)[:, None]
    order = np.random.default_rng(0).permutation(n_a + n_b)
    return ArraySource(X[order], side[order], np.ones(n_a + n_b), part_rows=part_rows)


def drawn(n, data=None, seed=0, engine="numpy"):
    return draw_sample(make_engine(engine), data or source(), n, np.random.default_rng(seed))


def test_as_many_from_each_and_no_row_twice():
    sample = drawn(400)
    assert (sample.side > 0).sum() == (sample.side < 0).sum() == 200
    assert len(np.unique(sample.X)) == 400
    np.testing.assert_array_equal(sample.side > 0, sample.X[:, 0] < 3000)
    np.testing.assert_allclose(np.unique(sample.stands_for), [500 / 200, 3000 / 200])
    assert sample.n_all == 3500


def test_where_one_has_few_the_other_gives_more():
    sample = drawn(2000)
    assert (sample.side < 0).sum() == 500
    assert len(sample) == 2000


def test_all_rows_where_there_are_no_more():
    sample = drawn(10**6)
    assert len(sample) == 3500
    np.testing.assert_array_equal(np.sort(sample.X[:, 0]), np.arange(3500.0))


def test_every_row_is_as_likely():
    counts = np.zeros(300)
    data = source(200, 100, part_rows=64)
    for seed in range(400):
        counts[drawn(100, data, seed).X[:, 0].astype(int)] += 1
    np.testing.assert_allclose(counts[:200].mean(), 100, atol=1e-9)
    np.testing.assert_allclose(counts[200:].mean(), 200, atol=1e-9)
    assert np.abs(counts[:200] - 100).max() < 4.5 * np.sqrt(400 * 0.25 * 0.75)
    assert np.abs(counts[200:] - 200).max() < 4.5 * 10


def test_first_rows_are_a_sample_and_stand_for_all():
    sample = drawn(1000)
    some = sample.first(100)
    assert (some.side > 0).sum() == 50
    assert some.n_all == 3500
    assert set(some.X[:, 0]) <= set(sample.X[:, 0])
    assert sample.first(10**6) is sample


def test_rows_of_no_weight_are_not_there():
    data = source()
    weight = (data.X[:, 0] % 2 == 0).astype(float)
    sample = drawn(100, ArraySource(data.X, data.side, weight))
    assert np.all(sample.X % 2 == 0)
    assert sample.n_all == 1750


def test_its_weights_are_normalised_as_data():
    weights = drawn(100).source()
    for value in (1.0, -1.0):
        assert weights.weight[weights.side == value].sum() == pytest.approx(1.0)


def test_threads_change_nothing_and_sparse_stays_sparse():
    data = source()
    three = draw_sample(make_engine("numpy", n_jobs=3), data, 100, np.random.default_rng(0))
    np.testing.assert_array_equal(three.X, drawn(100).X)
    sparse = ArraySource(sp.csr_array(data.X), data.side, data.weight, part_rows=256)
    found = drawn(100, sparse)
    assert sp.issparse(found.X)
    np.testing.assert_array_equal(found.X.toarray(), drawn(100).X)
