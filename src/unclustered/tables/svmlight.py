"""SVMlight's sparse text, also known from LIBSVM: a target, then ``index:value`` where not 0."""

from __future__ import annotations

import io
from collections.abc import Collection
from typing import Any

import scipy.sparse as sp

from ..errors import DataError
from ._source import Source
from ._table import Table

__all__ = ["MAGIC", "SUFFIXES", "read"]

SUFFIXES = (".svmlight", ".libsvm", ".svm")
MAGIC = rb"[-+\d.eE]+(?: qid:\d+)?(?: \d+:[-+\d.eE]+)+\s"

_PER_BYTE = 6  # "1:1 " becomes an index and a value, twice while they are gathered


def read(source: Source, as_text: Collection[str]) -> Table:
    """Read a file; column k is what it calls index k, and the target is not among them."""
    source.require_memory(_PER_BYTE * source.size)
    content = source.stream.read()
    try:
        block, target = _parsed(content)
    except Exception as error:
        line = _first_bad_line(content)
        raise DataError(
            f"{source.name}, line {line}: is not SVMlight's format: {error}."
        ) from error
    if not block.shape[0]:
        raise DataError(f"{source.name} is empty.")
    source.require_memory(100 * block.shape[1])
    return Table({}, sparse=block, about={"target": target})


def _parsed(content: bytes) -> Any:
    from sklearn.datasets import load_svmlight_file

    # Without zero_based=True, A and B could disagree about what the first column is.
    block, target = load_svmlight_file(io.BytesIO(content), zero_based=True)
    return sp.csr_array(block), target


def _first_bad_line(content: bytes) -> int:
    """Find the line up to which the content cannot be read."""
    lines = content.splitlines(keepends=True)
    good, bad = 0, len(lines)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            _parsed(b"".join(lines[good:middle]))
        except Exception:
            bad = middle
        else:
            good = middle
    return bad
