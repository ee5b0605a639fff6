"""Clusters of samples beside a judge: errors contain both draws, of clusters and of labels."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needs

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")
METRICS = ["accuracy", "f1_macro", "precision[1]"]
VALUES = len(METRICS)


def world(seed, n_clusters=60, size=20, spread=1.0, share=0.4):
    """Labels of two classes, answers of two models and verdicts, all easier in some clusters."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(n_clusters), rng.integers(size // 2, 3 * size // 2, n_clusters))
    n = len(cluster)
    easy = spread * rng.normal(size=n_clusters)[cluster]
    truth = (rng.random(n) < 0.4).astype(int)

    def answers(quality):
        right = quality + easy + rng.normal(size=n) > 0
        return np.where(right, truth, 1 - truth)

    outputs, verdicts = {"a": answers(1.0), "b": answers(0.6)}, answers(1.6)
    labelled = rng.random(n) < share
    seen = np.where(labelled, truth, np.nan)
    return seen, outputs, verdicts, cluster


def predictions(seen, outputs, verdicts, cluster=None, rows=slice(None)):
    return mc.Predictions(
        seen[rows], {m: x[rows] for m, x in outputs.items()}, judge=verdicts[rows], labels=[0, 1],
        groups=None if cluster is None else cluster[rows],
    )  # fmt: skip


def errors(preds):
    found = mc.compare(preds, METRICS)
    scores = found.scores[found.scores["model"] == "a"]
    return np.r_[scores["standard_error"], found.differences["standard_error"]]


def test_errors_are_those_of_leaving_clusters_out():
    made = world(0)
    cluster, values = made[3], []
    for each in range(60):
        found = mc.compare(predictions(*made, rows=cluster != each), METRICS)
        scores = found.scores[found.scores["model"] == "a"]["estimate"]
        values.append(np.r_[scores, found.differences["difference"]])
    jackknifed = np.sqrt(59**2 / 60 * np.var(values, axis=0, ddof=1))
    clustered = errors(predictions(*made))
    # The jackknife of differences has the cells of each model, and no label is added to them.
    np.testing.assert_allclose(clustered, jackknifed, rtol=0.08)
    assert (clustered > 1.2 * errors(predictions(*made[:3])))[:VALUES].all()


def test_clusters_of_one_sample_are_none():
    seen, outputs, verdicts, _ = world(1, n_clusters=400, size=2, spread=0.0)
    alone = np.arange(len(seen))
    np.testing.assert_allclose(
        errors(predictions(seen, outputs, verdicts, alone)),
        errors(predictions(seen, outputs, verdicts)), rtol=2e-3,
    )  # fmt: skip


def test_products_within_clusters_are_those_by_hand():
    seen, outputs, verdicts, cluster = world(2)
    labelled, answer = ~np.isnan(seen), outputs["a"]
    right, n = (answer == seen).astype(float), len(seen)
    cell = 2 * answer + verdicts
    variance, sums = 0.0, np.zeros(60)
    means, added = np.empty(4), np.empty(4)
    for k in range(4):
        here = right[labelled & (cell == k)]
        # One label more is divided among the two classes: the model's, and the other one.
        added[k] = len(here)
        means[k] = (here.sum() + 0.5) / (len(here) + 1)
    whole = np.bincount(cell, minlength=4) @ means / n
    for k in range(4):
        size, n_labels = (cell == k).sum(), added[k]
        here = right[labelled & (cell == k)]
        squares = (((here - means[k]) ** 2).sum() + 0.25 + (0.5 - means[k]) ** 2) / (n_labels + 1)
        variance += size**2 * squares / (n_labels + 1) + size * (means[k] - whole) ** 2
    stands = np.bincount(cell, minlength=4) / (added + 1)
    parts = means[cell] - whole + np.where(labelled, stands[cell] * (right - means[cell]), 0.0)
    sums = pd.Series(parts).groupby(cluster).sum()
    variance += 60 / 59 * ((sums - sums.mean()) ** 2).sum() - (parts**2).sum()
    found = mc.compare(predictions(seen, outputs, verdicts, cluster)["a"], "accuracy").scores
    assert found["standard_error"].item() == pytest.approx(np.sqrt(variance) / n, rel=1e-3)


def test_clusters_that_are_declared_later_count():
    seen, outputs, verdicts, cluster = world(3)
    later = predictions(seen, outputs, verdicts).with_columns(groups=cluster)
    first = predictions(seen, outputs, verdicts, cluster)
    np.testing.assert_array_equal(errors(later), errors(first))


@needs("runs")
@pytest.mark.filterwarnings("ignore:runs are declared")
def test_runs_that_do_not_have_all_items_are_refused():
    seen, outputs, verdicts, cluster = world(3)
    preds = predictions(seen, outputs, verdicts, cluster)
    with pytest.raises(ValueError, match="need every item in every run, but"):
        mc.compare(preds.with_columns(runs=np.arange(len(seen)) % 2))


def test_more_labels_do_not_replace_more_clusters():
    made = world(4)
    plans = [
        mc.sample_size(predictions(*part), "a", "b", "accuracy", margin=0.02)
        for part in (made, made[:3])
    ]
    clustered, alone = (plan.components.detectable(plan.size, 0.05, 0.8) for plan in plans)
    assert clustered > alone
