import numpy as np
import pytest
import scipy.sparse as sp

from unclustered.core import expansion
from unclustered.core.kernels import gaussian, squared_distances


@pytest.mark.parametrize("sparse", [False, True])
def test_blocks_make_no_difference(monkeypatch, sparse):
    rng = np.random.default_rng(0)
    X, centers, coef = rng.normal(size=(53, 4)), rng.normal(size=(7, 4)), rng.normal(size=7)
    whole = gaussian(squared_distances(X, centers), 1.3) @ coef
    monkeypatch.setattr(expansion, "_BLOCK_ENTRIES", 70)
    blocks = list(expansion.distance_blocks(X, centers))
    assert [len(D) for _, D in blocks] == [10, 10, 10, 10, 10, 3]
    wrap = sp.csr_array if sparse else np.asarray
    ours = expansion.kernel_expansion(wrap(X), wrap(centers), 1.3, coef)
    np.testing.assert_allclose(ours, whole, atol=1e-12)
