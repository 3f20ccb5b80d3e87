r"""A space of scores of few dimensions, in which the penalty of DSDD and LSDD is the squared norm.

Scores are :math:`g(x) = \phi(x)^\top v` with the kernels :math:`\phi_l(x) = K(x, z_l)` on r
landmarks. Let W be the kernel between landmarks, :math:`\Phi` the one between the model's centres
(all samples, as a rule) and the landmarks. Nystroem's approximation of the kernel is
:math:`\Phi W^{-1} \Phi^\top`, and a coefficient for each centre makes
:math:`v = W^{-1}\Phi^\top\alpha`. Of all :math:`\alpha` that make the same score, the penalties see
the smallest:

- "coefficients": :math:`\min |\alpha|^2 = v^\top W M^{-1} W v` with :math:`M = \Phi^\top\Phi`,
- "rkhs": :math:`\min \alpha^\top K\alpha = v^\top W v`.

With :math:`v = S u` both are :math:`|u|^2`, for :math:`S = W^{-1} M^{1/2}` and
:math:`S = W^{-1/2}`. S is r x r and never applied to a sample, only to coefficients and to sums.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpstrf

from ..engines import ArraySource, Engine, FeatureMap, Rows, Source
from .kernels import gaussian_kernel

__all__ = [
    "Space",
    "choose_landmarks",
    "make_space",
    "mean_difference",
    "second_moment",
    "without_redundant",
]

Float = NDArray[np.float64]
_SHARE = 1e-5  # eigenvalues of W below this share drown in the rounding of float32 features
_TINY = 1e-12
_REDUNDANT = 1e-6  # squared distance of a kernel from the span of the others, of 1


@dataclass(frozen=True, eq=False)
class Space:
    """Features of samples, and the map from coordinates u to their coefficients v."""

    landmarks: Any
    """Where the kernels sit: shape (rank, n_features)."""
    features: FeatureMap
    lift: Float
    """S, and a 1 for the intercept: shape (n_outputs, n_dims)."""

    @property
    def n_dims(self) -> int:
        """Number of coordinates."""
        return int(self.lift.shape[1])

    def coefficients(self, u: Float) -> tuple[Float, float]:
        """Coefficients of the kernels and of the constant."""
        v = self.lift @ u
        return (v[:-1], float(v[-1])) if self.features.constant else (v, 0.0)


def make_space(
    landmarks: Any,
    bandwidth: float,
    *,
    moment: Float | None = None,
    intercept: bool = False,
    eigh: Callable[[Float], tuple[Float, Float]] = np.linalg.eigh,
) -> Space:
    """Space of scores that are sums of kernels on the landmarks.

    Parameters
    ----------
    landmarks : ndarray or csr_array of shape (rank, n_features)
        Where the kernels sit.
    bandwidth : float
        Their width.
    moment : ndarray of shape (rank, rank), optional
        M, for the penalty "coefficients"; without it, the penalty is "rkhs".
    intercept : bool
        Whether a constant is added, penalised like the others.
    eigh : callable
        From a symmetric matrix to its eigenvalues, ascending, and eigenvectors.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.low_rank import make_space
    >>> space = make_space(np.array([[0.0], [9.0]]), 1.0)
    >>> bool(np.allclose(space.lift @ space.lift.T, np.eye(2)))  # kernels that do not overlap
    True
    """
    values, vectors = eigh(gaussian_kernel(landmarks, None, bandwidth))
    kept = values > _SHARE * values[-1]
    values, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
    if moment is None:
        lift = vectors / np.sqrt(values)
    else:
        inverse = vectors / values
        squares, turned = eigh(inverse.T @ moment @ inverse)
        some = squares > _TINY * squares[-1]
        lift = vectors @ (turned[:, some] * np.sqrt(squares[some]))
    if intercept:
        lift = np.block(
            [[lift, np.zeros((len(lift), 1))], [np.zeros((1, lift.shape[1])), np.ones((1, 1))]]
        )
    return Space(landmarks, FeatureMap.gaussian(landmarks, bandwidth, constant=intercept), lift)


@dataclass(frozen=True, eq=False)
class _Moment:
    """Asks for the outer products of the features."""

    coef: Float

    def rows(self, scores: Any, side: Any, weight: Any) -> Rows:
        return Rows((), scores, weight)


def second_moment(
    engine: Engine, centres: Any, counts: Float, landmarks: Any, bandwidth: float
) -> Float:
    """Compute M = Phi'Phi, from centres each of which stands for so many."""
    features = FeatureMap.gaussian(landmarks, bandwidth)
    source = ArraySource(centres, np.ones(len(counts)), counts)
    found = engine.add_up(source, features, _Moment(np.zeros((features.n_outputs, 0)))).gram
    assert found is not None
    return found


@dataclass(frozen=True, eq=False)
class _Difference:
    """Asks for the mean of the features over A minus that over B."""

    coef: Float

    def rows(self, scores: Any, side: Any, weight: Any) -> Rows:
        return Rows((), (side * weight)[:, None])


def mean_difference(engine: Engine, source: Source, features: FeatureMap) -> Float:
    """Mean of the features over A minus their mean over B."""
    wanted = _Difference(np.zeros((features.n_outputs, 0)))
    return engine.add_up(source, features, wanted).pulls[:, 0]


def choose_landmarks(
    samples: Any, rank: int, random_state: np.random.Generator
) -> NDArray[np.intp]:
    """Rows to be landmarks, drawn as the seeds of k-means++ are: far from each other.

    Parameters
    ----------
    samples : ndarray of shape (n_samples, n_features)
        Samples to choose from.
    rank : int
        How many; fewer where the samples have fewer distinct rows.
    random_state : Generator
        Draws them.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.low_rank import choose_landmarks
    >>> X = np.array([[0.0], [0.0], [5.0]])
    >>> sorted(X[choose_landmarks(X, 2, np.random.default_rng(0)), 0].tolist())
    [0.0, 5.0]
    """
    n_samples = len(samples)
    X = samples - samples.mean(axis=0)
    norms = np.einsum("ij,ij->i", X, X)
    chosen = [int(random_state.integers(n_samples))]
    nearest = np.full(n_samples, np.inf)
    for _ in range(min(rank, n_samples) - 1):
        row = chosen[-1]
        distance = norms - 2.0 * (X @ X[row]) + norms[row]
        np.minimum(nearest, np.maximum(distance, 0.0), out=nearest)
        nearest[row] = 0.0
        total = np.cumsum(nearest)
        if not total[-1] > _TINY * norms.sum():
            break
        chosen.append(int(np.searchsorted(total, random_state.random() * total[-1], "right")))
    return np.array(chosen)


def without_redundant(landmarks: Any, bandwidth: float) -> NDArray[np.intp]:
    """Rows of the landmarks whose kernels are not sums of the others', to three digits.

    Wide kernels in few dimensions span little, and every landmark costs time in every pass.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.core.low_rank import without_redundant
    >>> without_redundant(np.linspace(0.0, 1.0, 1000)[:, None], 1.0).shape
    (5,)
    """
    W = gaussian_kernel(landmarks, None, bandwidth)
    _, pivots, rank, _ = dpstrf(W, tol=_REDUNDANT, lower=1, overwrite_a=True)
    return np.sort(pivots[:rank] - 1)
