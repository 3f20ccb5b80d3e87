"""A labelling with everything that a report can show, and hostile words in all its places."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from unclustered import label
from unclustered.errors import UnclusteredWarning

HACK = "document.documentElement.dataset.hacked=1"
HOSTILE = (
    f"<script>{HACK}</script>",
    f"</script><script>{HACK}</script>",
    f"\"'><img src=http://127.0.0.1:9/x onerror={HACK}>",
    f"]]></style></title></textarea><svg onload={HACK}>",
    f"<!--<script>{HACK}//",
    "{{7*7}}${7*7}",
    "=cmd|'/c calc'!A0",
    "\u202egnp.exe\n\t\x00\ud800 | *b* [x](javascript:alert(1)) `c`",
)
LEADERBOARD = {
    "method": ["kmeans", "dsdd", HOSTILE[0]],
    "configuration": ["", "penalty=rkhs", HOSTILE[2]],
    "gap": [0.2, 0.35, None],
    "gap_low": [0.05, 0.16, None],
    "gap_high": [0.36, 0.51, None],
    "weight": [0.0, 1.0, None],
    "seconds": [0.02, 1.25, None],
}


def two_tables(n=40, names=("x", "y", "phase", "batch"), levels=("S", "G1"), seed=0):
    """Two classes far apart in the first column, less in the second, not in the others."""
    rng = np.random.default_rng(seed)
    tables = []
    for share in (0.8, 0.2):
        y = np.where(np.arange(n) < share * n, 1.0, -1.0)
        columns = [
            3 * y + rng.normal(size=n),
            0.5 * y + rng.normal(size=n),
            rng.choice(np.array(levels, dtype=object), n),
            np.repeat("same", n),
        ]
        tables.append(dict(zip(names, columns, strict=True)))
    return tables


def labelled(tables, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnclusteredWarning)
        return label(*tables, **({"method": "lsdd", "permutations": 19} | options))


@pytest.fixture(scope="session")
def tables():
    return two_tables()


@pytest.fixture(scope="session")
def result(tables):
    return labelled(tables, priors=(0.8, 0.2))


@pytest.fixture(scope="session")
def summary(tables, result):
    result.model.leaderboard_ = LEADERBOARD
    try:
        return result.summary(*tables, random_state=3, command="unclustered label a b")
    finally:
        del result.model.leaderboard_


@pytest.fixture(scope="session")
def hostile_summary():
    """Hostile names of columns, levels, files, samples and groups, and a hostile command."""
    names = (HOSTILE[0], HOSTILE[2], HOSTILE[1], HOSTILE[3])
    tables = two_tables(names=names, levels=(HOSTILE[4], HOSTILE[7]))
    groups = tuple(
        [f"{dataset}{HOSTILE[k % 4]}{k % 5}" for k in range(40)] for dataset in ("a", "b")
    )
    found = labelled(tables, priors=(0.8, 0.2), groups=groups)
    found.model.leaderboard_ = LEADERBOARD
    return found.summary(
        *tables,
        ids=([HOSTILE[k % 8] for k in range(40)], [HOSTILE[(k + 3) % 8] for k in range(40)]),
        sources=(HOSTILE[2], HOSTILE[1]),
        groups=groups,
        command=f"unclustered label {HOSTILE[1]} ```\n{HOSTILE[0]}",
        inputs=[{"name": HOSTILE[0], "sha256": HOSTILE[2]}],
    )
