"""``unclustered reproduce`` as a person meets it."""

import io
import subprocess
import sys

import pytest
from rich.console import Console
from typer.testing import CliRunner

from unclustered.cli import app
from unclustered.paper import reproduce
from unclustered.paper.progress import LineProgress, LiveProgress

TINY = ["--datasets", "heart", "--methods", "kmeans:n_init=1", "--trials", "3", "--jobs", "1"]


def run(*arguments):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def test_a_table_and_what_it_says(tmp_path):
    result = run("table1", *TINY, "--out", tmp_path / "out", "--seed", "2")
    assert result.exit_code == 0, result.output
    assert "100%  9 of 9 trials" in result.output
    assert "Better than labelling each sample by its dataset (0.2)" in result.output
    for kind in ("md", "tex", "csv", "json", "html"):
        path = tmp_path / "out" / f"table1.{kind}"
        assert path.is_file()
        assert str(path) in result.output.replace("\n", "")


def test_the_same_command_goes_on_and_fresh_does_not(tmp_path):
    for options, first in ([], "  0%  0 of 9"), ([], "100%  9 of 9"), (["--fresh"], "  0%  0 of 9"):
        result = run("table1", *TINY, "--out", tmp_path, *options)
        assert result.output.startswith(first), result.output


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["table7"], 2, "table7"),
        (["table1", "--datasets", "hart"], 1, "no benchmark set 'hart'; there are: australian"),
        (["table1", "--methods", "dsdd:penalty=l1"], 1, "penalty"),
        (["table1", "--protocol", "counts=few"], 1, "no part of the protocol"),
        (["table1", "--data", "/no/such/folder"], 1, "does not exist"),
        (["table1", "--trials", "0"], 2, "--trials"),
    ],
)
def test_mistakes_are_one_line_and_an_exit_code(tmp_path, arguments, code, says):
    result = run(*arguments, "--out", tmp_path)
    assert result.exit_code == code
    assert says in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_ctrl_c_says_that_the_work_is_kept(tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(LineProgress, "block", interrupt)
    result = run("table1", *TINY, "--out", tmp_path)
    assert result.exit_code == 130
    assert "what is done is kept" in result.output
    assert len(list((tmp_path / "trials").rglob("*.json"))) == 1


def test_help_is_instant():
    code = (
        "import sys; from unclustered.__main__ import main\n"
        "sys.argv = ['unclustered', 'reproduce', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert not {'numpy', 'sklearn', 'numba', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=120)


def test_a_terminal_gets_a_table_that_fills(tmp_path):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100, color_system=None)
    reproduce(
        "table1", trials=3, datasets=["heart"], methods=["kmeans"], out=tmp_path, jobs=1,
        progress=LiveProgress(console),
    )  # fmt: skip
    last = stream.getvalue().rpartition("Table 1: 0.2 / 0.8")[2]
    assert "heart" in last
    assert ".200" in last  # the origin baseline
    assert "100%  9 of 9 trials" in last
