"""A comparison draws only the resamples that are needed; its results are as if all were drawn."""

import numpy as np
import pytest

import modelcompare as mc
from modelcompare import UndefinedMetricWarning
from modelcompare.engine.evaluation import Evaluation
from tests.plugged import needs

METRICS = ["accuracy", "f1", "cf1_macro", "log_loss"]
SNLI = mc.load_example("snli")


@pytest.fixture
def asked(monkeypatch):
    """How many resamples were drawn, each time that any were."""
    replicates, found = Evaluation.replicates, []

    def spied(self, weights, **options):
        found.append(weights.n_resamples)
        return replicates(self, weights, **options)

    monkeypatch.setattr(Evaluation, "replicates", spied)
    return found


def test_what_is_shown_of_the_defaults_needs_no_resample(asked):
    result = mc.compare(SNLI, METRICS, n_resamples=999)
    assert (result.scores["n_undefined"] == 0).all()
    assert len(result.differences) == 6 * 6
    assert result.verdict()
    assert result.plot()
    assert asked == []


@pytest.mark.parametrize(
    "options",
    [
        {"method": "BCa"},
        {"test": "bootstrap"},
        {"correction": "max-t"},
        {"undefined": "raise"},
        {"metrics": [*METRICS, "matthews_corrcoef"]},
    ],
)
def test_what_needs_resamples_draws_them_once(asked, options):
    result = mc.compare(SNLI, **{"metrics": METRICS, "n_resamples": 799, **options})
    assert len(result.scores) > 0
    assert result.bootstrap.replicates.shape[0] == 799
    assert asked == [799]


@needs("calibration")
def test_errors_of_calibration_errors_come_from_the_first_resamples_drawn_or_not(asked):
    few = SNLI.subset(range(4000))
    result = mc.compare(few, "ece", n_resamples=799)
    errors = result.scores["standard_error"]
    assert asked == [512]
    drawn = mc.bootstrap(few, "ece", n_resamples=799)
    spread = drawn.draws[:512, :, 0].std(axis=0, ddof=1)
    np.testing.assert_allclose(errors, spread, rtol=1e-12)
    assert drawn.moments.standard_error()[:, 0].tolist() == errors.tolist()


def test_replicates_that_are_asked_for_later_are_those_of_bootstrap():
    options = {"n_resamples": 299, "rng": 5}
    found = mc.compare(SNLI, METRICS, **options).bootstrap
    drawn = mc.bootstrap(SNLI, METRICS, **options)
    assert found.n_resamples == drawn.n_resamples == 299
    assert found.draws.tobytes() == drawn.draws.tobytes()
    np.testing.assert_array_equal(found.n_undefined, drawn.n_undefined)
    assert found.confidence_interval().equals(drawn.confidence_interval())


def test_classes_that_resamples_lose_are_still_counted_and_named():
    y = np.r_[np.zeros(97, int), [1, 1, 1]]
    preds = mc.Predictions(y, {"a": y, "b": 0 * y})
    with pytest.warns(UndefinedMetricWarning, match="recall of class 1 is undefined on"):
        result = mc.compare(preds, "recall", n_resamples=999)
    drawn = mc.bootstrap(preds, "recall", n_resamples=999)
    assert drawn.n_undefined.max() > 10
    expected = drawn.n_undefined.ravel().tolist()
    assert result.scores.sort_values(["model", "label"])["n_undefined"].tolist() == expected


def test_a_result_says_what_it_is():
    assert repr(mc.compare(SNLI, "accuracy").bootstrap) == "BootstrapResult(scheme='multinomial')"
