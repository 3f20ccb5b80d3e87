"""The compiled hot loop of DSDD: plain arrays in, plain arrays out.

Compiled on first use and cached on disk; imported by nothing before it is needed.

One notation: minimise f(beta) = 1/2 beta'G beta - t'beta over lower <= beta <= upper, with
g = G beta kept beside beta and r = g - t the gradient. The free variables F have R'R = G_FF, R
upper triangular and stored by rows, so that growing, shrinking and solving all run along rows.
"""

# The compiler infers the types.
# mypy: disable-error-code="no-untyped-def, no-any-return, assignment"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

# Sums may be reordered, so that they vectorise; infinities and NaN keep their meaning.
_FAST = {"reassoc", "contract", "arcp", "nsz"}
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": _FAST}
_PIVOT = 1e-13  # smallest pivot of a factor, relative to its diagonal entry
_FLIPS = 10  # sweeps of bound-to-bound moves before the active set starts
# Integers that callees take are written np.int64(0): a literal would have each compiled twice.
CONVERGED, ITERATION_LIMIT, STALLED = 0, 1, 2


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    try:
        return njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # no folder to keep the cache in can be written
        return njit(**_OPTIONS)(function)


@_compiled
def _append(G, i, F, n_free, R):
    """Let variable i join the n_free free ones; a dependent one gets the smallest pivot."""
    row = G[i]
    v = np.empty(n_free)
    for j in range(n_free):
        v[j] = row[F[j]]
    square = 0.0
    for j in range(n_free):
        R_j = R[j]
        v_j = v[j] / R_j[j]
        R_j[n_free] = v_j
        square += v_j * v_j
        for k in range(j + 1, n_free):
            v[k] -= v_j * R_j[k]
    R[n_free, n_free] = np.sqrt(max(row[i] - square, _PIVOT * row[i]))
    F[n_free] = i


@_compiled
def _delete(p, F, n_free, R):
    """Take out the free variable at position p: the rows below it get a rank-one update."""
    last = n_free - 1
    x = R[p, p + 1 : n_free].copy()
    for j in range(p):
        R_j = R[j]
        for k in range(p, last):
            R_j[k] = R_j[k + 1]
    for j in range(p, last):
        F[j] = F[j + 1]
        old = R[j + 1]
        new = R[j]
        a = old[j + 1]
        b = x[j - p]
        length = np.sqrt(a * a + b * b)
        c = a / length
        s = b / length
        new[j] = length
        for k in range(j + 1, last):
            u = old[k + 1]
            y = x[k - p]
            new[k] = c * u + s * y
            x[k - p] = c * y - s * u


@_compiled
def _solve(R, n_free, z):
    """Solve R'R z_out = z_in in place."""
    for j in range(n_free):
        R_j = R[j]
        z_j = z[j] / R_j[j]
        z[j] = z_j
        for k in range(j + 1, n_free):
            z[k] -= z_j * R_j[k]
    for j in range(n_free - 1, -1, -1):
        R_j = R[j]
        dot = 0.0
        for k in range(j + 1, n_free):
            dot += R_j[k] * z[k]
        z[j] = (z[j] - dot) / R_j[j]


@_compiled
def _add_rows(G, step, rows, n_rows, g):
    """Add G'step to g, where step is zero outside rows."""
    for j in range(n_rows):
        delta = step[j]
        if delta != 0.0:
            row = G[rows[j]]
            for k in range(len(g)):
                g[k] += delta * row[k]


@_compiled
def _refresh(G, beta, g):
    """Compute g = G beta anew."""
    g[:] = 0.0
    for i in range(len(beta)):
        if beta[i] != 0.0:
            row = G[i]
            b = beta[i]
            for k in range(len(g)):
                g[k] += b * row[k]


@_compiled
def _flip(G, t, lower, upper, beta, g):
    """Move variables from bound to bound as long as a coordinate step goes beyond the box."""
    for _ in range(_FLIPS):
        quiet = True
        for i in range(len(t)):
            r = g[i] - t[i]
            if r < 0.0:
                target = upper[i]
            elif r > 0.0:
                target = lower[i]
            else:
                continue
            delta = target - beta[i]
            if delta != 0.0 and abs(r) >= G[i, i] * abs(delta):
                quiet = False
                beta[i] = target
                row = G[i]
                for k in range(len(g)):
                    g[k] += delta * row[k]
        if quiet:
            return


