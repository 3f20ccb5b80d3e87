"""One convex step of DSDD from nothing, over the whole grid, beside every QP solver."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from unclustered.core.box_qp import solve_box_qp

from .. import rivals
from ..problems import ConvexStep, convex_step, gram, toy
from ..results import Curve, Row, Setup
from ..timing import Timing, geometric_mean, in_turns

PENALTIES = ("coefficients", "rkhs")
MULTIPLES = (0.3, 0.8, 2.0)  # of the median distance
REGULARIZATIONS = (0.001, 0.01, 0.1)
TOO_SLOW = 5.0  # times the fastest: not tried again at the next size


def run(setup: Setup) -> Iterator[Row | Curve]:
    sizes = setup.pick((80, 400, 1000, 4000), (20, 40))
    names = rivals.names()
    curves: dict[str, dict[int, float]] = {}
    cells_of_all: list[dict[str, Any]] = []
    for size in sizes:
        cells = [_measure(setup, place, step, names) for place, step in _steps(setup, size)]
        cells_of_all += cells
        yield _row(f"convex step, {size:,} samples", cells, whole=False)
        curves.setdefault("ours", {})[size] = geometric_mean(c["ours"].median for c in cells)
        slowness = {}
        for name in names:
            solved = [cell["rivals"] for cell in cells if name in cell["rivals"]]
            if solved:
                slowness[name] = geometric_mean(
                    times[name].median / min(t.median for t in times.values()) for times in solved
                )
            if len(solved) == len(cells):  # a mean over fewer problems is not comparable
                curves.setdefault(name, {})[size] = geometric_mean(t[name].median for t in solved)
        names = [name for name, times in slowness.items() if times <= TOO_SLOW]
    yield _row("convex step, all sizes", cells_of_all, whole=True)
    for name, points in curves.items():
        yield Curve("One convex step", name, tuple(points), tuple(points.values()))


Place = tuple[str, float, float]  # penalty, multiple of the median distance, regularization


def _steps(setup: Setup, size: int) -> Iterator[tuple[Place, ConvexStep]]:
    X, side = toy(size // 2, setup.seed)
    for penalty, multiple in product(PENALTIES, MULTIPLES):
        G = gram(X, multiple, penalty)
        for regularization in REGULARIZATIONS:
            yield (penalty, multiple, regularization), convex_step(G, side, regularization)


def _measure(setup: Setup, place: Place, step: ConvexStep, names: list[str]) -> dict[str, Any]:
    solution = solve_box_qp(step.G, step.t, step.lower, step.upper, tol=rivals.TOL)
    functions: dict[str, Any] = {
        "ours": partial(solve_box_qp, step.G, step.t, step.lower, step.upper, tol=rivals.TOL)
    }
    back_ends = {name: rivals.BackEnd(name) for name in names}
    found: dict[str, Any] = {}
    for name, back_end in back_ends.items():
        functions[name] = partial(_keep, found, back_end, back_end.prepare(step.G), step)
    timings = in_turns(functions, repeats=setup.repeats, patience=1.0)
    answers = {name: rivals.judge(found.get(name), step) for name in names}
    good = {n: t for n, t in timings.items() if n != "ours" and answers[n] and answers[n].good}
    certificate = solution.certificate
    return {
        "size": len(step.t),
        "place": dict(zip(("penalty", "multiple", "regularization"), place, strict=True)),
        "ours": timings["ours"],
        "free": int(((solution.x > step.lower) & (solution.x < step.upper)).sum()),
        "iterations": solution.n_iter,
        "kkt_residual": certificate.kkt_residual,
        "dual_gap": certificate.dual_gap,
        "objective": certificate.objective,
        "rivals": good,
        "answers": {n: a.facts() if a else "gave up" for n, a in answers.items()},
    }


def _keep(found: dict[str, Any], back_end: rivals.BackEnd, form: Any, step: ConvexStep) -> None:
    """Solve on the clock; whoever gives up has no answer."""
    found[back_end.name] = back_end.attempt(form, step.t, step.lower, step.upper)


def _row(work: str, cells: list[dict[str, Any]], *, whole: bool) -> Row:
    """Compare with the fastest rival in each cell; the goal is one over all sizes."""
    ratios, agree = [], True
    ours, fastest, winners = [], [], {}
    for cell in cells:
        if not cell["rivals"]:
            continue
        name, timing = min(cell["rivals"].items(), key=lambda item: item[1].median)
        winners[name] = winners.get(name, 0) + 1
        ratios.append(timing.median / cell["ours"].median)
        ours.append(cell["ours"].median)
        fastest.append(timing.median)
        error = cell["answers"][name]["objective"] - cell["objective"]
        agree &= error >= -1e-6 * (1 + abs(cell["objective"]))  # nobody found a lower point
    certified = all(cell["kkt_residual"] <= rivals.TOL for cell in cells)
    mean, least = geometric_mean(ratios), min(ratios)
    loose = max(cell["answers"][n]["kkt_residual"] for cell in cells for n in cell["rivals"])
    unsolved = len(cells) - len(ratios)
    return Row(
        work=work,
        ours=Timing(tuple(ours)),
        rival=", ".join(f"{n} ({k})" for n, k in sorted(winners.items(), key=lambda i: -i[1])),
        rivals=Timing(tuple(fastest)),
        outcome=f"{mean:.1f}x, never below {least:.1f}x",
        goal=">= 20x in the geometric mean, never slower" if whole else "never slower",
        met=(mean >= 20 or not whole) and least >= 1 and certified,
        agrees=agree and certified,
        remarks=f"{len(cells)} problems, over which the spread is; KKT residual at most "
        f"{max(cell['kkt_residual'] for cell in cells):.0e} (rivals, snapped: {loose:.0e})"
        + (f"; no rival solved {unsolved} of them" if unsolved else ""),
        detail={"cells": cells, "ratios": ratios},
    )
