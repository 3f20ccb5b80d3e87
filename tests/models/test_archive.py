"""What goes into an archive comes out of it, whatever the layout of the arrays."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from unclustered.models.archive import Archive, read_archive, write_archive

X = np.random.default_rng(0).normal(size=(4, 3))


def written(archive):
    stream = io.BytesIO()
    write_archive(archive, stream)
    return stream


@pytest.mark.parametrize(
    "array",
    [X, np.asfortranarray(X), X[::2, ::-1], X.astype(">f8"), np.array(1.5), np.empty((0, 3)),
     np.arange(5), np.arange(5, dtype=np.int32)],
    ids=["rows", "columns", "strides", "other bytes", "one number", "empty", "int64", "int32"],
)  # fmt: skip
def test_arrays_come_back_in_their_layout(array):
    found = read_archive(written(Archive({}, {"a": array}))).arrays["a"]
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype.newbyteorder("=")
    assert found.flags.f_contiguous == array.flags.f_contiguous or not array.flags.forc
    assert found.flags.writeable


def test_headers_come_back():
    header = {
        "text": "größe \N{GREEK SMALL LETTER SIGMA} \ud800",
        "number": 0.1,
        "none": [None, True],
    }
    assert read_archive(written(Archive(header, {}))).header == header


def test_neither_the_time_nor_the_system_is_in_the_bytes():
    stream = written(Archive({}, {"a": X}))
    for member in zipfile.ZipFile(stream).infolist():
        assert (member.date_time, member.create_system) == ((1980, 1, 1, 0, 0, 0), 3)
