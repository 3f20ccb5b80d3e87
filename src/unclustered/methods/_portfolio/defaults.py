"""The candidates when the user names none, by what there is to label and to spend."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from ..kmeans import KMeansLabeler
from ..smic import SMIC
from ..spectral import SpectralLabeler
from .densities import DensityPath
from .family import Family
from .kernels import DSDDPath, LSDDPath, SVCPath
from .linear import RidgePath
from .models import Clustering
from .trees import TreesPath

__all__ = ["BUDGETS", "Effort", "default_families", "effort"]

_MULTIPLES = (0.15, 0.25, 0.4, 0.6, 0.8, 1.1, 1.6, 2.5)
_FEW_MULTIPLES = (0.25, 0.4, 0.6, 0.9, 1.4)
_NARROW = 6  # LSDD and densities gain nothing from the widest bandwidths
_REGULARIZATIONS = tuple(np.logspace(-3, 1, 9).tolist())
_FEW_REGULARIZATIONS = tuple(np.logspace(-3, 1, 5).tolist())
_RIDGES = tuple(np.logspace(-2, 1, 7).tolist())


class Effort(NamedTuple):
    """How much is tried."""

    n_repeats: int
    all_steps: bool
    """Whether every bandwidth and regularization is tried, or every other one."""
    all_variants: bool
    """Whether DSDD is tried without an intercept, too."""
    max_samples: int
    """Samples that the choice is made on; the others are labelled by what it leads to."""


class Budget(NamedTuple):
    """What may be spent."""

    n_samples: int
    """Samples that the choice is made on, at most."""
    n_repeats: tuple[int, int, int]
    """Repetitions of the folds with few, more and many samples."""


BUDGETS = {
    "fast": Budget(1000, (1, 1, 1)),
    "balanced": Budget(2000, (4, 2, 1)),
    "thorough": Budget(4000, (10, 6, 4)),
}
_FEWEST, _FEW, _SMALL, _MANY = 100, 200, 400, 1000  # samples of A and B together
_DENSE_ENTRIES = 2**25  # of sparse samples, up to which they may be had without gaps


def effort(budget: str, n_samples: int) -> Effort:
    """Say what a budget buys for so many samples.

    Examples
    --------
    >>> from unclustered.methods._portfolio.defaults import effort
    >>> effort("balanced", 80).n_repeats, effort("balanced", 2000).n_repeats
    (4, 1)
    """
    limits = BUDGETS[budget]
    return Effort(
        n_repeats=limits.n_repeats[(n_samples >= _FEW) + (n_samples >= _MANY)],
        all_steps=budget == "thorough" or (budget == "balanced" and n_samples < _SMALL),
        all_variants=budget != "fast",
        max_samples=limits.n_samples,
    )


def default_families(spent: Effort, X: Any, seed: int) -> list[Family]:
    """Candidates for these samples: those that are known to suit so many and of such a kind."""
    n_samples = X.shape[0]
    multiples = _MULTIPLES if spent.all_steps else _FEW_MULTIPLES
    steps = _REGULARIZATIONS if spent.all_steps else _FEW_REGULARIZATIONS
    narrow = multiples[:_NARROW]
    families = [
        Family(
            tuple(
                DSDDPath(penalty, intercept, multiples, steps)
                for penalty in ("rkhs", "coefficients")
                for intercept in ((True, False) if spent.all_variants else (True,))
            )
        ),
        Family((LSDDPath(narrow, _RIDGES if spent.all_steps else _RIDGES[::2]),)),
        Family((DensityPath(narrow),)),
    ]
    if not issparse(X) or X.shape[0] * X.shape[1] <= _DENSE_ENTRIES:
        clusterings: list[Any] = [
            KMeansLabeler(random_state=seed),
            SpectralLabeler(random_state=seed),
        ]
        if n_samples < _FEWEST:  # later it takes longer than all others together
            clusterings.append(SMIC())
        names = ("kmeans", "spectral", "smic")
        families.append(
            Family(
                tuple(Clustering(n, c) for n, c in zip(names, clusterings, strict=False)),
                clusters=True,
            )
        )
        if n_samples >= _FEW:
            families.append(Family((RidgePath(_RIDGES),)))
        if n_samples >= _SMALL:
            families.append(Family((SVCPath((0.4, 0.8, 1.6), (1.0, 10.0)),)))
            families.append(Family((TreesPath((8,), 50, seed),)))
    return families
