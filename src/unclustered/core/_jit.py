"""The compiled hot loop of DSDD: plain arrays in, plain arrays out.

Compiled on first use and cached on disk; imported by nothing before it is needed.

One notation: minimise f(beta) = 1/2 beta'G beta - t'beta over lower <= beta <= upper, with
g = G beta kept beside beta and r = t - g minus the gradient. These vectors are the rows of S. The
free variables F have R'R = G_FF, R upper triangular and stored by rows, so that growing, shrinking
and solving all run along rows; W is scratch. All room is taken once, before the loops: a small
problem takes microseconds, and asking for memory would be most of them.
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
# Rows of S. AT says where a variable is: +1 at its lower bound, -1 at its upper one, 0 between
# them or with no room to move, so that AT * r > 0 is what its bound does not excuse.
BETA, SCORE, LOWER, UPPER, AT = range(5)
STATE = 5
# Rows of W: the diagonal of G; reciprocals of that of R, and vectors over the free variables.
DIAGONAL, _INVERSE, _Y, _Z, _X, _STEP = range(6)
_SCRATCH = 6
# Integers that callees take are written np.int64(0): a literal would have each compiled twice.
CONVERGED, ITERATION_LIMIT, STALLED = 0, 1, 2


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that is called from Python, or large; kept on disk."""
    try:
        return njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # no folder to keep the cache in can be written
        return njit(**_OPTIONS)(function)


def _inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a small function into its callers: a call would cost as much as what it does."""
    return njit(forceinline=True, **_OPTIONS)(function)


@_inlined
def _append(G, i, F, n_free, R, W):
    """Let variable i join the n_free free ones; a dependent one gets the smallest pivot."""
    for j in range(n_free):
        W[_X, j] = G[i, F[j]]
    square = 0.0
    for j in range(n_free):
        v = W[_X, j] * W[_INVERSE, j]
        R[j, n_free] = v
        square += v * v
        for k in range(j + 1, n_free):
            W[_X, k] -= v * R[j, k]
    pivot = np.sqrt(max(W[DIAGONAL, i] - square, _PIVOT * W[DIAGONAL, i]))
    R[n_free, n_free] = pivot
    W[_INVERSE, n_free] = 1.0 / pivot
    F[n_free] = i


@_inlined
def _delete(p, F, n_free, R, W):
    """Take out the free variable at position p: the rows below it get a rank-one update.

    y with R'y = r, the residual, is turned along.
    """
    last = n_free - 1
    for k in range(p + 1, n_free):
        W[_X, k] = R[p, k]
    y_p = W[_Y, p]
    for j in range(p):
        for k in range(p, last):
            R[j, k] = R[j, k + 1]
    for j in range(p, last):
        F[j] = F[j + 1]
        a = R[j + 1, j + 1]
        b = W[_X, j + 1]
        length = np.sqrt(a * a + b * b)
        inverse = 1.0 / length
        c = a * inverse
        s = b * inverse
        R[j, j] = length
        W[_INVERSE, j] = inverse
        y = W[_Y, j + 1]
        W[_Y, j] = c * y + s * y_p
        y_p = c * y_p - s * y
        for k in range(j + 1, last):
            u = R[j + 1, k + 1]
            v = W[_X, k + 1]
            R[j, k] = c * u + s * v
            W[_X, k + 1] = c * v - s * u


@_inlined
def _add_rows(G, rows, n_rows, S, W):
    """Add G'step to the scores, where step is zero outside rows."""
    n = S.shape[1]
    j = 0
    while j + 4 <= n_rows:
        a, b, c, d = W[_STEP, j], W[_STEP, j + 1], W[_STEP, j + 2], W[_STEP, j + 3]
        p, q, r, s = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        for k in range(n):
            S[SCORE, k] += (a * G[p, k] + b * G[q, k]) + (c * G[r, k] + d * G[s, k])
        j += 4
    while j < n_rows:
        a = W[_STEP, j]
        p = rows[j]
        for k in range(n):
            S[SCORE, k] += a * G[p, k]
        j += 1


