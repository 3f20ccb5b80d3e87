"""From rows and curves to a table in Markdown, raw times in JSON and the scaling plot."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .results import Curve, Row
from .timing import Timing

BEGIN, END = "<!-- benchmarks -->", "<!-- end of benchmarks -->"
PALETTES = {
    "light": {"ink": "#1f2328", "faint": "#8c959f", "ours": "#0969da"},
    "dark": {"ink": "#e6edf3", "faint": "#7d8590", "ours": "#58a6ff"},
}
STYLE = {
    "svg.fonttype": "path",
    "svg.hashsalt": "unclustered",
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
STYLES = ("-", "--", "-.", ":")
MARKERS = "sD^vPX*<>h"


def write(
    page: Path, out: Path, rows: Sequence[Row], curves: Sequence[Curve], machine: dict[str, Any]
) -> None:
    """Write ``performance.md``, the page with its table replaced, and what it links to."""
    pictures = out / "_static"
    pictures.mkdir(parents=True, exist_ok=True)
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    table = "\n\n".join([markdown(rows), conditions(machine)])
    _write(out / "performance.md", f"{before}{BEGIN}\n\n{table}\n\n{END}{after}")
    content = {"machine": machine, "rows": rows, "curves": curves}
    _write(pictures / "performance.json", json.dumps(plain(content), indent=1) + "\n")
    if curves:
        draw(curves, pictures)


def markdown(rows: Sequence[Row]) -> str:
    lines = [
        "| work | ours | rival | its time | outcome | goal | met |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    notes = []
    for row in rows:
        mark = ""
        if row.remarks:
            notes.append(row.remarks)
            mark = f" [{len(notes)}]"
        cells = [
            row.work + mark,
            duration(row.ours),
            row.rival,
            duration(row.rivals),
            row.outcome,
            row.goal,
            verdict(row),
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, "", *(f"- [{k}] {note}" for k, note in enumerate(notes, start=1))])


def verdict(row: Row) -> str:
    if not row.agrees:
        return "**results differ**"
    return {True: "yes", False: "**no**", None: ""}[row.met]


def duration(timing: Timing | None) -> str:
    """Median and spread in a unit that suits them.

    >>> duration(Timing((0.010, 0.012, 0.014)))
    '12.0 ms (2.0)'
    """
    if timing is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if timing.median * scale >= 1.0 or unit == "µs":
            break
    return f"{_three(timing.median * scale)} {unit} ({_three(timing.spread * scale)})"


def conditions(machine: dict[str, Any]) -> str:
    packages = ", ".join(f"{name} {number}" for name, number in machine["packages"].items())
    pools = "; ".join(machine["thread_pools"])
    return (
        f"Measured on {machine['date']} with {machine['cores']} cores of {machine['processor']} "
        f"({machine['system']}, Python {machine['python']}), in {machine['minutes']:g} minutes; "
        f"the load before and after was {machine['load']['before']} and "
        f"{machine['load']['after']}. {packages}. Threads: {pools}."
    )


def plain(value: Any) -> Any:
    """Only what JSON knows; times keep every repeat."""
    if isinstance(value, Timing):
        return {
            "median": _short(value.median),
            "spread": _short(value.spread),
            "seconds": [_short(t) for t in value.seconds],
        }
    if is_dataclass(value) and not isinstance(value, type):
        return {key: plain(getattr(value, key)) for key in asdict(value)}
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return _short(value) if isinstance(value, float) else value


def draw(curves: Sequence[Curve], folder: Path) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter, ScalarFormatter

    panels = list(dict.fromkeys(curve.panel for curve in curves))
    for name, palette in PALETTES.items():
        with mpl.rc_context(STYLE):
            figure = Figure(figsize=(9.6, 4.4), layout="constrained")
            for axes, panel in zip(
                np.atleast_1d(figure.subplots(1, len(panels))), panels, strict=True
            ):
                mine = [curve for curve in curves if curve.panel == panel]
                for k, curve in enumerate(mine):
                    ours = curve.label == "ours"
                    axes.loglog(
                        curve.sizes,
                        curve.seconds,
                        color=palette["ours" if ours else "faint"],
                        lw=2.4 if ours else 1.4,
                        ls="-" if ours else STYLES[k % len(STYLES)],
                        marker="o" if ours else MARKERS[k % len(MARKERS)],
                        ms=5,
                        label=curve.label,
                        zorder=3 if ours else 2,
                    )
                axes.set_title(panel, color=palette["ink"], loc="left")
                axes.set_xlabel("samples", color=palette["ink"])
                axes.set_ylabel("seconds", color=palette["ink"])
                ticks = sorted({size for curve in mine for size in curve.sizes})
                axes.set_xticks(ticks)
                axes.xaxis.set_major_formatter(ScalarFormatter())
                axes.xaxis.set_minor_formatter(NullFormatter())
                axes.tick_params(which="both", colors=palette["ink"])
                for spine in axes.spines.values():
                    spine.set_color(palette["faint"])
                axes.legend(frameon=False, labelcolor=palette["ink"], fontsize=9)
            figure.savefig(
                folder / f"scaling-{name}.svg", transparent=True, metadata={"Date": None}
            )


def _three(number: float) -> str:
    """Three digits, but none after the point from 100 on."""
    if number == 0.0:
        return "0"
    digits = max(0, 2 - int(np.floor(np.log10(abs(number)))))
    return f"{number:,.{min(digits, 3)}f}"


def _short(number: float) -> float:
    return float(f"{number:.5g}")


def _write(path: Path, text: str) -> None:
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)
