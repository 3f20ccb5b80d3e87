"""HTML and Markdown without a browser: what must be there, and what must not."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from tests.report.conftest import HOSTILE
from unclustered.report.markup import as_text, tag

VOID = {"meta"}
SECTIONS = [
    "What was compared",
    "Map of the samples",
    "Scores",
    "The gap, and what chance achieves",
    "Methods beside each other",
    "Columns that separate the classes",
    "Class balances and probabilities",
    "Least sure samples",
    "How to get this again",
]


class Reader(HTMLParser):
    """Elements, attributes and texts; an error where elements do not close as they opened."""

    def __init__(self, page):
        super().__init__()
        self.open, self.found, self.texts = [], [], {}
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, kind, attributes):
        self.found.append((kind, dict(attributes)))
        if kind not in VOID:
            self.open.append(kind)

    def handle_endtag(self, kind):
        assert self.open.pop() == kind

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


@pytest.fixture(scope="module")
def read(summary):
    return Reader(summary.to_html())


def test_the_verdict_comes_first_and_nothing_is_left_out(summary, read):
    assert read.texts["h2"] == SECTIONS
    page = summary.to_html()
    assert page.index(summary.verdict.replace("<", "&lt;")) < page.index("<h2>")


def test_nothing_is_loaded_from_anywhere(read):
    kinds = {kind for kind, _ in read.found}
    assert not kinds & {"link", "img", "iframe", "object", "embed", "base", "form", "a", "video"}
    for kind, attributes in read.found:
        assert not {"src", "href", "style", "srcset", "xlink:href"} & set(attributes), kind
        assert not [name for name in attributes if name.startswith("on")], kind


def test_the_policy_names_the_style_and_the_script_that_are_there(read):
    (policy,) = (a["content"] for k, a in read.found if a.get("http-equiv"))
    assert policy.startswith("default-src 'none';")
    for kind in ("style", "script"):
        digest = hashlib.sha256(read.texts[kind][-1].encode()).digest()
        assert f"{kind}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_each_chart_is_told_in_words(summary, read):
    words = [a["aria-label"] for kind, a in read.found if kind == "svg"]
    assert len(words) >= 13
    assert all(len(text) > 10 for text in words)
    above = sum(
        s for s, e in zip(summary.scores.shares[0], summary.scores.edges, strict=False) if e >= 0
    )
    assert any(f"Above zero lie {above:.0%} of A" in text for text in words)


def test_hostile_words_make_no_element(hostile_summary):
    page = hostile_summary.to_html()
    read = Reader(page)
    assert [kind for kind, _ in read.found].count("script") == 2
    assert not {kind for kind, _ in read.found} & {"img", "textarea"}
    for word in HOSTILE[:5]:
        assert word not in page
    assert HOSTILE[0] in read.texts["bdi"]
    assert not set(read.texts["script"][0]) & set("<>&")  # the record


def test_texts_and_attributes_are_escaped():
    element = tag("p", "<&>", tag("i", '"'), "<", title="\"<&'", hidden=None)
    assert as_text(element) == '<p title="&quot;<&amp;\'">&lt;&amp;&gt;<i>"</i>&lt;</p>'


def test_markdown_says_the_same(summary):
    text = summary.to_markdown()
    titles = re.findall("^## (.*)$", text, re.MULTILINE)
    drawings = {"Map of the samples", "Scores"}
    rest = [title for title in SECTIONS if title not in drawings]
    assert titles == [t.replace("The gap, and what chance achieves", "Evidence") for t in rest]
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.endswith("|")
    assert f"| {summary.evidence['gap']:.2f} |" in text


def test_hostile_words_stay_words_in_markdown(hostile_summary):
    text = hostile_summary.to_markdown()
    outside = re.sub(r"^(`{3,})shell\n.*?\n\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert outside != text
    assert "<" not in outside
    assert not re.search(r"(?<!\\)\]\(", outside)
    for block in re.split(r"\n(?!\|)", outside):  # each table keeps its number of columns
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1
