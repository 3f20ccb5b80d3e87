"""Results for programs: a CSV line a cell, and JSON with every single trial."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .._version import __version__
from .protocol import BALANCES, PROTOCOL_VERSION
from .results import Results
from .tables import Cell, Table

__all__ = ["as_csv", "as_json"]

_HEADER = (
    "table,theta_a,theta_b,dataset,method,parameters,ler_mean,ler_std,bold,trials,failed,warned,"
    "published_mean,published_std,published_bold,difference,standard_error\n"
)


def as_csv(tables: Sequence[Table]) -> str:
    """Give one line a cell; six decimals; empty where there is no figure."""
    stream = io.StringIO()
    stream.write(_HEADER)
    writer = csv.writer(stream, lineterminator="\n")
    for table in tables:
        for row in table.rows:
            for cell in row.cells:
                writer.writerow([table.number, *table.balance, row.dataset, *_cell(cell)])
    return stream.getvalue()


def _cell(cell: Cell) -> list[Any]:
    theirs = cell.published
    return [
        cell.contestant.published_as or cell.contestant.method,
        cell.contestant.name.partition(":")[2],
        _number(cell.mean),
        _number(cell.std),
        int(cell.best),
        cell.trials,
        cell.failures,
        cell.warnings,
        theirs.mean if theirs else "",
        theirs.std if theirs else "",
        int(theirs.bold) if theirs else "",
        _number(cell.difference),
        _number(cell.standard_error),
    ]


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6f}"


def as_json(results: Results) -> str:
    """Give every trial: its rate, or null and the reason under ``failures``."""
    plan = results.plan
    content = {
        "library_version": __version__,
        "protocol_version": PROTOCOL_VERSION,
        "protocol": asdict(plan.protocol),
        "seed": plan.seed,
        "trials": plan.trials,
        "left_out": dict(plan.left_out),
        "cells": [
            _trials(results, table, dataset, contestant)
            for table in plan.tables
            for dataset in plan.datasets
            for contestant in plan.contestants
        ],
    }
    return json.dumps(content, separators=(",", ":")).replace('{"table"', '\n{"table"') + "\n"


def _trials(results: Results, table: str, dataset: str, contestant: Any) -> dict[str, Any]:
    trials = results.cell(table, dataset, contestant)
    return {
        "table": [*BALANCES].index(table) + 1,
        "dataset": dataset,
        "method": contestant.name,
        "ler": [trial.ler for trial in trials],
        "failures": {str(k): t.failure for k, t in enumerate(trials) if t.failure},
        "warnings": {str(k): t.warning for k, t in enumerate(trials) if t.warning},
    }
