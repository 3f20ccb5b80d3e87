"""The torch engine beyond the contract: tensors, devices, what does not fit."""

import gc
import pickle
import sys

import numpy as np
import pytest

from unclustered.engines import ArraySource, FeatureMap, Rows, make_engine
from unclustered.errors import MissingExtraError, ParameterError, TooLargeError

torch = pytest.importorskip("torch")


class Pull:
    def __init__(self, coef):
        self.coef = coef

    def rows(self, scores, side, weight):
        assert scores.dtype == side.dtype == weight.dtype == torch.float64
        return Rows((weight[:, None] * scores,), (side * weight)[:, None], weight)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    features = FeatureMap.gaussian(X[:8], 1.0, constant=True)
    side, weight = np.where(np.arange(90) < 40, 1.0, -1.0), np.full(90, 0.02)
    return X, side, weight, features, rng.normal(size=(9, 2))


def test_tensors_in_tensors_out(data):
    X, side, weight, features, coef = data
    engine = make_engine("torch", device="cpu", dtype="float64")
    source = ArraySource(torch.tensor(X), torch.tensor(side), torch.tensor(weight), part_rows=40)
    found = [*engine.scores(source, features, coef[:, 0])]
    assert [type(part) for part in found] == [torch.Tensor] * 3
    np.testing.assert_allclose(torch.cat(found), features(X) @ coef[:, 0], atol=1e-12)
    arrays = engine.add_up(ArraySource(X, side, weight), features, Pull(coef))
    tensors = engine.add_up(source, features, Pull(coef))
    for one, other in zip(arrays, tensors, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_a_large_offset_costs_no_digits(data):
    X, *_, coef = data
    X = np.round(X * 2**10) / 2**10
    far = X + 2.0**26
    engine = make_engine("torch", device="cpu")
    near_scores, far_scores = (
        np.concatenate(
            [*engine.scores(ArraySource(Z), FeatureMap.gaussian(Z[:9], 1.0), coef[:, 0])]
        )
        for Z in (X, far)
    )
    np.testing.assert_allclose(far_scores, near_scores, atol=1e-5)


def test_what_lies_on_a_device_goes_when_the_source_goes(data, monkeypatch):
    from unclustered.engines import _torch_chunks as chunks

    X, side, weight = data[:3]
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (10**9, 10**9))
    source = ArraySource(X, side, weight)

    class Device:  # a GPU that is none
        type = "cuda"

        def __str__(self):
            return "cuda:7"

    before = len(chunks._KEPT)
    monkeypatch.setattr(chunks.Chunks, "_chunk", lambda self, blocks, lengths: len(blocks))
    kept = chunks.chunks_of(source, Device(), "float32")
    assert chunks.chunks_of(source, Device(), "float32") is kept
    assert chunks.chunks_of(source, Device(), "fused") is not kept
    assert [*kept] == [1]
    assert len(chunks._KEPT) == before + 1
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (1000, 10**9))
    other = ArraySource(X, side, weight)
    assert chunks.chunks_of(other, Device(), "float32").kept is None
    del source, other
    gc.collect()
    assert len(chunks._KEPT) == before


def test_out_of_memory_names_the_cure(data, monkeypatch):
    X, side, weight, features, coef = data

    class Greedy(Pull):
        def rows(self, scores, side, weight):
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 TiB.")

    with pytest.raises(TooLargeError, match=r"smaller rank.*9 TiB"):
        make_engine("torch", device="cpu").add_up(
            ArraySource(X, side, weight), features, Greedy(coef)
        )


def test_what_makes_no_sense_is_named():
    with pytest.raises(ParameterError, match="float16"):
        make_engine("torch", device="cpu", dtype="float16")
    if not torch.cuda.is_available():
        with pytest.raises(ParameterError, match=r"no CUDA device.*pytorch.org"):
            make_engine("torch", device="cuda")
    if not torch.backends.mps.is_available():
        with pytest.raises(ParameterError, match="Apple"):
            make_engine("torch", device="mps")


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"unclustered\[torch\]"):
        make_engine("torch")


def test_what_was_moved_is_forgotten_with_its_array():
    from unclustered.engines._torch_twins import Twins

    twins = Twins(torch, torch.device("cpu"))
    array = np.ones(4)
    tensor = twins.of(array)
    assert twins.of(array) is tensor
    del array
    gc.collect()
    assert not twins._known


def test_an_engine_can_be_sent_elsewhere():
    engine = make_engine("torch", device="cpu", dtype="float64")
    again = pickle.loads(pickle.dumps(engine))
    assert again == engine
    assert again._where == engine._where


def test_three_numbers_of_bfloat16_are_one_of_float32():
    from unclustered.engines._torch_chunks import split

    X = torch.randn(100, generator=torch.Generator().manual_seed(0)) * 1000
    parts = split(torch, X)
    assert parts.dtype == torch.bfloat16
    torch.testing.assert_close(parts.float().sum(dim=0), X, rtol=2**-23, atol=0)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_the_fused_pass_is_the_plain_one():
    pytest.importorskip("triton")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 21))
    side, weight = np.where(np.arange(5000) < 2500, 1.0, -1.0), np.full(5000, 4e-4)
    features = FeatureMap.gaussian(X[:300], 5.0, constant=True)
    coef = rng.normal(size=(301, 20)) / 20
    source = ArraySource(X, side, weight)
    fused = make_engine("torch", device="cuda").add_up(source, features, Pull(coef))
    exact = make_engine("torch", device="cpu", dtype="float64").add_up(source, features, Pull(coef))
    # Of sums of weights, 1 and 2; tensor cores add outer products up with fewer digits.
    for one, other, digits in zip(fused, exact, (1e-6, 1e-6, 5e-5), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=digits)