@_compiled
def gram(Phi):
    """Phi Phi', four columns at a time: each row is read once for four sums."""
    n, m = Phi.shape
    G = np.empty((n, n))
    for i in range(n):
        j = 0
        while j + 4 <= i + 1:
            a = b = c = d = 0.0
            for k in range(m):
                v = Phi[i, k]
                a += v * Phi[j, k]
                b += v * Phi[j + 1, k]
                c += v * Phi[j + 2, k]
                d += v * Phi[j + 3, k]
            G[i, j], G[i, j + 1], G[i, j + 2], G[i, j + 3] = a, b, c, d
            j += 4
        while j <= i:
            a = 0.0
            for k in range(m):
                a += Phi[i, k] * Phi[j, k]
            G[i, j] = a
            j += 1
        for j in range(i):
            G[j, i] = G[i, j]
    return G


@_compiled
def refresh(G, S, rows, W):
    """Compute the scores g = G beta anew."""
    found = np.int64(0)
    for i in range(S.shape[1]):
        S[SCORE, i] = 0.0
        if S[BETA, i] != 0.0:
            rows[found] = i
            W[_STEP, found] = S[BETA, i]
            found += 1
    _add_rows(G, rows, found, S, W)


@_compiled
def _flip(G, t, S, W):
    """Move variables from bound to bound as long as a coordinate step goes beyond the box."""
    n = len(t)
    for _ in range(_FLIPS):
        quiet = True
        for i in range(n):
            r = S[AT, i] * (t[i] - S[SCORE, i])
            width = S[UPPER, i] - S[LOWER, i]
            if r > 0.0 and r >= W[DIAGONAL, i] * width:
                quiet = False
                delta = S[AT, i] * width
                S[BETA, i] = S[UPPER, i] if S[AT, i] > 0.0 else S[LOWER, i]
                S[AT, i] = -S[AT, i]
                for k in range(n):
                    S[SCORE, k] += delta * G[i, k]
        if quiet:
            return


@_inlined
def _settle(G, t, S, F, at_rest, n_free, R, W, rows):
    """Minimise over the free variables; those that meet a bound leave. Returns how many stay.

    The first ``at_rest`` of them have no residual yet: an earlier step has seen to it.
    Within this loop g is not needed: after a Newton step of length a, the residual on F is 1 - a
    times what it was. g is brought up to date once, at the end.
    """
    entered = n_free
    for j in range(entered):
        i = F[j]
        rows[j] = i
        W[_STEP, j] = -S[BETA, i]
        W[_Y, j] = t[i] - S[SCORE, i] if j >= at_rest else 0.0
    for j in range(at_rest, n_free):
        y = W[_Y, j] * W[_INVERSE, j]
        W[_Y, j] = y
        for k in range(j + 1, n_free):
            W[_Y, k] -= y * R[j, k]
    while n_free > 0:
        a = 1.0
        hit = np.int64(-1)
        for j in range(n_free - 1, -1, -1):
            dot = 0.0
            for k in range(n_free - 1, j, -1):  # last what was found last: nothing waits for it
                dot += R[j, k] * W[_Z, k]
            z = (W[_Y, j] - dot) * W[_INVERSE, j]
            W[_Z, j] = z
            i = F[j]
            room = S[UPPER, i] - S[BETA, i] if z > 0.0 else S[LOWER, i] - S[BETA, i]
            if abs(z) * a > abs(room):
                a = room / z
                hit = j
        for j in range(n_free):
            S[BETA, F[j]] += a * W[_Z, j]
        if hit < 0:
            break
        i = F[hit]
        if W[_Z, hit] > 0.0:
            S[BETA, i] = S[UPPER, i]
            S[AT, i] = -1.0
        else:
            S[BETA, i] = S[LOWER, i]
            S[AT, i] = 1.0
        for j in range(n_free):
            W[_Y, j] *= 1.0 - a
        _delete(hit, F, n_free, R, W)
        n_free -= 1
    for j in range(entered):
        W[_STEP, j] += S[BETA, rows[j]]
    _add_rows(G, rows, entered, S, W)
    return n_free


