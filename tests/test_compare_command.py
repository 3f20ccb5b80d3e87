"""``unclustered compare``: what it ranks, and what it says of what it could not."""

import json

import pytest

from tests.test_cli import complaint, folder, run  # noqa: F401  (a fixture)

pytestmark = pytest.mark.usefixtures("folder")


def test_the_leaderboard_is_that_of_the_library():
    found = json.loads(run("compare", "a.csv", "b.csv", "--budget", "fast", "--json").stdout)
    rows = found["leaderboard"]
    assert {row["method"] for row in rows} == {
        "dsdd",
        "kde",
        "kmeans",
        "lsdd",
        "smic",
        "spectral",
    }
    assert [row["gap"] for row in rows] == sorted((row["gap"] for row in rows), reverse=True)
    assert sum(row["weight"] for row in rows) == pytest.approx(1.0)
    assert found["failures"] == {}
    assert found["budget"] == "fast"
    assert found["datasets"]["A"]["rows"] == 40


def test_a_person_reads_it_and_nothing_is_written(folder):  # noqa: F811
    printed = run("compare", "a.csv", "b.csv").stdout
    assert "kmeans" in printed
    assert "95% interval" in printed
    assert "All together, by their weights: gap 0." in printed
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv", "b.csv"]


def test_what_there_was_no_time_for_is_named():
    printed = run("compare", "a.csv", "b.csv", "--max-time", "0.001").stdout
    assert "Not ranked: kmeans (left out: the 0.001 s of max_time were over)" in printed


def test_a_budget_that_there_is_not_is_refused():
    result = run("compare", "a.csv", "b.csv", "--budget", "huge", code=2)
    assert "huge" in result.stderr
    assert "thorough" in result.stderr
    assert "none.csv" in complaint("compare", "a.csv", "none.csv")
