"""Distances, kernels and densities as graphs; each computes what its namesake in ``core`` does."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .builder import Value

__all__ = [
    "clipped",
    "distance_to_nearest",
    "gaussian",
    "kernel_expansion",
    "log_density",
    "log_kernel_sums",
    "squared_distances",
]

Float = NDArray[np.float64]
LEAST_LOG = -745.0  # log of the smallest double


def squared_distances(X: Value, Y: Any) -> Value:
    """Squared Euclidean distances between the rows of X and those of Y.

    Both are centred first, so a large common offset costs no digits.
    """
    if sp.issparse(Y):
        Y = Y.toarray()
    centre = Y.mean(axis=0)
    X, Y = X - centre, Y - centre
    norms: Float = np.einsum("ij,ij->i", Y, Y)
    D: Value = X @ (-2.0 * Y.T) + (X * X).row_sums() + norms
    return D.apply("Max", 0.0)


def gaussian(X: Value, centers: Any, bandwidth: float) -> Value:
    """Gaussian kernel between the rows of X and the centres."""
    return (squared_distances(X, centers) * (-0.5 / (bandwidth * bandwidth))).apply("Exp")


def clipped(values: Value) -> Value:
    """Values cut at -1 and 1."""
    return values.apply("Max", -1.0).apply("Min", 1.0)


def kernel_expansion(X: Value, centers: Any, bandwidth: float, coef: Float) -> Value:
    """Values of g(x) = sum_l coef_l exp(-|x - c_l|^2 / (2 bandwidth^2)) at the rows of X."""
    return (gaussian(X, centers, bandwidth) @ coef[:, None]).column()


def log_density(X: Value, samples: Any, weight: Float, bandwidth: float) -> Value:
    """Log of a Gaussian kernel density estimate at the rows of X."""
    exponent = squared_distances(X, samples) * (-0.5 / bandwidth**2) + np.log(weight)
    largest = exponent.apply("ReduceMax", [1], keepdims=1)  # factored out: nothing underflows
    log_sum = (exponent - largest).apply("Exp").row_sums().apply("Log") + largest
    log_volume = 0.5 * int(samples.shape[1]) * float(np.log(2 * np.pi * bandwidth**2))
    return (log_sum - log_volume).column()


def log_kernel_sums(X: Value, samples: Any, bandwidth: float, share: Float) -> Value:
    """Log of the weighted sums of Gaussian kernels at the rows of X, a column for each of share."""
    exponent = squared_distances(X, samples) * (-0.5 / bandwidth**2)
    largest = exponent.apply("ReduceMax", [1], keepdims=1)
    return ((exponent - largest).apply("Exp") @ share).apply("Log").apply(
        "Max", LEAST_LOG
    ) + largest


def distance_to_nearest(X: Value, samples: Float) -> Value:
    """Distance of each row of X to the nearest of the samples, from their difference."""
    nearest = squared_distances(X, samples).apply("ArgMin", axis=1, keepdims=0)
    apart = X - X.graph.constant(samples).apply("Gather", nearest, axis=0)
    return (apart * apart).row_sums().apply("Sqrt").column()
