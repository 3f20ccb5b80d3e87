"""The automatic labeler beside what a user would do today: errors, ranks and times.

``python -m benchmarks.labelers --n 40 200 --trials 20 --out FOLDER``

Each rival is a classifier on the membership, tuned by cross-validated balanced accuracy. All see
the same draws. Trials are kept in FOLDER, one file a set, size and balance: a run that was stopped
goes on. The last thing printed is the table of docs/auto.md.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata
from sklearn.datasets import load_breast_cancer, load_digits, make_circles, make_moons
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from unclustered import AutoLabeler, KMeansLabeler
from unclustered.datasets import benchmark_names, draw_datasets, load_benchmark
from unclustered.errors import DataError
from unclustered.methods._portfolio.combine import combine
from unclustered.methods._portfolio.defaults import default_families, effort
from unclustered.methods._portfolio.problem import Problem, Samples
from unclustered.methods._portfolio.trial import fitted_only, try_all

Float = NDArray[np.float64]
Set = tuple[Float, NDArray[np.int64]]
_MOST_NEW = 2000  # new samples that labels are judged on
_FEWEST_NEW = 40
_DRAWN = 8000  # samples of a set that is a formula


def _ringnorm() -> Set:
    rng = np.random.default_rng(5)
    y = np.where(rng.random(_DRAWN) < 0.5, 1, -1)
    near = rng.normal(size=(_DRAWN, 20)) + 2 / np.sqrt(20)
    return np.where((y > 0)[:, None], 2 * rng.normal(size=(_DRAWN, 20)), near), y


def _waveform() -> Set:
    rng = np.random.default_rng(6)
    y = np.where(rng.random(_DRAWN) < 0.5, 1, -1)
    at = np.arange(21)
    first, second, third = (np.maximum(6 - np.abs(at - centre), 0) for centre in (6, 14, 10))
    share = rng.random((_DRAWN, 1))
    other = np.where((y > 0)[:, None], second, third)
    return share * first + (1 - share) * other + rng.normal(size=(_DRAWN, 21)), y


def _checkers() -> Set:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(_DRAWN, 6))
    X[:, :2] *= 2
    return X, np.where(X[:, 0] * X[:, 1] > 0, 1, -1)


def _digits() -> Set:
    X, y = load_digits(return_X_y=True)
    return X, np.where(y % 2 == 1, 1, -1)


def _wdbc() -> Set:
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.where(y == 1, 1, -1)


def _moons() -> Set:
    X, y = make_moons(_DRAWN, noise=0.25, random_state=0)
    return X, np.where(y == 1, 1, -1)


def _circles() -> Set:
    X, y = make_circles(_DRAWN, noise=0.2, factor=0.5, random_state=0)
    return X, np.where(y == 1, 1, -1)


UNSEEN: dict[str, Callable[[], Set]] = {
    "ringnorm": _ringnorm,
    "waveform": _waveform,
    "checkers": _checkers,
    "digits": _digits,
    "wdbc": _wdbc,
    "moons": _moons,
    "circles": _circles,
}
"""Sets that nothing was developed on."""


def load(name: str) -> Set:
    """Samples and labels of a set."""
    if name in UNSEEN:
        return UNSEEN[name]()
    benchmark = load_benchmark(name)
    return benchmark.X, benchmark.y


def _tuned(classifier: Any, grid: dict[str, list[Any]]) -> Any:
    return GridSearchCV(classifier, grid, scoring="balanced_accuracy", cv=5)


METHODS: dict[str, Callable[[int], Any]] = {
    "auto": lambda seed: AutoLabeler(random_state=seed),
    "SVC": lambda seed: _tuned(SVC(), {"C": [0.1, 1, 10], "gamma": ["scale", 0.01, 0.1, 1]}),
    "random forest": lambda seed: _tuned(
        RandomForestClassifier(random_state=seed), {"min_samples_leaf": [1, 5, 20]}
    ),
    "boosted trees": lambda seed: _tuned(
        HistGradientBoostingClassifier(random_state=seed, max_iter=50),
        {"learning_rate": [0.05, 0.2], "max_leaf_nodes": [4, 16]},
    ),
    "logistic regression": lambda seed: _tuned(
        LogisticRegression(max_iter=500), {"C": [0.01, 0.1, 1, 10]}
    ),
    "k-means": lambda seed: KMeansLabeler(random_state=seed),
}


def trial(X: Float, y: NDArray[np.int64], n: int, theta: float, seed: int) -> dict[str, Any]:
    """Errors and seconds of all methods on one draw, and how well the leaderboard is ordered.

    ``fitted`` is the labelling error rate on the samples of the fit; ``new`` the balanced error, up
    to the names of the classes, on samples that no method has seen.
    """
    rng = np.random.default_rng([seed, n, round(100 * theta)])
    drawn = draw_datasets(X, y, n, n, theta, 1 - theta, random_state=rng)
    seen = {row.tobytes() for row in drawn.X}
    rest = [k for k in rng.permutation(len(y))[: _MOST_NEW + 2 * n] if X[k].tobytes() not in seen]
    rest = rest[:_MOST_NEW]
    scaler = StandardScaler().fit(drawn.X)
    samples, side = scaler.transform(drawn.X), drawn.membership
    found: dict[str, Any] = {}
    for name, make in METHODS.items():
        start = time.perf_counter()
        model = make(seed).fit(samples, side)
        labels = getattr(model, "labels_", None)
        labels = model.predict(samples) if labels is None else labels
        seconds = time.perf_counter() - start
        wrong = float((labels != drawn.labels).mean())
        new = None
        if len(rest) >= _FEWEST_NEW:
            mistaken = model.predict(scaler.transform(X[rest])) != y[rest]
            error = np.mean([mistaken[y[rest] == value].mean() for value in (1, -1)])
            new = float(min(error, 1 - error))
        found[name] = {"fitted": min(wrong, 1 - wrong), "new": new, "seconds": seconds}
    return {"methods": found, "tau": _order(samples, side.astype(float), drawn.labels, seed)}


def _order(X: Float, side: Float, labels: NDArray[np.int64], seed: int) -> float:
    """Kendall's tau between the gaps of the leaderboard and what its candidates got right."""
    spent = effort("balanced", len(side))
    problem = Problem.of(Samples(X), side, 5, spent.n_repeats, np.random.default_rng(seed))
    tried, _ = try_all(default_families(spent, X, seed), problem, None, None)
    combination = combine(fitted_only(tried), side, 0.4)
    gaps, right = [], []
    for votes in combination.votes:
        positive = votes > 0
        gaps.append(positive[:, side > 0].mean() - positive[:, side < 0].mean())
        right.append(((votes > 0) == (labels > 0)).mean())
    # +1 is the class over-represented in A, which is that of the label -1 where theta_A < 1/2.
    sign = 1 if labels[side > 0].mean() > labels[side < 0].mean() else -1
    return float(kendalltau(gaps, sign * np.array(right)).statistic)


