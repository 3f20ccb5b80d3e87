"""What samples belong to: a name for each, which must not be torn between A and B."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError

__all__ = ["coded_groups", "joined_groups"]


def joined_groups(groups: tuple[ArrayLike, ArrayLike], n_a: int, n_b: int) -> NDArray[Any]:
    """Names for the rows of A, then those of B, from a pair of them.

    Examples
    --------
    >>> from unclustered.evidence.groups import joined_groups
    >>> joined_groups((["u", "u"], ["v"]), 2, 1).tolist()
    ['u', 'u', 'v']
    """
    parts = [np.asarray(part) for part in groups]
    if [part.shape for part in parts] != [(n_a,), (n_b,)]:
        raise DataError(
            "groups must be a pair: one name for each row of A, and one for each row of B "
            f"({n_a} and {n_b})."
        )
    return np.concatenate(parts)


def coded_groups(
    groups: ArrayLike, side: NDArray[np.float64]
) -> tuple[NDArray[np.intp], Sequence[Hashable]]:
    """Give each group a number; one that lies in both datasets is an error.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.evidence.groups import coded_groups
    >>> codes, names = coded_groups(["v", "u", "v"], np.array([1.0, -1.0, 1.0]))
    >>> codes.tolist(), names
    ([1, 0, 1], ['u', 'v'])
    """
    named = np.asarray(groups)
    if named.shape != side.shape:
        raise DataError(
            f"groups must name one group a sample, {len(side)} in all, but its shape is "
            f"{named.shape}."
        )
    names, codes = np.unique(named, return_inverse=True)
    torn = np.intersect1d(codes[side > 0], codes[side < 0])
    if len(torn):
        raise DataError(
            f"Group {names[torn[0]].item()!r} has samples in A and in B ({len(torn)} such groups "
            "in all): groups change datasets as wholes, so each must lie within one."
        )
    return codes, names.tolist()
