"""The documentation's code runs, and the reference leaves nothing public out."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path

import pytest

from tests.blocks import read_blocks, run_python_blocks
from unclustered.methods import method_class, method_names

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(
    page for page in DOCS.rglob("*.md") if any(b.language == "python" for b in read_blocks(page))
)
MODULES = (
    "unclustered.datasets",
    "unclustered.errors",
    "unclustered.evidence",
    "unclustered.metrics",
    "unclustered.models",
    "unclustered.plots",
    "unclustered.report",
    "unclustered.tables",
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_python_blocks(page) > 0


RESULTS = {"Predictor"}  # besides the records, which are dataclasses
PUBLIC = [
    f"{home}.{name}"
    for home in ("unclustered", *MODULES)
    for name in import_module(home).__all__
    if name != "__version__"
]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_in_the_reference(name):
    reference = (DOCS / "api.md").read_text(encoding="utf-8")
    entries = set(re.findall(r"^\.\. auto\w+:: (\S+)", reference, re.MULTILINE))
    assert "{{ methods }}" in reference  # conf.py puts every method there
    entries |= {f"unclustered.{method_class(method).__name__}" for method in method_names()}
    short = name.rpartition(".")[2]
    inside = any(m in entries and short in import_module(m).__all__ for m in MODULES)
    assert name in entries or inside


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_a_docstring_and_an_example(name):
    home, _, short = name.rpartition(".")
    public = getattr(import_module(home), short)
    text = inspect.getdoc(public)
    assert text
    is_result = is_dataclass(public) or short in RESULTS
    if isinstance(public, type) and (issubclass(public, (Exception, Warning)) or is_result):
        return  # an example of a result or an error is found with what returns or raises it
    assert "\nExamples\n--------\n>>> " in text
    if not isinstance(public, type):
        takes = set(inspect.signature(public).parameters)
        described = set(re.findall(r"^\*{0,2}(\w+(?:, \*{0,2}\w+)*) : ", text, re.MULTILINE))
        assert takes <= {n.strip("* ") for group in described for n in group.split(",")}


def test_the_picture_can_be_drawn_again(tmp_path):
    script = DOCS / "make_picture.py"
    subprocess.run([sys.executable, script, tmp_path], check=True, timeout=300)
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == {"toy_problem_1-light.svg", "toy_problem_1-dark.svg"}
    assert drawn <= {path.name for path in (DOCS / "_static").iterdir()}


def test_pages_name_the_package_as_it_is():
    for page in DOCS.rglob("*.md"):
        for role in re.findall(r"\{py:\w+\}`~?([\w.]+)`", page.read_text(encoding="utf-8")):
            home, _, short = role.rpartition(".")
            assert hasattr(import_module(home), short), f"{page.name}: {role}"