def trials(
    name: str, n: int, theta: float, n_trials: int, out: Path
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Trials of one set, size and balance, those of an earlier run among them."""
    path = out / f"{name}-{n}-{theta:g}.json"
    kept: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
    X, y = load(name)
    for seed in range(n_trials):
        if seed == len(kept):
            kept.append(trial(X, y, n, theta, seed))
            fresh = path.with_suffix(".new")
            fresh.write_text(json.dumps(kept))
            fresh.replace(path)
        yield seed, kept[seed]


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.labelers", description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[40], help="samples a side")
    parser.add_argument("--theta", type=float, nargs="+", default=[0.2, 0.35], help="theta_A")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--sets", nargs="+", default=[*benchmark_names(), *UNSEEN])
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for n in options.n:
        rows = {}
        for name in options.sets:
            for theta in options.theta:
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        run = trials(name, n, theta, options.trials, options.out)
                        rows[name, theta] = [one for _, one in run]
                except DataError:
                    continue  # too few samples of a class
        print("\n".join(_table(n, rows)), flush=True)
    return 0


def _table(n: int, rows: dict[tuple[str, float], list[dict[str, Any]]]) -> Iterator[str]:
    if not rows:
        return
    fewest = min(len(some) for some in rows.values())
    yield f"\n### {n} samples a side, {fewest} trials\n"
    yield "| set, theta | " + " | ".join(METHODS) + " |"
    yield "|---|" + "---:|" * len(METHODS)
    ranks: dict[str, list[Float]] = {"fitted": [], "new": []}
    worst = {"fitted": (-1.0, ""), "new": (-1.0, "")}
    for (name, theta), some in rows.items():
        cells = []
        for kind in ranks:
            values = [[one["methods"][m][kind] for one in some] for m in METHODS]
            if any(value is None for column in values for value in column):
                cells.append(None)
                continue
            means = np.mean(values, axis=1)
            ranks[kind].append(rankdata(means))
            worst[kind] = max(worst[kind], (float(means[0] - means[1:].min()), f"{name}, {theta}"))
            cells.append(means)
        texts = [
            " / ".join("-" if c is None else f"{c[k]:.3f}"[1:] for c in cells)
            for k in range(len(METHODS))
        ]
        yield f"| {name}, {theta} | " + " | ".join(texts) + " |"
    for kind, word in (("fitted", "fitted samples"), ("new", "new samples")):
        if ranks[kind]:
            means = np.mean(ranks[kind], axis=0)
            yield f"| mean rank, {word} | " + " | ".join(f"{r:.2f}" for r in means) + " |"
    seconds = [
        np.median([one["methods"][m]["seconds"] for some in rows.values() for one in some])
        for m in METHODS
    ]
    yield "| median seconds | " + " | ".join(f"{s:.2f}" for s in seconds) + " |"
    taus = [one["tau"] for some in rows.values() for one in some]
    yield f"\nKendall's tau of the leaderboard: mean {np.nanmean(taus):.2f}."
    for kind, (difference, where) in worst.items():
        if ranks[kind]:
            worst_of = f"{difference:+.3f} ({where})"
            yield f"Worst beside the best single rival, {kind} samples: {worst_of}."


if __name__ == "__main__":
    raise SystemExit(main())
