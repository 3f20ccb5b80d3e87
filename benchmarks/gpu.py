"""``python -m benchmarks.gpu``: DSDD on millions of rows, fitted and labelled on a CUDA device.

Two classes, each a mixture of four clouds in 50 columns, 70 : 30 in A and 30 : 70 in B. Samples
start in the memory of the machine. Everything is counted: the choice of bandwidth, regularization
and landmarks, the move of the samples, all passes, the labels of all rows.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np


def problem(n: int, d: int, seed: int = 0) -> tuple[Any, Any, Any]:
    """Samples of both datasets in float32, their sides and their classes."""
    rng = np.random.default_rng(seed)
    clouds = rng.normal(size=(2, 4, d)) * (2.0 / d**0.5)
    side = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    label = np.where(rng.random(n) < 0.5 + 0.2 * side, 1, -1)
    X = rng.standard_normal((n, d), dtype=np.float32)
    which = rng.integers(0, 4, n)
    for k, value in enumerate((1, -1)):
        for cloud in range(4):
            rows = (label == value) & (which == cloud)
            X[rows] += clouds[k, cloud].astype(np.float32)
    return X, side, label


def fit(engine: Any, X: Any, side: Any, rank: int, **given: Any) -> tuple[Any, float]:
    """Fitted model, its labels of all rows included, and seconds."""
    from unclustered import DSDD

    model = DSDD(solver="lowrank", rank=rank, engine=engine, random_state=0, **given)
    start = time.perf_counter()
    model.fit(X, side)
    return model, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 2 * 10**7])
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--rank", type=int, default=4096)
    parser.add_argument("--penalty", default="coefficients")
    parser.add_argument("--engine", default="torch")
    parser.add_argument("--jobs", type=int, default=-1, help="threads of what no engine does")
    parser.add_argument("--given", type=float, nargs=2, help="bandwidth and regularization")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("."))
    options = parser.parse_args()
    from unclustered.engines import make_engine

    results = []
    engine = make_engine(options.engine, n_jobs=options.jobs)
    given: dict[str, Any] = {"penalty": options.penalty, "n_jobs": options.jobs}
    if options.given:
        given |= dict(zip(("bandwidth", "regularization"), options.given, strict=True))
    # The first fit of a process compiles: that is not what is measured.
    fit(engine, *problem(20_000, options.columns)[:2], 256, **given)
    for n in options.rows:
        X, side, label = problem(n, options.columns)
        if options.profile:
            import cProfile
            import pstats

            profile = cProfile.Profile()
            profile.enable()
        model, seconds = fit(engine, X, side, options.rank, **given)
        if options.profile:
            profile.disable()
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
        error = float(np.mean(model.labels_ != label))
        results.append(
            {
                "engine": repr(engine),
                "rows": n,
                "rank": len(model.centers_),
                "passes": model.n_iter_,
                "converged": bool(model.converged_),
                "bandwidth": model.bandwidth_,
                "regularization": model.regularization_,
                "objective": model.objective_,
                "gap": model.dual_gap_,
                "error": min(error, 1 - error),
                "cores": len(os.sched_getaffinity(0)),
                "seconds": seconds,
            }
        )
        print(json.dumps(results[-1]), flush=True)
    (options.out / f"gpu-{options.engine}.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
