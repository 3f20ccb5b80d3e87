"""What is kept can be trusted: whole, of the right block, or absent."""

import json
import os
import time

import pytest

from unclustered.paper.blocks import BLOCK_SIZE, Block, blocks_of, decode, encode, run_block
from unclustered.paper.lineup import contestant
from unclustered.paper.protocol import Protocol, Trial
from unclustered.paper.store import Store

BLOCK = Block(Protocol(), "heart", (0.2, 0.8), contestant("kmeans"), seed=0, first=50, last=53)
TRIALS = (Trial(0.1875), Trial(None, failure="ValueError: bad"), Trial(0.2, warning="W: slow"))


def test_what_was_written_is_read_back(tmp_path):
    store = Store(tmp_path)
    assert store.read(BLOCK) is None
    store.write(BLOCK, TRIALS)
    assert store.read(BLOCK) == TRIALS
    assert [p.suffix for p in tmp_path.rglob("*") if p.is_file()] == [".json"]


CHANGES = {
    "protocol": Protocol(counts="binomial"),
    "dataset": "saheart",
    "balance": (0.35, 0.65),
    "contestant": contestant("kmeans:n_init=1"),
    "seed": 1,
    "first": 51,
    "last": 54,
}


@pytest.mark.parametrize("field", CHANGES)
def test_no_block_is_taken_for_another(tmp_path, field):
    other = Block(**{**BLOCK.__dict__, field: CHANGES[field]})
    store = Store(tmp_path)
    store.write(BLOCK, TRIALS)
    assert store.path(other) != store.path(BLOCK)
    assert store.read(other) is None
    assert decode(other, encode(BLOCK, TRIALS)) is None


@pytest.mark.parametrize("version", ["unclustered.paper.blocks.__version__", None])
def test_another_version_takes_nothing_over(tmp_path, monkeypatch, version):
    content = encode(BLOCK, TRIALS)
    monkeypatch.setattr(version or "unclustered.paper.blocks.PROTOCOL_VERSION", "other")
    assert decode(BLOCK, content) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-20],
        lambda content: b"",
        lambda content: b"[1, 2]",
        lambda content: b"\xff" + content,
        lambda content: content.replace(b"0.1875,", b""),
    ],
)
def test_a_damaged_file_counts_as_absent(tmp_path, damage):
    store = Store(tmp_path)
    store.write(BLOCK, TRIALS)
    path = store.path(BLOCK)
    path.write_bytes(damage(path.read_bytes()))
    assert store.read(BLOCK) is None


def test_litter_of_killed_runs_is_swept_and_work_in_progress_is_not(tmp_path):
    store = Store(tmp_path)
    store.write(BLOCK, TRIALS)
    folder = store.path(BLOCK).parent
    old, new = folder / ".unclustered-0a.tmp", folder / ".unclustered-0b.tmp"
    for path in (old, new):
        path.write_text("half")
    os.utime(old, (time.time() - 3600,) * 2)
    store.sweep()
    assert not old.exists()
    assert new.exists()
    assert store.read(BLOCK) == TRIALS


def test_more_trials_keep_the_whole_blocks_of_fewer():
    cut = [
        list(blocks_of(Protocol(), "heart", (0.2, 0.8), contestant("kde"), 0, trials))
        for trials in (BLOCK_SIZE, 3 * BLOCK_SIZE + 7)
    ]
    assert cut[0] == cut[1][:1]
    assert [b.last - b.first for b in cut[1]] == [BLOCK_SIZE] * 3 + [7]


def test_a_block_is_the_same_wherever_it_is_cut():
    whole = run_block(Block(**{**BLOCK.__dict__, "first": 0, "last": 4}))
    parts = [run_block(Block(**{**BLOCK.__dict__, "first": k, "last": k + 1})) for k in range(4)]
    assert whole == tuple(trial for part in parts for trial in part)


def test_every_trial_is_in_the_file():
    content = json.loads(encode(BLOCK, TRIALS))
    assert content["ler"] == [0.1875, None, 0.2]
    assert content["failures"] == {"51": "ValueError: bad"}
    assert content["warnings"] == {"52": "W: slow"}
    assert content["key"]["method"] == "kmeans"
