"""Repeated runs and suites beside what others compute: rliable, Miller (2024), nested means."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import modelcompare as mc
from experiments.validity import beside_rliable as study

RNG = np.random.default_rng(2)
SCORES = RNG.random(80)
CLUSTERS = RNG.integers(0, 12, 80)
OTHER = SCORES + RNG.normal(0.05, 0.2, 80)


def compared(**columns):
    preds = mc.Predictions.from_scores({"a": SCORES, "b": OTHER}, greater_is_better=True, **columns)
    return mc.compare(preds, n_resamples=99, test="wald")


def test_the_mean_over_tasks_and_runs_is_rliables():
    x = RNG.normal(size=(3, 20))
    preds = mc.Predictions.from_scores(
        {"a": x.ravel()}, strata=np.tile(np.arange(20), 3), greater_is_better=True
    )
    found = mc.bootstrap(preds, "mean_score", n_resamples=2).point[0, 0]
    assert found == pytest.approx(np.mean(x))
    metrics = pytest.importorskip("rliable.metrics")
    assert found == pytest.approx(metrics.aggregate_mean(x))


def test_percentiles_of_few_runs_cover_too_little_and_the_default_does_not():
    table = pd.read_csv(study.RESULTS)
    assert len(table) == len(study.CELLS)
    assert table["covered, percentile"].max() < 0.94
    assert table.loc[table["runs"] == 3, "covered, percentile"].max() < 0.89
    # The standard error of 4,000 trials is 0.0035.
    assert table["covered, default"].min() > 0.935


def test_the_study_is_of_what_it_says():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 5, 4))
    low, high = study.default(x)[:, 0]
    assert low < x.mean() < high
    draws = [np.mean([rng.choice(column, 5) for column in x[0].T]) for _ in range(20_000)]
    expected = np.quantile(draws, [0.025, 0.975])
    np.testing.assert_allclose(study.percentile(x[0], rng), expected, atol=0.04)


def test_standard_errors_are_millers_of_the_central_limit_theorem():
    found = compared().scores["standard_error"][0]
    n = len(SCORES)
    assert found == pytest.approx(SCORES.std(ddof=1) / np.sqrt(n))


def test_paired_standard_errors_are_millers():
    found = compared().differences["standard_error"][0]
    a, b = SCORES, OTHER
    n = len(a)
    # Equation 8: variances and covariance of the two models' scores.
    expected = np.sqrt((np.var(a, ddof=1) + np.var(b, ddof=1) - 2 * np.cov(a, b)[0, 1]) / n)
    assert found == pytest.approx(expected)


def test_clustered_standard_errors_are_millers_but_for_the_number_of_clusters():
    found = compared(groups=CLUSTERS).scores["standard_error"][0]
    centred = SCORES - SCORES.mean()
    # Equation 4: the sum of products within clusters.
    within = sum(centred[c == CLUSTERS].sum() ** 2 for c in np.unique(CLUSTERS))
    g = len(np.unique(CLUSTERS))
    miller = np.sqrt(within) / len(SCORES)
    # Clusters are left out whole (jackknife), which is above it by about the factor of few clusters.
    assert miller < found < 1.25 * miller * np.sqrt(g / (g - 1))


def test_the_mean_of_nested_means_is_the_mean_of_balanced_runs():
    x = RNG.random((30, 4))
    item, run = (each.ravel() for each in np.indices(x.shape))
    preds = mc.Predictions.from_scores(
        {"a": x.ravel()}, groups=item, runs=run, greater_is_better=True
    )
    with pytest.warns(mc.SparseDataWarning, match="4 runs"):
        found = mc.compare(preds, n_resamples=99).scores.iloc[0]
    assert found["estimate"] == pytest.approx(x.mean(axis=1).mean())
    # For these runs, the error is that of the items' means.
    these = mc.compare(preds, n_resamples=99, random="items").scores["standard_error"][0]
    assert these == pytest.approx(stats.sem(x.mean(axis=1)))
