"""FCS, the files of flow cytometers; only read."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ._columns import check_unique
from ._extras import need
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "read"]

SUFFIXES = (".fcs",)
MAGIC = rb"FCS[23]\.\d"

_PER_BYTE = 18  # a byte of an event may become a number, twice while it is scaled


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read the events, on a linear scale and divided by the gain; channels have their $PnN."""
    flowio = need("flowio", "fcs", "FCS files")
    source.require_memory(_PER_BYTE * source.size)
    with source.read_as("FCS"), np.errstate(all="raise", under="ignore"):
        data = flowio.FlowData(source.stream)
        events = data.as_array()
        names = [str(name).strip() for name in data.pnn_labels]
        check_unique(names, source.name)
        if not events.size:
            raise ValueError("it has no events")
        return Table(dict(zip(names, events.T, strict=True)))
