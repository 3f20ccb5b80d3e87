"""``unclustered priors``: the class balances of two files."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer
from rich.table import Table as Grid

from .._version import __version__
from ._frame import console, plain_errors, waiting
from ._lines import counts_grid
from ._options import (
    A,
    B,
    By,
    ColumnsOption,
    Config,
    Debug,
    Drop,
    Format,
    Id,
    Json,
    Missing,
    MissingValues,
    Part,
    Seed,
)
from ._reading import read_pair

__all__ = ["estimate_balances"]


def estimate_balances(
    a: A,
    b: B = None,
    by: By = None,
    missing: Missing = MissingValues.error,
    seed: Seed = None,
    columns: ColumnsOption = None,
    drop: Drop = None,
    id_: Id = None,
    as_json: Json = False,
    format: Format = None,
    part: Part = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Estimate the share of class +1 in A and in B.

    The estimate needs some samples of each class that look like none of the other; what holds
    without that is said beside it.
    """
    with plain_errors(debug):
        from ..evidence import estimate_priors

        pair = read_pair(
            a,
            b,
            by=by,
            id_=id_,
            columns=columns,
            drop=drop,
            format=format,
            part=part,
            quiet=as_json,
        )
        with waiting("estimating", quiet=as_json):
            found = estimate_priors(*pair.used, missing=missing.value, random_state=seed)
        record = {
            "version": __version__,
            "datasets": pair.record,
            "priors": {**asdict(found), "difference_bound": found.difference_bound},
        }
        if as_json:
            typer.echo(json.dumps(record, indent=2))
            return
        screen = console()
        screen.print(counts_grid(pair.record, ("rows", "rows")))
        screen.print()
        grid = Grid(box=None, pad_edge=False)
        for title in ("share of class +1", "estimate", f"{found.confidence:.0%} interval"):
            grid.add_column(title)
        for name, theta, (low, high) in (
            ("in A", found.theta_a, found.interval_a),
            ("in B", found.theta_b, found.interval_b),
        ):
            grid.add_row(name, f"{theta:.2f}", f"{low:.2f} to {high:.2f}")
        screen.print(grid)
        screen.print()
        screen.print(
            "The estimate is right if some samples of each class look like none of the other. "
            f"Even if not, the balances are at least {found.difference_bound:.2f} apart.",
            soft_wrap=True,
        )
        screen.print(
            f"Probabilities from these: unclustered label ... --priors {found.theta_a:.2f} "
            f"{found.theta_b:.2f}",
            soft_wrap=True,
        )