@_compiled
def box_qp(G, t, S, F, n_free, R, W, rows, tol, max_iter):
    """Solve the box QP from where S, F[:n_free] and R stand, and leave them at the solution.

    Moves from bound to bound first; then an active set: Newton on the free variables with a
    factor that is updated, never rebuilt, and the worst violators of the optimality conditions let
    in a few at a time. Each variable must be free or at a bound, and SCORE be G beta. Returns R (it
    may have grown), the number of free variables, the iterations and a status.
    """
    n = len(t)
    p = np.int64(0)
    while p < n_free:
        i = F[p]
        if S[AT, i] != 0.0 or S[LOWER, i] == S[UPPER, i]:
            _delete(p, F, n_free, R, W)
            n_free -= 1
        else:
            p += 1
    _flip(G, t, S, W)

    tol *= 0.5  # the rest is for the rounding of whoever checks the answer
    stalls = 0
    best = np.inf
    at_rest = np.int64(0)
    left = 0
    for iteration in range(max_iter):
        if n_free > 0:
            left = n_free
            n_free = _settle(G, t, S, F, at_rest, n_free, R, W, rows)
            left -= n_free
            at_rest = n_free
        # The worst violators, in falling order: rows says which, W[_Z] by how much. Few at once
        # where they tend to leave again.
        most = min(1 + n_free // (16 if left > 0 else 4), 64, n)
        found = 0
        bar = tol
        for i in range(n):
            v = S[AT, i] * (t[i] - S[SCORE, i])
            if v > bar:
                if found < most:
                    q = found
                    found += 1
                else:
                    q = most - 1
                while q > 0 and v > W[_Z, q - 1]:
                    W[_Z, q] = W[_Z, q - 1]
                    rows[q] = rows[q - 1]
                    q -= 1
                W[_Z, q] = v
                rows[q] = i
                if found == most:
                    bar = W[_Z, most - 1]
        if found == 0:
            residual = 0.0
            for j in range(n_free):
                residual = max(residual, abs(t[F[j]] - S[SCORE, F[j]]))
            if residual <= tol:
                return R, n_free, iteration + 1, CONVERGED
            # Only the free variables are off: Newton steps refine them, unless rounding is reached.
            stalls = stalls + 1 if residual >= 0.5 * best else 0
            best = residual
            at_rest = 0
            if stalls > 5:
                return R, n_free, iteration + 1, STALLED
        R = _roomy(R, n_free + found, n)
        for q in range(found):
            _append(G, rows[q], F, n_free, R, W)
            S[AT, rows[q]] = 0.0
            n_free += 1
    return R, n_free, max_iter, ITERATION_LIMIT


@_compiled
def solve(G, t, lower, upper, tol, max_iter):
    """Solve the box QP from nothing: each variable at its bound nearest to zero.

    Returns the state, its scores computed anew, and the iterations and status.
    """
    S, F, R, W, rows = workspace(G)
    for i in range(len(t)):
        low = abs(lower[i]) <= abs(upper[i])
        S[BETA, i] = lower[i] if low else upper[i]
        S[LOWER, i] = lower[i]
        S[UPPER, i] = upper[i]
        if lower[i] < upper[i]:
            S[AT, i] = 1.0 if low else -1.0
    refresh(G, S, rows, W)
    R, n_free, iterations, status = box_qp(G, t, S, F, np.int64(0), R, W, rows, tol, max_iter)
    # The answer must hold on scores computed anew, not only on those carried along.
    refresh(G, S, rows, W)
    if status == CONVERGED:
        _, _, more, status = box_qp(G, t, S, F, n_free, R, W, rows, tol, max_iter)
        iterations += more
        refresh(G, S, rows, W)
    return S, iterations, status


@_compiled
def certificate(scores, t, lower, upper, x):
    """Objective, bound on its distance from the minimum, and largest unexcused gradient."""
    objective = 0.0
    gap = 0.0
    residual = 0.0
    for i in range(len(t)):
        r = scores[i] - t[i]
        objective += (0.5 * scores[i] - t[i]) * x[i]
        room = x[i] - lower[i] if r > 0.0 else upper[i] - x[i]
        gap += abs(r) * room
        if room > 0.0:
            residual = max(residual, abs(r))
    return objective, gap, residual


@_compiled
def _roomy(R, needed, n):
    """R, or a larger copy of it where ``needed`` free variables would not fit."""
    if needed <= len(R):
        return R
    size = min(n, max(needed, 2 * len(R)))
    larger = np.empty((size, size))
    _copy_factor(R, len(R), larger)
    return larger


@_compiled
def _copy_factor(source, n_free, target):
    """Copy a factor entry by entry: slice assignment compiles ten times as long."""
    for i in range(n_free):
        for j in range(i, n_free):
            target[i, j] = source[i, j]


@_compiled
def _copy_state(source, target):
    for k in range(STATE):
        for i in range(source.shape[1]):
            target[k, i] = source[k, i]


@_compiled
def _objective(t, weight, regularization, S):
    """J(alpha), with lambda/2 |alpha|^2 = lambda/2 beta'G beta."""
    J = 0.0
    for i in range(len(t)):
        g = S[SCORE, i]
        ramp = min(max(g, -1.0), 1.0)
        J += 0.5 * regularization * S[BETA, i] * g - weight[i] * t[i] * ramp
    return J


@_compiled
def _fit_box(G, weight, regularization, slope, S, rows, W):
    """Set the box w (s - 1) / lambda <= beta <= w s / lambda and bring beta into it.

    What stood at a bound other than zero goes to where that bound has moved. One bound is always
    zero, so whatever was not free is at a bound again.
    """
    moved = np.int64(0)
    nonzero = 0
    for i in range(S.shape[1]):
        top = weight[i] / regularization
        lower = top * (slope[i] - 1.0)
        upper = top * slope[i]
        old = S[BETA, i]
        new = old
        if S[AT, i] < 0.0 and old > 0.0:
            new = upper
        elif S[AT, i] > 0.0 and old < 0.0:
            new = lower
        new = min(max(new, lower), upper)
        S[LOWER, i] = lower
        S[UPPER, i] = upper
        S[AT, i] = 0.0
        if lower < upper:
            if new == lower:
                S[AT, i] = 1.0
            elif new == upper:
                S[AT, i] = -1.0
        if new != 0.0:
            nonzero += 1
        if new != old:
            S[BETA, i] = new
            rows[moved] = i
            W[_STEP, moved] = new - old
            moved += 1
    if moved < nonzero:
        _add_rows(G, rows, moved, S, W)
    elif moved > 0:
        refresh(G, S, rows, W)


@_compiled
def _factorise(G, S, F, R, W):
    """Factor of the free variables of a state; returns R and how many they are."""
    n_free = np.int64(0)
    for i in range(S.shape[1]):
        if S[AT, i] == 0.0 and S[LOWER, i] < S[UPPER, i]:
            R = _roomy(R, n_free + 1, S.shape[1])
            _append(G, i, F, n_free, R, W)
            n_free += 1
    return R, n_free


@_inlined
def _linearise(t, S, slope):
    """Set the slopes b and c of the linearised part to those at g; whether any has changed."""
    changed = False
    for i in range(len(t)):
        s = 1.0 if S[SCORE, i] >= -t[i] else 0.0
        changed |= s != slope[i]
        slope[i] = s
    return changed


@_compiled
def _descend(G, t, weight, regularization, slope, S, old, F, n_free, R, W, rows, tol, path, steps):
    """CCCP on from the end of a convex step, the slopes having changed since.

    path[steps - 1] is J there, and S ends at the last step that lowered J. Returns R, how many
    variables are free, the steps, the iterations, the worst status, and whether it came to rest.
    """
    n = len(t)
    iterations = 0
    worst = CONVERGED
    while steps < len(path):
        _copy_state(S, old)
        _fit_box(G, weight, regularization, slope, S, rows, W)
        R, n_free, used, status = box_qp(G, t, S, F, n_free, R, W, rows, tol, 100 + 50 * n)
        iterations += used
        worst = max(worst, status)
        J = path[steps - 1]
        new = _objective(t, weight, regularization, S)
        if new >= J - 1e-12 * (1.0 + abs(J)):
            # Only ties in b and c moved: J stands still, so this is the end.
            if new > J:
                _copy_state(old, S)
                R, n_free = _factorise(G, S, F, R, W)
            return R, n_free, steps, iterations, worst, True
        path[steps] = new
        steps += 1
        if not _linearise(t, S, slope):
            return R, n_free, steps, iterations, worst, True
    return R, n_free, steps, iterations, worst, False


@_compiled
def workspace(G):
    """S, F, R, W and rows for the matrix G, all variables at zero."""
    n = len(G)
    size = min(n, 128)
    W = np.zeros((_SCRATCH, n))
    for i in range(n):
        W[DIAGONAL, i] = G[i, i]
    return (
        np.zeros((STATE, n)),
        np.empty(n, np.int64),
        np.empty((size, size)),
        W,
        np.empty(n, np.int64),
    )


@_compiled
def cccp(G, t, weight, regularization, hinge, tol, max_steps):
    """Whole CCCP from one start.

    Returns the state, its scores computed anew, the path of J, iterations, status and whether the
    slopes came to rest.
    """
    n = len(t)
    limit = 100 + 50 * n
    S, F, R, W, rows = workspace(G)
    old = np.empty((STATE, n))
    path = np.empty(max_steps)
    slope = np.zeros(n)
    _start(t, hinge, slope)
    _fit_box(G, weight, regularization, slope, S, rows, W)
    R, n_free, iterations, worst = box_qp(G, t, S, F, np.int64(0), R, W, rows, tol, limit)
    path[0] = _objective(t, weight, regularization, S)
    steps = np.int64(1)
    converged = not _linearise(t, S, slope)
    for checked in range(2):
        if not converged:
            R, n_free, steps, used, status, converged = _descend(
                G,
                t,
                weight,
                regularization,
                slope,
                S,
                old,
                F,
                n_free,
                R,
                W,
                rows,
                tol,
                path,
                steps,
            )
            iterations += used
            worst = max(worst, status)
        if checked or not converged:
            break
        # The end must hold on scores computed anew, not only on those carried along.
        refresh(G, S, rows, W)
        R, n_free, used, status = box_qp(G, t, S, F, n_free, R, W, rows, tol, limit)
        iterations += used
        worst = max(worst, status)
        path[steps - 1] = min(path[steps - 1], _objective(t, weight, regularization, S))
        converged = not _linearise(t, S, slope)
    refresh(G, S, rows, W)
    return S, path[:steps], iterations, worst, converged


@_compiled
def _start(t, hinge, slope):
    """Slopes s of the linearised part: 0 everywhere (the paper's) or 1 on A (hinge)."""
    for i in range(len(t)):
        slope[i] = 1.0 if hinge and t[i] > 0.0 else 0.0


@_compiled
def held_out(G, t, weight, train, train_ends, test, test_ends, regularizations, starts, tol, steps):
    """Held-out soft gap mean_A R(g) - mean_B R(g) for every lambda, largest first, and every fold.

    Fold k has the rows train[train_ends[k]:train_ends[k + 1]], and likewise those held out.
    """
    n_folds = len(train_ends) - 1
    scores = np.empty((len(regularizations), n_folds))
    for k in range(n_folds):
        fitted = train[train_ends[k] : train_ends[k + 1]]
        held = test[test_ends[k] : test_ends[k + 1]]
        beta = _fold(G, t, weight, fitted, regularizations, starts, tol, steps)
        G_test = _block(G, held, fitted)
        t_test, w_test = _part(t, weight, held)
        for j in range(len(regularizations)):
            scores[j, k] = _soft_gap(G_test, t_test, w_test, beta[j])
    return scores


@_compiled
def fold_models(G, t, weight, train, train_ends, regularizations, starts, tol, steps):
    """Dual variables beta of the fit to each fold, for every lambda, largest first.

    They are 0 on the samples that a fold leaves out.
    """
    n_folds = len(train_ends) - 1
    models = np.zeros((len(regularizations), n_folds, len(t)))
    for k in range(n_folds):
        fitted = train[train_ends[k] : train_ends[k + 1]]
        beta = _fold(G, t, weight, fitted, regularizations, starts, tol, steps)
        for j in range(len(regularizations)):
            for i in range(len(fitted)):
                models[j, k, fitted[i]] += beta[j, i]
    return models


@_compiled
def _fold(G, t, weight, train, regularizations, starts, tol, max_steps):
    """Dual variables of the fit to the rows ``train``, for every lambda, largest first.

    Of several starts (hinge: True, paper: False) the one of lower J counts. The convex start
    problem of each lambda is warm-started from the one before.
    """
    n = len(train)
    G_train = _block(G, train, train)
    t_train, w_train = _part(t, weight, train)
    beta = np.empty((len(regularizations), n))
    lowest = np.empty(len(regularizations))
    lowest[:] = np.inf
    path = np.empty(max_steps)
    slope = np.empty(n)
    # The descent of each lambda works on copies, so that the next one starts where it started.
    S, F, R, W, rows = workspace(G_train)
    S_own, F_own, R_own, W_own, _ = workspace(G_train)
    old = np.empty((STATE, n))
    for hinge in starts:
        S[:] = 0.0
        n_free = np.int64(0)
        for k in range(len(regularizations)):
            regularization = regularizations[k]
            _start(t_train, hinge, slope)
            _fit_box(G_train, w_train, regularization, slope, S, rows, W)
            R, n_free, _, _ = box_qp(G_train, t_train, S, F, n_free, R, W, rows, tol, 100 + 50 * n)
            path[0] = _objective(t_train, w_train, regularization, S)
            end = S
            taken = np.int64(1)
            if _linearise(t_train, S, slope):
                _copy_state(S, S_own)
                R_own = _roomy(R_own, n_free, n)
                _copy_factor(R, n_free, R_own)
                for j in range(n_free):
                    F_own[j] = F[j]
                    W_own[_INVERSE, j] = W[_INVERSE, j]
                R_own, _, taken, _, _, _ = _descend(
                    G_train,
                    t_train,
                    w_train,
                    regularization,
                    slope,
                    S_own,
                    old,
                    F_own,
                    n_free,
                    R_own,
                    W_own,
                    rows,
                    tol,
                    path,
                    taken,
                )
                end = S_own
            if path[taken - 1] < lowest[k]:
                lowest[k] = path[taken - 1]
                for j in range(n):
                    beta[k, j] = end[BETA, j]
    return beta


@_compiled
def _block(G, rows, columns):
    block = np.empty((len(rows), len(columns)))
    for i in range(len(rows)):
        for j in range(len(columns)):
            block[i, j] = G[rows[i], columns[j]]
    return block


@_compiled
def _part(t, weight, rows):
    """Sides and weights of these rows, the weights summing to one within each side."""
    side = np.empty(len(rows))
    share = np.empty(len(rows))
    sum_a = 0.0
    sum_b = 0.0
    for i in range(len(rows)):
        side[i] = t[rows[i]]
        share[i] = weight[rows[i]]
        if side[i] > 0.0:
            sum_a += share[i]
        else:
            sum_b += share[i]
    for i in range(len(rows)):
        share[i] /= sum_a if side[i] > 0.0 else sum_b
    return side, share


@_compiled
def _soft_gap(G, t, weight, beta):
    """Mean over A less mean over B of R(G beta)."""
    gap = 0.0
    for i in range(len(t)):
        g = 0.0
        for j in range(len(beta)):
            g += G[i, j] * beta[j]
        gap += t[i] * weight[i] * min(max(g, -1.0), 1.0)
    return gap
