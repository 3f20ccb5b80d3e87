"""The example files that ship: made by the committed script, and labelled well."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from unclustered import DroppedColumnWarning, label
from unclustered.metrics import labeling_error_rate
from unclustered.tables import read_table

EXAMPLES = Path(str(files("unclustered"))) / "datasets" / "examples"
SCRIPT = Path(__file__).parents[1] / "examples" / "make_cells.py"


@pytest.fixture
def script():
    names = {"__name__": "make_cells"}
    exec(compile(SCRIPT.read_text(), SCRIPT, "exec"), names)
    return names


def test_the_script_draws_the_files_that_ship(script, tmp_path):
    script["main"](tmp_path)
    for name in ("a.csv", "b.csv"):
        assert (tmp_path / name).read_bytes() == (EXAMPLES / name).read_bytes()


def test_the_kinds_of_cells_are_found(script):
    a, b = (read_table(EXAMPLES / f"{patient}.csv") for patient in "ab")
    truth = np.concatenate([script["draw_cells"](p, seed)[1] for seed, p in enumerate("ab")])
    with pytest.warns(DroppedColumnWarning, match="'cell' .*'instrument'"):
        result = label(a, b)
    found = np.r_[result.labels_a, result.labels_b]
    assert labeling_error_rate(np.where(truth, 1, -1), found) < 0.05
