"""Opening a file that someone made up runs nothing, takes nothing, and says what is wrong."""

from __future__ import annotations

import contextlib
import io
import pickle
import re
import struct
import warnings
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from unclustered import DataError, label, load_model
from unclustered.models.archive import Archive, read_archive, write_archive

A = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [5.0, 5.5]])
B = np.array([[5.0, 6.0], [6.0, 5.0], [5.5, 5.5], [0.0, 0.5]])
TABLES = ({"x": A[:, 0], "c": list("uuuv")}, {"x": B[:, 0], "c": list("vvvu")})


def saved(path, method="dsdd", a=A, b=B):
    params = {"bandwidth": 1.0, "regularization": 0.1} if method == "dsdd" else {}
    label(a, b, method, evidence=False, **params).save(path)
    return path.read_bytes()


def saved_with_probabilities(path):
    rng = np.random.default_rng(0)
    a, b = (rng.normal(m, 1, (20, 2)) for m in (1, -1))
    label(a, b, "lsdd", priors=(0.8, 0.2), permutations=19).save(path)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.unclustered"


@pytest.fixture
def content(path):
    return saved(path)


def complaint(path, content):
    """What the error says: it names the file."""
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        load_model(path)
    assert str(caught.value).startswith(f"{path} is not a model file that can be used: ")
    return str(caught.value)


def loads_or_complains(path, content):
    path.write_bytes(content)
    with contextlib.suppress(DataError):
        load_model(path)


def packed(members, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", compression) as archive:
        warnings.simplefilter("ignore")  # about names that come twice
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def changed(content, change):
    """File with another header or other arrays, in which all sums are right."""
    archive = read_archive(io.BytesIO(content))
    header, arrays = archive.header, dict(archive.arrays)
    change(header, arrays)
    stream = io.BytesIO()
    write_archive(Archive(header, arrays), stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no zip file"),
        (b"height,width\n1,2\n", "no zip file"),
        (b"PK\x03\x04" + bytes(100), "no zip file"),
        (packed([]), "no header.json"),
        (packed([("header.json", "")]), "its header is no JSON"),
        (packed([("header.json", "[1]")]), "no JSON object"),
        (packed([("header.json", "[" * 100_000)]), "its header is no JSON"),
        (packed([("header.json", '{"a": 1, "a": 2}')]), "the same key twice"),
        (packed([("header.json", '{"a": NaN}')]), "NaN is no number"),
        (packed([("header.json", '{"a": ' + "9" * 10_000 + "}")]), "its header is no JSON"),
        (packed([("header.json", "{}")]), "does not say that it is a model file"),
        (packed([("header.json", "{}"), ("header.json", "{}")]), "the same name"),
        (packed([("header.json", "{}"), ("run.py", "1")]), "'run.py' is neither"),
        (packed([("header.json", "{}"), ("../a.npy", "1")]), "'../a.npy' cannot be read"),
    ],
)
def test_what_is_no_model_file_is_said(path, content, said):
    assert said in complaint(path, content)


def test_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises(DataError, match=r"no\.unclustered: there is no such file"):
        load_model(tmp_path / "no.unclustered")
    with pytest.raises(DataError, match="is a folder, not a file"):
        load_model(tmp_path)


def test_nothing_is_run(path, content, tmp_path):
    class Bomb:
        def __reduce__(self):
            return open, (str(tmp_path / "was run"), "w")

    array = np.empty(1, dtype=object)
    array[0] = Bomb()
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    for data in (stream.getvalue(), pickle.dumps(Bomb())):
        members = [(n, data if "coef" in n else d) for n, d in members_of(content)]
        assert "'model.coef_.npy'" in complaint(path, packed(members))
    assert "no zip file" in complaint(path, pickle.dumps(Bomb()))
    assert not (tmp_path / "was run").exists()


def test_packed_members_are_refused_before_they_are_unpacked(path, content):
    bomb = packed([*members_of(content), ("z.npy", bytes(2**26))], zipfile.ZIP_DEFLATED)
    assert len(bomb) < 2**20
    assert "is packed" in complaint(path, bomb)


def test_a_member_that_claims_to_be_huge_is_refused(path, content):
    """The directory at the end of the file says that each array has 2^31 bytes."""
    lying = bytearray(content)
    start = 0
    while (start := lying.find(b"PK\x01\x02", start)) >= 0:
        lying[start + 20 : start + 28] = struct.pack("<II", 2**31 - 1, 2**31 - 1)
        start += 4
    assert "larger than the file" in complaint(path, bytes(lying))


