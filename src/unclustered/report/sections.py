"""The sections of the page, in the order in which somebody wants to know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .axes import MINUS_SIGN, fixed, number, percent
from .charts import gap_chart, probability_chart, score_chart
from .compared import compared, leaderboard, separating
from .grids import grid
from .maps import map_charts
from .markup import Element, name, tag
from .record import MEANING, Sample, Summary

__all__ = ["sections"]


def sections(summary: Summary) -> Iterator[Element]:
    """All sections that the record has something for."""
    yield _verdict(summary)
    yield compared(summary)
    if summary.map is not None:
        yield _map(summary)
    yield _scores(summary)
    if summary.evidence is not None:
        yield _gap(summary)
    if summary.leaderboard is not None:
        yield leaderboard(summary.leaderboard)
    if summary.separating is not None:
        yield separating(summary.separating)
    if summary.probabilities is not None:
        yield _probabilities(summary)
    if summary.least_sure:
        yield _least_sure(summary.least_sure)
    yield _origin(summary)


def section(title: str, *children: Any) -> Element:
    """Section with a heading."""
    return tag("section", tag("h2", title), *children)


def figure(drawing: Element, caption: Any, *before: Any) -> Element:
    """Drawing with its caption."""
    return tag("figure", *before, drawing, tag("figcaption", caption))


_STANDING = {
    True: ("good", "\N{CHECK MARK} Evidence for the labels"),
    False: ("bad", "\N{MULTIPLICATION X} No evidence for the labels"),
    None: ("open", "? Not tested"),
}


def _verdict(summary: Summary) -> Element:
    kind, title = _STANDING[summary.trustworthy]
    facts: list[tuple[str, str, str]] = []
    evidence = summary.evidence
    if evidence is not None:
        low, high = evidence["gap_interval"]
        facts = [
            (
                "Held-out gap",
                fixed(evidence["gap"]),
                f"{evidence['confidence']:.0%} interval {fixed(low)} to {fixed(high)}",
            ),
            (
                "p-value",
                number(evidence["p_value"], 2),
                f"evidence at {evidence['level']:g} or less",
            ),
            ("Wrong labels", *_bound(evidence)),
            ("Class balances differ by", *_difference(evidence)),
        ]
    no_labels = (
        None
        if summary.shows_labels
        else tag("p", "As nothing speaks for them, the labels are not in this report.")
    )
    return tag(
        "section",
        tag(
            "div",
            tag("strong", title),
            tag("p", summary.verdict),
            no_labels,
            class_=f"verdict {kind}",
        ),
        _facts(facts) if facts else None,
        tag("p", MEANING.replace("-1", f"{MINUS_SIGN}1")),
    )


def _facts(facts: Iterable[tuple[str, str, str]]) -> Element:
    return tag(
        "dl",
        [
            tag("div", tag("dt", title), tag("dd", value, tag("small", more)))
            for title, value, more in facts
        ],
        class_="facts",
    )


def _bound(evidence: Any) -> tuple[str, str]:
    if not evidence["trustworthy"] or evidence["error_bound"] >= 0.5:
        return "not bounded", "nothing shows that the gap is not zero"
    return (
        f"at most {percent(evidence['error_bound'])}",
        f"with {evidence['confidence']:.0%} confidence, classes counted alike",
    )


def _difference(evidence: Any) -> tuple[str, str]:
    if not evidence["trustworthy"]:
        return "not bounded", "nothing shows that they differ"
    return (
        f"{fixed(evidence['balance_difference_bound'])} or more",
        f"with {evidence['confidence']:.0%} confidence",
    )


def _map(summary: Summary) -> Element:
    assert summary.map is not None
    figures = []
    for chart in map_charts(summary.map):
        key = tag("ul", [tag("li", text, class_=kind) for kind, text in chart.key], class_="key")
        figures.append(tag("figure", tag("h3", chart.title), key, chart.drawing))
    if summary.map.cells is not None:
        more = (
            "A square stands for the samples in its place: a large one for many; a strong colour "
            "for a place where one kind is far more frequent than elsewhere."
        )
        hint = None
    else:
        more = "A dot is a sample."
        words = " Point at one to see what it is called."  # which only a script can show
        hint = tag("span", words, class_="screen hint", hidden="")
    return section(
        "Map of the samples",
        tag("p", summary.map.how, " ", more, hint, class_="soft small"),
        tag("div", figures, class_="two"),
    )


def _scores(summary: Summary) -> Element:
    told = [
        "What the fitted method says of each sample, as if it were new. A stands above the line, "
        "B below: the more their shapes differ, the larger the gap.",
        "These samples are those that the method was fitted on, which flatters it; the gap is "
        "found on samples held out.",
    ]
    if summary.shows_labels and summary.labels_count_dataset:
        told.append(
            "The labels count the dataset of each sample as evidence too: so a label may differ "
            "from the sign of this score."
        )
    elif summary.shows_labels:
        told.append("The sign of a score is its label.")
    return section(
        "Scores",
        tag(
            "div",
            figure(score_chart(summary.scores), "Share of each dataset by score."),
            tag("div", [tag("p", sentence) for sentence in told]),
            class_="two",
        ),
    )


def _gap(summary: Summary) -> Element:
    evidence = summary.evidence
    assert evidence is not None
    low, high = evidence["gap_interval"]
    how = {
        "refit": "the whole method was fitted anew to each",
        "split": "the method was fitted to halves of the samples and tested on the other halves",
    }[evidence["test"]]
    stopped = (
        " It stopped early, as the p-value could not become small any more."
        if evidence["stopped_early"]
        else ""
    )
    text = [
        tag(
            "p",
            "The gap is the share of A labelled +1 less the share of B labelled +1, on samples "
            f"that the fit has not seen: {fixed(evidence['gap'])}, "
            f"{evidence['confidence']:.0%} interval {fixed(low)} to {fixed(high)}.",
        ),
        tag(
            "p",
            f"What chance achieves: {evidence['permutations']:,} shuffled memberships "
            f"({how}) gave the gaps drawn in grey. p\N{NO-BREAK SPACE}{_p(evidence)}.{stopped}",
        ),
    ]
    parts = evidence["sensitivity"]
    if parts:
        weakest = parts[0]
        text.append(
            tag(
                "p",
                "It was also found without each part of the rows in turn. The smallest gap is then "
                f"{fixed(weakest['gap'])} ({fixed(weakest['gap_interval'][0])} to "
                f"{fixed(weakest['gap_interval'][1])}), without ",
                name(weakest["without"]),
                f" ({weakest['rows']} rows).",
            )
        )
    drawing = figure(gap_chart(evidence), "Number of shuffled memberships by their gap.")
    return section(
        "The gap, and what chance achieves", tag("div", drawing, tag("div", text), class_="two")
    )


def _p(evidence: Any) -> str:
    at_most = "\N{LESS-THAN OR EQUAL TO}" if evidence["p_value"] <= evidence["smallest_p"] else "="
    return f"{at_most}\N{NO-BREAK SPACE}{number(evidence['p_value'], 2)}"


def _probabilities(summary: Summary) -> Element:
    found = summary.probabilities
    assert found is not None
    facts = [
        ("Share of +1 in A", percent(found.theta_a), _known_how(found.interval_a)),
        ("Share of +1 in B", percent(found.theta_b), _known_how(found.interval_b)),
        ("Expected error", percent(found.expected_error), "of all labels, from held-out scores"),
        (
            "Error by dataset",
            percent(found.error_by_dataset),
            "of giving each dataset its likelier label",
        ),
    ]
    return section(
        "Class balances and probabilities",
        _facts(facts),
        tag(
            "div",
            figure(
                probability_chart(found.values),
                f"Share of each dataset by probability of class +1 ({found.calibration} "
                "calibration, the dataset of a sample counted as evidence).",
            ),
            class_="two",
        ),
    )


def _known_how(interval: tuple[float, float] | None) -> str:
    if interval is None:
        return "given"
    return f"estimated, between {percent(interval[0])} and {percent(interval[1])}"


def _least_sure(samples: Sequence[Sample]) -> Element:
    columns: list[tuple[str, str]] = [
        ("sample", ""),
        ("dataset", ""),
        ("label", ""),
        ("score", "n"),
    ]
    first = samples[0]
    if first.confidence is not None:
        columns.append(("confidence", "n"))
    if first.probability is not None:
        columns.append(("probability of +1", "n"))
    rows = []
    for sample in samples:
        label = {1: "+1", -1: f"{MINUS_SIGN}1", 0: "none"}[sample.label]
        row: list[Any] = [
            name(sample.id),
            (sample.dataset, sample.dataset.lower()),
            (label, {1: "plus", -1: "minus"}.get(sample.label)),
            number(sample.score),
        ]
        if first.confidence is not None:
            row.append("" if sample.confidence is None else percent(sample.confidence))
        if first.probability is not None:
            row.append("" if sample.probability is None else percent(sample.probability))
        rows.append(row)
    return section(
        "Least sure samples",
        tag(
            "p",
            "Look at these first. Confidence is how often fits to parts of the samples agree with "
            "the label."
            if first.confidence is not None
            else "Look at these first.",
            class_="soft small",
        ),
        grid(columns, rows, "The samples whose labels are least sure, the least sure first"),
    )


def _origin(summary: Summary) -> Element:
    origin = summary.origin
    versions = ", ".join(f"{package} {version}" for package, version in origin.versions.items())
    parameters = ", ".join(f"{key}={value!r}" for key, value in summary.parameters.items())
    rows: list[list[Any]] = [
        ["Method", tag("code", f"{summary.method}({parameters})")],
        ["Seed", "none given: the library's own" if origin.seed is None else origin.seed],
        ["Versions", versions],
        *(
            [["SHA-256 of ", name(part["name"])], tag("code", part["sha256"])]
            for part in origin.inputs
        ),
    ]
    return section(
        "How to get this again",
        None if origin.command is None else tag("pre", origin.command),
        grid([("", ""), ("", "")], rows, None, class_="long"),
    )