@_compiled
def _settle(G, t, lower, upper, beta, g, F, n_free, R, is_free):
    """Minimise over the free variables; those that meet a bound leave. Returns how many stay.

    Within this loop g is not needed: after a Newton step of length a, the residual on F is 1 - a
    times what it was. g is brought up to date once, at the end.
    """
    entered = n_free
    rows = F[:entered].copy()
    step = np.empty(entered)
    r = np.empty(entered)
    z = np.empty(entered)
    for j in range(entered):
        step[j] = -beta[rows[j]]
        r[j] = g[rows[j]] - t[rows[j]]
    while n_free > 0:
        for j in range(n_free):
            z[j] = -r[j]
        _solve(R, n_free, z)
        a = 1.0
        hit = np.int64(-1)
        for j in range(n_free):
            i = F[j]
            room = upper[i] - beta[i] if z[j] > 0.0 else lower[i] - beta[i]
            if abs(z[j]) * a > abs(room):
                a = room / z[j]
                hit = j
        for j in range(n_free):
            beta[F[j]] += a * z[j]
            r[j] *= 1.0 - a
        if hit < 0:
            break
        i = F[hit]
        beta[i] = upper[i] if z[hit] > 0.0 else lower[i]
        is_free[i] = False
        for j in range(hit, n_free - 1):
            r[j] = r[j + 1]
        _delete(hit, F, n_free, R)
        n_free -= 1
    for j in range(entered):
        step[j] += beta[rows[j]]
    _add_rows(G, step, rows, entered, g)
    return n_free