@pytest.mark.parametrize(
    "shape", ["(1000000000000,)", "(-1, -8)", "(8, 1000000000000, 0)", "(8,) * 9", "'8'", "(8.0,)"]
)
def test_an_array_that_claims_to_be_huge_takes_no_memory(path, content, shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(64)
    members = [(n, data if "coef" in n else d) for n, d in members_of(content)]
    assert "'model.coef_.npy'" in complaint(path, packed(members))


@pytest.mark.parametrize("dtype", ["O", "S8", "U2", "m8[s]", "c16", "f4", ">f8", [("a", "f8")]])
def test_arrays_of_other_types_are_refused(path, content, dtype):
    stream = io.BytesIO()
    np.save(stream, np.zeros(8, dtype=dtype), allow_pickle=True)
    members = [(n, stream.getvalue() if "coef" in n else d) for n, d in members_of(content)]
    assert "'model.coef_.npy' " in complaint(path, packed(members))


def test_a_later_format_names_the_versions(path, content):
    def change(header, arrays):
        header.update(format_version=2, library_version="9.1", new_thing=1)

    said = complaint(path, changed(content, change))
    assert "format version 2, written by unclustered '9.1'" in said
    assert "use a version as new as that one" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda h, a: h.update(extra=1), "its header has the unknown 'extra'"),
        (lambda h, a: h.pop("encoding"), "its header lacks 'encoding'"),
        (lambda h, a: h["encoding"].update(extra=1), "its encoding has the unknown 'extra'"),
        (lambda h, a: h["encoding"].pop("means"), "its encoding lacks 'means'"),
        (lambda h, a: h["model"].update(extra=1), "the method has what .* not know: 'extra'"),
        (lambda h, a: h["model"].update(method="os"), "its method 'os' is unknown"),
        (lambda h, a: h["model"].update(method="_base"), "its method '_base' is unknown"),
        (lambda h, a: h["model"]["parameters"].update(f=1), "parameters of dsdd .* know: 'f'"),
        (lambda h, a: h["model"]["state"].update(fit=1), "state of dsdd .* not know: 'fit'"),
        (lambda h, a: h["model"]["state"].pop("coef_"), "state of dsdd lacks coef_"),
        (lambda h, a: a.pop("model.coef_"), "'model.coef_' is not there"),
        (lambda h, a: a.update(more=np.zeros(1)), "its arrays 'more' belong to nothing"),
        (lambda h, a: a.update({"model.coef_": np.zeros(3)}), "not fit together"),
        (lambda h, a: a.update({"model.coef_": np.zeros((8, 1))}), "not fit together"),
        (lambda h, a: a.update({"model.coef_": np.full(8, np.nan)}), "not finite"),
        (lambda h, a: a.update({"model.coef_": np.full(8, 1e308)}), "not fit together"),
        (lambda h, a: a.update({"model.centers_": np.zeros((8, 3))}), "not fit together"),
        (lambda h, a: a.update({"model.classes_": np.array([0, 1])}), "one for other samples"),
        (lambda h, a: a.update({"encoding.scales": np.zeros(2)}), "not all positive"),
        (lambda h, a: a.update({"encoding.means": np.zeros(3)}), "are not 2 floats"),
        (lambda h, a: a.update({"encoding.means": np.zeros(2, int)}), "are not 2 floats"),
        (lambda h, a: h["model"]["state"].update(n_features_in_=10**15), "one for other samples"),
        (lambda h, a: h["model"]["state"].update(bandwidth_=0), "not fit together"),
        (lambda h, a: h["model"]["state"].update(bandwidth_=10**400), "not fit together"),
        (lambda h, a: h["encoding"].update(columns=["0", "0"]), "not all different"),
        (lambda h, a: h["encoding"].update(columns=["0", "1", "2"]), "uses and drops"),
        (lambda h, a: h["encoding"].update(levels={"1": []}), "uses and drops"),
        (lambda h, a: h["encoding"].update(named=1), "named and sparse"),
    ],
)
def test_what_does_not_belong_is_named(path, content, change, said):
    assert re.search(said, complaint(path, changed(content, change)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p, a: p.update(extra=1), "the record of its probabilities has the unknown 'extra'"),
        (lambda p, a: p.pop("kind"), "the record of its probabilities lacks 'kind'"),
        (lambda p, a: p.update(theta_a="0.8"), "are not all numbers"),
        (lambda p, a: p.update(log_loss=True), "are not all numbers"),
        (lambda p, a: p.update(theta_a=0.1), "priors or the spread"),
        (lambda p, a: p.update(spread=-1.0), "priors or the spread"),
        (lambda p, a: p.update(kind=3), "is no curve"),
        (lambda p, a: np.negative(a["probabilities.scores"], a["probabilities.scores"]), "curve"),
        (lambda p, a: a.update({"probabilities.memberships": np.ones(3)}), "is no curve"),
        (lambda p, a: a["probabilities.memberships"].fill(1.0), "is no curve"),
        (lambda p, a: a["probabilities.memberships"].fill(0.0), "is no curve"),
    ],
)
def test_probabilities_that_cannot_be_are_named(path, change, said):
    content = changed(saved_with_probabilities(path), lambda h, a: change(h["probabilities"], a))
    assert said in complaint(path, content)


