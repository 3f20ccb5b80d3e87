"""The kernels of the fused pass, in Triton. PyTorch's CUDA builds bring it along.

Every matrix is three bfloat16 matrices that add up to it, one behind the other. Numbers of rows
and of features are multiples of the tiles, so no kernel looks where an array ends.
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

__all__ = ["features", "pulls", "scores"]

_SPLIT_ROWS = 8192  # rows that one program of the pulls adds up in float32


@triton.jit
def _parts3(a):
    a1 = a.to(tl.bfloat16)
    rest = a - a1.to(tl.float32)
    a2 = rest.to(tl.bfloat16)
    return a1, a2, (rest - a2.to(tl.float32)).to(tl.bfloat16)


@triton.jit
def _product(a1, a2, a3, b1, b2, b3, total):
    # The smallest terms first. Left out: what is below 2^-24 of the product.
    total = tl.dot(a3, b1, total)
    total = tl.dot(a1, b3, total)
    total = tl.dot(a2, b2, total)
    total = tl.dot(a2, b1, total)
    total = tl.dot(a1, b2, total)
    return tl.dot(a1, b1, total)


@triton.jit
def _f(e, COS: tl.constexpr):
    return tl.cos(e) if COS else tl.exp2(tl.minimum(e, 0.0))


@triton.jit
def _scores(
    X, SQUARES, P, Q, V, OUT, n, rank, square,
    D: tl.constexpr, POINTS: tl.constexpr, COS: tl.constexpr,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    k, points = tl.arange(0, D), tl.arange(0, POINTS)
    x = X + rows[:, None] * D + k[None, :]
    x1, x2, x3 = tl.load(x), tl.load(x + n * D), tl.load(x + 2 * n * D)
    shift = tl.load(SQUARES + rows) * square
    total = tl.zeros((ROWS, POINTS), dtype=tl.float32)
    for start in range(0, rank, COLS):
        cols = start + tl.arange(0, COLS)
        p = P + cols[None, :] * D + k[:, None]
        p1, p2, p3 = tl.load(p), tl.load(p + rank * D), tl.load(p + 2 * rank * D)
        e = _product(x1, x2, x3, p1, p2, p3, tl.zeros((ROWS, COLS), dtype=tl.float32))
        phi = _f(e + tl.load(Q + cols)[None, :] - shift[:, None], COS)
        v = V + points[None, :] * rank + cols[:, None]
        v1, v2, v3 = tl.load(v), tl.load(v + POINTS * rank), tl.load(v + 2 * POINTS * rank)
        f1, f2, f3 = _parts3(phi)
        # Tensor cores cut off what they add up; here each tile is, not the sum of all.
        total += _product(f1, f2, f3, v1, v2, v3, tl.zeros((ROWS, POINTS), dtype=tl.float32))
    tl.store(OUT + rows[:, None] * POINTS + points[None, :], total)


@triton.jit
def _pulls(
    X, SQUARES, P, Q, U, OUT, n, rank, square, split_rows,
    D: tl.constexpr, POINTS: tl.constexpr, COS: tl.constexpr,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    # Here the features are the rows of the tile, so that they are summed over the samples.
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    k, points = tl.arange(0, D), tl.arange(0, POINTS)
    p = P + cols[:, None] * D + k[None, :]
    p1, p2, p3 = tl.load(p), tl.load(p + rank * D), tl.load(p + 2 * rank * D)
    offset = tl.load(Q + cols)
    total = tl.zeros((COLS, POINTS), dtype=tl.float32)
    first = tl.program_id(1) * split_rows
    for start in range(first, min(first + split_rows, n), ROWS):
        rows = start + tl.arange(0, ROWS)
        x = X + rows[None, :] * D + k[:, None]
        x1, x2, x3 = tl.load(x), tl.load(x + n * D), tl.load(x + 2 * n * D)
        shift = tl.load(SQUARES + rows) * square
        e = _product(p1, p2, p3, x1, x2, x3, tl.zeros((COLS, ROWS), dtype=tl.float32))
        phi = _f(e + offset[:, None] - shift[None, :], COS)
        u = U + points[None, :] * n + rows[:, None]
        u1, u2, u3 = tl.load(u), tl.load(u + POINTS * n), tl.load(u + 2 * POINTS * n)
        f1, f2, f3 = _parts3(phi)
        total += _product(f1, f2, f3, u1, u2, u3, tl.zeros((COLS, POINTS), dtype=tl.float32))
    out = OUT + (tl.program_id(1) * rank + cols[:, None]) * POINTS + points[None, :]
    tl.store(out, total)


@triton.jit
def _features(
    X, SQUARES, P, Q, INDEX, ROOT, OUT, n, rank, square, width, plane,
    D: tl.constexpr, PARTS: tl.constexpr, COS: tl.constexpr,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    k = tl.arange(0, D)
    index = tl.load(INDEX + rows)
    x = X + index[:, None] * D + k[None, :]
    x1, x2, x3 = tl.load(x), tl.load(x + n * D), tl.load(x + 2 * n * D)
    p = P + cols[None, :] * D + k[:, None]
    p1, p2, p3 = tl.load(p), tl.load(p + rank * D), tl.load(p + 2 * rank * D)
    e = _product(x1, x2, x3, p1, p2, p3, tl.zeros((ROWS, COLS), dtype=tl.float32))
    shift = tl.load(SQUARES + index) * square
    phi = _f(e + tl.load(Q + cols)[None, :] - shift[:, None], COS)
    phi *= tl.load(ROOT + rows)[:, None]
    f1, f2, _ = _parts3(phi)
    out = OUT + rows.to(tl.int64)[:, None] * width + cols[None, :]
    tl.store(out, f1)
    if PARTS == 2:
        tl.store(out + plane, f2)


def scores(fused: Any, X: Any, squares: Any, out: Any) -> None:
    """Write Phi @ coef."""
    _, n, width = X.shape
    _scores[(n // 128,)](
        X, squares, fused.directions, fused.offsets, fused.coef, out, n, fused.padded, fused.square,
        D=width, POINTS=out.shape[1], COS=fused.cos, ROWS=128, COLS=64,
        num_warps=8, num_stages=2,
    )  # fmt: skip


def pulls(fused: Any, X: Any, squares: Any, columns: Any) -> Any:
    """Phi' times the columns, a matrix for each split of the rows."""
    _, n, width = X.shape
    n_splits = -(-n // _SPLIT_ROWS)
    out = squares.new_empty((n_splits, fused.padded, columns.shape[1]))
    _pulls[(fused.padded // 128, n_splits)](
        X, squares, fused.directions, fused.offsets, columns, out, n, fused.padded, fused.square,
        _SPLIT_ROWS, D=width, POINTS=columns.shape[1], COS=fused.cos, ROWS=64, COLS=128,
        num_warps=8, num_stages=2,
    )  # fmt: skip
    return out


def features(fused: Any, X: Any, squares: Any, index: Any, root: Any, out: Any) -> None:
    """Write root times the features of the rows that ``index`` names, as one or two bfloat16."""
    _, n, width = X.shape
    _features[(fused.padded // 128, len(index) // 128)](
        X, squares, fused.directions, fused.offsets, index, root, out, n, fused.padded,
        fused.square, out.stride(1), out.stride(0),
        D=width, PARTS=len(out), COS=fused.cos, ROWS=128, COLS=128, num_warps=8, num_stages=1,
    )  # fmt: skip
