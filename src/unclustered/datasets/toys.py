"""The paper's two toy problems: mixtures of Gaussians, so the best possible labels are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, ParameterError
from ..seeds import as_generator
from .draws import DrawnDatasets, as_share, as_size

__all__ = ["bayes_labels", "bayes_score", "mixture_density", "toy_problem_1", "toy_problem_2"]

Float = NDArray[np.float64]

# Problem -> label -> means of the equally likely Gaussians N(mean, I) that make up p(x | label).
_MEANS: dict[int, dict[int, Float]] = {
    1: {+1: np.array([[-1.0, -1.0]]), -1: np.array([[1.0, 1.0]])},
    2: {+1: np.array([[3.0, 0.0], [-3.0, 0.0]]), -1: np.array([[0.0, 3.0], [0.0, -3.0]])},
}


def toy_problem_1(
    n: int = 30, priors: tuple[float, float] = (0.3, 0.7), random_state: Any = None
) -> DrawnDatasets:
    """Draw the paper's first toy problem: one Gaussian a class, which overlap.

    p(x|+1) = N((-1, -1), I) and p(x|-1) = N((1, 1), I), in the plane. The samples are independent
    draws from the mixtures p(x) = p(y=+1) p(x|+1) + p(y=-1) p(x|-1), so the number of samples of
    each class is random, too.

    Parameters
    ----------
    n : int
        Number of samples in each of A and B.
    priors : tuple of float
        p(y=+1) in A and in B. With the paper's (0.3, 0.7) its class +1 is over-represented in
        B, so a method of this library gives it the label -1; the labelling error rate does not
        mind.
    random_state : None, int, Generator or RandomState
        Seed of the draw. None is the seed 0.

    Returns
    -------
    DrawnDatasets
        A, B, labels_a, labels_b.

    Examples
    --------
    >>> from unclustered.datasets import toy_problem_1
    >>> A, B, labels_a, labels_b = toy_problem_1(n=200, random_state=1)
    >>> A.shape, bool((labels_a == 1).sum() < (labels_b == 1).sum())
    ((200, 2), True)
    """
    return _draw(1, n, priors, random_state)


def toy_problem_2(
    n: int = 30, priors: tuple[float, float] = (0.3, 0.7), random_state: Any = None
) -> DrawnDatasets:
    """Draw the paper's second toy problem: two Gaussians a class, on which clustering fails.

    p(x|+1) = N((3, 0), I) / 2 + N((-3, 0), I) / 2 and p(x|-1) = N((0, 3), I) / 2 +
    N((0, -3), I) / 2. Parameters, result and way of drawing are those of :func:`toy_problem_1`.

    Parameters
    ----------
    n : int
        Number of samples in each of A and B.
    priors : tuple of float
        p(y=+1) in A and in B.
    random_state : None, int, Generator or RandomState
        Seed of the draw. None is the seed 0.

    Returns
    -------
    DrawnDatasets
        A, B, labels_a, labels_b.

    Examples
    --------
    >>> from unclustered.datasets import toy_problem_2
    >>> toy_problem_2(n=5).B.shape
    (5, 2)
    """
    return _draw(2, n, priors, random_state)


def bayes_score(X: ArrayLike, problem: int) -> Float:
    """Log-ratio of the class densities, log p(x|+1) - log p(x|-1), of a toy problem.

    It is zero on the boundary of sign[p_A - p_B], whatever the two priors (if they differ), and
    grows with the distance from it: -2 (x1 + x2) in problem 1, log cosh(3 x1) - log cosh(3 x2) in
    problem 2.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Samples.
    problem : {1, 2}
        Number of the toy problem.

    Returns
    -------
    ndarray of shape (n_samples,)
        The score; its sign is the optimal label.

    Examples
    --------
    >>> from unclustered.datasets import bayes_score
    >>> bayes_score([[-1, -1], [0.5, 0.25]], 1)
    array([ 4. , -1.5])
    """
    points = _points(X)
    return _log_density(points, problem, +1) - _log_density(points, problem, -1)


def bayes_labels(X: ArrayLike, problem: int) -> NDArray[np.int64]:
    """Optimal labels of a toy problem, sign[p(x|+1) - p(x|-1)].

    No labelling has a smaller balanced error. In A and B the same boundary is that of
    sign[p_A - p_B]: p_A - p_B = Delta (p(x|+1) - p(x|-1)).

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Samples.
    problem : {1, 2}
        Number of the toy problem.

    Returns
    -------
    ndarray of shape (n_samples,)
        +1 where :func:`bayes_score` is positive, -1 elsewhere.

    Examples
    --------
    >>> from unclustered.datasets import bayes_labels
    >>> bayes_labels([[3, 0], [0, -3]], 2)
    array([ 1, -1])
    """
    return np.where(bayes_score(X, problem) > 0, 1, -1)


def mixture_density(X: ArrayLike, problem: int, prior: float) -> Float:
    """Density of a toy problem's samples when the class +1 has this prior.

    p(x) = prior p(x|+1) + (1 - prior) p(x|-1): p_A for the prior of A, p_B for that of B.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Points.
    problem : {1, 2}
        Number of the toy problem.
    prior : float
        p(y=+1).

    Returns
    -------
    ndarray of shape (n_samples,)
        The density at each point.

    Examples
    --------
    >>> from unclustered.datasets import mixture_density
    >>> mixture_density([[-1, -1]], 1, prior=1.0).round(4)
    array([0.1592])
    """
    points, share = _points(X), as_share("prior", prior)
    positive, negative = (np.exp(_log_density(points, problem, label)) for label in (+1, -1))
    return np.asarray(share * positive + (1 - share) * negative)


def _draw(problem: int, n: Any, priors: Any, random_state: Any) -> DrawnDatasets:
    size = as_size("n", n)
    try:
        prior_a, prior_b = priors
    except (TypeError, ValueError):
        raise ParameterError(
            f"priors must be two numbers, p(y=+1) in A and in B; got {priors!r}."
        ) from None
    shares = as_share("priors[0]", prior_a), as_share("priors[1]", prior_b)
    rng = as_generator(random_state)
    A, labels_a = _sample(problem, size, shares[0], rng)
    B, labels_b = _sample(problem, size, shares[1], rng)
    return DrawnDatasets(A, B, labels_a, labels_b)


def _sample(
    problem: int, n: int, prior: float, rng: np.random.Generator
) -> tuple[Float, NDArray[np.int64]]:
    """Independent draws: a label, one of its Gaussians, a point."""
    labels = np.where(rng.random(n) < prior, 1, -1)
    means = _MEANS[problem]
    component = rng.integers(len(means[1]), size=n)
    centres = np.where((labels == 1)[:, None], means[1][component], means[-1][component])
    return centres + rng.standard_normal((n, 2)), labels


def _log_density(points: Float, problem: int, label: int) -> Float:
    if problem not in list(_MEANS):
        raise ParameterError(f"problem must be 1 or 2, the number of the toy; got {problem!r}.")
    means = _MEANS[problem][label]
    exponents = -0.5 * ((points[:, None, :] - means) ** 2).sum(axis=2)
    return np.asarray(np.logaddexp.reduce(exponents, axis=1) - np.log(2 * np.pi * len(means)))


def _points(X: ArrayLike) -> Float:
    try:
        points = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"X must hold numbers: {error}") from error
    if points.ndim != 2 or points.shape[1] != 2:
        raise DataError(f"X must hold points of the plane, shape (n, 2); got shape {points.shape}.")
    return points
