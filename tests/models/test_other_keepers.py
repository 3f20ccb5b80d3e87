"""Fitted methods and results in the formats of others: joblib and skops."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unclustered import label
from unclustered.methods import method_class, method_names

every_method = pytest.mark.parametrize("method", method_names())


def draw(n, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(0.5, 1, (n, 3)), rng.normal(-0.5, 1, (n, 3)), rng.normal(size=(50, 3))


@every_method
def test_joblib_keeps_results(method, tmp_path):
    a, b, new = draw(25, 0)
    result = label(a, b, method, evidence=False)
    joblib.dump(result, tmp_path / "result.joblib")
    again = joblib.load(tmp_path / "result.joblib")
    np.testing.assert_array_equal(again.labels_a, result.labels_a)
    np.testing.assert_array_equal(again.score_samples(new), result.score_samples(new))


@every_method
def test_skops_keeps_methods_alone_and_in_pipelines(method):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    a, b, new = draw(25, 1)
    X, y = np.r_[a, b], np.repeat(["in A", "in B"], 25)
    for model in (method_class(method)(), make_pipeline(StandardScaler(), method_class(method)())):
        content = skops.dumps(model.fit(X, y))
        needed = skops.get_untrusted_types(data=content)
        assert {name.partition(".")[0] for name in needed} <= {"unclustered", "sklearn"}
        again = skops.loads(content, trusted=needed)
        np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))
