"""The same totals in three ways: the product, the collapse of equal rows, and a plain loop."""

import re
import tracemalloc

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import modelcompare as mc
from modelcompare import Predictions
from modelcompare.engine import evaluation
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import influence_moments
from modelcompare.metrics import METRICS, from_callable, resolve_metrics
from modelcompare.resampling import weights as resampling
from modelcompare.resampling.weights import BootstrapWeights, GivenWeights
from tests.plugged import needs

SEED = np.random.SeedSequence(1)
HARD = [n for n, m in METRICS.items() if m.needs == "labels"]
# The loop would make bins of equal mass again on each resample; areas are of two classes.
SOFT = [
    n
    for n, m in METRICS.items()
    if m.needs == "probabilities" and m.strategy == "sum" and not re.search("_mass|_auc", n)
]


def random_predictions(n=60, n_models=3, n_classes=3, **columns):
    rng = np.random.default_rng(n + n_classes)
    y_true = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    probs = {f"m{i}": rng.dirichlet(np.ones(n_classes), n) for i in range(n_models)}
    return Predictions(y_true, probs, **columns)


def edge_predictions():
    return Predictions(
        [0, 0, 0, 0, 1], {"a": [0, 0, 0, 0, 0], "b": [2, 2, 1, 0, 1], "c": [0, 0, 0, 0, 1]},
        labels=[0, 1, 2, 3],
    )  # fmt: skip


def by_loop(preds, metrics, weights):
    """Values on resampled rows, one resample and one model at a time."""
    out = []
    for counts in weights:
        rows = np.repeat(np.arange(len(preds)), counts.astype(int))
        part = preds.subset(rows)
        out.append([Evaluation(part[[m]], metrics).estimate()[0] for m in preds.models])
    return np.array(out)


@pytest.mark.parametrize(
    "preds", [random_predictions(), edge_predictions()], ids=["random", "edge"]
)
def test_product_collapse_and_loop_agree(preds):
    metrics = resolve_metrics(HARD, preds)
    product = Evaluation(preds, metrics, collapse=False)
    collapsed = Evaluation(preds, metrics, collapse=True)
    # Of few samples resamples lack now this class and now that; of many, one is like another.
    n_resamples = 20 if len(preds) < 10 else 6
    weights = BootstrapWeights(product.units, n_resamples, SEED).draw_all(0)
    expected = by_loop(preds, metrics, weights)
    np.testing.assert_allclose(product.values(weights), expected, atol=1e-12)
    np.testing.assert_allclose(
        collapsed.values(_collapsed_counts(preds, collapsed, weights)), expected, atol=1e-12
    )


def _collapsed_counts(preds, collapsed, weights):
    """Samples of each distinct row that a resample holds."""
    key = np.column_stack([preds.access.codes, *(preds.predicted(m) for m in preds.models)])
    rows = collapsed._rows
    distinct = np.column_stack([rows.codes, *rows.predicted])
    unit = (key[:, None] == distinct[None]).all(axis=2).argmax(axis=1)
    return np.array([np.bincount(unit, row, len(distinct)) for row in weights])


@needs("calibration")
def test_a_metric_that_would_fill_the_memory_is_refused():
    n = 20_000
    preds = Predictions(np.arange(n) % 500, {"a": np.full((n, 500), 1 / 500, dtype=np.float32)})
    with pytest.raises(ValueError, match=r"brier_reliability stores 45,000 numbers.*6.7 GiB"):
        Evaluation(preds, resolve_metrics("brier_reliability", preds)).estimate()


def test_product_and_loop_agree_for_soft_metrics():
    preds = random_predictions()
    metrics = resolve_metrics(SOFT, preds)
    product = Evaluation(preds, metrics)
    weights = BootstrapWeights(product.units, 6, SEED).draw_all(0)
    np.testing.assert_allclose(
        product.values(weights), by_loop(preds, metrics, weights), atol=1e-12
    )


