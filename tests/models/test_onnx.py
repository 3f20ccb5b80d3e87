"""ONNX files: another program gives the scores of this library, with no label flipped."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import unclustered
from unclustered import MissingExtraError, ParameterError, TooLargeError, label, load_model
from unclustered.graphs import builder
from unclustered.methods import method_names

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

every_method = pytest.mark.parametrize("method", method_names())


def draw(n, share, seed):
    """Table of every kind of column, far from zero and in small units."""
    rng = np.random.default_rng(seed)
    first = np.arange(n) < share * n
    return pd.DataFrame(
        {
            "length": 1e6 + 2 * first + rng.normal(size=n),
            "phase": np.where(rng.random(n) < 0.2 + 0.6 * first, "Σ", "G1"),
            "width": 1e-5 * (first + rng.normal(size=n)),
            "round": rng.random(n) < 0.3 + 0.4 * first,
            "batch": "7",
        }
    )


A, B, NEW = draw(60, 0.8, 0), draw(50, 0.2, 1), draw(400, 0.5, 2)


def with_holes(table):
    return table.assign(
        width=table["width"].where(table.index % 7 != 3),
        phase=table["phase"].where(table.index % 5 != 2, None),
    )


def labelled(method, a=A, b=B, **options):
    with pytest.warns(unclustered.DroppedColumnWarning):
        return label(a, b, method, evidence=False, **options)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.onnx"


def computed(result, path, feed):
    """Scores and labels by onnxruntime."""
    result.to_onnx(path)
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    score, sign = session.run(["score", "label"], feed)
    assert (score.dtype, sign.dtype) == (np.float64, np.int64)
    assert score.shape == sign.shape == (len(next(iter(feed.values()))),)
    return score, sign


def inputs(table, *texts):
    """A column each, as the documentation says: floats, or text that is empty where missing."""
    return {
        name: (
            np.array(
                [[v if v == v and v is not None else ""] for v in table[name].map(str, "ignore")],
                object,
            )
            if name in texts
            else table[[name]].to_numpy(np.float64)
        )
        for name in table
        if name != "batch"
    }


def assert_the_same(result, path, feed, table):
    score, sign = computed(result, path, feed)
    np.testing.assert_allclose(score, result.score_samples(table), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(sign, result.predict(table))


@every_method
def test_tables_of_every_kind_of_column(method, path):
    result = labelled(method)
    for table in (NEW, A, B, NEW[:1]):
        assert_the_same(result, path, inputs(table, "phase", "round"), table)


def test_trees_support_vectors_and_lines_are_in_the_graph_of_many_samples(path):
    a, b = draw(260, 0.8, 3), draw(240, 0.2, 4)
    result = labelled("auto", a, b, budget="fast")
    kinds = {voter[0] for voter in result.model._state()["voters_"]}
    assert kinds >= {"KernelVoter", "LinearVoter", "TreeVoter"}
    assert_the_same(result, path, inputs(NEW, "phase", "round"), NEW)


@every_method
def test_missing_values_are_imputed(method, path):
    result = labelled(method, with_holes(A), with_holes(B), missing="impute")
    assert None in result.encoding.levels["phase"]
    for table in (NEW, with_holes(NEW)):
        assert_the_same(result, path, inputs(table, "phase", "round"), table)


def test_missing_text_of_no_level_is_imputed_too(path):
    result = labelled("dsdd", missing="impute")
    assert None not in result.encoding.levels["phase"]
    assert_the_same(result, path, inputs(with_holes(NEW), "phase", "round"), with_holes(NEW))


@every_method
@pytest.mark.parametrize("d", [1, 4, 60])
@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_arrays(method, d, offset, path):
    rng = np.random.default_rng(d)
    a, b = offset + rng.normal(0.4, 1, (45, d)), offset + rng.normal(-0.4, 1, (40, d))
    b[:5] = a[:5]  # samples that are in both
    result = label(a, b, method, evidence=False, standardize=offset == 0)
    for X in (a, b, offset + 2 * rng.normal(size=(100, d))):
        assert_the_same(result, path, {"X": X}, X)


@pytest.mark.parametrize("method", ["dsdd", "lsdd", "kde"])
def test_models_of_sparse_samples_take_dense_ones(method, path):
    a, b, new = (
        sp.csr_array(np.maximum(np.random.default_rng(n).normal(size=(n, 12)) - 0.5, 0.0))
        for n in (30, 25, 80)
    )
    result = label(a, b, method, evidence=False)
    score, sign = computed(result, path, {"X": new.toarray()})
    np.testing.assert_allclose(score, result.score_samples(new), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(sign, result.predict(new))


def test_columns_of_an_array_that_were_left_out_are_still_passed(path):
    rng = np.random.default_rng(0)
    a, b = (np.c_[rng.normal(m, 1, 30), np.ones(30), rng.normal(size=30)] for m in (1, -1))
    with pytest.warns(unclustered.DroppedColumnWarning):
        result = label(a, b, "lsdd", evidence=False)
    assert_the_same(result, path, {"X": a}, a)


@every_method
def test_rows_that_the_library_refuses_have_no_score_and_the_label_0(method, path):
    result = labelled(method)
    feed = inputs(NEW, "phase", "round")
    expected = result.score_samples(NEW)
    for row, (name, value) in enumerate(
        [
            *(("length", value) for value in (np.nan, np.inf, -np.inf, 1e101)),
            *(("phase", value) for value in ("M", "", "g1", "Σ ")),
            ("round", "true"),
        ]
    ):
        feed[name][row] = value
        expected[row] = np.nan
    score, sign = computed(result, path, feed)
    np.testing.assert_allclose(score, expected, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(sign, np.where(expected > 0, 1, np.where(expected <= 0, -1, 0)))
    assert (sign[:9] == 0).all()


def test_inputs_are_called_as_the_columns_are(path):
    labelled("lsdd").to_onnx(path)
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    found = {i.name: (i.type, i.shape) for i in session.get_inputs()}
    number, text = ("tensor(double)", ["rows", 1]), ("tensor(string)", ["rows", 1])
    assert found == {"length": number, "width": number, "phase": text, "round": text}


def test_any_names_of_columns_work(path):
    rng = np.random.default_rng(1)
    names = ["score", "label", "column score", "", "X", "rows", "größe", "a b/c"]
    a, b = (dict(zip(names, rng.normal(m, 1, (8, 40)), strict=True)) for m in (0.5, -0.5))
    result = label(a, b, "kmeans", evidence=False)
    feed = {name: a[name][:, None] for name in names[4:]} | {
        "column column score": a["score"][:, None],
        "column score": a["column score"][:, None],
        "column label": a["label"][:, None],
        "column ": a[""][:, None],
    }
    assert_the_same(result, path, feed, a)


def test_columns_may_be_called_as_the_values_of_the_graph_are(path):
    rng = np.random.default_rng(1)
    names = [*"abcdefgh"]
    for _ in range(2):
        a, b = (dict(zip(names, rng.normal(m, 1, (8, 40)), strict=True)) for m in (0.5, -0.5))
        result = label(a, b, "kmeans", evidence=False)
        assert_the_same(result, path, {name: a[name][:, None] for name in names}, a)
        graph = onnx.load(path).graph
        names = [*(c.name for c in graph.initializer), *(n.output[0] for n in graph.node)][:8]


def test_levels_may_be_empty_text(path):
    rng = np.random.default_rng(2)
    a, b = (
        {"x": rng.normal(m, 1, 40), "c": np.where(rng.random(40) < 0.5 + m / 4, "", "u").tolist()}
        for m in (1, -1)
    )
    for missing in ("error", "impute"):
        result = label(a, b, "lsdd", evidence=False, missing=missing)
        feed = {"x": a["x"][:, None], "c": np.array(a["c"], object)[:, None]}
        assert_the_same(result, path, feed, a)


def test_only_text_works(path):
    rng = np.random.default_rng(3)
    a, b = (
        {name: rng.choice([*"uvw"], 60, p=p).tolist() for name in "cd"}
        for p in ((0.6, 0.2, 0.2), (0.2, 0.2, 0.6))
    )
    result = label(a, b, "kde", evidence=False)
    assert_the_same(result, path, {n: np.array(a[n], object)[:, None] for n in "cd"}, a)


@every_method
def test_a_model_from_a_file_gives_the_same_graph(method, path):
    result = labelled(method)
    result.to_onnx(path)
    content = path.read_bytes()
    result.save(path.with_suffix(".unclustered"))
    load_model(path.with_suffix(".unclustered")).to_onnx(path)
    assert path.read_bytes() == content


def test_the_graph_says_what_it_means_and_where_it_comes_from(path):
    labelled("kmeans").to_onnx(path)
    model = onnx.load(path)
    assert (model.producer_name, model.producer_version) == ("unclustered", unclustered.__version__)
    assert "over-represented in dataset A" in model.doc_string


def test_other_classifiers_are_refused(path):
    with pytest.raises(ParameterError, match=r"LogisticRegression cannot be .* skl2onnx"):
        labelled(LogisticRegression()).to_onnx(path)
    assert not path.exists()


def test_a_graph_too_large_for_a_file_is_refused(path, monkeypatch):
    monkeypatch.setattr(builder, "_LARGEST", 1000)
    with pytest.raises(TooLargeError, match=r"an ONNX file holds at most 2\. Fit with fewer"):
        labelled("origin").to_onnx(path)


def test_the_extra_is_named(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r'pip install "unclustered\[onnx\]"'):
        labelled("kmeans").to_onnx(path)
