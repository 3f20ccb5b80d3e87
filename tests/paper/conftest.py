"""Results made by hand, so that every figure in a table is known."""

import numpy as np
import pytest

from unclustered.paper.lineup import lineup
from unclustered.paper.protocol import Protocol, Trial
from unclustered.paper.results import Plan, Results


@pytest.fixture
def results():
    """Twelve trials; LSDD best by far on heart; k-means fails twice on thyroid."""
    plan = Plan(
        tables=("table1", "table2"),
        datasets=("heart", "thyroid"),
        contestants=lineup(["dsdd", "lsdd", "kmeans", "kmeans:n_init=1"]),
        trials=12,
        seed=5,
        protocol=Protocol(),
        left_out={"australian": "OpenML did not answer."},
    )
    rng = np.random.default_rng(0)
    means = {"dsdd": 0.30, "lsdd": 0.10, "kmeans": 0.2, "kmeans:n_init=1": 0.3}
    trials = {}
    for table in plan.tables:
        for dataset in plan.datasets:
            noise = rng.normal(0, 0.02, plan.trials)
            for c in plan.contestants:
                (block,) = plan.cell(table, dataset, c)
                own = rng.normal(0, 0.02, plan.trials) + noise
                rates = {"origin": [0.2] * 12, "coin": [0.45] * 12}.get(
                    c.name, (means.get(c.name, 0) + own).tolist()
                )
                cell = [Trial(rate) for rate in rates]
                if (table, dataset, c.name) == ("table1", "thyroid", "kmeans"):
                    cell[3] = cell[7] = Trial(None, failure="ValueError: a <b> & c")
                trials[block] = tuple(cell)
    return Results(plan, trials)
