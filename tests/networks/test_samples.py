"""Batches and units, against plain NumPy."""

import numpy as np
import pytest

from unclustered.networks import samples as module
from unclustered.networks.samples import Samples, balanced_batches, units_of

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(("n_a", "n_b"), [(100, 100), (100, 37), (5, 300), (1, 1), (64, 65)])
def test_every_batch_holds_both_and_an_epoch_all_of_the_larger(n_a, n_b):
    rows_a, rows_b = np.arange(n_a), np.arange(1000, 1000 + n_b)
    batches = list(balanced_batches(rows_a, rows_b, 32, np.random.default_rng(0)))
    assert all(len(a) and len(b) and len(a) <= 16 and len(b) <= 16 for a, b in batches)
    assert all(set(a) <= set(rows_a) and set(b) <= set(rows_b) for a, b in batches)
    larger = 0 if n_a >= n_b else 1
    seen = np.concatenate([batch[larger] for batch in batches])
    np.testing.assert_array_equal(np.sort(seen), (rows_a, rows_b)[larger])
    other = np.concatenate([batch[1 - larger] for batch in batches])
    counts = np.unique(other, return_counts=True)[1]
    assert len(counts) == min(n_a, n_b)  # all of the smaller
    assert counts.max() - counts.min() <= 1 + (n_a == 5)


def test_units_are_means_and_deviations_in_blocks(monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 21)
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(1e8, 1, 50), rng.normal(0, 1e-6, 50), np.full(50, 0.1)]
    units = units_of(X)
    np.testing.assert_allclose(units.mean, X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(units.scale, [*X.std(axis=0)[:2], 1.0], rtol=1e-6)
    images = rng.normal(size=(20, 3, 4, 5)) * np.array([1.0, 5, 9]).reshape(3, 1, 1)
    per_channel = units_of(images)
    np.testing.assert_allclose(per_channel.mean.ravel(), images.mean(axis=(0, 2, 3)), rtol=1e-9)
    np.testing.assert_allclose(per_channel.scale.ravel(), images.std(axis=(0, 2, 3)), rtol=1e-9)


def test_rows_are_the_same_whether_they_are_kept_on_the_device(monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 3))
    index = np.array([7, 3, 3, 39])
    units, cpu = units_of(X), torch.device("cpu")
    kept = Samples(torch, X, units, cpu).rows(index)
    monkeypatch.setattr(module, "_RESIDENT", 0)
    read = Samples(torch, X, units, cpu).rows(index)
    torch.testing.assert_close(kept, read, rtol=0, atol=0)
    expected = ((X - X.mean(axis=0)) / X.std(axis=0))[index]
    np.testing.assert_allclose(read, expected, rtol=1e-5)
    assert read.dtype == torch.float32
