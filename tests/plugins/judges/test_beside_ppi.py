"""Means with a judge beside prediction-powered inference: its formulas, ppi-python and glide-py."""

from typing import Any

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.plugins.judges.predicted_means import PredictedMean


def numbers(n: int = 300, n_samples: int = 3000) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(1)
    judged = rng.normal(0, 1, n_samples)
    labelled = np.sort(rng.permutation(n_samples)[:n])
    return 2 + 0.8 * judged[labelled] + rng.normal(0, 0.5, n), judged, labelled


def theirs(people: Any, judged: Any, labelled: Any, coefficient: float) -> tuple[float, float]:
    """Estimate and standard error of PPI++ by its definition: a judge of the other samples."""
    other = np.delete(judged, labelled)
    rest = people - coefficient * judged[labelled]
    estimate = coefficient * other.mean() + rest.mean()
    return estimate, np.sqrt(rest.var() / len(people) + coefficient**2 * other.var() / len(other))


@pytest.mark.parametrize("coefficient", [0.0, 0.5, 1.0])
def test_the_estimate_is_that_of_ppi_at_the_same_coefficient(coefficient: float) -> None:
    people, judged, labelled = numbers()
    # Our judge speaks of all samples, theirs of those without labels.
    share = 1 - len(labelled) / len(judged)
    mean = PredictedMean.of(people, judged, labelled, coefficient).mean
    expected = theirs(people, judged, labelled, coefficient * share)[0]
    assert mean == pytest.approx(expected, abs=1e-12)
    ppi = pytest.importorskip("ppi_py")
    other = np.delete(judged, labelled)
    found = ppi.ppi_mean_pointestimate(people, judged[labelled], other, lam=coefficient * share)
    assert mean == pytest.approx(float(np.squeeze(found)), abs=1e-12)


def test_the_error_is_near_that_of_ppi() -> None:
    people, judged, labelled = numbers()
    best = np.cov(people, judged[labelled])[0, 1] / judged.var() / (1 + 300 / 2700)
    found = PredictedMean.of(people, judged, labelled)
    variance, degrees = found.variance, found.degrees
    assert np.sqrt(variance) == pytest.approx(theirs(people, judged, labelled, best)[1], rel=0.05)
    assert 100 < degrees < 600


@pytest.mark.filterwarnings("ignore:samples with labels by people are not spread")
def test_verdicts_of_two_values_are_ppi_at_its_best_coefficient() -> None:
    rng = np.random.default_rng(2)
    people = (rng.random(2000) < 0.7).astype(float)
    judge = np.where(rng.random(2000) < 0.85, people, 1 - people)
    seen = np.arange(2000) < 200
    scores = {"a": np.where(seen, people, np.nan)}
    preds = mc.Predictions.from_scores(scores, judge={"a": judge}, greater_is_better=True)
    point = mc.compare(preds).scores["estimate"][0]
    # Post-stratification is a regression on the verdict, at its least-squares coefficient.
    slope = np.polyfit(judge[seen], people[seen], 1)[0]
    assert point == pytest.approx(people[seen].mean() + slope * (judge.mean() - judge[seen].mean()))
    pytest.importorskip("glide")
    from glide.estimators import PPIMeanEstimator

    found = PPIMeanEstimator().estimate(scores["a"], judge)
    assert point == pytest.approx(found.confidence_interval.mean, abs=0.01)
