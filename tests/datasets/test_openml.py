"""OpenML played by recorded-looking answers: the real parser of scikit-learn, no network."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import socket
from urllib.error import URLError

import numpy as np
import pytest

from unclustered import DataError
from unclustered.datasets import load_benchmark
from unclustered.datasets.catalogue import Entry, OpenMLSource
from unclustered.datasets.openml import fetch

# The values of a nominal feature are listed in an order of their own, as on OpenML.
ARFF = """@relation small
@attribute A1 numeric
@attribute A2 {10,2,30}
@attribute A15 {0,1}
@data
1.5,10,1
2.5,30,0
-3,2,1
4e1,2,0
"""
X = np.array([[1.5, 10], [2.5, 30], [-3, 2], [40, 2]])
Y = np.array([1, -1, 1, -1])


class _Answer(io.BytesIO):
    def info(self):
        return {"Content-Encoding": "gzip"}


def _openml(arff: str):
    features = [
        {"index": str(i), "name": name, "data_type": kind, "number_of_missing_values": "0"}
        | {"is_target": str(name == "A15").lower()}
        | {"is_ignore": "false", "is_row_identifier": "false"}
        for i, (name, kind) in enumerate([("A1", "numeric"), ("A2", "nominal"), ("A15", "nominal")])
    ]
    description = {
        "id": "40981",
        "name": "small",
        "version": "1",
        "description": "",
        "format": "ARFF",
        "status": "active",
        "url": "https://www.openml.org/data/v1/download/1/small.arff",
        "file_id": "1",
        "md5_checksum": hashlib.md5(arff.encode()).hexdigest(),
    }
    quality = [{"name": "NumberOfInstances", "value": "4"}]
    answers = {
        "data/features/": json.dumps({"data_features": {"feature": features}}),
        "data/qualities/": json.dumps({"data_qualities": {"quality": quality}}),
        "download": arff,
        "data/40981": json.dumps({"data_set_description": description}),
    }

    def urlopen(request, *_args, **_kwargs):
        url = request.full_url
        content = next(text for part, text in answers.items() if part in url)
        return _Answer(gzip.compress(content.encode()))

    return urlopen


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("UNCLUSTERED_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))


def _answer_with(monkeypatch, urlopen):
    monkeypatch.setattr("sklearn.datasets._openml.urlopen", urlopen)
    monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda seconds: None)


def test_nominal_features_keep_their_values(monkeypatch):
    _answer_with(monkeypatch, _openml(ARFF))
    samples, labels, where = fetch(40981, "1", "")
    assert np.array_equal(samples, X)
    assert np.array_equal(labels, Y)
    assert where == "OpenML data set 40981"


def test_what_was_fetched_once_needs_no_network(monkeypatch):
    def no_network(request, *_args, **_kwargs):
        raise URLError("unreachable")

    _answer_with(monkeypatch, _openml(ARFF))
    fetch(40981, "1", "")
    _answer_with(monkeypatch, no_network)
    assert np.array_equal(fetch(40981, "1", "")[0], X)


def test_a_feature_of_words_is_refused(monkeypatch):
    _answer_with(monkeypatch, _openml(ARFF.replace("30", "many")))
    with pytest.raises(DataError, match="feature A2 has values that are no numbers"):
        fetch(40981, "1", "")


@pytest.mark.parametrize(
    "failure", [URLError("unreachable"), TimeoutError("timed out"), ConnectionResetError("reset")]
)
def test_a_failing_network_is_a_clear_error_and_waits_are_bounded(failure, monkeypatch):
    waits = []

    def urlopen(request, *_args, **_kwargs):
        waits.append(socket.getdefaulttimeout())
        raise failure

    _answer_with(monkeypatch, urlopen)
    with pytest.raises(DataError, match=r"OpenML did not deliver .*40981 .* Do that\."):
        fetch(40981, "1", "Do that.")
    assert waits
    assert all(0 < wait < 60 for wait in waits)
    assert socket.getdefaulttimeout() is None


def test_a_benchmark_from_openml_is_checked_like_any_other(monkeypatch):
    def entry(**changed):
        facts = {"rows": 4, "positive": 2, "features": {"A1": 10.25, "A2": 11.0}} | changed
        source = OpenMLSource(id=40981, positive="1", page="")
        return Entry("small", "+1: one", "s", "l", openml=source, **facts)

    _answer_with(monkeypatch, _openml(ARFF))
    catalogue = {
        "small": entry(),
        "longer": entry(rows=5),
        "labels": entry(positive=3),
        "coded": entry(features={"A1": 10.25, "A2": 1.0}),
    }
    monkeypatch.setattr("unclustered.datasets.benchmarks.catalogue", lambda: catalogue)
    small = load_benchmark("small")
    assert np.array_equal(small.X, X)
    assert small.read_from == "OpenML data set 40981"
    for name, message in (
        ("longer", r"OpenML data set 40981: .* 5 rows of 2 features, but .* 4 of 2"),
        ("labels", r"OpenML data set 40981: .* 3 rows of class 1 and 1 of class -1"),
        ("coded", r"OpenML data set 40981: column f2 \(A2\) has the mean 11"),
    ):
        with pytest.raises(DataError, match=message):
            load_benchmark(name)