def test_resampled_rows_in_scikit_learn_give_the_same():
    preds = random_predictions()
    names = ["accuracy", "f1_macro", "f1", "precision", "recall", "mcc", "kappa"]
    product = Evaluation(preds, resolve_metrics(names, preds))
    weights = BootstrapWeights(product.units, 8, SEED).draw_all(0)
    found = product.values(weights)
    options = {"labels": [0, 1, 2], "zero_division": np.nan}
    for counts, values in zip(weights, found, strict=True):
        rows = np.repeat(np.arange(len(preds)), counts.astype(int))
        for position, model in enumerate(preds.models):
            y, p = preds.y_true[rows], preds.predicted(model)[rows]
            expected = [
                sk.accuracy_score(y, p),
                sk.f1_score(y, p, average="macro", **options),
                *sk.f1_score(y, p, average=None, **options),
                *sk.precision_score(y, p, average=None, **options),
                *sk.recall_score(y, p, average=None, **options),
                sk.matthews_corrcoef(y, p),
                sk.cohen_kappa_score(y, p),
            ]
            np.testing.assert_allclose(values[position], expected, atol=1e-12)


def test_a_callable_gives_what_the_metric_does():
    preds = random_predictions()
    by_name = Evaluation(preds, resolve_metrics(["accuracy"], preds), collapse=False)
    function = from_callable(lambda y, p: (y == p).mean(), name="mine")
    mine = Evaluation(preds, resolve_metrics([function], preds))
    weights = BootstrapWeights(by_name.units, 200, SEED)
    expected = by_name.replicates(weights)
    np.testing.assert_allclose(mine.replicates(weights), expected, atol=1e-12)
    np.testing.assert_allclose(mine.jackknife(slice(0, 5)), by_name.jackknife(slice(0, 5)))


def test_many_samples_are_left_out_in_groups():
    preds = random_predictions(n=2000, n_models=2)
    function = from_callable(lambda y, p: (y == p).mean(), name="mine")
    mine = Evaluation(preds, resolve_metrics([function], preds))
    moments = influence_moments(mine, mine.estimate())
    by_name = Evaluation(preds, resolve_metrics(["accuracy"], preds), collapse=False)
    exact = influence_moments(by_name, by_name.estimate())
    np.testing.assert_allclose(moments.standard_error(), exact.standard_error(), rtol=0.05)
    pair = np.array([0]), np.array([1])
    np.testing.assert_allclose(moments.standard_error(pair), exact.standard_error(pair), rtol=0.08)


def test_a_callable_that_takes_no_weights_says_so():
    preds = random_predictions()
    function = from_callable(lambda y, p: (y == p).mean(), name="mine")
    mine = Evaluation(preds, resolve_metrics([function], preds))
    weights = BootstrapWeights(mine.units, 4, SEED, "bayesian")
    with pytest.raises(ValueError, match="metric 'mine' has no parameter `sample_weight`"):
        mine.replicates(weights)

    def weighted(y, p, sample_weight=None):
        return np.average(y == p, weights=sample_weight)

    by_name = Evaluation(preds, resolve_metrics(["accuracy"], preds), collapse=False)
    taking = Evaluation(preds, resolve_metrics([from_callable(weighted), "accuracy"], preds))
    found = taking.replicates(weights)
    np.testing.assert_allclose(found[..., 0], by_name.replicates(weights)[..., 0], atol=1e-12)


