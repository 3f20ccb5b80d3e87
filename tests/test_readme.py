"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import dev
from tests.blocks import read_blocks, run_python_blocks
from unclustered.methods import method_class, method_names

README = Path(__file__).parents[1] / "README.md"
PAGE = README.read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in read_blocks(README)
    if block.language == "shell"
    for line in block.text.splitlines()
]


def test_python_blocks_run_and_print_what_the_readme_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_python_blocks(README) >= 2


def test_commands_of_the_command_line_run(tmp_path):
    for name in ("a.csv", "b.csv"):
        example = files("unclustered.datasets") / "examples" / name
        shutil.copy(str(example), tmp_path)
    commands = [c for c in COMMANDS if c.startswith("unclustered ")]
    assert commands
    for command in commands:
        argv = [sys.executable, "-m", *shlex.split(command)]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "labels.csv").stat().st_size > 0


def test_development_commands_exist():
    commands = [c for c in COMMANDS if c.startswith("python3 dev.py ")]
    assert "python3 dev.py demo" in commands
    assert "python3 dev.py test" in commands
    assert {shlex.split(c)[2] for c in commands} <= set(dev.COMMANDS)


def test_table_of_methods_is_complete():
    rows = re.findall(r"^\| `(\w+)`\s+\| `(\w+)`\s+\|", PAGE, re.MULTILINE)
    assert dict(rows) == {name: method_class(name).__name__ for name in method_names()}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_local_links_lead_somewhere(page):
    text = (README.parent / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r"src(?:set)?=\"([^\"]+)\"", text)
    local = [t for t in targets if not t.startswith(("http:", "https:", "#"))]
    assert [t for t in local if not (README.parent / t.partition("#")[0]).exists()] == []
