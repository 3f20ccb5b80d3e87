import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from sklearn.neighbors import kneighbors_graph

from unclustered.core.graph import join_components
from unclustered.core.kernels import squared_distances


def test_parts_are_joined_by_the_shortest_edges_there_are():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1, (12, 2)) for c in (0, 10, 25, 60, 61, 100)])
    D = squared_distances(X)
    graph = kneighbors_graph(X, 2)
    affinity = sp.csr_array(0.5 * (graph + graph.T))
    n_parts, part = connected_components(affinity)
    assert n_parts > 4
    joined = join_components(affinity, D, 0.25)
    assert connected_components(joined)[0] == 1
    added = (joined - affinity).tocoo()
    assert added.nnz == 2 * (n_parts - 1)
    assert (added.data == 0.25).all()

    between = np.full((n_parts, n_parts), np.inf)
    np.minimum.at(between, (part[:, None], part), D)
    np.fill_diagonal(between, 0)
    shortest = minimum_spanning_tree(between).sum()
    assert np.isclose(D[added.row, added.col].sum() / 2, shortest)


def test_equidistant_parts_are_joined_too():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.5, 9.0]])
    joined = join_components(sp.csr_array((5, 5)), squared_distances(X), 1.0)
    assert connected_components(joined)[0] == 1
