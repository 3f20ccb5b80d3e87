"""The first fit in a new process, beside importing scikit-learn alone in one."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import unclustered

from ..results import Row, Setup
from ..timing import Timing

FIT = """
import numpy as np
from unclustered import DSDD
X = np.random.default_rng(0).standard_normal((80, 2))
DSDD().fit(X, np.repeat([1, -1], 40))
"""
IMPORTS = {"import sklearn": "import sklearn", "import sklearn.svm": "import sklearn.svm"}


def run(setup: Setup) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="unclustered-bench-") as folder:
        root = Path(folder)
        _install(root)
        seconds: dict[str, list[float]] = {name: [] for name in ("cold", "warm", *IMPORTS)}
        for code in IMPORTS.values():  # so that the files have been read once
            _process(code, root, "unused", setup.threads)
        for k in range(setup.pick(3, 1)):
            seconds["cold"].append(_process(FIT, root, f"cache-{k}", setup.threads))
        for _ in range(setup.pick(7, 1)):
            seconds["warm"].append(_process(FIT, root, "cache-0", setup.threads))
            for name, code in IMPORTS.items():
                seconds[name].append(_process(code, root, "unused", setup.threads))
    timings = {name: Timing(tuple(times)) for name, times in seconds.items()}
    base, svm = timings["import sklearn"], timings["import sklearn.svm"]
    for cache, limit in (("warm", 0.8), ("cold", 10.0)):
        above = timings[cache].median - base.median
        yield Row(
            work=f"first DSDD fit (2 x 40, cross-validated) in a new process, cache {cache}",
            ours=timings[cache],
            rival="`import sklearn` alone",
            rivals=base,
            outcome=f"{above:.2f} s above it",
            goal=f"<= {limit:g} s above it",
            met=above <= limit,
            remarks=f"`import sklearn.svm`: {svm.median:.2f} s",
            detail={"timings": timings},
        )


def _install(root: Path) -> None:
    """A copy of the package with its bytecode, as an installation has; the checkout stays clean."""
    package = Path(unclustered.__file__).parent
    shutil.copytree(package, root / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(root / package.name, quiet=2)


def _process(code: str, root: Path, cache: str, threads: int | None) -> float:
    """Seconds of a whole process, the interpreter's own start included."""
    environment = {**os.environ, "PYTHONPATH": str(root), "NUMBA_CACHE_DIR": str(root / cache)}
    if threads is not None:
        environment |= {f"{pool}_NUM_THREADS": str(threads) for pool in ("OMP", "OPENBLAS", "MKL")}
    start = perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=root)
    return perf_counter() - start
