"""Data whose labels are known: toy problems, the benchmark sets, drawing A and B from a set."""

from .benchmarks import Benchmark, benchmark_names, load_benchmark
from .draws import DrawnDatasets, draw_datasets
from .toys import bayes_labels, bayes_score, mixture_density, toy_problem_1, toy_problem_2

__all__ = [
    "Benchmark",
    "DrawnDatasets",
    "bayes_labels",
    "bayes_score",
    "benchmark_names",
    "draw_datasets",
    "load_benchmark",
    "mixture_density",
    "toy_problem_1",
    "toy_problem_2",
]
