"""Large CSV files: the quick reader gives what the other one does, to the last bit."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from unclustered import DataError
from unclustered.tables import _delimited, read_table

pytest.importorskip("pyarrow")


@pytest.fixture
def both(tmp_path, monkeypatch):
    """Read a file both ways; tells whether the quick one was used."""

    def read(content, **options):
        path = tmp_path / "a.csv"
        path.write_bytes(content)
        slow = read_table(path, **options)
        used = []

        def read_plain(*args):
            used.append(_read_plain(*args))
            return used[-1]

        with monkeypatch.context() as patch:
            patch.setattr(_delimited, "_LARGE", 0)
            patch.setattr(_delimited, "read_plain", read_plain)
            quick = read_table(path, **options)
        assert list(quick) == list(slow)
        np.testing.assert_array_equal(quick.lines, slow.lines)
        for name in slow:
            assert quick[name].dtype == slow[name].dtype
            if slow[name].dtype == object:
                assert quick[name].tolist() == slow[name].tolist()
            else:
                assert quick[name].tobytes() == slow[name].tobytes() or (
                    np.array_equal(quick[name], slow[name], equal_nan=True)
                )
        return any(columns is not None for columns in used)

    return read


_read_plain = _delimited.read_plain


def test_numbers_are_the_same_to_the_last_bit(both):
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**64, size=(2000, 3), dtype=np.uint64).view(np.float64)
    values = np.where(np.isfinite(bits), bits, 0.1)
    rows = "\n".join(",".join(map(repr, row)) for row in values.tolist())
    assert both(f"a,b,c\n{rows}\n".encode())


@pytest.mark.parametrize(
    "rows",
    [
        "1,x\n2,y\n",
        "1,x\r\n2,y\r\n",
        "1,x\n2,y",
        "NA,x\n,NA\n",
        "5e-324,µ\n1e-400,é\n",
        "-0,1\n.5,2\n1.,3\n",
        "inf,a\nNaN,b\n-Infinity,c\n",
        "007, x \n 8,  y\n",
        "1e22,a\n123456789012345678901234567890,b\n",
    ],
)
def test_plain_files_are_read_quickly(both, rows):
    for start in ("a,b\n", '"a","b"\n', "\ufeffa,b\n"):
        end = "\r\n" if "\r\n" in rows else "\n"
        assert both((start.replace("\n", end) + rows).encode())
        both((start.replace("\n", end) + rows).encode(), as_text=["a", "b"])


@pytest.mark.parametrize(
    "content",
    [
        'a,b\n1,"x"\n',
        'a,"b\nc"\n1,2\n3,4\n',
        "a,b\n\n1,2\n",
        "a,b\n1,2\n\n3,4\n\n",
        "\na,b\n1,2\n",
        "\na,b\nx,y\n",
        "a,b\n1,2\r3,4\n",
        "a,b\n1,2\r\r3,4\n",
        "a,b\n1,2\r\n\r\n3,4\n",
        "a;b\n1,5;2\n",
        "a;b\n" + "1.5;2\n" * 1500 + "1,5;3\n",
        "a,b\n1_000,2\n",
        "a,b\n+1,2\n",
        "a,b\n" + "1,2\n" * 1500 + "nan(1),3\n",
        "a,b\n1e400,2\n",
        "a\n1\n \n2\n",
        "a,b\n" + "1,2\n" * 1500 + "x,3\n",
        "a,b\n" + ",2\n" * 1500 + "x,3\n",
        "a,b\n٣,2\n",
    ],
)
def test_whatever_is_not_plain_is_read_all_the_same(both, content):
    both(content.encode())


def test_files_put_together_at_random(both):
    cells = ["1", " 2 ", "NA", "", "x", "1e5", "-", "0x1", "true", '"q"', "3,4", "\r", "é", "1_0"]
    n_quick = 0
    for seed in range(60):
        rng = random.Random(seed)
        pick = rng.sample(cells, 4)
        rows = [",".join(rng.choices(pick, k=2)) for _ in range(rng.randrange(1, 6))]
        content = "a,b" + rng.choice(["\n", "\r\n"]) + "\n".join(rows) + "\n"
        try:
            n_quick += both(content.encode())
        except DataError:
            continue
    assert n_quick > 5


def test_a_mistake_behind_the_first_rows_is_named_with_its_line(both):
    with pytest.raises(DataError, match="line 1502: 1 fields, but the header has 2"):
        both(b"a,b\n" + b"1,2\n" * 1500 + b"3\n")


@pytest.mark.slow
def test_a_million_rows_fit_into_little_memory(tmp_path):
    """20 columns of 10^6 numbers are 160 MB; no reader may need five times that."""
    path = tmp_path / "big.csv"
    rng = np.random.default_rng(0)
    with path.open("w") as stream:
        stream.write(",".join(f"x{k}" for k in range(20)) + "\n")
        for _ in range(1000):
            np.savetxt(stream, rng.normal(size=(1000, 20)), delimiter=",", fmt="%.17g")
    found = []
    for quick in (True, False):
        code = (
            "import hashlib, resource, sys\n"
            "from unclustered.tables import _delimited, read_table\n"
            f"if not {quick}: _delimited.read_plain = lambda *_: None\n"
            "table = read_table(sys.argv[1])\n"
            "digest = hashlib.sha256()\n"
            "[digest.update(table[name].tobytes()) for name in table]\n"
            "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "print(table.n_rows, digest.hexdigest(), peak)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
        )
        n_rows, digest, peak = done.stdout.split()
        assert int(n_rows) == 1_000_000
        assert int(peak) < 800 * 1024
        found.append(digest)
    assert found[0] == found[1]
