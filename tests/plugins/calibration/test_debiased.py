"""Debiased calibration errors: by loops, and without bias in simulation."""

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics

BINS = 15


def draw(n, seed, gap=0.0):
    """Two classes; the likelier one comes true less often than predicted, by `gap`."""
    rng = np.random.default_rng(seed)
    confidence = rng.uniform(0.55, 1, n)
    right = rng.random(n) < confidence - gap
    return right.astype(int), confidence


def bins_of(right, confidence):
    code = np.minimum((confidence * BINS + 1e-12).astype(int), BINS - 1)
    return [(right[code == b], confidence[code == b]) for b in np.unique(code)]


def test_rms_calibration_error_by_a_loop():
    right, confidence = draw(60, 0, 0.2)
    total = 0.0
    for y, c in bins_of(right, confidence):
        variance = (y - c).var(ddof=1) / len(y) if len(y) > 1 else float((c * (1 - c)).sum())
        total += len(y) / 60 * ((y - c).mean() ** 2 - variance)
    found = mc.metrics.rms_calibration_error(right, confidence)
    assert found == pytest.approx(np.sqrt(max(total, 0.0)))


def test_debiased_ece_by_a_loop():
    right, confidence = draw(80, 1, 0.2)
    total = 0.0
    for y, c in bins_of(right, confidence):
        gap = abs((y - c).mean())
        error = np.sqrt((y - c).var(ddof=1) / len(y) if len(y) > 1 else (c * (1 - c)).sum())
        total += len(y) / 80 * (2 * gap - stats.foldnorm.mean(gap / error, scale=error))
    assert mc.metrics.debiased_ece(right, confidence) == pytest.approx(total)


@pytest.mark.parametrize("gap", [0.0, 0.05, 0.2])
def test_less_bias_than_the_plug_in(gap):
    found, names = [], ["ece", "debiased_ece", "rms_calibration_error"]
    for seed in range(150):
        right, confidence = draw(200, seed, gap)
        preds = mc.Predictions(right, {"a": confidence}, labels=[0, 1], kind="probabilities")
        found.append(Evaluation(preds, resolve_metrics(names, preds)).estimate()[0])
    plug_in, debiased, _ = np.mean(found, axis=0) - gap
    assert abs(debiased) < 0.65 * plug_in
    squared = np.mean(np.array(found)[:, 2] ** 2)
    assert squared == pytest.approx(gap**2, abs=0.003)


def test_they_are_metrics_like_any_other():
    right, confidence = draw(300, 2, 0.1)
    preds = mc.Predictions(right, {"a": confidence, "b": confidence**0.5})
    result = mc.compare(preds, ["debiased_ece_10", "rms_calibration_error"], n_resamples=99)
    expected = mc.metrics.debiased_ece(right, confidence, n_bins=10)
    assert result.scores.estimate[0] == pytest.approx(expected)
    assert not result.evidence.metric_info["debiased_ece_10"].greater_is_better
    assert mc.metrics.debiased_ece(right, confidence, strategy="mass") >= 0


@pytest.mark.parametrize("name", ["debiased_ece", "rms_calibration_error"])
def test_of_two_classes_each_is_as_far_off_as_the_other(name):
    # Bins of class 0 mirror those of class 1, so that the mean over classes is that of one.
    rng = np.random.default_rng(3)
    p = rng.uniform(0.501, 0.999, 400)
    y = (rng.random(400) < p - 0.2).astype(int)
    function = getattr(mc.metrics, name)
    assert function(y, p, classwise=True) == pytest.approx(function(y, p))
