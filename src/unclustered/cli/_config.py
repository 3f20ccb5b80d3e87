"""Options out of a file, and the command that the options together are."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from ..errors import DataError, ParameterError
from ._frame import plain_errors

__all__ = ["command_text", "read_config"]

_NOT_IN_A_FILE = {"config", "debug", "help"}
_NOT_RETOLD = {"config", "debug", "as_json"}


def read_config(context: typer.Context, path: Path | None) -> Path | None:
    """Make what the file says the defaults of this command."""
    if path is None or context.resilient_parsing:
        return path
    with plain_errors(debug=False):
        context.default_map = _defaults(context.command, path)
    return path


def _defaults(command: Any, path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            given = tomllib.load(stream)
    except OSError as error:
        raise DataError(f"--config {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"--config {path} is no TOML: {error}.") from error
    known = {_key(parameter): parameter for parameter in command.params}
    known = {key: p for key, p in known.items() if key not in _NOT_IN_A_FILE}
    for key, value in given.items():
        if key not in known:
            raise ParameterError(
                f"--config {path}: there is no option {key!r}. There are: {', '.join(known)}."
            )
        if isinstance(value, dict):
            raise ParameterError(f"--config {path}: {key} must be a value, not a table.")
        if known[key].multiple and not isinstance(value, list):
            given[key] = [value]
    return {known[key].name: value for key, value in given.items()}


def _key(parameter: Any) -> str:
    """Name of an option without its hyphens, or of an argument."""
    longest: str = max(parameter.opts, key=len)
    return longest.lstrip("-")


def command_text(context: typer.Context) -> str:
    """Return the command that does this again, without a configuration file."""
    words = ["unclustered", context.info_name or ""]
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name in _NOT_RETOLD or source is None or source.name == "DEFAULT":
            continue
        words += _words(parameter, context.params.get(name))
    return shlex.join(words)


def _words(parameter: Any, value: Any) -> Iterator[str]:
    if value is None:
        return
    if not any(opt.startswith("-") for opt in parameter.opts):
        yield str(value)
        return
    option = f"--{_key(parameter)}"
    if isinstance(value, bool):
        yield option if value else parameter.secondary_opts[0]
    elif parameter.multiple:
        for one in value:
            yield from (option, str(one))
    elif isinstance(value, tuple | list):
        yield from (option, *map(str, value))
    else:
        yield from (option, str(value))
