"""Where the membership has nothing to do with the samples, no method finds that it has."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from unclustered import membership_gap
from unclustered.methods import method_class, method_names


@pytest.mark.slow
@pytest.mark.parametrize("name", method_names())
def test_cross_validated_gap_of_nothing_averages_to_nothing(name):
    # Fresh samples each time: on one set of samples, shuffled, the folds themselves bias the gap
    # downwards (what a fold holds out, the others lack).
    rng = np.random.default_rng(20130)
    method = method_class(name)()
    membership = np.repeat([1, -1], 20)
    folds = list(StratifiedKFold(5).split(membership[:, None], membership))
    gaps = []
    for _ in range(500):
        X = rng.normal(size=(40, 2))
        labels = np.empty(40)
        for train, test in folds:
            model = clone(method).fit(X[train], membership[train])
            labels[test] = model.predict(X[test])
        gaps.append(membership_gap(labels, membership))
    standard_error = np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    assert standard_error < 0.02
    assert abs(np.mean(gaps)) < 2 * standard_error
