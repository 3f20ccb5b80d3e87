"""``python -m benchmarks``: measure ours and the rivals in one run, and write the page."""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from time import perf_counter
from typing import Any

from threadpoolctl import threadpool_limits

from . import families, machine, report, rivals
from .results import Curve, Row, Setup

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"


def names() -> list[str]:
    """Families of problems, found in their folder."""
    return sorted(module.name for module in iter_modules(families.__path__))


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    setup = Setup(smoke=options.smoke, seed=options.seed, threads=options.threads)
    chosen = options.only or names()
    out = _folder(options)
    rows: list[Row] = []
    curves: list[Curve] = []
    facts: dict[str, Any] = {"load": {"before": machine.load()}}
    machine.keep_memory()
    start = perf_counter()
    with rivals.quietly(), threadpool_limits(options.threads):
        for name in chosen:
            for result in import_module(f"{families.__name__}.{name}").run(setup):
                if isinstance(result, Row):
                    rows.append(result)
                    print(_line(result, perf_counter() - start), flush=True)
                else:
                    curves.append(result)
        facts |= machine.facts()
    facts["load"]["after"] = machine.load()
    facts |= {
        "minutes": round((perf_counter() - start) / 60, 1),
        "smoke": setup.smoke,
        "seed": setup.seed,
        "families": chosen,
    }
    report.write(PAGE, out, rows, curves, facts)
    print(f"\nWritten: {out / 'performance.md'} and what it links to.")
    different = [row.work for row in rows if not row.agrees]
    if different:
        print("Results differ from the rival's: " + "; ".join(different), file=sys.stderr)
    return 1 if different else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--smoke", action="store_true", help="tiny sizes: only to see that all of it works"
    )
    parser.add_argument(
        "--only", nargs="+", choices=names(), metavar="NAME", help=", ".join(names())
    )
    parser.add_argument(
        "--threads", type=int, help="threads inside BLAS, for ours and the rivals; all by default"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the problems")
    parser.add_argument(
        "--out",
        type=Path,
        help="folder to write to; docs/ by default, but a new temporary one with --smoke or --only",
    )
    return parser


def _folder(options: argparse.Namespace) -> Path:
    if options.out is not None:
        return Path(options.out)
    if options.smoke or options.only:
        return Path(tempfile.mkdtemp(prefix="unclustered-benchmarks-"))
    return PAGE.parent


def _line(row: Row, seconds: float) -> str:
    return (
        f"[{seconds:5.0f} s] {row.work}: {report.duration(row.ours)} | {row.rival} "
        f"{report.duration(row.rivals)} | {row.outcome} | goal {row.goal} {report.verdict(row)}"
    )


if __name__ == "__main__":
    sys.exit(main())
