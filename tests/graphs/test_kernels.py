"""The graphs compute what scipy and scikit-learn do, also where digits are easily lost."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KernelDensity

from unclustered.graphs import Graph, kernels

pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 5)), RNG.normal(size=(20, 5))


def computed(draw, X):
    """What the graph that ``draw`` makes of an input gives for X."""
    graph = Graph()
    value = draw(graph.input("X", np.float64, X.shape[1]))
    graph.output("result", value, np.float64)
    content = graph.model("A test.").SerializeToString()
    session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    return session.run(["result"], {"X": X})[0]


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_expansions(offset):
    coef = RNG.normal(size=20)
    found = computed(lambda v: kernels.kernel_expansion(v, Y + offset, 1.5, coef), X + offset)
    expected = rbf_kernel(X, Y, gamma=0.5 / 1.5**2) @ coef
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 if offset == 0 else 1e-8)


def test_expansions_at_sparse_centres():
    coef = RNG.normal(size=20)
    for centers in (Y, sp.csr_array(Y)):
        found = computed(lambda v, c=centers: kernels.kernel_expansion(v, c, 1.5, coef), X)
        np.testing.assert_allclose(found, rbf_kernel(X, Y, gamma=0.5 / 1.5**2) @ coef, atol=1e-12)


@pytest.mark.parametrize("bandwidth", [0.7, 0.01])
def test_densities_do_not_underflow(bandwidth):
    weight = RNG.random(20)
    weight /= weight.sum()
    found = computed(lambda v: kernels.log_density(v, Y, weight, bandwidth), X)
    other = KernelDensity(bandwidth=bandwidth, rtol=0, atol=0).fit(Y, sample_weight=weight)
    np.testing.assert_allclose(found, other.score_samples(X), rtol=1e-12)
    assert (bandwidth > 0.1) == (np.exp(found) > 0).all()


def test_small_distances_keep_their_digits():
    near = Y + 1e-9 * RNG.normal(size=Y.shape)
    found = computed(lambda v: kernels.distance_to_nearest(v, Y), near)
    np.testing.assert_allclose(found, cdist(near, Y).min(axis=1), rtol=1e-9)
    assert (computed(lambda v: kernels.distance_to_nearest(v, Y), Y) == 0).all()
