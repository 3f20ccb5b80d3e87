"""Save a model of every method, and its scores: run once a release, kept for all later ones.

python -m tests.models.make_saved       (writes tests/models/saved/VERSION)
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np

from unclustered import __version__, label
from unclustered.methods import method_names


def table(n, share, seed):
    rng = np.random.default_rng(seed)
    first = np.arange(n) < share * n
    phase = np.where(rng.random(n) < 0.2 + 0.6 * first, "S", "G1").astype(object)
    phase[4] = None
    width = (first + rng.normal(size=n)).round(3)
    width[3] = np.nan
    return {
        "length": (100 + 2 * first + rng.normal(size=n)).round(3).tolist(),
        "phase": phase.tolist(),
        "width": [None if np.isnan(w) else w for w in width.tolist()],
        "batch": ["7"] * n,
    }


def main(folder: Path) -> None:
    folder.mkdir(parents=True)
    new = table(12, 0.5, 2)
    scores = {}
    for method in method_names():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = label(
                table(24, 0.8, 0), table(20, 0.2, 1), method, missing="impute", evidence=False
            )
        result.save(folder / f"{method}.unclustered")
        scores[method] = result.score_samples(new).tolist()
    text = json.dumps({"table": new, "scores": scores}, indent=1)
    (folder / "scores.json").write_text(text + "\n")


if __name__ == "__main__":
    main(Path(__file__).parent / "saved" / __version__)
