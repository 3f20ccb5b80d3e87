"""Means, deviations, bold print and differences, against scipy and by hand."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from unclustered.datasets import benchmark_names
from unclustered.paper.conclusions import conclusions
from unclustered.paper.published import published
from unclustered.paper.tables import make_tables, not_worse_than_best


@pytest.mark.parametrize("seed", range(20))
def test_bold_is_the_paired_t_test(seed):
    rng = np.random.default_rng(seed)
    errors = rng.normal(0.2, 0.03, 40) + rng.normal(0, 0.03, (5, 40))
    errors += rng.choice([0, 0.004, 0.01], (5, 1))
    best = errors[errors.mean(axis=1).argmin()]
    expected = [
        own is best or np.array_equal(own, best) or ttest_rel(own, best).pvalue >= 0.05
        for own in errors
    ]
    assert not_worse_than_best(errors) == expected


def test_equal_methods_are_both_best_and_a_constant_lead_is_a_lead():
    errors = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.2, 0.3, 0.4]])
    assert not_worse_than_best(errors) == [True, True, False]


def test_a_method_that_failed_is_never_best():
    errors = np.array([[0.0, 0.0, math.nan], [0.3, 0.31, 0.32], [0.4, 0.42, 0.41]])
    assert not_worse_than_best(errors) == [False, True, False]
    assert not_worse_than_best(np.full((2, 3), math.nan)) == [False, False]


def test_a_baseline_does_not_take_bold_from_the_methods_but_gets_it_when_better():
    errors = np.array([[0.3, 0.31, 0.32, 0.3], [0.5, 0.5, 0.4, 0.5], [0.2] * 4])
    assert not_worse_than_best(errors, [True, True, False]) == [True, False, True]
    errors[2] = 0.45
    assert not_worse_than_best(errors, [True, True, False]) == [True, False, False]


def test_cells_are_means_and_deviations_of_the_trials(results):
    table = make_tables(results)[0]
    for row in table.rows:
        for cell in row.cells:
            trials = results.cell("table1", row.dataset, cell.contestant)
            rates = [trial.ler for trial in trials if trial.ler is not None]
            assert cell.mean == pytest.approx(sum(rates) / len(rates))
            assert cell.std == pytest.approx(np.std(rates, ddof=1))
            assert cell.trials + cell.failures == 12


def test_failures_are_counted_and_the_cell_is_not_bold(results):
    table = make_tables(results)[0]
    (failed,) = [c for row in table.rows for c in row.cells if c.failures]
    assert (failed.contestant.name, failed.failures, failed.trials) == ("kmeans", 2, 10)
    assert not failed.best
    assert any("failures: thyroid KM 2" in sentence for sentence in conclusions(table))


def test_the_published_figures_stand_beside(results):
    cell = make_tables(results)[0].rows[0].cells[1]
    assert (cell.published.mean, cell.published.std) == (0.174, 0.047)
    assert cell.difference == pytest.approx(cell.mean - 0.174)
    assert cell.standard_error == pytest.approx(math.sqrt((cell.std**2 + 0.047**2) / 12))


def test_the_published_table_is_whole():
    cells = [
        published(balance, name, method)
        for balance in ((0.2, 0.8), (0.35, 0.65))
        for name in benchmark_names()
        for method in ("DSDD", "LSDD", "KDE", "KM", "SC", "SMIC")
    ]
    assert all(cells)
    assert np.mean([c.mean for c in cells[:60:6]]) == pytest.approx(0.1822)
    assert np.mean([c.mean for c in cells[60::6]]) == pytest.approx(0.2958)
    assert published((0.2, 0.8), "heart", None) is None


def test_conclusions_report_what_holds_and_what_does_not(results):
    text = " ".join(conclusions(make_tables(results)[0]))
    assert "DSDD: mean within 0.02 of the published one, or below it, in 0 of 2 rows" in text
    assert "LSDD: mean within 0.02 of the published one, or below it, in 2 of 2 rows" in text
    assert "LSDD 2" in text.partition("Better than labelling each sample by its dataset")[2]
    assert "DSDD 0" in text.partition("Better than labelling each sample by its dataset")[2]
