"""Which samples the kernels of DSDD and LSDD sit on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import distinct_rows
from ..selection.folds import canonical_order

__all__ = ["choose_centres"]

Index = NDArray[np.intp]


def choose_centres(
    X: Any, weight: NDArray[np.float64], n_centres: int | None, rng: np.random.Generator
) -> tuple[Index, Index | None]:
    """Rows to be centres, and which of them each sample equals where every sample does.

    All distinct rows that carry weight, or ``n_centres`` of them, drawn along the canonical order
    so that shuffled rows give the same centres.
    """
    centres, centre_of = distinct_rows(X, weight)
    if n_centres is None or n_centres >= len(centres):
        return centres, centre_of
    ordered = centres[canonical_order(X[centres])]
    return np.sort(ordered[rng.choice(len(ordered), size=n_centres, replace=False)]), None
