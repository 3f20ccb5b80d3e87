"""What the times were taken on: facts that matter for speed, and none that name the machine."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from . import rivals

OURS = ("unclustered", "numpy", "scipy", "scikit-learn", "numba", "threadpoolctl")


def facts() -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": _cores(),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {**{name: version(name) for name in OURS}, **rivals.versions()},
        "thread_pools": sorted(
            {
                f"{pool['internal_api']} {pool.get('version')}: {pool['num_threads']} threads"
                for pool in threadpool_info()
            }
        ),
    }


def load() -> float | None:
    """Processes that were running on average over the last minute, where the system says."""
    with suppress(AttributeError, OSError):
        return round(os.getloadavg()[0], 2)
    return None


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
