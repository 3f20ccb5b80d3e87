"""The record: what it says, where its numbers come from, and that it is plain data."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import unclustered
from tests.report.conftest import labelled, two_tables
from unclustered.errors import DataError, ParameterError
from unclustered.report import Summary


def test_it_says_what_the_result_says(tables, result, summary):
    assert isinstance(summary, Summary)
    assert summary.verdict == result.evidence.verdict
    assert summary.trustworthy is True
    assert summary.method == "lsdd"
    assert summary.parameters["penalty" if "penalty" in summary.parameters else "cv"] is not None
    for dataset, labels in zip(summary.datasets, (result.labels_a, result.labels_b), strict=True):
        assert dataset.rows == len(labels) == 40
        assert dataset.positive == (labels > 0).sum()
        assert dataset.negative == (labels < 0).sum()
    assert summary.columns.numeric == ("x", "y")
    assert summary.columns.categorical == {"phase": ("G1", "S")}
    assert summary.columns.dropped == {"batch": "constant"}
    assert sum(summary.evidence["null"]["counts"]) == len(result.evidence.null_gaps)
    assert summary.map.points.labels == (*result.labels_a, *result.labels_b)
    assert summary.map.points.ids[39:41] == ("39", "0")
    assert summary.leaderboard["method"][1] == "dsdd"
    assert summary.probabilities.expected_error == result.probabilities.expected_error
    assert summary.probabilities.interval_a is None
    assert summary.labels_count_dataset
    assert summary.origin.seed == "3"
    assert summary.origin.versions["unclustered"] == unclustered.__version__


def test_it_is_frozen_and_the_same_each_time(tables, result, summary):
    with pytest.raises(dataclasses.FrozenInstanceError):
        summary.method = "other"
    first, second = (result.summary(*tables, random_state=3).to_html().encode() for _ in range(2))
    assert first == second


def test_json_is_strict_and_ascii(summary, hostile_summary):
    for record in (summary, hostile_summary):
        text = record.to_json()
        assert text.isascii()
        found = json.loads(text, parse_constant=lambda name: pytest.fail(name))
        assert found == record.to_dict()
        assert found["format"] == "unclustered report"
        assert found["verdict"] == record.verdict
        assert set(found) >= {field.name for field in dataclasses.fields(record)}


def test_estimated_balances_have_their_intervals(tables):
    result = labelled(tables, priors="estimate")
    found = result.summary(*tables).probabilities
    assert (found.theta_a, found.theta_b) == tuple(result.priors)
    assert (found.interval_a, found.interval_b) == (
        result.priors.interval_a,
        result.priors.interval_b,
    )
    assert ">estimated, between " in result.summary(*tables).to_html()


def test_without_evidence_it_says_so(tables):
    found = labelled(tables, evidence=False).summary(*tables)
    assert found.evidence is None
    assert found.trustworthy is None
    assert found.verdict.startswith("Not tested")
    assert found.shows_labels
    assert found.least_sure[0].confidence is None
    assert "Not tested" in found.to_html()


def test_labels_that_nothing_speaks_for_are_not_shown():
    rng = np.random.default_rng(1)
    tables = [{"x": rng.normal(size=30), "y": rng.normal(size=30)} for _ in range(2)]
    result = labelled(tables, priors=(0.6, 0.4))
    assert not result.evidence.trustworthy
    found = result.summary(*tables)
    assert not found.shows_labels
    assert found.datasets[0].positive is None
    assert found.map.points.labels is None
    assert (found.separating, found.probabilities, found.least_sure) == (None, None, ())
    page = found.to_html()
    assert "the labels are not in this report" in page
    assert "By label" not in page
    assert "labelled +1</th>" not in page
    assert result.summary(*tables, show_labels=True).datasets[0].positive is not None


def test_the_least_sure_samples_are_those(tables, result, summary):
    posterior = np.r_[result.probabilities.posterior_a, result.probabilities.posterior_b]
    expected = np.sort(np.abs(posterior - 0.5))[:20]
    found = [abs(sample.probability - 0.5) for sample in summary.least_sure]
    np.testing.assert_array_equal(found, expected)
    for sample in summary.least_sure:
        row = int(sample.id)
        assert sample.label == getattr(result, f"labels_{sample.dataset.lower()}")[row]
        assert sample.score == getattr(result, f"scores_{sample.dataset.lower()}")[row]


def test_labels_that_count_the_dataset_are_told(tables):
    result = labelled(tables, method="auto", budget="fast", evidence=False)
    found = result.summary(*tables)
    plain, scores = (
        np.r_[getattr(result, f"{kind}_a"), getattr(result, f"{kind}_b")]
        for kind in ("plain_scores", "scores")
    )
    assert found.labels_count_dataset == ((plain > 0) != (scores > 0)).any()
    assert sum(found.scores.shares[0]) == pytest.approx(1, abs=1e-4)
    assert len(found.leaderboard["method"]) > 1
    assert "Methods beside each other" in found.to_html()


def test_without_priors_the_confidence_counts(tables):
    result = labelled(tables)
    assert not result.summary(*tables).labels_count_dataset
    found = result.summary(*tables).least_sure
    confidence = np.r_[result.confidence_a, result.confidence_b]
    assert [s.confidence for s in found] == np.sort(confidence)[:20].tolist()


@pytest.mark.parametrize("change", ["rows", "order", "columns"])
def test_other_tables_than_those_labelled_are_refused(tables, result, change):
    a, b = tables
    if change == "rows":
        a = {name: values[1:] for name, values in a.items()}
    elif change == "order":
        a = {name: values[::-1] for name, values in a.items()}
    else:
        a, b = ({n: v for n, v in table.items() if n != "x"} for table in (a, b))
    with pytest.raises(DataError):
        result.summary(a, b)


def test_ids_must_name_each_row(tables, result):
    with pytest.raises(DataError, match="40 of A"):
        result.summary(*tables, ids=(["a"], ["b"]))


def test_arrays_and_sparse_matrices():
    tables = [np.c_[t["x"], t["y"], t["x"] * t["y"]] for t in two_tables()]
    found = labelled(tables).summary(*tables)
    assert found.columns.numeric == ("column 0", "column 1", "column 2")
    assert found.separating.columns[0].name == "column 0"
    sparse = [sp.csr_array(np.where(np.abs(t) > 1, t, 0.0)) for t in tables]
    again = labelled(
        sparse, method=LogisticRegression(), permutations=None, evidence=False
    ).summary(*sparse)
    assert again.separating.columns[0].values is not None
    assert again.map.how.startswith("All 3 encoded columns")
    assert "<svg" in again.to_html()


def test_hashes_tell_other_values(tables, result):
    def hashes(*given):
        return [part["sha256"] for part in result.summary(*given).origin.inputs]

    a, b = tables
    first = hashes(a, b)
    assert first == hashes({name: a[name] for name in a}, b)
    other = {**b, "y": b["y"] + 1e-12}
    assert hashes(a, other)[0] == first[0]
    assert hashes(a, other)[1] != first[1]
    assert all(len(h) == hashlib.sha256().digest_size * 2 for h in first)


def test_files_by_the_end_of_their_name(tables, result, tmp_path):
    for name, start in (("r.html", "<!DOCTYPE html>"), ("r.JSON", "{"), ("r.md", "# Labels of")):
        result.report(tmp_path / name, *tables)
        assert (tmp_path / name).read_text().startswith(start)
    assert len([*tmp_path.iterdir()]) == 3


def test_another_end_is_refused_before_any_work(result, tmp_path):
    with pytest.raises(ParameterError, match="html"):
        result.report(tmp_path / "r.pdf", None, None)
    assert [*tmp_path.iterdir()] == []


def test_halves_of_characters_can_be_written(hostile_summary, tmp_path):
    for end in ("html", "md", "json"):
        hostile_summary.save(tmp_path / f"r.{end}")
        (tmp_path / f"r.{end}").read_text(encoding="utf-8")


def test_a_report_loads_no_package_for_pictures_or_pages():
    code = """
import sys, numpy as np
from unclustered import label
rng = np.random.default_rng(0)
A, B = rng.normal(size=(9, 2)), rng.normal(size=(9, 2))
label(A, B, "lsdd", evidence=False).summary(A, B).to_html()
assert not {"matplotlib", "jinja2"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
