"""The parts of a record, each against a slow or obvious way to the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression

from unclustered.bags.reading import read_columns
from unclustered.report.axes import ticks
from unclustered.report.histograms import column_histogram, null_histogram, score_histogram
from unclustered.report.importance import column_importance
from unclustered.report.projection import map_of


def three_columns(n=300, seed=0):
    """Samples whose first column separates, the second a little, the third not at all."""
    rng = np.random.default_rng(seed)
    side = np.repeat([1.0, -1.0], n // 2)
    y = np.where(rng.random(n) < 0.5 + 0.4 * side, 1.0, -1.0)
    return np.c_[2 * y, 0.5 * y, 0 * y] + rng.normal(size=(n, 3)), side, y.astype(int)


def importance(X, side, labels, columns, **options):
    return column_importance(
        LogisticRegression(),
        X,
        side,
        labels,
        columns,
        groups=options.pop("groups", None),
        random_state=np.random.default_rng(0),
        **options,
    )


def test_importance_is_that_of_scikit_learn():
    X, side, labels = three_columns()
    found = importance(X, side, labels, [np.array([k]) for k in range(3)])
    losses = np.zeros(3)
    gap = 0.0
    folds = [np.arange(len(side)) % 5 == k for k in range(5)]
    for test in folds:  # other folds and other shuffles, so only nearly the same
        model = LogisticRegression().fit(X[~test], side[~test])
        again = permutation_importance(
            model, X[test], side[test], scoring="balanced_accuracy", n_repeats=20, random_state=0
        )
        losses += 2 * again.importances_mean / 5
        shares = [(model.predict(X[test])[side[test] == s] > 0).mean() for s in (1, -1)]
        gap += (shares[0] - shares[1]) / 5
    np.testing.assert_allclose(found.loss, losses, atol=0.06)
    assert found.gap == pytest.approx(gap, abs=0.05)
    assert (found.n_folds, found.n_shuffles) == (5, 3)
    assert found.loss.argmax() == 0
    assert abs(found.loss[2]) < 0.05


def test_columns_that_belong_together_are_shuffled_together():
    X, side, labels = three_columns()
    X = np.c_[X[:, 0] / 2, X[:, 0] / 2, X[:, 1:]]
    apart = importance(X, side, labels, [np.array([k]) for k in range(4)])
    together = importance(X, side, labels, [np.array([0, 1]), np.array([2]), np.array([3])])
    assert together.loss[0] > 1.5 * apart.loss[:2].max()


def test_sparse_samples_are_shuffled_as_dense_ones():
    X, side, labels = three_columns()
    X[np.abs(X) < 0.7] = 0.0
    columns = [np.array([0]), np.array([1, 2])]
    dense = importance(X, side, labels, columns)
    sparse = importance(sp.csr_array(X), side, labels, columns)
    assert sparse.gap == pytest.approx(dense.gap, abs=0.02)
    np.testing.assert_allclose(sparse.loss, dense.loss, atol=0.06)


def test_of_many_columns_those_that_differ_are_asked():
    X, side, labels = three_columns()
    noise = np.random.default_rng(1).normal(size=(len(X), 60))
    X = np.c_[noise[:, :50], X[:, 0], noise[:, 50:]]
    found = importance(X, side, labels, [np.array([k]) for k in range(X.shape[1])])
    assert len(found.asked) == 30
    assert 50 in found.asked
    assert found.asked[found.loss.argmax()] == 50


def test_groups_are_not_torn_apart():
    X, side, labels = three_columns(n=40)
    groups = np.repeat(np.arange(8), 5)
    assert importance(X, side, labels, [np.arange(3)], groups=groups).n_folds == 4


def test_progress_counts_the_folds():
    X, side, labels = three_columns(n=60)
    told = []
    importance(X, side, labels, [np.arange(3)], progress=lambda *pair: told.append(pair))
    assert told == [(k, 5) for k in range(1, 6)]


def test_the_map_is_that_of_principal_components():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 5))
    scores = X @ rng.normal(size=5)
    found = map_of(X, ("a",) * 5, scores, 90, [*map(str, range(200))], None)
    model = PCA(2).fit(X)
    expected = np.abs(model.transform(X))
    np.testing.assert_allclose(np.abs(found.points.x), expected[:, 0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(np.abs(found.points.y), expected[:, 1], rtol=1e-3, atol=1e-4)
    assert f"{model.explained_variance_ratio_.sum():.0%}" in found.how
    assert np.corrcoef(found.points.x, scores)[0, 1] > 0


def test_wide_samples_have_the_same_map():
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(50, 2)) * [9, 5], rng.normal(size=(50, 600)) * 0.001]
    found = map_of(X, (), X[:, 0], 25, [""] * 50, None)
    expected = np.abs(PCA(2).fit_transform(X))
    np.testing.assert_allclose(np.abs(found.points.x), expected[:, 0], rtol=1e-2, atol=1e-2)


def test_few_columns_are_drawn_as_they_are():
    X = np.random.default_rng(0).normal(size=(10, 2)).round(3)
    found = map_of(X, ("size", "mass"), X[:, 0], 5, [""] * 10, None)
    assert found.axes == ("size", "mass")
    np.testing.assert_allclose(np.c_[found.points.x, found.points.y], X, rtol=1e-4)
    one = map_of(X[:, :1], ("size",), X[:, 1], 5, [""] * 10, None)
    assert one.axes == ("size", "score")


def test_cells_count_every_sample_once():
    rng = np.random.default_rng(0)
    X = rng.standard_t(2, size=(25_000, 2))
    labels = np.where(X[:, 0] > 0, 1, -1)
    labels[:100] = 0
    found = map_of(X, ("x", "y"), X[:, 0], 10_000, [""] * 25_000, labels)
    cells = found.cells
    assert found.points is None
    assert (sum(cells.n_a), sum(cells.n_b)) == (10_000, 15_000)
    assert sum(cells.n_plus) + sum(cells.n_minus) == 24_900
    column = cells.column.index(max(cells.column))
    assert cells.n_minus[column] == 0  # the rightmost are all +1
    assert len(cells.n_a) <= 48**2


def test_no_bin_of_scores_has_both_signs():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.4, 1, 80), rng.normal(-0.3, 1, 70)
    b[:3] = 0.0  # whose label is -1
    found = score_histogram(a, b)
    edges = np.array(found.edges)
    assert 0.0 in edges
    for scores, shares in zip((a, b), found.shares, strict=True):
        assert sum(shares) == pytest.approx(1, abs=1e-4)
        above = sum(np.array(shares)[edges[:-1] >= 0])
        assert above == pytest.approx((scores > 0).mean(), abs=1e-4)


def test_equal_scores_can_be_drawn():
    found = score_histogram(np.zeros(3), np.zeros(4))
    assert all(np.diff(found.edges) > 0)
    assert [sum(shares) for shares in found.shares] == [1, 1]


def test_values_of_a_column_by_label():
    table = {"x": [1.0, 2.0, 3.0, np.nan], "s": ["u", "v", None, "v"]}
    a, b = read_columns(table, "A"), read_columns(table, "B")
    labels = np.array([1, 1, -1, -1, 1, 0, -1, -1])
    levels = column_histogram(a, b, "s", labels)
    assert levels.levels == ("v", "u", "(missing)")
    assert levels.shares[0] == (pytest.approx(1 / 3), pytest.approx(2 / 3), 0.0)
    assert levels.shares[1] == (0.5, 0.0, 0.5)
    numbers = column_histogram(a, b, "x", labels)
    assert sum(numbers.shares[0]) == pytest.approx(1, abs=1e-5)
    assert numbers.shares[1][-1] == 1.0  # the two that are known are 3
    assert column_histogram(a, b, "x", np.ones(8, dtype=int)) is None


def test_far_values_do_not_hide_the_others():
    values = np.r_[np.linspace(0, 1, 999), 1e9]
    a = b = read_columns({"x": values}, "A")
    found = column_histogram(a, b, "x", np.repeat([1, -1], 1000))
    assert found.beyond == 2
    assert found.edges[-1] < 2


def test_rare_levels_are_put_together():
    values = [f"level {k}" for k in range(30) for _ in range(30 - k)]
    a = b = read_columns({"s": values}, "A")
    found = column_histogram(a, b, "s", np.repeat([1, -1], len(values)))
    assert len(found.levels) == 8
    assert found.levels[-1] == "(others)"
    assert sum(found.shares[0]) == pytest.approx(1, abs=1e-4)


def test_null_gaps_are_all_counted():
    for gaps in (np.zeros(5), np.random.default_rng(0).normal(size=9990)):
        found = null_histogram(gaps)
        assert sum(found["counts"]) == len(gaps)
        assert len(found["edges"]) == len(found["counts"]) + 1


@pytest.mark.parametrize("ends", [(0, 1), (-3e-7, 2e-7), (-1e12, 5), (0.99, 1.01)])
def test_ticks_are_few_and_inside(ends):
    found = ticks(*ends, most=6)
    assert 2 <= len(found) <= 7
    assert min(found) >= ends[0] - 1e-9 * abs(ends[0])
    assert max(found) <= ends[1] + 1e-9 * abs(ends[1])
