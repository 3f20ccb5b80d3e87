"""Thousands of damaged files: each gives a table or an error of ours, and soon."""

from __future__ import annotations

import signal
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables.mutations import mutated
from tests.tables.samples import SAMPLES
from unclustered import UnclusteredError
from unclustered.tables import _apart, format_names, read_table

APART = {"anndata": 40, "hdf5": 60}  # each is read in another process
N_MUTATED = {name: APART.get(name, 850) for name in format_names()}

_SECONDS = 30


class Hangs(BaseException):
    """What stops a library that comes to no end."""


@contextmanager
def soon():
    hanging = []

    def stop(*_):
        hanging.append(True)
        raise Hangs

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert not hanging  # nor may a library catch it


def outcome(path, content, format):
    """What reading this file comes to; anything but a table or an error of ours fails the test."""
    path.write_bytes(content)
    complaint = None
    with soon():
        try:
            table = read_table(path, format=format)
            values = [table[name] for name in table]
        except UnclusteredError as error:
            complaint = str(error)
    if complaint is not None:
        assert str(path) in complaint
        return "error"
    assert {len(column) for column in values} == {table.n_rows}
    assert table.n_rows > 0
    return "table"


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="the system has no alarms")
@pytest.mark.slow
@pytest.mark.parametrize("name", format_names())
def test_damaged_files(name, tmp_path, monkeypatch):
    monkeypatch.setattr(_apart, "_SECONDS", 10.0)
    content = SAMPLES[name].make()
    found = [outcome(tmp_path / "x", mutated(content, k), name) for k in range(N_MUTATED[name])]
    assert {"table", "error"} == set(found)  # some damage does not matter; most does
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_there_are_enough_of_them():
    assert sum(N_MUTATED.values()) >= 10_000


in_this_process = st.sampled_from(sorted({*format_names()} - {*APART}))


@given(in_this_process, st.integers(0, 64), st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_bytes_behind_a_true_start(tmp_path_factory, name, n_true, content):
    path = tmp_path_factory.mktemp("bytes") / "x"
    outcome(path, SAMPLES[name].make()[:n_true] + content, name)


pieces = st.sampled_from(
    ["1", "x", ",", ";", "\t", '"', '""', "\n", "\r\n", "\r", " ", "µ", "-", "{", "}", '"a":', ":"]
)


@given(st.sampled_from(["csv", "tsv", "jsonl", "svmlight"]), st.lists(pieces, max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_made_of_what_matters(tmp_path_factory, name, text):
    outcome(tmp_path_factory.mktemp("text") / "x", "".join(text).encode(), name)
