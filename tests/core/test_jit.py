"""The compiled loop: kept on disk, and still there where nothing can be kept."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import unclustered

SOLVE = """
import numpy as np
from unclustered.core.box_qp import solve_box_qp
print(solve_box_qp(np.eye(2), np.array([0.5, 3.0]), np.zeros(2), np.ones(2)).x)
from unclustered.core import _jit
print(sum(_jit.solve.stats.cache_hits.values()))
"""


def run(**env):
    done = subprocess.run(
        [sys.executable, "-c", SOLVE],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.slow
def test_a_second_process_finds_what_the_first_compiled(tmp_path):
    assert run(NUMBA_CACHE_DIR=str(tmp_path)) == ["[0.5 1. ]", "0"]
    assert run(NUMBA_CACHE_DIR=str(tmp_path)) == ["[0.5 1. ]", "1"]


@pytest.mark.slow
def test_it_works_where_no_cache_can_be_written(tmp_path):
    package = tmp_path / "unclustered"
    shutil.copytree(
        Path(unclustered.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    blocked = package / "core" / "__pycache__"
    blocked.write_text("a file where the folder would have to be")
    nowhere = str(blocked / "cache")
    env = {"PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": nowhere, "HOME": nowhere}
    assert run(**env, NUMBA_CACHE_DIR="") == ["[0.5 1. ]", "0"]
