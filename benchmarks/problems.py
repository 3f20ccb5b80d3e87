"""The problems that are timed. Seeds come from what the problem is, never from who solves it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unclustered.core.features import make_features
from unclustered.core.kernels import gaussian, median_distance, squared_distances
from unclustered.datasets import draw_datasets, load_benchmark, toy_problem_1

Float = NDArray[np.float64]


def toy(n: int, seed: int) -> tuple[Float, Float]:
    """The paper's first toy problem: samples and membership, n in each dataset."""
    drawn = toy_problem_1(n, priors=(0.7, 0.3), random_state=[1, n, seed])
    return drawn.X, drawn.membership.astype(float)


def benchmark_set(name: str, n: int, seed: int) -> tuple[Float, Float]:
    """One of the paper's sets that come with the package, standardised; n in each dataset."""
    data = load_benchmark(name)
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    drawn = draw_datasets(X, data.y, n, n, 0.7, 0.3, random_state=[2, n, seed])
    return drawn.X, drawn.membership.astype(float)


def blobs(n: int, n_features: int, seed: int) -> tuple[Float, Float]:
    """Two overlapping Gaussian classes in several dimensions; n in each dataset."""
    rng = np.random.default_rng([3, n, n_features, seed])
    side = np.repeat([1.0, -1.0], n)
    label = np.where(rng.random(2 * n) < 0.5 + 0.2 * side, 1.0, -1.0)
    X = rng.standard_normal((2 * n, n_features))
    X[:, :2] += label[:, None]
    return X, side


@dataclass(frozen=True)
class ConvexStep:
    """The first convex step of DSDD (hinge start): min 1/2 x'Gx - t'x in a box."""

    G: Float
    t: Float
    lower: Float
    upper: Float


def convex_step(G: Float, side: Float, regularization: float) -> ConvexStep:
    top = np.where(side > 0, 1 / (side > 0).sum(), 1 / (side < 0).sum()) / regularization
    slope = (side > 0).astype(float)
    return ConvexStep(G, side, top * (slope - 1.0), top * slope)


def gram(X: Float, multiple: float, penalty: str) -> Float:
    """Gram matrix of DSDD at a multiple of the median distance."""
    D = squared_distances(X)
    every = np.arange(len(X))
    Phi = gaussian(D, multiple * median_distance(D))
    return make_features(Phi, every, every, penalty, False).gram
