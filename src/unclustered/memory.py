"""Ask whether an array would fit before it is made."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from .errors import TooLargeError

__all__ = ["available_bytes", "require_memory"]

_LIMIT_FILES = (  # (limit, usage) of a container, version 2 and version 1
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)
SMALL = 2**26  # so little that asking the system would take longer than having it


def available_bytes() -> int | None:
    """Memory that can still be had, or None where the system does not say."""
    found = []
    try:
        facts = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        found.append(int(facts["MemAvailable"].split()[0]) * 1024)
    except (OSError, ValueError, KeyError):
        with suppress(AttributeError, OSError, ValueError):
            found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit, usage in _LIMIT_FILES:
        try:
            found.append(int(Path(limit).read_text()) - int(Path(usage).read_text()))
        except (OSError, ValueError):
            continue
    return min(found) if found else None


def require_memory(n_bytes: float, what: str, instead: str) -> None:
    """Raise :class:`~unclustered.errors.TooLargeError` when ``n_bytes`` would not fit.

    Parameters
    ----------
    n_bytes : float
        What is about to be allocated.
    what : str
        What it is for, as the start of a sentence.
    instead : str
        What the user can do, as a sentence.
    """
    if n_bytes <= SMALL:
        return
    available = available_bytes()
    if available is not None and n_bytes > available:
        raise TooLargeError(
            f"{what} needs {n_bytes / 2**30:.1f} GiB, but only {available / 2**30:.1f} GiB of "
            f"memory are available. {instead}"
        )
