"""From distances to the Gram matrix of DSDD, and from dual variables back to coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Features", "make_features"]

Float = NDArray[np.float64]
_SMALL = 256  # entries of a side: below, waking BLAS's threads takes longer than the product
_RANK_TOLERANCE = 1e-12  # eigenvalues of the centres' kernel below this share are rounding


@dataclass(frozen=True)
class Features:
    """Gram matrix of the samples' features and the way from dual variables to coefficients."""

    gram: Float
    """G = Phi Phi', n_samples x n_samples."""
    lift: NDArray[Any]
    """alpha = lift' beta: a matrix n_samples x n_centres, or the one centre each sample is."""
    n_centres: int
    intercept: bool

    def coefficients(self, beta: Float) -> tuple[Float, float]:
        """Coefficients of the kernels and of the constant basis function."""
        coef: Float
        if self.lift.ndim == 1:
            coef = np.bincount(self.lift, beta, self.n_centres).astype(np.float64)
        else:
            coef = beta @ self.lift
        return coef, float(beta.sum()) if self.intercept else 0.0


def make_features(
    Phi: Float,
    centres: NDArray[np.intp],
    centre_of: NDArray[np.intp] | None,
    penalty: str,
    intercept: bool,
) -> Features:
    """Features under which the penalty of DSDD is the squared norm.

    Parameters
    ----------
    Phi : ndarray of shape (n_samples, n_centres)
        Kernel between samples and centres. It may be overwritten.
    centres : ndarray of shape (n_centres,)
        Which samples the centres are.
    centre_of : ndarray of shape (n_samples,) or None
        The centre that each sample equals, where every sample does; then the kernel of the samples
        is at hand and needs no inverse.
    penalty : {"coefficients", "rkhs"}
        ``|alpha|^2``: the features are the kernels themselves. ``alpha'K alpha``: they are
        K^{-1/2} Phi', so that G is Phi K^{-1} Phi'.
    intercept : bool
        Whether there is a constant basis function 1, penalised like the others.
    """
    lift: NDArray[Any]
    if penalty == "coefficients":
        gram, lift = _gram(Phi), Phi
    elif centre_of is not None:
        gram, lift = (Phi if len(centres) == len(Phi) else Phi[:, centre_of]), centre_of
    else:
        values, vectors = np.linalg.eigh(Phi[centres])
        kept = values > _RANK_TOLERANCE * values[-1]
        white = vectors[:, kept] / np.sqrt(values[kept])
        Z = Phi @ white
        gram, lift = _gram(Z), Z @ white.T
    if intercept:
        gram += 1.0
    return Features(gram, lift, len(centres), intercept)


def _gram(Phi: Float) -> Float:
    if max(Phi.shape) > _SMALL:
        return np.asarray(Phi @ Phi.T)
    from . import _jit

    return np.asarray(_jit.gram(np.ascontiguousarray(Phi)))
