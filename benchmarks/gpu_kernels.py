"""``python -m benchmarks.gpu_kernels``: what a pass on a CUDA device costs, piece by piece.

Each piece is checked against float64 on the same device, then timed with the device's own events;
the share is that of the device's bfloat16 matrix product, measured in the same run.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from unclustered.engines import ArraySource, FeatureMap, Rows
from unclustered.engines._torch_chunks import Chunks, _base
from unclustered.engines._torch_fused import Fused
from unclustered.engines._torch_plain import Plain

POINTS = 7


@dataclass(frozen=True)
class Everything:
    """Values, pulls at each point, and curvature of a share of the rows."""

    coef: Any
    share: float = 1.0

    def rows(self, scores: Any, side: Any, weight: Any) -> Rows:
        margin = side[:, None] * scores
        inside = (margin < 1.0) * weight[:, None]
        near = 1.0 * (abs(margin[:, 0]) < self.share)
        return Rows((inside * (1.0 - margin),), inside * side[:, None], weight * near)


def seconds(work: Callable[[], Any], repeats: int = 5) -> float:
    """Median time on the device, after one call to warm up."""
    work()
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    return statistics.median(times)


def error(found: Any, expected: Any) -> str:
    found, expected = found.double(), expected.double()
    relative = (found - expected).norm() / expected.norm()
    return f"{relative.item():.1e} relative, {(found - expected).abs().max().item():.1e} largest"


def problem(n: int, d: int, rank: int, constant: bool) -> tuple[Any, FeatureMap, np.ndarray]:
    rng = np.random.default_rng(0)
    side = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    X = (rng.standard_normal((n, d), dtype=np.float32) + 0.3 * side[:, None]).astype(np.float32)
    source = ArraySource(X, side, np.full(n, 2.0 / n))
    features = FeatureMap.gaussian(X[:rank].astype(float), 1.2 * d**0.5, constant=constant)
    coef = rng.normal(size=(rank + constant, POINTS)) / rank**0.5
    return source, features, coef


def check(n: int, d: int, rank: int, share: float) -> None:
    source, features, coef = problem(n, d, rank, True)
    device = torch.device("cuda")
    (fused_chunk,) = Chunks(source, device, "fused", _base(source))
    (exact_chunk,) = Chunks(source, device, "float64", _base(source))
    fused = Fused(features, _base(source), coef, device)
    exact = Plain(features, _base(source), coef, device, "float64")
    scores = exact.scores(exact_chunk)
    print(f"n {n:,}, d {d}, rank {rank}, curvature of {share:g}")
    print("  scores", error(fused.scores(fused_chunk), scores))
    share *= scores[:, 0].abs().quantile(0.5).item() if n < 2**23 else 1.0
    reduction = Everything(coef, share)
    found, expected = fused.sums(fused_chunk, reduction), exact.sums(exact_chunk, reduction)
    for name, one, other in zip(("values", "pulls", "gram"), found, expected, strict=True):
        print(f"  {name}", error(one, other))


def times(n: int, d: int, rank: int) -> None:
    source, features, coef = problem(n, d, rank, True)
    device = torch.device("cuda")
    base = _base(source)
    (chunk,) = Chunks(source, device, "fused", base)
    A = torch.randn(8192, 8192, device=device).bfloat16()
    peak = 2 * 8192**3 / seconds(lambda: A @ A)
    print(f"bfloat16 matrix product, 8192: {peak / 1e12:.0f} TFLOP/s")
    fused = Fused(features, base, coef, device)
    rows = Everything(coef).rows(fused.scores(chunk), chunk.side, chunk.weight)
    width = chunk.X.shape[2]
    tenth = chunk.weight * (torch.arange(n, device=device) % 10 == 0)
    arithmetic = 6 * 2 * n * rank * (width + 16)
    for name, work, operations in (
        ("scores", lambda: fused.scores(chunk), arithmetic),
        ("pulls", lambda: fused._pulls(chunk, rows.pulls), arithmetic),
        ("gram of all rows", lambda: fused._gram(chunk, chunk.weight), 2 * n * rank * rank),
        ("gram of a tenth", lambda: fused._gram(chunk, tenth), 2 * 2 * n / 10 * rank * rank),
    ):  # fmt: skip
        took = seconds(work)
        share = f", {operations / took / peak:.0%} of that" if operations else ""
        print(f"{name}: {took * 1e3:.2f} ms a million rows{share}")
    (plain_chunk,) = Chunks(source, device, "float32", base)
    plain = Plain(features, base, coef, device, "float32")
    print(f"scores, unfused float32: {seconds(lambda: plain.scores(plain_chunk)) * 1e3:.2f} ms")
    torch.backends.cuda.matmul.allow_tf32 = True
    print(f"scores, unfused tf32: {seconds(lambda: plain.scores(plain_chunk)) * 1e3:.2f} ms")
    torch.backends.cuda.matmul.allow_tf32 = False


def passes(n: int, d: int, rank: int) -> None:
    """One pass with seven points and curvature in some rows: the device beside two threads."""
    import time

    from unclustered.engines import make_engine

    source, features, coef = problem(n, d, rank, True)
    device, two = make_engine("torch", device="cuda"), make_engine("numpy", n_jobs=2)
    for share in (0.0, 0.02):
        reduction = Everything(coef, share)
        on_device = seconds(lambda r=reduction: device.add_up(source, features, r))
        start = time.perf_counter()
        two.add_up(source, features, reduction)
        took = time.perf_counter() - start
        print(
            f"a pass over {n:,} rows, curvature where |margin| < {share}: "
            f"{on_device * 1e3:.0f} ms; "
            f"NumPy, two threads: {took:.1f} s, {took / on_device:.0f} times as long",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_kernels", description=__doc__)
    parser.add_argument("--rank", type=int, default=4096)
    parser.add_argument("--numpy", action="store_true", help="beside NumPy: minutes")
    options = parser.parse_args()
    if options.numpy:
        passes(10**6, 50, options.rank)
        return
    print(torch.cuda.get_device_name(), torch.__version__, torch.version.cuda)
    check(1000, 4, 30, 1.0)
    check(100_000, 20, 1024, 1.0)
    check(50_000, 100, 700, 1.0)
    check(2**20, 50, 512, 1000.0)
    times(2**20, 50, options.rank)


if __name__ == "__main__":
    main()
