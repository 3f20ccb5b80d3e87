"""Simulations with known truth, for the claims that docs/evidence.md makes.

``python -m tests.evidence.simulations CLAIM --runs N`` prints a row of its tables; the slow tests
run reduced copies.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from scipy import stats
from sklearn.linear_model import LogisticRegression

from unclustered import DSDD, LSDD
from unclustered.datasets import load_benchmark
from unclustered.evidence import gather_evidence, held_out_gap
from unclustered.selection.cross_fit import cross_fit

METHODS = {"dsdd": DSDD, "lsdd": LSDD, "logistic": LogisticRegression}
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
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)

    def draw(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        rows = np.empty(len(y), dtype=int)
        for label in (-1, 1):
            rows[y == label] = rng.choice(np.flatnonzero(data.y == label), (y == label).sum())
        return X[rows]

    return draw


def drawn(task: Task) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng([task.seed, task.n, round(100 * task.theta)])
    side = np.repeat([1.0, -1.0], task.n)
    y = np.where(rng.random(2 * task.n) < np.where(side > 0, task.theta, 1 - task.theta), 1, -1)
    return sampler(task.problem)(y, rng), side, rng


def judge_once(task: Task) -> tuple[float, bool]:
    """p-value and verdict; every permutation is done, so that p-values have one grid."""
    X, side, _ = drawn(task)
    evidence, _ = gather_evidence(
        METHODS[task.method](),
        X,
        side,
        permutations=task.permutations,
        sequential=False,
        random_state=task.seed,
    )
    return evidence.p_value, evidence.trustworthy


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Parallel(n_jobs=jobs)(delayed(once)(task) for task in tasks)
    return [np.array(column) for column in zip(*found, strict=True)]


def tasks_of(options: argparse.Namespace) -> list[Task]:
    return [
        Task(options.problem, options.method, options.n, options.theta, options.permutations, seed)
        for seed in range(options.runs)
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("claim", choices=["test", "cover"])
    parser.add_argument("--problem", default="gaussians")
    parser.add_argument("--method", default="dsdd", choices=METHODS)
    parser.add_argument("--n", type=int, default=40, help="samples in each dataset")
    parser.add_argument("--theta", type=float, default=0.5, help="share of +1 in A; B has the rest")
    parser.add_argument("--permutations", type=int, default=39)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    tasks = tasks_of(options)
    cells = [options.problem, options.method, options.n, options.theta, options.runs]
    if options.claim == "test":
        p_values, trusted = repeat(judge_once, tasks, options.jobs)
        uniform = stats.kstest(p_values, "uniform").pvalue
        cells += [f"{trusted.mean():.1%}", f"{uniform:.2f}"]
    else:
        covered, bounded, gaps = repeat(cover_once, tasks, options.jobs)
        cells += [f"{gaps.mean():.2f}", f"{covered.mean():.1%}", f"{bounded.mean():.1%}"]
    sys.stdout.write(f"| {' | '.join(map(str, cells))} |\n")


if __name__ == "__main__":
    main()
