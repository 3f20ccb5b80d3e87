"""Draw the two example files that ship with the package.

A story that could be true: the white blood cells of two patients, sixty each, as a flow cytometer
sees them. Seven in ten cells of patient A are monocytes and the others lymphocytes; in patient B it
is the other way round. Nobody wrote down which cell is which.

    python examples/make_cells.py src/unclustered/datasets/examples
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from unclustered.tables import write_table

MONOCYTES = {"a": 0.7, "b": 0.3}
N_CELLS = 60


def draw_cells(patient: str, seed: int) -> tuple[dict[str, Any], np.ndarray]:
    """Table of one patient's cells, and which of them are monocytes."""
    rng = np.random.default_rng(seed)
    monocyte = rng.permutation(np.arange(N_CELLS) < round(MONOCYTES[patient] * N_CELLS))
    phases = np.where(
        monocyte,
        rng.choice(["G1", "S", "G2M"], N_CELLS, p=[0.90, 0.07, 0.03]),
        rng.choice(["G1", "S", "G2M"], N_CELLS, p=[0.60, 0.25, 0.15]),
    )
    table = {
        "cell": [f"{patient}{number:03d}" for number in range(1, N_CELLS + 1)],
        "diameter_um": np.where(monocyte, 14.0, 9.5) + rng.normal(0, 1.6, N_CELLS),
        "side_scatter": np.exp(np.where(monocyte, 5.6, 4.6) + rng.normal(0, 0.45, N_CELLS)),
        "cd14": np.where(monocyte, 3.2, 1.1) + rng.normal(0, 0.9, N_CELLS),
        "cd4": np.where(monocyte, 1.6, 2.3) + rng.normal(0, 0.8, N_CELLS),
        "phase": phases,
        "instrument": ["FC-2"] * N_CELLS,
    }
    rounded = {
        name: np.round(values, 2) if np.asarray(values).dtype.kind == "f" else values
        for name, values in table.items()
    }
    return rounded, monocyte


def main(folder: Path) -> None:
    """Write a.csv and b.csv."""
    for seed, patient in enumerate(MONOCYTES):
        table, _ = draw_cells(patient, seed)
        write_table(table, folder / f"{patient}.csv")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
