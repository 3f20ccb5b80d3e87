"""scikit-learn's boosted trees, taken apart into arrays, so that they can be kept in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from .family import FittedPath
from .problem import Problem
from .voters import TreeVoter, as_votes, own_unit

__all__ = ["TreesPath"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class TreesPath:
    """Boosted trees of these sizes."""

    leaves: tuple[int, ...]
    n_trees: int
    seed: int
    method: str = "trees"
    variant: str = ""

    def fit(self, problem: Problem) -> FittedPath:
        """Fit every configuration to every fold."""
        X = problem.samples.dense
        parts, held_out = [], []
        for n_leaves in self.leaves:
            models = [
                HistGradientBoostingClassifier(
                    max_iter=self.n_trees,
                    max_leaf_nodes=n_leaves,
                    early_stopping=False,
                    random_state=self.seed,
                ).fit(X[train], problem.side[train], problem.weight[train])
                for train, _ in problem.folds
            ]
            scores = np.array([model.decision_function(X) for model in models])
            scale = own_unit(scores)
            held_out.append(problem.held_out(as_votes(scores, scale[:, None])[None]))
            parts.append(_taken_apart(models, scale))
        names = [f"leaves={n_leaves}" for n_leaves in self.leaves]
        return FittedPath(names, np.concatenate(held_out), parts)


def _taken_apart(models: Sequence[Any], scale: Float) -> TreeVoter:
    """All nodes of all trees, one behind the other; the values make up the mean of the models."""
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name in ("f", "t", "l", "r", "v")}
    roots: list[int] = []
    depth, n_nodes, baseline = 0, 0, 0.0
    for model, unit in zip(models, (scale * len(models)).tolist(), strict=True):
        baseline += float(np.ravel(model._baseline_prediction)[0]) / unit
        for (predictor,) in model._predictors:
            nodes = predictor.nodes
            own = np.arange(len(nodes)) + n_nodes
            leaf = nodes["is_leaf"].astype(bool)
            columns["f"].append(np.where(leaf, 0, nodes["feature_idx"]).astype(np.int64))
            columns["t"].append(np.where(leaf, np.inf, nodes["num_threshold"]))
            columns["l"].append(np.where(leaf, own, nodes["left"].astype(np.int64) + n_nodes))
            columns["r"].append(np.where(leaf, own, nodes["right"].astype(np.int64) + n_nodes))
            columns["v"].append(np.where(leaf, nodes["value"], 0.0) / unit)
            roots.append(n_nodes)
            depth = max(depth, int(nodes["depth"].max()))
            n_nodes += len(nodes)
    feature, threshold, left, right, value = (np.concatenate(column) for column in columns.values())
    return TreeVoter(
        feature=feature,
        threshold=threshold,
        left=left,
        right=right,
        value=value,
        roots=np.array(roots),
        depth=depth,
        baseline=baseline,
        weight=1.0,
    )
