"""Simulations with known truth, for the claims that docs/evidence.md makes.

``python -m tests.evidence.simulations CLAIM --runs N`` prints a row of its tables; the slow tests
run reduced copies.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy import stats
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from unclustered import DSDD, LSDD
from unclustered.datasets import DrawnDatasets, draw_datasets, load_benchmark
from unclustered.evidence import (
    PermutationTest,
    bagged_scores,
    class_probabilities,
    held_out_gap,
)
from unclustered.evidence.membership_tests import refit_test
from unclustered.metrics import labeling_error_rate
from unclustered.selection.cross_fit import cross_fit

METHODS = {"dsdd": DSDD, "lsdd": LSDD, "logistic": LogisticRegression}
LEVEL = 0.05
ENOUGH = 3  # a test that stops early is as exact, and takes half as long
CHUNK = 10  # results between two looks at the file they are kept in
Draw = Callable[[np.ndarray, np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class Task:
    problem: str
    method: str
    n: int
    theta: float  # of A; B has 1 - theta
    permutations: int
    seed: int


def sampler(problem: str) -> Draw:
    """Draw one sample of the class given for each row."""
    if problem == "gaussians":  # the paper's first toy problem
        return lambda y, rng: rng.normal(size=(len(y), 2)) - y[:, None]
    if problem == "twonorm":
        return lambda y, rng: rng.normal(size=(len(y), 20)) + 2 / np.sqrt(20) * y[:, None]
    data = load_benchmark(problem)
    X = standardized(data.X)

    def draw(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        rows = np.empty(len(y), dtype=int)
        for label in (-1, 1):
            rows[y == label] = rng.choice(np.flatnonzero(data.y == label), (y == label).sum())
        return X[rows]

    return draw


def standardized(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)


def at_most(problem: str, n: int) -> int:
    """n, or as many as the set has for each of A and B."""
    y = load_benchmark(problem).y
    return int(min(n, (y > 0).sum(), (y < 0).sum()))


def drawn_from_set(task: Task) -> DrawnDatasets:
    """n samples for A and n for B, none twice; fewer where the set has not so many."""
    data = load_benchmark(task.problem)
    n = at_most(task.problem, task.n)
    rng = np.random.default_rng([task.seed, task.n, round(100 * task.theta)])
    return draw_datasets(data.X, data.y, n, n, task.theta, 1 - task.theta, rng)


def drawn(task: Task) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng([task.seed, task.n, round(100 * task.theta)])
    side = np.repeat([1.0, -1.0], task.n)
    y = np.where(rng.random(2 * task.n) < np.where(side > 0, task.theta, 1 - task.theta), 1, -1)
    return sampler(task.problem)(y, rng), side, rng


def judge(X: np.ndarray, side: np.ndarray, task: Task) -> PermutationTest:
    """Test of the evidence, without the rest of the record."""
    return refit_test(
        METHODS[task.method](),
        X,
        side,
        None,
        permutations=task.permutations,
        enough=ENOUGH,
        random_state=np.random.default_rng(task.seed),
    )


def null_once(task: Task) -> tuple[float, float, bool]:
    """p-value where A and B are alike, the same made continuous, and whether it convinces.

    A p-value has few values, which no test of uniformity forgives, and fewer where the test stops
    early. Drawn evenly between the one found and the next smaller one, it must be uniform.
    """
    X, side, rng = drawn(task)
    test = judge(X, side, task)
    continuous = test.p_value - rng.random() * (test.p_value - test.next_p)
    return test.p_value, continuous, test.p_value <= LEVEL


def power_once(task: Task) -> tuple[float, bool, float]:
    """p-value and whether it convinces, and the true balanced error of the labels."""
    data = drawn_from_set(task)
    X, side, true = standardized(data.X), data.membership.astype(float), data.labels
    test = judge(X, side, task)
    labels = METHODS[task.method]().fit(X, side).labels_
    error = np.mean([(labels[true == y] != y).mean() for y in (-1, 1)])
    return test.p_value, test.p_value <= LEVEL, float(error)


def labels_once(task: Task) -> tuple[float, float, float]:
    """Labelling error rates by dataset, by the sign of the score, and with the true balances."""
    data = drawn_from_set(task)
    X, side = standardized(data.X), data.membership.astype(float)
    scores = bagged_scores(METHODS[task.method](), X, side, random_state=task.seed)
    theta = task.theta
    found = class_probabilities(scores[side > 0], scores[side < 0], (theta, 1 - theta))
    by_probability = np.concatenate([found.labels_a, found.labels_b])
    by_sign = METHODS[task.method]().fit(X, side).labels_
    all_labels = (data.membership, by_sign, by_probability)
    return tuple(labeling_error_rate(data.labels, labels) for labels in all_labels)


def cover_once(task: Task) -> tuple[bool, bool, float]:
    """Whether interval and error bound hold for the rule fitted to all samples; and the gap."""
    X, side, rng = drawn(task)
    model = METHODS[task.method]()
    y_new = np.repeat([1, -1], 10_000)
    positive = model.fit(X, side).decision_function(sampler(task.problem)(y_new, rng)) > 0
    hit, false = positive[y_new > 0].mean(), positive[y_new < 0].mean()
    true_gap = (2 * task.theta - 1) * (hit - false)
    fitted = cross_fit(model, X, side, n_repeats=2, random_state=rng)
    low, high = held_out_gap(fitted, side).interval
    error = (1 - hit + false) / 2
    return low <= true_gap <= high, error <= (1 - low) / 2, true_gap


def repeat(once: Callable[[Task], tuple], tasks: list[Task], jobs: int) -> list[np.ndarray]:
    """Columns of the results, a row a task; results that a file already holds are not made anew."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Parallel(n_jobs=jobs)(delayed(once)(task) for task in tasks)
    return [np.array(column) for column in zip(*found, strict=True)]


