"""The report on a labelling: a record of plain data, and HTML, Markdown and JSON drawn from it."""

from __future__ import annotations

from .record import Summary, check_report
from .summarize import summarize

__all__ = ["Summary", "check_report", "summarize"]
