"""What the times were taken on: facts that matter for speed, and none that name the machine."""

from __future__ import annotations

import ctypes
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
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4  # of glibc's malloc.h


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


def keep_memory() -> None:
    """Let the C library keep what is freed, for all contestants alike.

    Memory fresh from the system is paid for when it is first touched: on virtual machines that can
    take longer than the computation in it, and differs from call to call.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_MAX, 0)
        library.mallopt(_TRIM_THRESHOLD, 2**31 - 1)


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