def repeat_and_keep(
    once: Callable[[Task], tuple], tasks: list[Task], jobs: int, folder: Path
) -> list[np.ndarray]:
    """As ``repeat``, with each result in a file as soon as it is there; what is there is kept."""
    first = tasks[0]
    name = f"{once.__name__}-{first.problem}-{first.method}-{first.n}-{first.theta:g}"
    path = folder / f"{name}-{first.permutations}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    kept = {seed: values for seed, *values in map(json.loads, lines)}
    missing = [task for task in tasks if task.seed not in kept]
    with path.open("a") as file:
        for start in range(0, len(missing), CHUNK * jobs):
            some = missing[start : start + CHUNK * jobs]
            rows = zip(*repeat(once, some, jobs), strict=True)
            for task, row in zip(some, rows, strict=True):
                kept[task.seed] = [value.item() for value in row]
                file.write(json.dumps([task.seed, *kept[task.seed]]) + "\n")
            file.flush()
    return [np.array(column) for column in zip(*(kept[t.seed] for t in tasks), strict=True)]


def uniformity(p_values: np.ndarray, trusted: np.ndarray) -> list[str]:
    return [f"{trusted.mean():.1%}", f"{stats.kstest(p_values, 'uniform').pvalue:.2f}"]


def compared(dataset: np.ndarray, sign: np.ndarray, probability: np.ndarray) -> list[str]:
    """Mean error rates, and by how many standard errors the last is above the first two."""
    cells = [f"{errors.mean():.3f}" for errors in (dataset, sign, probability)]
    for other in (dataset, sign):
        excess = probability - other
        error = excess.std(ddof=1) / np.sqrt(len(excess))
        cells.append(f"{excess.mean() / error if error > 0 else 0.0:+.1f}")
    return cells


def row_of(claim: str, columns: list[np.ndarray]) -> list[str]:
    """Cells of the claim's table."""
    if claim == "null":
        return uniformity(*columns[1:])
    if claim == "power":
        _, trusted, error = columns
        return [f"{error.mean():.3f}", f"{trusted.mean():.1%}"]
    if claim == "labels":
        return compared(*columns)
    covered, bounded, gaps = columns
    return [f"{gaps.mean():.2f}", f"{covered.mean():.1%}", f"{bounded.mean():.1%}"]


CLAIMS = {"null": null_once, "power": power_once, "cover": cover_once, "labels": labels_once}

FROM_SETS = ("power", "labels")  # of which no sample is drawn twice


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("claim", choices=CLAIMS)
    parser.add_argument("--problem", nargs="+", default=["gaussians"])
    parser.add_argument("--method", default="dsdd", choices=METHODS)
    parser.add_argument("--n", type=int, default=40, help="samples in each dataset")
    parser.add_argument("--theta", type=float, default=0.5, help="share of +1 in A; B has the rest")
    parser.add_argument("--permutations", type=int, default=19)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for results, to go on from another time")
    options = parser.parse_args(arguments)
    for problem in options.problem:
        tasks = [
            Task(problem, options.method, options.n, options.theta, options.permutations, seed)
            for seed in range(options.runs)
        ]
        once = CLAIMS[options.claim]
        columns = (
            repeat(once, tasks, options.jobs)
            if options.keep is None
            else repeat_and_keep(once, tasks, options.jobs, options.keep)
        )
        n = at_most(problem, options.n) if options.claim in FROM_SETS else options.n
        cells = [problem, options.method, n, options.theta, options.runs]
        cells += row_of(options.claim, columns)
        sys.stdout.write(f"| {' | '.join(map(str, cells))} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
