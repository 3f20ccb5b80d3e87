"""The compiled part of LSMI: one tridiagonal form, a solution for every ridge.

Imported by nothing before it is needed, as :mod:`._jit`.
"""

# The compiler infers the types.
# mypy: disable-error-code="no-untyped-def, no-any-return, assignment"

from __future__ import annotations

import numpy as np

from ._jit import _compiled

__all__ = ["ridge_path"]


@_compiled
def _reflect(x, v, tau, i):
    inner = x[i + 1]
    for j in range(i + 2, len(x)):
        inner += v[j] * x[j]
    inner *= tau
    x[i + 1] -= inner
    for j in range(i + 2, len(x)):
        x[j] -= inner * v[j]


@_compiled
def ridge_path(reflectors, tau, diagonal, beside, h, ridges):
    """Solve (H + ridge I) theta = h for every ridge, with H = Q T Q'.

    T has ``diagonal`` and ``beside`` it the off-diagonal. Q = (I - tau_0 v_0 v_0') (I - tau_1 v_1
    v_1') ..., as LAPACK's sytrd leaves it: v_i is zero up to i, one at i + 1, and row i of
    ``reflectors`` from i + 2 on.
    """
    n = len(h)
    theta = np.empty((len(ridges), n))
    start = h.copy()
    for i in range(n - 1):
        _reflect(start, reflectors[i], tau[i], i)
    pivot = np.empty(n)
    for r in range(len(ridges)):
        x = theta[r]
        pivot[0] = diagonal[0] + ridges[r]
        x[0] = start[0]
        for i in range(1, n):
            factor = beside[i - 1] / pivot[i - 1]
            pivot[i] = diagonal[i] + ridges[r] - factor * beside[i - 1]
            x[i] = start[i] - factor * x[i - 1]
        x[n - 1] /= pivot[n - 1]
        for i in range(n - 2, -1, -1):
            x[i] = (x[i] - beside[i] * x[i + 1]) / pivot[i]
        for i in range(n - 2, -1, -1):
            _reflect(x, reflectors[i], tau[i], i)
    return theta