def test_any_other_probabilities_load_or_are_a_data_error(path):
    content = saved_with_probabilities(path)
    for key in read_archive(io.BytesIO(content)).header["probabilities"]:
        for value in (None, True, -1, 1e308, 10**30, "abc", [], {}, {"array": "model.x"}):
            header = {key: value}
            loads_or_complains(
                path, changed(content, lambda h, a, new=header: h["probabilities"].update(new))
            )
    for value in (None, True, "abc", [], {}):
        new = {"probabilities": value}
        loads_or_complains(path, changed(content, lambda h, a, new=new: h.update(new)))


@pytest.mark.parametrize("depth", [100, 600])
def test_lists_within_lists_load_or_are_a_data_error(path, content, depth):
    nested = 1.0
    for _ in range(depth):
        nested = [nested]
    loads_or_complains(path, changed(content, lambda h, a: h.update(evidence={"a": nested})))
    said = complaint(path, changed(content, lambda h, a: h["model"]["state"].update(coef_=nested)))
    assert len(said) < 1000


def test_a_sparse_matrix_that_points_outside_itself_is_refused(path):
    content = saved(path, "dsdd", sp.csr_array(A), sp.csr_array(B))
    load_model(path)
    bad = (("indices", -1, 10**8), ("indices", -1, -5), ("indptr", -1, 10**8), ("indptr", -1, -5))
    for part, place, value in (*bad, ("indptr", 1, 9), ("indptr", 0, 1)):

        def change(header, arrays, name=f"model.centers_.{part}", place=place, value=value):
            arrays[name][place] = value

        assert "model.centers_" in complaint(path, changed(content, change))

    def huge(header, arrays):
        header["model"]["state"]["centers_"]["shape"] = [8, 10**30]

    complaint(path, changed(content, huge))


def leaves(value, where=()):
    """Paths to everything inside a JSON."""
    yield where
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from leaves(item, (*where, key))


@pytest.mark.parametrize("method", ["dsdd", "kde", "kmeans", "origin"])
def test_any_other_value_anywhere_loads_or_is_a_data_error(path, method):
    content = saved(path, method, *TABLES)
    header = read_archive(io.BytesIO(content)).header
    values = (None, True, -1, 1e308, 10**30, "abc", [], [None], {}, {"array": "model.x"})
    for where in leaves(header):
        if not where:
            continue
        for value in values:

            def change(header, arrays, where=where, value=value):
                *way, last = where
                for key in way:
                    header = header[key]
                header[last] = value

            loads_or_complains(path, changed(content, change))


@pytest.mark.parametrize("method", ["dsdd", "kde", "origin"])
def test_any_other_array_loads_or_is_a_data_error(path, method):
    content = saved(path, method, *TABLES)
    for name, array in read_archive(io.BytesIO(content)).arrays.items():
        others = (
            *(array[:0], array[..., None], array.ravel()[:1], array.T, array * 0),
            *(np.arange(array.size), np.full_like(array, -1), np.array(1.0)),
            np.concatenate([array, array]),
        )
        for other in others:

            def change(header, arrays, name=name, other=other):
                arrays[name] = other

            loads_or_complains(path, changed(content, change))


def test_any_damage_is_a_data_error(path):
    content = saved(path, "kmeans")
    rng = np.random.default_rng(0)
    for cut in rng.integers(len(content), size=100).tolist():
        complaint(path, content[:cut])
    for _ in range(300):
        place, flip = rng.integers(len(content)), rng.integers(1, 256)
        damaged = bytearray(content)
        damaged[place] ^= flip
        loads_or_complains(path, bytes(damaged))
