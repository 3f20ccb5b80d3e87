"""The fenced code blocks of a Markdown file, and running those in Python."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int


def read_blocks(path: Path) -> list[Block]:
    page = path.read_text(encoding="utf-8")
    return [
        Block(match[1], match[2], page[: match.start()].count("\n") + 2)
        for match in _FENCE.finditer(page)
    ]


def run_python_blocks(path: Path) -> int:
    """Run the Python blocks of a page in one namespace, and return how many there were.

    A text block right after a Python block has to be what that one prints.
    """
    namespace: dict[str, Any] = {"__name__": "page"}
    blocks = read_blocks(path)
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block.language != "python":
            continue
        printed = io.StringIO()
        # Blank lines in front make a traceback point at the page's own line.
        code = compile("\n" * (block.line - 1) + block.text, str(path), "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        if following is not None and following.language == "text":
            assert printed.getvalue().strip() == following.text.strip(), f"{path}:{block.line}"
    return sum(block.language == "python" for block in blocks)
