"""Trees of ROOT files, as in particle physics; only read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..errors import DataError
from ._columns import of_array, of_block
from ._extras import need
from ._source import Source
from ._table import Table

__all__ = ["HAS_PARTS", "MAGIC", "SUFFIXES", "read"]

SUFFIXES = (".root",)
MAGIC = rb"root\x00"
HAS_PARTS = True

_TREES = ("TTree", "TNtuple", "TNtupleD", "ROOT::RNTuple")


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read the branches of a tree; one of several values an event becomes as many columns."""
    uproot = need("uproot", "root", "ROOT files")
    with source.read_as("ROOT"), uproot.open(source.stream) as file:
        if file.file.fEND > source.size:
            raise DataError(f"{source.name} is cut short.")
        kinds = file.classnames(recursive=True, cycle=False)
        tree = file[source.choose([n for n, kind in kinds.items() if kind in _TREES], "tree")]
        branches = {name: tree[name] for name in tree.keys()}  # noqa: SIM118 - no mapping
        branches = {name: branch for name, branch in branches.items() if not len(branch)}
        source.require_memory(8 * tree.num_entries * len(branches))
        if not tree.num_entries or not branches:
            raise DataError(f"{source.name} has a tree without events or without branches.")
        columns: dict[str, Any] = {}
        for name, branch in branches.items():
            values = branch.array(library="np")
            columns |= of_block(values, name) if values.ndim == 2 else {name: of_array(values)}
        return Table(columns)
