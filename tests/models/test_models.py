"""A model file gives back what was saved, to the bit, for every method there is."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import unclustered
from unclustered import DSDD, DataError, ParameterError, UnclusteredError, label, load_model
from unclustered.methods import method_class, method_names, name_of
from unclustered.models import model_facts

every_method = pytest.mark.parametrize("method", method_names())


def draw(n, share, seed):
    """Table of two kinds of rows, with text, true/false and a hole in each kind of column."""
    rng = np.random.default_rng(seed)
    first = np.arange(n) < share * n
    table = pd.DataFrame(
        {
            "length": 1e6 + 2 * first + rng.normal(size=n),
            "phase": np.where(rng.random(n) < 0.2 + 0.6 * first, "S", "G1"),
            "width": 0.01 * (first + rng.normal(size=n)),
            "round": rng.random(n) < 0.3 + 0.4 * first,
            "batch": "7",
        }
    )
    table.loc[3, "width"] = np.nan
    table.loc[4, "phase"] = None
    return table


A, B, NEW = draw(40, 0.8, 0), draw(36, 0.2, 1), draw(300, 0.5, 2)


def labelled(method, a=A, b=B, **options):
    options = {"missing": "impute", "evidence": False, **options}
    with pytest.warns(unclustered.DroppedColumnWarning):
        return label(a, b, method, **options)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.unclustered"


def kept(result, path):
    result.save(path)
    return load_model(path)


@every_method
@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "dict"]
)
def test_scores_of_tables_are_the_same_to_the_bit(method, make, path):
    result = labelled(method)
    model = kept(result, path)
    new = make(NEW)
    np.testing.assert_array_equal(model.score_samples(new), result.score_samples(new))
    np.testing.assert_array_equal(model.predict(new), result.predict(new))
    np.testing.assert_array_equal(model.score_samples(A), result.score_samples(A))
    assert (model.method, model.converged) == (result.method, result.converged)


@every_method
@pytest.mark.parametrize("d", [1, 3, 40])
def test_scores_of_arrays_are_the_same_to_the_bit(method, d, path):
    rng = np.random.default_rng(d)
    a, b = rng.normal(0.5, 1, (30, d)), rng.normal(-0.5, 1, (25, d))
    result = label(a, b, method, evidence=False)
    model = kept(result, path)
    new = np.asfortranarray(rng.normal(size=(200, d)))
    np.testing.assert_array_equal(model.score_samples(new), result.score_samples(new))
    with pytest.raises(DataError, match=f"X has {d + 1} columns, but A has {d}"):
        model.predict(np.zeros((1, d + 1)))


@pytest.mark.parametrize("method", ["dsdd", "lsdd", "kde"])
def test_scores_of_sparse_samples_are_the_same_to_the_bit(method, path):
    a, b, new = (
        sp.csr_array(np.maximum(np.random.default_rng(n).normal(size=(n, 12)) - 0.5, 0.0))
        for n in (30, 25, 80)
    )
    result = label(a, b, method, evidence=False)
    model = kept(result, path)
    np.testing.assert_array_equal(model.score_samples(new), result.score_samples(new))
    with pytest.raises(DataError, match="must be sparse"):
        model.predict(new.toarray())


@every_method
def test_what_the_method_promises_to_save_comes_back(method, path):
    result = labelled(method)
    model = kept(result, path).model
    assert type(model) is method_class(method)
    assert model.get_params() == result.model.get_params()
    expected, found = result.model._state(), model._state()
    assert found.keys() == expected.keys() >= {"classes_", "n_features_in_", *model._saved}
    for name, value in expected.items():
        assert_same(found[name], value)


def assert_same(found, expected):
    if isinstance(expected, list):
        for part, expected_part in zip(found, expected, strict=True):
            assert_same(part, expected_part)
    elif hasattr(expected, "get_params"):
        assert_same([*found._state().values()], [*expected._state().values()])
    else:
        np.testing.assert_array_equal(found, expected)


@every_method
def test_the_same_model_gives_the_same_bytes_again_and_again(method, path):
    result = labelled(method)
    kept(result, path).save(path.with_name("again"))
    assert path.read_bytes() == path.with_name("again").read_bytes()
    result.save(path)
    assert path.read_bytes() == path.with_name("again").read_bytes()


def test_columns_are_still_matched_by_name_and_checked(path):
    result = labelled("lsdd")
    model = kept(result, path)
    other_order = NEW[["round", "width", "phase", "length"]]  # the constant one may be missing
    np.testing.assert_array_equal(model.score_samples(other_order), result.score_samples(NEW))
    with pytest.raises(DataError, match="lacks 'width'"):
        model.predict(NEW.drop(columns="width"))
    with pytest.raises(
        DataError, match=r"holds 'M' in rows 0, .* a value that neither A nor B had"
    ):
        model.predict(NEW.assign(phase="M"))
    with pytest.raises(DataError, match="column names, but A has"):
        model.predict(np.zeros((1, 5)))


def test_numbers_that_json_has_no_word_for_come_back(path):
    result = labelled("lsdd")
    result.model.log_l2_distance_ = -np.inf
    assert kept(result, path).model.log_l2_distance_ == -np.inf


def test_parameters_come_back_and_numpy_numbers_are_numbers(path):
    result = labelled("dsdd", bandwidth=np.float64(1.5), centers=np.int64(20), penalty="rkhs")
    model = kept(result, path).model
    assert (model.bandwidth, model.centers, model.penalty) == (1.5, 20, "rkhs")
    assert type(model.centers) is int


def test_facts_are_plain_data(path):
    labelled("dsdd", regularization=0.5).save(path)
    facts = model_facts(path)
    assert json.loads(json.dumps(facts)) == facts
    assert facts["library_version"] == unclustered.__version__
    assert facts["method"] == "dsdd"
    assert facts["parameters"]["regularization"] == facts["fit"]["regularization"] == 0.5
    assert facts["fit"]["converged"] is True
    assert facts["columns"] == {
        "numeric": ["length", "width"],
        "categorical": {"phase": ["G1", "S", None], "round": ["False", "True"]},
        "dropped": {"batch": "constant"},
    }
    assert (facts["matched_by"], facts["missing"]) == ("name", "impute")


def test_evidence_travels_as_plain_data(path):
    result = label(A[["length"]], B[["length"]], "kmeans", permutations=19)
    assert result.evidence.gap > 0.3
    model = kept(result, path)
    assert model.evidence["gap"] == result.evidence.gap
    assert model.evidence == json.loads(json.dumps(model.evidence))
    assert kept(model, path).evidence == model.evidence
    assert model_facts(path)["evidence"] == model.evidence


class Subclass(DSDD):
    """Might score otherwise than the class whose name a file could hold."""


@pytest.mark.parametrize(
    "method",
    [LogisticRegression(), make_pipeline(StandardScaler(), DSDD()), Subclass()],
    ids=["scikit-learn's", "pipeline", "subclass"],
)
def test_what_is_no_method_of_this_library_is_refused(method, path):
    result = labelled(method)
    with pytest.raises(ParameterError, match=f"{result.method} is none. .* joblib .* skops"):
        result.save(path)
    assert not path.exists()


def test_a_parameter_that_is_no_plain_value_is_refused_and_the_advice_helps(path):
    result = labelled(DSDD(cv=StratifiedKFold(3)))
    with pytest.raises(
        ParameterError, match=r"parameter cv=StratifiedKFold.*set_params\(cv=\.\.\.\)"
    ):
        result.save(path)
    result.model.set_params(cv=5)
    np.testing.assert_array_equal(kept(result, path).predict(NEW), result.predict(NEW))


def test_the_old_file_survives_a_full_disk(path, monkeypatch):
    result = labelled("kmeans")
    result.save(path)
    before = path.read_bytes()

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UnclusteredError, match="No space left on device"):
        labelled("lsdd").save(path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(UnclusteredError, match="there is no folder"):
        labelled("kmeans").save(tmp_path / "nowhere" / "m.unclustered")


def test_only_the_methods_themselves_have_names():
    assert {name_of(method_class(name)()) for name in method_names()} == set(method_names())
    helper = type("Helper", (), {"__module__": "unclustered.methods.dsdd"})()
    assert [name_of(thing) for thing in (helper, Subclass(), DSDD, "dsdd", None)] == [None] * 5


def test_other_tools_can_look_inside(path):
    labelled("kmeans").save(path)
    with zipfile.ZipFile(path) as members:
        assert members.testzip() is None
        assert json.loads(members.read("header.json"))["model"]["method"] == "kmeans"
        with members.open("model.cluster_centers_.npy") as stream:
            assert np.load(stream, allow_pickle=False).shape == (2, 7)


SAVED = Path(__file__).parent / "saved"


@pytest.mark.parametrize("file", sorted(SAVED.rglob("*.unclustered")), ids=lambda p: p.stem)
def test_models_saved_by_earlier_releases_give_the_scores_they_gave(file):
    stored = json.loads((file.parent / "scores.json").read_text())
    scores = load_model(file).score_samples(stored["table"])
    np.testing.assert_allclose(scores, stored["scores"][file.stem], rtol=1e-9, atol=1e-12)


def test_every_method_has_a_saved_model():
    assert {file.stem for file in SAVED.rglob("*.unclustered")} >= set(method_names())


def test_a_name_that_ends_in_gz_packs_the_file(tmp_path):
    result = labelled("kmeans")
    model = kept(result, tmp_path / "m.unclustered.gz")
    assert (tmp_path / "m.unclustered.gz").read_bytes().startswith(b"\x1f\x8b")
    np.testing.assert_array_equal(model.predict(NEW), result.predict(NEW))


PRIORS = {"priors": (0.8, 0.2), "evidence": True, "permutations": 1}


@pytest.mark.parametrize("method", ["dsdd", "kde"])
@pytest.mark.filterwarnings("ignore::unclustered.NoEvidenceWarning")
def test_probabilities_of_new_samples_are_the_same_to_the_bit(method, path):
    result = labelled(method, **PRIORS)
    model = kept(result, path)
    for prior in (0.5, 0.123456789):
        expected = result.predict_proba(NEW, prior)
        np.testing.assert_array_equal(model.predict_proba(NEW, prior), expected)
    assert len(set(expected.tolist())) > 10
    assert repr(model.probabilities) == "ScoreProbabilities(theta_A 0.80, theta_B 0.20)"
    model.save(path.with_name("again"))
    assert path.read_bytes() == path.with_name("again").read_bytes()
    assert model_facts(path)["priors"] == [0.8, 0.2]


def test_a_model_without_priors_has_no_probabilities(path):
    model = kept(labelled("lsdd"), path)
    assert model.probabilities is model_facts(path)["priors"] is None
    with pytest.raises(ParameterError, match="no probabilities without the class balances"):
        model.predict_proba(NEW, 0.5)
    with zipfile.ZipFile(path) as archive:  # what older versions read
        assert "probabilities" not in json.loads(archive.read("header.json"))
