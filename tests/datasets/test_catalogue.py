from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from unclustered.datasets import load_benchmark
from unclustered.datasets.catalogue import catalogue

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"
DATA = files("unclustered.datasets") / "data"
ROWS = {
    name: [cell.strip() for cell in cells.split("|")]
    for name, cells in re.findall(
        r"^\| `(\w+)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
}


def test_every_set_can_be_had_and_every_file_is_a_set():
    shipped = {file.name.removesuffix(".csv.gz") for file in DATA.iterdir()}
    fetched = {name for name, entry in catalogue().items() if entry.openml is not None}
    assert shipped | fetched == set(catalogue())
    assert not shipped & fetched


@pytest.mark.parametrize("entry", catalogue().values(), ids=catalogue())
def test_the_page_states_each_sets_shape_source_and_licence(entry):
    rows, columns, positive, negative, _, source, licence = ROWS[entry.name]
    assert [int(rows), int(columns)] == [entry.rows, len(entry.features)]
    assert [int(positive), int(negative)] == [entry.positive, entry.rows - entry.positive]
    assert entry.licence.lower().startswith(licence.split(";")[0].lower())
    versions = re.findall(r"[\w-]+ \d+\.[\d.-]+\d", entry.source)
    assert all(version in source for version in versions)
    assert versions or entry.openml is not None


def test_the_page_names_no_other_set():
    assert set(ROWS) == set(catalogue())


def test_the_pages_recipe_turns_the_published_file_into_the_expected_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (recipe,) = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    entry = catalogue()["australian"]
    means = list(entry.features.values())
    values = " ".join(str(mean) for mean in means)
    Path("australian.dat").write_text(
        "".join(f"{values} {int(row < entry.positive)}\n" for row in range(entry.rows))
    )
    exec(recipe, {})
    australian = load_benchmark("australian", data_dir=tmp_path)
    assert australian.X[0].tolist() == means
    assert australian.y.tolist() == [1] * 307 + [-1] * 383
