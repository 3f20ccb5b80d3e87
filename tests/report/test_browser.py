"""The page as a browser shows it, and what hostile names can do there: nothing."""

from __future__ import annotations

import json

import pytest

from tests import browser
from tests.report.conftest import HACK, HOSTILE, labelled, two_tables

pytestmark = [
    pytest.mark.skipif(browser.CHROMIUM is None, reason="there is no chromium on the path"),
    pytest.mark.filterwarnings("ignore:.*preexec_fn.*"),
]
HACKED = "'hacked' in document.documentElement.dataset"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chromium")
    with browser.Browser(folder) as opened:
        opened.size(1000, 800)
        yield opened


@pytest.fixture
def shown(page, tmp_path):
    def show(html):
        path = tmp_path / "report.html"
        path.write_bytes(html.encode("utf-8", "backslashreplace"))
        page.open(path)
        return page

    return show


def check_quiet(page):
    assert page.complaints == []
    (address,) = page.requests
    assert address.startswith("file:")


def check_drawn(page, fewest):
    """Every chart has marks that are seen, and says in words what it shows."""
    charts = page.value(
        """[...document.querySelectorAll('svg')].map(svg => [
            svg.getAttribute('aria-label'),
            [...svg.querySelectorAll('.mark')].filter(mark => {
                const box = mark.getBBox({stroke: true});
                const style = getComputedStyle(mark);
                return box.width > 0 && (style.fill !== 'none' || style.stroke !== 'none');
            }).length])"""
    )
    assert len(charts) >= fewest
    for words, marks in charts:
        assert len(words) > 10
        assert marks > 0, words


def test_the_whole_page_is_drawn_and_asks_for_nothing(shown, summary):
    page = shown(summary.to_html())
    check_quiet(page)
    # two maps, scores, gap, two of the leaderboard, bars and values of three columns, probabilities
    check_drawn(page, 2 + 1 + 1 + 2 + 3 + 3 + 1)
    assert page.value("document.querySelectorAll('svg.map').length") == 2


def test_many_samples_are_drawn_as_squares(shown):
    tables = two_tables(n=11_000)
    found = labelled(tables, method="kmeans", evidence=False)
    page = shown(found.summary(*tables).to_html())
    check_quiet(page)
    check_drawn(page, 6)
    assert page.value("document.querySelectorAll('svg.map').length") == 0


def test_pointing_at_a_sample_says_what_it_is_called(shown, summary):
    page = shown(summary.to_html())
    assert page.value("document.getElementById('tip').hidden")
    assert not page.value("document.querySelector('.hint').hidden")
    page.value("document.querySelector('svg.map').scrollIntoView()")
    x, y = page.value(
        """(() => {
            const path = document.querySelector('svg.map .dots.b');
            const [x, y] = path.getAttribute('d').slice(1).split('h')[0].split(' ').map(Number);
            const point = new DOMPoint(x, y).matrixTransform(path.getScreenCTM());
            return [point.x, point.y];
        })()"""
    )
    page.point_at(x, y)
    label = {1: "+1", -1: "\N{MINUS SIGN}1"}[summary.map.points.labels[40]]
    told = page.value("document.getElementById('tip').textContent")
    assert told == f"0: B, label {label}"
    assert not page.value("document.getElementById('tip').hidden")
    page.point_at(2, 2)
    assert page.value("document.getElementById('tip').hidden")
    check_quiet(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_marks_stand_out(shown, summary, scheme):
    page = shown(summary.to_html())
    page.media(scheme=scheme)
    paper = page.value("getComputedStyle(document.body).backgroundColor")
    assert (luminance(paper) < 0.1) == (scheme == "dark")
    colours = page.value(
        """[...document.querySelectorAll('main *')].map(e => {
            const style = getComputedStyle(e);
            const text = e.tagName === 'text' ? style.fill : style.color;
            const mark = style.fill !== 'none' ? style.fill : style.stroke;
            return e.classList.contains('mark') ? [3, mark] : [4.5, text];
        }).filter((v, k, all) => all.findIndex(w => w.join() === v.join()) === k)"""
    )
    page.media()
    assert len(colours) > 8
    for least, colour in colours:
        for background in (paper, "rgb(245, 246, 248)" if scheme == "light" else "rgb(29, 33, 39)"):
            assert contrast(colour, background) >= least, (colour, background)


def luminance(colour):
    """As WCAG 2 defines it."""
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("width", [320, 390, 1200])
def test_nothing_is_wider_than_the_window(shown, summary, hostile_summary, width):
    for record in (summary, hostile_summary):
        page = shown(record.to_html())
        page.size(width, 800)
        wide = page.value("document.documentElement.scrollWidth")
        page.size(1000, 800)
        assert wide <= width


def test_the_hostile_words_are_hostile(shown):
    page = shown(f"<!DOCTYPE html><p>{HOSTILE[2]}")
    assert any(address.startswith("http:") for address in page.requests)
    for word in (HOSTILE[0], f'<script type="application/json">{HOSTILE[1]}'):
        assert shown(f"<!DOCTYPE html><p>{word}").value(HACKED)


def test_hostile_words_stay_words(shown, hostile_summary):
    page = shown(hostile_summary.to_html())
    check_quiet(page)
    check_drawn(page, 12)
    assert not page.value(HACKED)
    assert page.value("document.scripts.length") == 2
    assert page.value("document.images.length") == 0
    assert HOSTILE[0] in page.value("document.body.innerText")
    record = page.value("document.getElementById('record').textContent")
    assert json.loads(record) == json.loads(hostile_summary.to_json())


def test_the_policy_stops_what_should_ever_get_through(shown, summary):
    injected = f"<script>{HACK}</script>{HOSTILE[2]}<a href='javascript:{HACK}' id=link>x</a>"
    page = shown(summary.to_html().replace("</main>", f"{injected}</main>"))
    page.value("document.getElementById('link').click()")
    assert not page.value(HACKED)
    assert not any(address.startswith("http") for address in page.requests)
    assert sum("Content Security Policy" in complaint for complaint in page.complaints) >= 3
