"""A file is written whole or not at all."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from unclustered import UnclusteredError
from unclustered.tables import read_table, write_table

COLUMNS = {"row": [1, 2], "label": [1, -1]}


@pytest.fixture
def folder(tmp_path):
    yield tmp_path
    assert not list(tmp_path.glob(".unclustered-*"))


def test_an_old_file_is_replaced_and_keeps_its_mode(folder):
    path = folder / "labels.csv"
    path.write_text("old")
    path.chmod(0o640)
    write_table(COLUMNS, path)
    assert path.read_text() == "row,label\n1,1\n2,-1\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_of_any_new_file(folder):
    (folder / "other").touch()
    write_table(COLUMNS, folder / "labels.csv")
    assert (folder / "labels.csv").stat().st_mode == (folder / "other").stat().st_mode


def test_the_same_labels_give_the_same_packed_bytes(folder):
    write_table(COLUMNS, folder / "a.csv.gz")
    write_table(COLUMNS, folder / "b.csv.gz")
    assert (folder / "a.csv.gz").read_bytes() == (folder / "b.csv.gz").read_bytes()
    assert (folder / "a.csv.gz").read_bytes()[4:8] == bytes(4)  # no time inside
    assert read_table(folder / "a.csv.gz")["label"].tolist() == [1, -1]


def test_a_link_is_followed(folder):
    (folder / "real.csv").write_text("old")
    (folder / "link.csv").symlink_to(folder / "real.csv")
    write_table(COLUMNS, folder / "link.csv")
    assert (folder / "link.csv").is_symlink()
    assert (folder / "real.csv").read_text().startswith("row,label")


@pytest.mark.parametrize("where", ["write", "fsync", "replace"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_the_old_file_survives_whatever_goes_wrong(folder, monkeypatch, where, error):
    path = folder / "labels.csv"
    path.write_text("old")

    def fail(*_, **__):
        raise error

    if where == "write":
        monkeypatch.setattr("unclustered.tables.csv.write", fail)
    elif where == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        monkeypatch.setattr(type(path), "replace", fail)
    expected = KeyboardInterrupt if error is KeyboardInterrupt else UnclusteredError
    with pytest.raises(expected):
        write_table(COLUMNS, path)
    assert path.read_text() == "old"


def test_the_name_appears_only_once_the_content_is_safe(folder, monkeypatch):
    path = folder / "labels.csv"
    seen = []
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (seen.append(path.exists()), sync(fd)))
    write_table(COLUMNS, path)
    assert seen[0] is False


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_a_full_disk_is_named(folder):
    (folder / "full.csv").symlink_to("/dev/full")
    with pytest.raises(UnclusteredError, match="cannot be written: No space left on device"):
        write_table(COLUMNS, folder / "full.csv")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)  # written to, not replaced


def test_places_that_cannot_be_written(folder):
    with pytest.raises(UnclusteredError, match="there is no folder"):
        write_table(COLUMNS, folder / "nowhere" / "labels.csv")
    (folder / "labels.csv").mkdir()
    with pytest.raises(UnclusteredError, match="it is a folder"):
        write_table(COLUMNS, folder / "labels.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_read_once(folder):
    """As a shell gives it for ``<(zcat a.csv.gz)``."""
    os.mkfifo(folder / "pipe.csv")
    content = b"row,label\n1,-1\n"
    writer = threading.Thread(target=(folder / "pipe.csv").write_bytes, args=(content,))
    writer.start()
    table = read_table(folder / "pipe.csv")
    writer.join()
    assert table["label"].tolist() == [-1]
