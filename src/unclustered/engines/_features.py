"""Features of a sample, as plain numbers that any engine can compute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["FeatureMap"]

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FeatureMap:
    r"""Features :math:`\phi_j(x) = a\,f(p_j^\top z + q_j - s|z|^2)` with :math:`z = x - x_0`.

    Gaussian kernels on centres are f = exp; random Fourier features are f = cos. To compute them is
    one matrix product and one function of each entry. A last feature may be the constant 1.

    Attributes
    ----------
    directions : ndarray of shape (n_features, rank)
        The columns :math:`p_j`.
    offsets : ndarray of shape (rank,)
        :math:`q_j`.
    square : float
        s, not below zero; zero for f = cos.
    function : {"exp", "cos"}
        f.
    scale : float
        a.
    origin : ndarray of shape (n_features,) or None
        :math:`x_0`, subtracted first so that a large common offset costs no digits; None is zero.
    constant : bool
        Whether a constant 1 comes last.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.engines import FeatureMap
    >>> kernels = FeatureMap.gaussian(np.array([[0.0], [2.0]]), 1.0, constant=True)
    >>> kernels(np.array([[1.0]])).round(4)
    array([[0.6065, 0.6065, 1.    ]])
    """

    directions: Float
    offsets: Float
    square: float
    function: Literal["exp", "cos"]
    scale: float = 1.0
    origin: Float | None = None
    constant: bool = False

    @classmethod
    def gaussian(cls, centers: Any, bandwidth: float, *, constant: bool = False) -> FeatureMap:
        """Kernels ``exp(-|x - c|^2 / (2 bandwidth^2))`` on the rows of ``centers``."""
        origin = None
        if isinstance(centers, np.ndarray):
            origin = centers.mean(axis=0)
            centers = centers - origin
        else:
            centers = centers.toarray()
        precision = 1.0 / (bandwidth * bandwidth)
        return cls(
            directions=np.ascontiguousarray(centers.T) * precision,
            offsets=-0.5 * precision * np.einsum("ij,ij->i", centers, centers),
            square=0.5 * precision,
            function="exp",
            origin=origin,
            constant=constant,
        )

    @classmethod
    def fourier(
        cls,
        n_features: int,
        rank: int,
        bandwidth: float,
        random_state: np.random.Generator,
        *,
        constant: bool = False,
    ) -> FeatureMap:
        """Random Fourier features, whose inner products estimate the Gaussian kernel."""
        return cls(
            directions=random_state.normal(0.0, 1.0 / bandwidth, (n_features, rank)),
            offsets=random_state.uniform(0.0, 2.0 * np.pi, rank),
            square=0.0,
            function="cos",
            scale=float(np.sqrt(2.0 / rank)),
            constant=constant,
        )

    @property
    def rank(self) -> int:
        """Number of features, the constant not counted."""
        return len(self.offsets)

    @property
    def n_outputs(self) -> int:
        """Number of features."""
        return self.rank + self.constant

    def __call__(self, X: Any) -> Float:
        """Features of the rows of X, in float64, all at once: the reference for every engine."""
        if self.origin is not None:
            X = X - self.origin
        squares = X.multiply(X).sum(axis=1) if hasattr(X, "multiply") else (X * X).sum(axis=1)
        Phi = np.asarray(X @ self.directions, dtype=np.float64)
        Phi += self.offsets
        Phi -= self.square * np.asarray(squares).reshape(-1, 1)
        if self.function == "exp":  # rounding alone can make the exponent positive
            np.exp(np.minimum(Phi, 0.0, out=Phi), out=Phi)
        else:
            np.cos(Phi, out=Phi)
        Phi *= self.scale
        return np.hstack([Phi, np.ones((len(Phi), 1))]) if self.constant else Phi
