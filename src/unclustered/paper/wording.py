"""How numbers and runs are written, the same in every kind of output."""

from __future__ import annotations

import math

from .._version import __version__
from .results import Plan
from .tables import Cell, Table

__all__ = ["about", "caption", "difference", "failed", "left_out", "rate", "signed"]


def rate(value: float) -> str:
    """Write a rate as the paper does, without the zero before the point.

    Examples
    --------
    >>> from unclustered.paper.wording import rate, signed
    >>> rate(0.1424), signed(-0.0126), rate(float("nan"))
    ('.142', '-.013', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def signed(value: float) -> str:
    """Write a difference with its sign."""
    if math.isnan(value):
        return "-"
    return f"{value:+.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:+.3f}"


def difference(cell: Cell) -> str:
    """Write a cell's difference from the published mean."""
    return signed(cell.difference) if cell.published else ""


def failed(cell: Cell) -> str:
    """Say how many trials failed, if any did."""
    return f"{cell.failures} failed" if cell.failures else ""


def caption(table: Table) -> str:
    """Say what a table holds."""
    theta_a, theta_b = table.balance
    return (
        f"Table {table.number}: labelling error rate, mean and standard deviation, "
        f"p(y=1) = {theta_a:g} in A and {theta_b:g} in B"
    )


def about(plan: Plan) -> str:
    """Say how the trials were run."""
    protocol = plan.protocol
    scaling = {
        "pooled": "standardised on the pooled samples",
        "set": "standardised on the whole set",
        "range": "scaled to the range of the whole set",
        "none": "not standardised",
    }[protocol.standardize]
    counts = {"fixed": "fixed class counts", "binomial": "binomial class counts"}[protocol.counts]
    judged = {
        "fitted": "judged on the samples of the fit",
        "held-out": "judged by five-fold cross-fitting",
    }[protocol.judged]
    return (
        f"{plan.trials:,} trials, seed {plan.seed}. n_A = n_B = {protocol.n}, disjoint, {counts}, "
        f"{scaling}, {judged}. All methods see the same draws. unclustered {__version__}."
    )


def left_out(plan: Plan) -> list[str]:
    """Say which sets are missing, and why."""
    return [f"{name} was left out. {reason}" for name, reason in plan.left_out.items()]


BOLD = (
    "Bold: the best mean, and those not different from it by a two-sided paired t-test at 5 %. "
    "The best is sought among the methods that learn; a baseline is bold where it is better than "
    "that or not different from it."
)
BESIDE = (
    "Ours less the published mean, with its standard error as if the paper had run as many trials "
    "as we did; it does not say how many."
)
