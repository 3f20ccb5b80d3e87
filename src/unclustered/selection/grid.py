"""The bandwidths that are tried when none is given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BANDWIDTH_MULTIPLES", "bandwidth_grid"]

BANDWIDTH_MULTIPLES = (0.15, 0.25, 0.4, 0.6, 0.8, 1.1, 1.6, 2.5)


def bandwidth_grid(median: float) -> NDArray[np.float64]:
    """Bandwidths to choose from, as multiples of the median distance between samples.

    Closest together around the median itself: in many dimensions all distances are alike, and
    a kernel much narrower or wider than they are tells no sample from another.

    Examples
    --------
    >>> from unclustered.selection.grid import bandwidth_grid
    >>> bandwidth_grid(10.0)
    array([ 1.5,  2.5,  4. ,  6. ,  8. , 11. , 16. , 25. ])
    """
    return median * np.array(BANDWIDTH_MULTIPLES)
