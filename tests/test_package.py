"""What a user relies on before calling anything: quick imports, true metadata, types."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib.metadata import distribution, version
from importlib.resources import files
from pathlib import Path

import pytest

import unclustered

HEAVY = {"numba", "numpy", "scipy", "sklearn", "joblib", "narwhals", "pandas", "polars", "pyarrow"}
HEAVY |= {"torch"}


def modules_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after running this code."""
    report = "import json, sys; print('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_importing_the_package_loads_nothing_heavy():
    assert not modules_after("import unclustered") & (HEAVY | {"matplotlib", "typer", "rich"})


def test_listing_the_methods_loads_neither_numba_nor_scikit_learn():
    code = "from unclustered.methods import method_names; method_names()"
    assert not modules_after(code) & {"numba", "sklearn"}


@pytest.mark.parametrize("arguments", [["--help"], ["label", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments):
    code = f"""
import sys
from unclustered.__main__ import main
sys.argv = ["unclustered", *{arguments!r}]
try:
    main()
except SystemExit as done:
    assert not done.code, done.code
"""
    assert not modules_after(code) & HEAVY


def test_help_names_the_commands():
    done = subprocess.run(
        [sys.executable, "-m", "unclustered", "--help"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0
    assert "label" in done.stdout


def test_the_version_is_the_installed_one():
    assert unclustered.__version__ == version("unclustered")


def test_type_information_and_examples_ship():
    package = files("unclustered")
    assert (package / "py.typed").is_file()
    for name in ("a.csv", "b.csv"):
        assert (package / "datasets" / "examples" / name).is_file()


def test_the_licence_ships():
    assert any(f.name == "LICENSE" for f in distribution("unclustered").files or ())


@pytest.mark.parametrize("name", unclustered.__all__)
def test_every_public_name_resolves(name):
    assert getattr(unclustered, name) is not None
    assert name in dir(unclustered)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        unclustered.no_such_name  # noqa: B018


def test_every_top_level_method_is_exported():
    from unclustered.methods import method_class, method_names

    for method in method_names():
        assert method_class(method).__name__ in unclustered.__all__


def test_type_checkers_see_every_public_name():
    tree = ast.parse(Path(unclustered.__file__).read_text(encoding="utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(unclustered.__all__) <= imported
