"""What every engine keeps: the same sums as plain NumPy, whatever the parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from unclustered.engines import (
    ArraySource,
    Engine,
    FeatureMap,
    Rows,
    engine_names,
    make_engine,
)
from unclustered.errors import MissingExtraError, ParameterError

TOLERANCE = {"float32": 2e-5, "float64": 1e-12}


@dataclass(frozen=True)
class Everything:
    """A reduction that asks for all there is."""

    coef: Any

    def rows(self, scores: Any, side: Any, weight: Any) -> Rows:
        margin = side[:, None] * scores
        inside = (margin < 1.0) * weight[:, None]
        values = inside * (1.0 - margin).clip(0.0, 2.0)
        bent = weight * ((margin[:, 0] > -0.5) & (abs(scores[:, 0]) < 1.0))
        return Rows((values, 2.0 * inside), inside * side[:, None], bent)


def engine(name: str, **options: Any) -> Engine:
    try:
        return make_engine(name, **options)
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(3.0, 1.0, (700, 4))
    side = np.where(np.arange(700) < 300, 1.0, -1.0)
    weight = rng.uniform(0.5, 1.5, 700)
    for value in (1.0, -1.0):
        weight[side == value] /= weight[side == value].sum()
    return {"X": X, "side": side, "weight": weight, "coef": rng.normal(size=(31, 3))}


def maps(X: Any) -> dict[str, FeatureMap]:
    return {
        "gaussian": FeatureMap.gaussian(X[:30], 1.5, constant=True),
        "fourier": FeatureMap.fourier(4, 31, 1.5, np.random.default_rng(1)),
        "fourier, constant": FeatureMap.fourier(
            4, 30, 1.5, np.random.default_rng(1), constant=True
        ),
    }


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["gaussian", "fourier", "fourier, constant"])
@pytest.mark.parametrize("name", engine_names())
def test_sums_are_those_of_plain_numpy(name: str, kind: str, dtype: str, data: Any) -> None:
    X, side, weight, coef = (data[key] for key in ("X", "side", "weight", "coef"))
    features = maps(X)[kind]
    Phi = features(X)
    rows = Everything(coef).rows(Phi @ coef, side, weight)
    source = ArraySource(X, side, weight, part_rows=123)
    found = engine(name, dtype=dtype).add_up(source, features, Everything(coef))
    close = {"rtol": 0.0, "atol": TOLERANCE[dtype]}
    expected = [values.sum(axis=0) for values in rows.values]
    np.testing.assert_allclose(found.values, expected, **close)
    np.testing.assert_allclose(found.pulls, Phi.T @ rows.pulls, **close)
    np.testing.assert_allclose(found.gram, (Phi.T * rows.curvature) @ Phi, **close)
    for sums in found:
        assert isinstance(sums, np.ndarray)
        assert sums.dtype == np.float64


@pytest.mark.parametrize("name", engine_names())
def test_scores_come_part_by_part(name: str, data: Any) -> None:
    X, coef = data["X"], data["coef"][:, 0]
    features = maps(X)["gaussian"]
    found = list(
        engine(name, dtype="float64").scores(ArraySource(X, part_rows=300), features, coef)
    )
    assert [len(part) for part in found] == [300, 300, 100]
    np.testing.assert_allclose(np.concatenate(found), features(X) @ coef, rtol=0, atol=1e-11)


def _rows_of(number: int, part: Any) -> tuple[int, int]:
    return number, sum(len(block.X) for block in part)


@pytest.mark.parametrize("name", engine_names())
def test_newton_steps_solve_their_equations(name: str) -> None:
    rng = np.random.default_rng(0)
    lift, root, gradient = rng.normal(size=(9, 6)), rng.normal(size=(20, 9)), rng.normal(size=6)
    gram = root.T @ root
    H = lift.T @ gram @ lift + 0.3 * np.eye(6)
    found = engine(name).newton_direction(lift, gram, 0.3, gradient)
    np.testing.assert_allclose(H @ found, -gradient, atol=1e-10)
    values, vectors = engine(name).eigh(H)
    np.testing.assert_allclose(vectors * values @ vectors.T, H, atol=1e-9)
    assert (np.diff(values) >= 0).all()
    downhill = engine(name).newton_direction(lift, -gram, 0.3, gradient)  # worse than rounding
    assert gradient @ downhill < 0


@pytest.mark.parametrize("name", engine_names())
def test_a_task_runs_on_each_part(name: str, data: Any) -> None:
    found = list(engine(name).each(_rows_of, ArraySource(data["X"], part_rows=100)))
    assert found == [(k, 100) for k in range(7)]


@pytest.mark.parametrize("name", engine_names())
def test_two_passes_give_the_same_bits(name: str, data: Any) -> None:
    source = ArraySource(data["X"], data["side"], data["weight"], part_rows=50)
    features, reduction = maps(data["X"])["gaussian"], Everything(data["coef"])
    machine = engine(name)
    first, second = (machine.add_up(source, features, reduction) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_threads_change_no_bit(data: Any) -> None:
    source = ArraySource(data["X"], data["side"], data["weight"], part_rows=50)
    features, reduction = maps(data["X"])["gaussian"], Everything(data["coef"])
    one, three = (
        make_engine("numpy", n_jobs=n).add_up(source, features, reduction) for n in (1, 3)
    )
    for a, b in zip(one, three, strict=True):
        np.testing.assert_array_equal(a, b)


def test_sparse_and_mapped_samples(data: Any, tmp_path: Any) -> None:
    X = np.where(data["X"] > 3.0, data["X"], 0.0)
    np.save(tmp_path / "x.npy", X.astype("float32"))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    coef = data["coef"][:, 0]
    expected = FeatureMap.gaussian(X[:30], 2.0, constant=True)(X) @ coef
    for samples in (sp.csr_array(X), mapped):
        features = FeatureMap.gaussian(samples[:30], 2.0, constant=True)
        found = np.concatenate(list(make_engine().scores(ArraySource(samples), features, coef)))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


def test_samples_far_from_every_centre_count_nothing() -> None:
    X = np.array([[0.0], [1000.0]])
    features = FeatureMap.gaussian(X[:1], 1.0)
    found = np.concatenate(list(make_engine().scores(ArraySource(X), features, np.ones(1))))
    np.testing.assert_allclose(found, [1.0, 0.0], atol=1e-6)


def test_random_features_estimate_the_kernel(data: Any) -> None:
    X = data["X"][:20]
    Phi = FeatureMap.fourier(4, 20_000, 1.5, np.random.default_rng(0))(X)
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    np.testing.assert_allclose(Phi @ Phi.T, np.exp(-D / 4.5), atol=0.04)


def test_a_name_that_is_none() -> None:
    with pytest.raises(ParameterError, match="no engine 'abacus'"):
        make_engine("abacus")
