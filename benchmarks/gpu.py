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


def fit(
    engine: Any, X: Any, side: Any, rank: int, **given: Any
) -> tuple[Any, Any, dict[str, float]]:
    """Model, scores of all rows, and seconds."""
    from unclustered import DSDD
    from unclustered.engines import ArraySource, FeatureMap

    model = DSDD(solver="lowrank", rank=rank, engine=engine, **given)
    weight = np.where(side > 0, 1.0 / (side > 0).sum(), 1.0 / (side < 0).sum())
    source = ArraySource(X, side, weight)
    start = time.perf_counter()
    model._fit_passes(source, np.random.default_rng(0))
    fitted = time.perf_counter()
    features = FeatureMap.gaussian(model.centers_, model.bandwidth_, constant=True)
    coef = np.r_[model.coef_, model.intercept_]
    scores = np.concatenate([*engine.scores(source, features, coef)])
    labelled = time.perf_counter()
    return model, scores, {"fit": fitted - start, "label": labelled - fitted}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 2 * 10**7])
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--rank", type=int, default=4096)
    parser.add_argument("--penalty", default="coefficients")
    parser.add_argument("--device", default="auto")
    parser.add_argument(
        "--numpy-rows", type=int, default=0, help="and so many with NumPy, 2 threads"
    )
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("."))
    options = parser.parse_args()
    from unclustered.engines import make_engine

    results = []
    runs = [(n, "torch") for n in options.rows]
    runs += [(options.numpy_rows, "numpy")] if options.numpy_rows else []
    # The first fit of a process compiles: that is not what is measured.
    warm = problem(100_000, options.columns)
    torch_engine = make_engine("torch", device=options.device)
    fit(torch_engine, warm[0], warm[1], 256, penalty=options.penalty)
    for n, name in runs:
        X, side, label = problem(n, options.columns)
        engine = torch_engine if name == "torch" else make_engine("numpy", n_jobs=2)
        if options.profile:
            import cProfile
            import pstats

            profile = cProfile.Profile()
            profile.enable()
        model, scores, seconds = fit(engine, X, side, options.rank, penalty=options.penalty)
        if options.profile:
            profile.disable()
            pstats.Stats(profile).sort_stats("tottime").print_stats(18)
        error = float(np.mean((scores > 0) != (label > 0)))
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
                "cores": os.cpu_count(),
                **seconds,
            }
        )
        print(json.dumps(results[-1]), flush=True)
    (options.out / "gpu.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
