"""The same figures in every kind of output, and nothing in them that changes by itself."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest

from unclustered.paper.flat import as_csv, as_json
from unclustered.paper.latex import as_latex
from unclustered.paper.markdown import as_markdown
from unclustered.paper.page import as_html
from unclustered.paper.tables import make_tables
from unclustered.paper.wording import rate


@pytest.fixture
def tables(results):
    return make_tables(results)


def test_csv_holds_every_cell(results, tables):
    rows = list(csv.DictReader(io.StringIO(as_csv(tables))))
    assert len(rows) == 2 * 2 * 6
    for table in tables:
        for row in table.rows:
            for cell in row.cells:
                name = cell.contestant.published_as or cell.contestant.method
                (found,) = [
                    r
                    for r in rows
                    if (r["table"], r["dataset"], r["method"], r["parameters"])
                    == (
                        str(table.number),
                        row.dataset,
                        name,
                        cell.contestant.name.partition(":")[2],
                    )
                ]
                assert float(found["ler_mean"]) == pytest.approx(cell.mean, abs=1e-6)
                assert int(found["failed"]) == cell.failures
                assert (found["published_mean"] != "") == (cell.published is not None)


def test_json_holds_every_trial(results):
    content = json.loads(as_json(results))
    assert content["left_out"] == {"australian": "OpenML did not answer."}
    assert len(content["cells"]) == 2 * 2 * 6
    for cell in content["cells"]:
        contestant = next(c for c in results.plan.contestants if c.name == cell["method"])
        trials = results.cell(f"table{cell['table']}", cell["dataset"], contestant)
        assert cell["ler"] == [trial.ler for trial in trials]
        assert {int(k) for k in cell["failures"]} == {k for k, t in enumerate(trials) if t.failure}


def test_markdown_shows_figures_failures_and_what_was_left_out(results, tables):
    text = as_markdown(results.plan, tables)
    assert "australian was left out. OpenML did not answer." in text
    for line in re.findall(r"^\|.*\|$", text, re.MULTILINE):
        assert line.count("|") >= 5
    heart = next(line for line in text.splitlines() if line.startswith("| heart"))
    cell = tables[0].rows[0].cells[1]
    assert f"| **{rate(cell.mean)}** ({rate(cell.std)}) |" in heart
    assert "2 failed" in text


def test_latex_rows_have_as_many_cells_as_the_table_has_columns(results, tables):
    text = as_latex(results.plan, tables)
    for body in re.findall(r"\\toprule(.*?)\\bottomrule", text, re.DOTALL):
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert len(rows) == 1 + 2 * 2 + 1
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {6}
    assert r"kmeans:n\_init=1" in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 2


class Checker(HTMLParser):
    """Fails on tags that do not match; remembers what is loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.sources = [], []

    def handle_starttag(self, tag, attrs):
        self.sources += [v for k, v in attrs if k in ("src", "href")]
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(results, tables):
    text = as_html(results.plan, tables, {"Figure 1: toy": "data:image/svg+xml;base64,AAAA"})
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert checker.sources == ["data:image/svg+xml;base64,AAAA"]
    assert "url(" not in text
    assert text.count("<svg") == 2
    assert "2 failed" in text
    assert "<b>" not in text


def test_a_page_of_figures_alone(results):
    from dataclasses import replace

    plan = replace(results.plan, tables=(), left_out={})
    text = as_html(plan, (), {"Figure 1: toy": "data:,"})
    assert "Figure 1" in text
    assert "trials" not in text


def test_the_same_results_give_the_same_bytes(results, tables):
    def outputs():
        again = make_tables(results)
        return [
            as_csv(again),
            as_json(results),
            as_markdown(results.plan, again),
            as_latex(results.plan, again),
            as_html(results.plan, again, {}),
        ]

    first = outputs()
    assert first == outputs()
    assert not any(re.search(r"\b20\d\d-\d\d|\d\d:\d\d", text) for text in first)
