"""Reading in a process of its own: a damaged file can make the HDF5 library crash or never end."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection
from importlib import import_module
from typing import IO, Any

from ..errors import DataError
from ._source import Source
from ._table import Table

__all__ = ["read_apart"]

_SECONDS = 60.0  # for any file, and then
_SECONDS_PER_BYTE = 1e-6  # as for the slowest of disks
_CHILD = f"from {__name__} import _child; _child()"


def read_apart(read: Any, source: Source, as_text: Collection[str]) -> Table:
    """Call this function, of a module of formats, in another process.

    An error that it raises is raised here. Only that process reads the file's bytes; what comes
    back are the columns, from our own code.
    """
    wanted = (read.__module__, read.__name__, source.name, source.part, [*as_text])
    with tempfile.TemporaryFile() as file:
        try:
            os.lseek(source.stream.fileno(), 0, os.SEEK_SET)
            given: IO[Any] = source.stream
        except OSError:  # unpacked in memory
            shutil.copyfileobj(source.stream, file)
            file.seek(0)
            given = file
        with subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-c", _CHILD, pickle.dumps(wanted).hex()],
            stdin=given,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        ) as child:
            seconds = _SECONDS + _SECONDS_PER_BYTE * source.size
            alarm = threading.Timer(seconds, child.kill)
            alarm.start()
            try:
                assert child.stdout is not None
                answer = pickle.load(child.stdout)
            except (EOFError, pickle.UnpicklingError):
                raise DataError(
                    f"{source.name} is damaged: the library that reads it crashed, or had come to "
                    f"no end after {seconds:.0f} seconds."
                ) from None
            finally:
                alarm.cancel()
                child.kill()
    if isinstance(answer, Exception):
        raise answer
    table: Table = answer
    return table


def _child() -> None:
    module, name, file, part, as_text = pickle.loads(bytes.fromhex(sys.argv[1]))
    # The answer alone may go there, whatever libraries print.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        try:
            source = Source(sys.stdin.buffer, file, part)
            answer = getattr(import_module(module), name)(source, as_text)
        except Exception as error:
            error.__cause__ = None
            answer = error
        pickle.dump(answer, answers, protocol=5)
