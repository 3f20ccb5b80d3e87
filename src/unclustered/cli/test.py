"""``unclustered test``: whether two files can be told apart at all, and how well."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from typing import Any

import typer

from .._version import __version__
from ..errors import DataError, NoEvidenceWarning
from ._frame import NO_EVIDENCE, console, plain_errors, shown, waiting
from ._lines import about, columns_record, counts_grid
from ._options import (
    A,
    B,
    By,
    ColumnsOption,
    Config,
    Debug,
    Drop,
    Format,
    Groups,
    Id,
    Json,
    Method,
    Missing,
    MissingValues,
    Part,
    Permutations,
    Seed,
)
from ._reading import read_pair
from .label import check_method

__all__ = ["show_evidence"]


def show_evidence(
    a: A,
    b: B = None,
    by: By = None,
    method: Method = "auto",
    missing: Missing = MissingValues.error,
    seed: Seed = None,
    columns: ColumnsOption = None,
    drop: Drop = None,
    id_: Id = None,
    groups: Groups = None,
    permutations: Permutations = None,
    as_json: Json = False,
    format: Format = None,
    part: Part = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Test whether A and B differ in a way that labels could rest on; nothing is written."""
    with plain_errors(debug):
        from ..labeling import label

        check_method(method)
        pair = read_pair(
            a,
            b,
            by=by,
            id_=id_,
            groups=groups,
            columns=columns,
            drop=drop,
            format=format,
            part=part,
            quiet=as_json,
        )
        with (
            waiting("permutations", as_json, first="fitting") as progress,
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", NoEvidenceWarning)  # the verdict says it
            labeling = label(
                *pair.used,
                method=method,
                missing=missing.value,
                permutations=permutations,
                groups=pair.groups,
                random_state=seed,
                n_jobs=-1,
                progress=progress,
            )
        if labeling.evidence is None:
            raise DataError(
                "There are too few rows to hold any out: at least 4 are needed in A and in B."
            )
        evidence = labeling.evidence.to_dict()
        record = {
            "version": __version__,
            "datasets": pair.record,
            "columns": columns_record(labeling.encoding),
            "method": method,
            "converged": labeling.converged,
            "evidence": evidence,
        }
        if as_json:
            typer.echo(json.dumps(record, indent=2))
        else:
            screen = console()
            screen.print(counts_grid(pair.record, ("rows", "rows")))
            screen.print()
            for line in (*about({**record, "evidence": None}), "", *_figures(evidence)):
                screen.print(line, soft_wrap=True)
        if not evidence["trustworthy"]:
            raise typer.Exit(NO_EVIDENCE)


def _figures(evidence: dict[str, Any]) -> Iterator[str]:
    yield evidence["verdict"]
    low, high = evidence["gap_interval"]
    sure = f"{evidence['confidence']:.0%}"
    at_most = "<=" if evidence["p_value"] <= evidence["smallest_p"] else "="
    how = {
        "refit": "the whole method fitted anew to each",
        "split": "fitted to halves of the rows, tested on the others",
    }[evidence["test"]]
    yield ""
    yield f"Held-out gap: {evidence['gap']:.2f} ({sure} interval {low:.2f} to {high:.2f})"
    yield (
        f"Shuffled memberships: {evidence['permutations']} ({how}), "
        f"p {at_most} {evidence['p_value']:.2g}"
    )
    yield f"Wrong labels: at most {evidence['error_bound']:.0%}, with {sure} confidence"
    yield (
        f"Class balances of A and B: at least {evidence['balance_difference_bound']:.2f} apart, "
        f"with {sure} confidence"
    )
    for part in evidence["sensitivity"][:1]:
        yield (
            f"Smallest gap without a part of the rows: {part['gap']:.2f}, "
            f"without {shown(part['without'])} ({part['rows']} rows)"
        )
