"""The development commands fail with a sentence, and know the extras they ask for."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

import pytest

import dev

ROOT = Path(dev.__file__).parent


def test_an_old_python_is_told_so(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 9))
    with pytest.raises(dev.SetupError, match=r"needs Python 3\.11 or newer"):
        dev.main(["test"])


def test_an_old_python_can_read_the_script():
    ast.parse((ROOT / "dev.py").read_text(encoding="utf-8"), feature_version=(3, 6))


def test_a_python_without_ensurepip_is_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(dev, "VENV", str(tmp_path / "venv"))
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(dev.SetupError, match="python3-venv"):
        dev.make_venv(clear=False)


def test_a_failing_step_shows_what_it_said():
    with pytest.raises(dev.SetupError, match="the reason"):
        dev.run_quietly([sys.executable, "-c", "import sys; sys.exit('the reason')"], "complaint")


def test_the_usage_names_every_command(capsys):
    assert dev.main([]) == 2
    assert dev.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"dev.py {command} " in shown for command in dev.COMMANDS)


def test_each_command_asks_for_extras_that_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {extra for _, extras in dev.COMMANDS.values() for extra in extras}
    assert asked <= set(project["optional-dependencies"])


def test_what_is_installed_is_not_installed_again(monkeypatch, tmp_path):
    calls = []
    monkeypatch.setattr(dev, "STAMP", str(tmp_path / "stamp.json"))
    monkeypatch.setattr(dev, "PYTHON", sys.executable)
    monkeypatch.setattr(dev, "make_venv", lambda clear: None)
    monkeypatch.setattr(dev, "run_quietly", lambda command, complaint: calls.append(command[-1]))
    dev.install(["cli"])
    dev.install(["cli"])
    dev.install(["test"])
    dev.install(["cli", "test"])
    assert calls == [".[cli]", ".[cli,test]"]
    monkeypatch.setattr(dev, "requirements", lambda: "changed")
    dev.install(["cli"])
    assert calls[-1] == ".[cli]"


def test_nothing_but_the_environment_is_written():
    caches = {k: v for k, v in dev.environment().items() if k.endswith(("_CACHE_DIR", "CONFIGDIR"))}
    assert len(caches) >= 4
    assert dev.environment()["PYTHONDONTWRITEBYTECODE"] == "1"