@_compiled
def box_qp(G, t, lower, upper, beta, g, F, n_free, R, tol, max_iter):
    """Solve the box QP from where beta, g, F[:n_free] and R stand, and leave them at the solution.

    Moves from bound to bound first; then an active set: Newton on the free variables with a
    factor that is updated, never rebuilt, and the worst violators of the optimality conditions let
    in a few at a time. beta must lie within the box and g be G beta. Returns R (it may have
    grown), the number of free variables, the iterations and a status.
    """
    n = len(t)
    is_free = np.zeros(n, np.bool_)
    p = np.int64(0)
    while p < n_free:
        i = F[p]
        if beta[i] <= lower[i] or beta[i] >= upper[i]:
            _delete(p, F, n_free, R)
            n_free -= 1
        else:
            is_free[i] = True
            p += 1
    if n_free == 0:
        _flip(G, t, lower, upper, beta, g)

    tol *= 0.5  # the rest is for the rounding of whoever checks the answer
    fresh = False
    stalls = 0
    best = np.inf
    worst = np.empty(64, np.int64)
    size = np.empty(64)
    for iteration in range(max_iter):
        if n_free > 0:
            n_free = _settle(G, t, lower, upper, beta, g, F, n_free, R, is_free)
        most = min(4 + n_free // 16, 64)  # violators let in at once
        found = 0
        residual = 0.0
        for i in range(n):
            r = g[i] - t[i]
            if is_free[i]:
                residual = max(residual, abs(r))
                continue
            if (r < 0.0 and beta[i] < upper[i]) or (r > 0.0 and beta[i] > lower[i]):
                v = abs(r)
                if v <= tol:
                    continue
                residual = max(residual, v)
                if found < most:
                    q = found
                    found += 1
                elif v > size[most - 1]:
                    q = most - 1
                else:
                    continue
                while q > 0 and v > size[q - 1]:
                    size[q] = size[q - 1]
                    worst[q] = worst[q - 1]
                    q -= 1
                size[q] = v
                worst[q] = i
        if residual <= tol:
            if fresh:
                return R, n_free, iteration + 1, CONVERGED
            # The answer is checked on scores computed anew, not on those carried along.
            _refresh(G, beta, g)
            fresh = True
            continue
        fresh = False
        if found == 0:
            # Only the free variables are off: Newton steps refine them, unless rounding is reached.
            stalls = stalls + 1 if residual >= 0.5 * best else 0
            best = residual
            if stalls > 5:
                return R, n_free, iteration + 1, STALLED
        R = _roomy(R, n_free + found, n)
        for q in range(found):
            _append(G, worst[q], F, n_free, R)
            is_free[worst[q]] = True
            n_free += 1
    return R, n_free, max_iter, ITERATION_LIMIT


@_compiled
def _roomy(R, needed, n):
    """R, or a larger copy of it where ``needed`` free variables would not fit."""
    if needed <= len(R):
        return R
    size = min(n, max(needed, 2 * len(R)))
    larger = np.zeros((size, size))
    for i in range(len(R)):
        for j in range(i, len(R)):
            larger[i, j] = R[i, j]
    return larger


@_compiled
def _copy(source, target):
    """Copy entry by entry: slice assignment compiles ten times as long."""
    for i in range(len(source)):
        target[i] = source[i]


@_compiled
def _objective(t, weight, regularization, beta, g):
    """J(alpha), with lambda/2 |alpha|^2 = lambda/2 beta'G beta."""
    J = 0.0
    for i in range(len(t)):
        ramp = min(max(g[i], -1.0), 1.0)
        J += 0.5 * regularization * beta[i] * g[i] - weight[i] * t[i] * ramp
    return J


@_compiled
def _fit_box(G, weight, regularization, slope, beta, g, lower, upper):
    """Set the box w (s - 1) / lambda <= beta <= w s / lambda and bring beta into it.

    What stood at a bound other than zero goes to where that bound has moved.
    """
    moved = False
    for i in range(len(beta)):
        top = weight[i] / regularization
        new_lower = top * (slope[i] - 1.0)
        new_upper = top * slope[i]
        b = beta[i]
        if b > 0.0 and b == upper[i]:
            b = new_upper
        elif b < 0.0 and b == lower[i]:
            b = new_lower
        b = min(max(b, new_lower), new_upper)
        lower[i] = new_lower
        upper[i] = new_upper
        if b != beta[i]:
            moved = True
            beta[i] = b
    if moved:
        _refresh(G, beta, g)


@_compiled
def _descend(
    G, t, weight, regularization, slope, beta, g, lower, upper, F, n_free, R, tol, max_steps, path
):
    """CCCP from a solved convex step on; returns R, steps, iterations, the worst status, converged.

    path[0] is J after the first step; beta, g and the box end at the last step that lowered J.
    """
    n = len(t)
    J = _objective(t, weight, regularization, beta, g)
    path[0] = J
    iterations = 0
    worst = CONVERGED
    old_beta = beta.copy()
    old_g = g.copy()
    old_lower = lower.copy()
    old_upper = upper.copy()
    for step in range(1, max_steps + 1):
        changed = False
        for i in range(n):
            s = 1.0 if g[i] >= -t[i] else 0.0
            if s != slope[i]:
                changed = True
                slope[i] = s
        if not changed:
            return R, step, iterations, worst, True
        if step == max_steps:
            break
        _copy(beta, old_beta)
        _copy(g, old_g)
        _copy(lower, old_lower)
        _copy(upper, old_upper)
        _fit_box(G, weight, regularization, slope, beta, g, lower, upper)
        R, n_free, used, status = box_qp(
            G, t, lower, upper, beta, g, F, n_free, R, tol, 100 + 50 * n
        )
        iterations += used
        worst = max(worst, status)
        new = _objective(t, weight, regularization, beta, g)
        if new >= J - 1e-12 * (1.0 + abs(J)):
            # Only ties in b and c moved: J stands still, so this is the end.
            if new > J:
                _copy(old_beta, beta)
                _copy(old_g, g)
                _copy(old_lower, lower)
                _copy(old_upper, upper)
            return R, step, iterations, worst, True
        J = new
        path[step] = J
    return R, max_steps, iterations, worst, False


@_compiled
def cccp(G, t, weight, regularization, hinge, tol, max_steps):
    """Whole CCCP from one start.

    Returns beta, the box of its convex step, the path of J, iterations, status and whether the
    slopes came to rest.
    """
    n = len(t)
    beta = np.zeros(n)
    g = np.zeros(n)
    lower = np.zeros(n)
    upper = np.zeros(n)
    F = np.empty(n, np.int64)
    R = np.zeros((min(n, 128), min(n, 128)))
    path = np.empty(max_steps)
    slope = _start(t, hinge)
    _fit_box(G, weight, regularization, slope, beta, g, lower, upper)
    n_free = np.int64(0)
    R, n_free, first, status = box_qp(G, t, lower, upper, beta, g, F, n_free, R, tol, 100 + 50 * n)
    R, steps, iterations, worst, converged = _descend(
        G,
        t,
        weight,
        regularization,
        slope,
        beta,
        g,
        lower,
        upper,
        F,
        n_free,
        R,
        tol,
        max_steps,
        path,
    )
    return beta, lower, upper, path[:steps], first + iterations, max(status, worst), converged


@_compiled
def _start(t, hinge):
    """Slopes s of the linearised part: 0 everywhere (the paper's) or 1 on A (hinge)."""
    slope = np.zeros(len(t))
    if hinge:
        for i in range(len(t)):
            slope[i] = 1.0 if t[i] > 0.0 else 0.0
    return slope


@_compiled
def held_out(G, t, weight, train, test, regularizations, starts, tol, max_steps):
    """Held-out soft gap mean_A R(g) - mean_B R(g) of one fold for every lambda, largest first.

    Of several starts (hinge: True, paper: False) the one of lower J on the training part counts.
    The convex start problem of each lambda is warm-started from the one before.
    """
    n = len(train)
    G_train = np.empty((n, n))
    t_train = np.empty(n)
    w_train = np.empty(n)
    sum_a = 0.0
    sum_b = 0.0
    for i in range(n):
        row = G[train[i]]
        for j in range(n):
            G_train[i, j] = row[train[j]]
        t_train[i] = t[train[i]]
        w_train[i] = weight[train[i]]
        if t_train[i] > 0.0:
            sum_a += w_train[i]
        else:
            sum_b += w_train[i]
    for i in range(n):
        w_train[i] /= sum_a if t_train[i] > 0.0 else sum_b

    score = np.zeros(len(regularizations))
    lowest = np.empty(len(regularizations))
    lowest[:] = np.inf
    F = np.empty(n, np.int64)
    path = np.empty(max_steps)
    for hinge in starts:
        slope = _start(t_train, hinge)
        beta = np.zeros(n)
        g = np.zeros(n)
        lower = np.zeros(n)
        upper = np.zeros(n)
        R = np.zeros((min(n, 128), min(n, 128)))
        n_free = np.int64(0)
        for k in range(len(regularizations)):
            regularization = regularizations[k]
            _fit_box(G_train, w_train, regularization, slope, beta, g, lower, upper)
            R, n_free, _, _ = box_qp(
                G_train, t_train, lower, upper, beta, g, F, n_free, R, tol, 100 + 50 * n
            )
            own_beta = beta.copy()
            own_g = g.copy()
            _, steps, _, _, _ = _descend(
                G_train,
                t_train,
                w_train,
                regularization,
                slope.copy(),
                own_beta,
                own_g,
                lower.copy(),
                upper.copy(),
                F.copy(),
                n_free,
                R.copy(),
                tol,
                max_steps,
                path,
            )
            if path[steps - 1] < lowest[k]:
                lowest[k] = path[steps - 1]
                score[k] = _soft_gap(G, t, weight, train, test, own_beta)
    return score


@_compiled
def _soft_gap(G, t, weight, train, test, beta):
    total_a = 0.0
    total_b = 0.0
    sum_a = 0.0
    sum_b = 0.0
    for i in test:
        row = G[i]
        g = 0.0
        for j in range(len(train)):
            g += row[train[j]] * beta[j]
        ramp = min(max(g, -1.0), 1.0)
        if t[i] > 0.0:
            total_a += weight[i] * ramp
            sum_a += weight[i]
        else:
            total_b += weight[i] * ramp
            sum_b += weight[i]
    return total_a / sum_a - total_b / sum_b