@pytest.mark.parametrize(
    "columns", [{}, {"groups": np.arange(60) // 4}, {"strata": np.arange(60) % 2}]
)
def test_results_do_not_depend_on_jobs_or_memory(monkeypatch, columns):
    preds = random_predictions(**columns)
    metrics = resolve_metrics(["accuracy", "cf1", "log_loss"], preds)
    part = Evaluation(preds, metrics)
    weights = BootstrapWeights(part.units, 700, SEED)
    expected = part.replicates(weights)
    with mc.config_context(n_jobs=3):
        np.testing.assert_array_equal(part.replicates(weights), expected)
    monkeypatch.setattr(evaluation, "PASS_BYTES", 20_000)
    np.testing.assert_array_equal(part.replicates(weights), expected)


def test_row_blocks_add_up(monkeypatch):
    preds = random_predictions()
    metrics = resolve_metrics(["f1_macro", "cf1"], preds)
    part = Evaluation(preds, metrics, collapse=False)
    counts = BootstrapWeights(part.units, 50, SEED).draw_all(0)
    expected = part.values(counts)
    monkeypatch.setattr(resampling, "ROW_BLOCK", 7)
    np.testing.assert_allclose(part.values(counts), expected, atol=1e-13)
    left = part.jackknife(slice(None))
    monkeypatch.undo()
    np.testing.assert_allclose(left, part.jackknife(slice(None)), atol=1e-12)


def test_clusters_are_drawn_whole():
    groups = np.repeat(np.arange(12), 5)
    preds = random_predictions(groups=groups)
    metrics = resolve_metrics(["accuracy", "cf1"], preds)
    clustered = Evaluation(preds, metrics)
    assert clustered.units.n_units == 12
    counts = BootstrapWeights(clustered.units, 10, SEED).draw_all(0)
    by_sample = GivenWeights.of(resampling.Units(60), counts[:, groups])
    plain = Evaluation(random_predictions(), metrics, collapse=False)
    np.testing.assert_allclose(clustered.values(counts), plain.replicates(by_sample), atol=1e-12)
    left = clustered.jackknife(slice(0, 1))[0]
    without = preds.subset(groups != 0)
    np.testing.assert_allclose(left, Evaluation(without, metrics).estimate(), atol=1e-12)


def test_collapsing_is_refused_where_it_would_not_be_exact():
    preds = random_predictions()
    with pytest.raises(ValueError, match="`collapse=True` needs metrics of the true and predicted"):
        Evaluation(preds, resolve_metrics(["cf1"], preds), collapse=True)


def test_influence_gives_the_standard_error_of_a_mean():
    preds = random_predictions()
    part = Evaluation(preds, resolve_metrics(["accuracy"], preds), collapse=False)
    moments = influence_moments(part, part.estimate())
    right = preds.predicted("m0") == preds.access.codes
    assert moments.standard_error()[0, 0] == pytest.approx(right.std(ddof=1) / np.sqrt(60))
    other = preds.predicted("m1") == preds.access.codes
    expected = (right.astype(float) - other).std(ddof=1) / np.sqrt(60)
    found = moments.standard_error((np.array([0]), np.array([1])))[0, 0]
    assert found == pytest.approx(expected)
    collapsed = Evaluation(preds, resolve_metrics(["accuracy"], preds), collapse=True)
    same = influence_moments(collapsed, collapsed.estimate())
    np.testing.assert_allclose(same.covariance(), moments.covariance(), atol=1e-12)


def test_acceleration_is_a_sixth_of_the_skewness_of_jackknife_values():
    preds = random_predictions()
    part = Evaluation(preds, resolve_metrics(["cf1"], preds))
    moments = influence_moments(part, part.estimate())
    left = part.jackknife(slice(None))
    centred = left.mean(axis=0) - left
    expected = (centred**3).sum(axis=0) / (6 * (centred**2).sum(axis=0) ** 1.5)
    np.testing.assert_allclose(moments.acceleration(), expected, rtol=1e-8)
    difference = centred[:, 0] - centred[:, 1]
    expected = (difference**3).sum(axis=0) / (6 * (difference**2).sum(axis=0) ** 1.5)
    found = moments.acceleration((np.array([0]), np.array([1])))[0]
    np.testing.assert_allclose(found, expected, rtol=1e-7)


@pytest.mark.slow
def test_memory_stays_bounded():
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 3, 10_000)
    probs = {f"m{i}": rng.dirichlet(np.ones(3), 10_000).astype(np.float32) for i in range(100)}
    preds = Predictions(y_true, probs)
    names = ["precision", "recall", "f1", "cprecision", "crecall", "cf1"]
    part = Evaluation(preds, resolve_metrics(names, preds))
    weights = BootstrapWeights(part.units, 1000, SEED)
    tracemalloc.start()
    replicates = part.replicates(weights)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (peak - replicates.nbytes) / 2**20 < 256


@pytest.mark.parametrize(
    "test", ["studentized-permutation", "permutation", "sign-flip", "bootstrap"]
)
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_every_backend_of_joblib_gives_the_same_numbers(backend, test):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 600)
    made = {m: rng.random((600, 3)) + k * np.eye(3)[truth] for m, k in (("a", 0.5), ("b", 0.6))}
    preds = mc.Predictions(truth, {m: p / p.sum(1, keepdims=True) for m, p in made.items()})
    options = {"n_resamples": 600, "test": test, "method": "percentile"}
    metrics = ["accuracy", "f1", "cf1_macro"]
    here = mc.compare(preds, metrics, **options)
    with joblib.parallel_config(backend), mc.config_context(n_jobs=2):
        there = mc.compare(preds, metrics, **options)
    pd.testing.assert_frame_equal(there.scores, here.scores, check_exact=True)
    pd.testing.assert_frame_equal(there.differences, here.differences, check_exact=True)
