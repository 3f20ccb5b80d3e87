"""A program that is killed while it writes leaves the old file or the new one."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import pytest

from unclustered.tables import read_table, write_table

CODE = """
import sys
from unclustered.tables import write_table
print("ready", flush=True)
while True:
    for label in (1, -1):
        write_table({"row": range(20_000), "label": [label] * 20_000}, sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl.gz"])
def test_killed_while_writing(suffix, tmp_path):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    rng = random.Random(0)
    path = tmp_path / f"labels{suffix}"
    contents = set()
    for label in (1, -1):
        write_table({"row": range(20_000), "label": [label] * 20_000}, path)
        contents.add(path.read_bytes())
    n_interrupted = 0
    for _ in range(50):
        with subprocess.Popen(
            [sys.executable, "-c", CODE, path], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout.readline() == "ready\n"
            time.sleep(rng.uniform(0.0, 0.2))
            child.kill()
        assert path.read_bytes() in contents
        left = [p for p in tmp_path.iterdir() if p != path]
        n_interrupted += bool(left)
        for temporary in left:
            temporary.unlink()
    assert n_interrupted > 10  # it was indeed killed in the middle
    assert read_table(path).n_rows == 20_000
