"""One HTML page from a record: complete in itself, and unable to load or run anything else."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files

from .markup import Element, as_text, name, tag
from .record import Summary
from .sections import sections

__all__ = ["as_html"]


def as_html(summary: Summary) -> str:
    """Draw a record as a page.

    The Content-Security-Policy allows the one style and the one script of this library, by their
    hashes, and nothing else: no network, no other script, whatever a file calls its columns.
    """
    style, script = (_own(part) for part in ("style.css", "script.js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    sources = [dataset.source or dataset.name for dataset in summary.datasets]
    title = f"Labels of {sources[0]} and {sources[1]}"
    # The record is data: a browser does not run it, and no text in it can end the element.
    record = json.dumps(summary.to_dict(), separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        record = record.replace(sign, f"\\u{ord(sign):04x}")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", style),
    )
    body = tag(
        "body",
        tag("main", tag("h1", _heading(sources)), sections(summary), _footer(summary)),
        tag("div", id="tip", hidden="", aria_hidden="true"),
        tag("script", record, type="application/json", id="record"),
        tag("script", script),
    )
    page = as_text(tag("html", head, body, lang="en"))
    return f"<!DOCTYPE html>\n{page}\n"


def _heading(sources: list[str]) -> list[str | Element]:
    return ["Labels of ", name(sources[0]), " and ", name(sources[1])]


def _footer(summary: Summary) -> Element:
    return tag(
        "footer",
        f"Made by unclustered {summary.version}. The page holds its record as JSON, in the element "
        "called record.",
    )


def _own(part: str) -> str:
    return (files(__package__) / part).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
