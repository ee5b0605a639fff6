"""The diagram of reliability."""

import numpy as np
import pytest

import modelcompare as mc
from tests.plugins.calibration.rows import reliability
from tests.report.drawn import preds

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")


def test_a_model_is_checked():
    with pytest.raises(ValueError, match="`model` 'x' is not here"):
        reliability(2, 3).plot.reliability(model="x")


def test_reliability_states_the_debiased_error_with_its_interval():
    data = preds(2, 3)
    found = mc.inference.calibration_test(data[data.models[0]], n_bins=5, n_resamples=99)
    note = f"ECE {found.estimate:.3f} ({found.ci_low:.3f} to {found.ci_high:.3f})"
    title = reliability(2, 3).plot().axes[0].get_title(loc="left")
    assert note in title.replace("\n", " ")
    weighted = mc.Predictions(
        data.y_true, {"a": data.probabilities(data.models[0])}, labels=data.labels,
        sample_weight=np.resize([1.0, 2.0], len(data)),
    )  # fmt: skip
    title = mc.diagnostics.reliability(weighted, n_resamples=9).plot().axes[0].get_title(loc="left")
    assert "no ECE" in title
