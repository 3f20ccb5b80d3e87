"""Naming methods: what a user types is what runs."""

import pytest

from unclustered import DSDD
from unclustered.errors import ParameterError
from unclustered.paper import contestant, lineup


def test_the_paper_s_methods_and_the_baselines_by_default():
    headings = [c.heading for c in lineup()]
    assert headings == ["DSDD", "LSDD", "KDE", "KM", "SC", "SMIC", "origin", "coin flips"]


def test_the_paper_s_dsdd_is_the_paper_s_model():
    model = contestant("dsdd").make(seed=3)
    assert isinstance(model, DSDD)
    assert (model.penalty, model.intercept, model.random_state) == ("coefficients", False, 3)


def test_baselines_take_part_whatever_was_asked_for_and_come_last():
    assert [c.name for c in lineup(["origin", "lsdd"])] == ["lsdd", "origin", "coin"]


def test_parameters_reach_the_estimator():
    model = contestant("dsdd:penalty=rkhs,intercept=true,max_iter=7,tol=1e-5").make(seed=0)
    assert (model.penalty, model.intercept, model.max_iter, model.tol) == ("rkhs", True, 7, 1e-5)


def test_one_name_for_one_method_however_it_is_written():
    names = {
        contestant(text).name
        for text in (
            "dsdd:penalty=rkhs,start=best",
            "dsdd: start = best , penalty = rkhs",
            "dsdd:penalty=rkhs,start=best,intercept=false",
        )
    }
    assert names == {"dsdd:penalty=rkhs,start=best"}
    assert contestant("dsdd:intercept=false") == contestant("dsdd")


def test_a_changed_method_is_not_the_published_one():
    assert contestant("dsdd").published_as == "DSDD"
    assert contestant("dsdd:penalty=rkhs").published_as is None


def test_commas_separate_methods_and_their_parameters():
    names = [c.name for c in lineup(["dsdd:penalty=rkhs,start=best,lsdd,kde", "smic"])]
    assert names[:4] == ["dsdd:penalty=rkhs,start=best", "lsdd", "kde", "smic"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sdd", "no method 'sdd'.*dsdd"),
        ("dsdd:penality=rkhs", "penality.*it has: .*penalty"),
        ("dsdd:penalty", "'penalty' is no parameter"),
        ("dsdd:penalty=l1", "dsdd:penalty=l1.*penalty.*rkhs"),
        ("dsdd:random_state=3", "random_state"),
        ("origin:k=3", "it has none"),
    ],
)
def test_mistakes_are_errors_that_help(text, says):
    with pytest.raises(ParameterError, match=says):
        contestant(text)
