"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
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
    commands = [c for c in COMMANDS if c.startswith("unclustered ")]
    assert any(c.startswith("unclustered label ") for c in commands)
    for command in commands:
        run(shlex.split(command, comments=True), tmp_path)
    assert (tmp_path / "labels.csv").stat().st_size > 0


def test_the_demo_shows_what_the_readme_shows(tmp_path):
    ((program, command, folder),) = dev.demo([])
    assert (Path(dev.CHECKOUT) / folder).resolve() == (Path(dev.VENV) / "demo").resolve()
    blocks = read_blocks(README)
    place = [block.text for block in blocks].index("python3 dev.py demo\n")
    words = [program, command, ".venv/demo"]
    printed = f"$ {' '.join(words)}\n{run(words, tmp_path)}"
    printed = printed.replace(tmp_path.as_uri(), "file:///home/you/unclustered").split()
    shown = blocks[place + 1].text.split()
    # Words and labels are the same on every machine; the last digit of a score need not be.
    assert [as_number(word) for word in shown] == [
        pytest.approx(number, rel=0.02, abs=0.02) if isinstance(number, float) else number
        for number in map(as_number, printed)
    ]


def as_number(word):
    return float(word) if re.fullmatch(r"-?\d+\.\d+", word) else word


def run(command, folder):
    argv = [sys.executable, "-m", *command]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


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
