"""Metrics of regression, calibration and ranks against independent programs."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import BootstrapWeights

SEED = np.random.SeedSequence(0)
RNG = np.random.default_rng(0)


def check(preds, name, reference):
    """Compare a metric with its reference on the data and on resampled rows."""
    part = Evaluation(preds, resolve_metrics(name, preds))
    everything = np.arange(len(preds))
    assert part.estimate()[0, 0] == pytest.approx(reference(everything), rel=1e-9, abs=1e-10), name
    counts = BootstrapWeights(part.units, 8, SEED).draw_all(0)
    for row, found in zip(counts, part.values(counts)[:, 0, 0], strict=True):
        rows = np.repeat(everything, row.astype(int))
        assert found == pytest.approx(reference(rows), rel=1e-9, abs=1e-10), name


Y = RNG.gamma(2, 2, 60)
P = Y + RNG.normal(0, 1, 60)
P = np.abs(np.round(P, 1))
REGRESSION = {
    "mse": sk.mean_squared_error,
    "rmse": sk.root_mean_squared_error,
    "mae": sk.mean_absolute_error,
    "msle": sk.mean_squared_log_error,
    "median_absolute_error": sk.median_absolute_error,
    "r2": sk.r2_score,
    "explained_variance": sk.explained_variance_score,
    "pearson": lambda y, p: stats.pearsonr(y, p).statistic,
    "spearman": lambda y, p: stats.spearmanr(y, p).statistic,
    "kendall": lambda y, p: stats.kendalltau(y, p).statistic,
}


@pytest.mark.parametrize("name", REGRESSION)
def test_regression(name):
    preds = mc.Predictions(Y, {"a": P}, kind="values")
    check(preds, name, lambda rows: REGRESSION[name](Y[rows], P[rows]))


def test_regression_with_a_large_offset_keeps_its_digits():
    preds = mc.Predictions(Y + 1e6, {"a": P + 1e6}, kind="values")
    result = mc.bootstrap(preds, ["r2", "pearson"], n_resamples=2).point[0]
    np.testing.assert_allclose(
        result, [sk.r2_score(Y, P), stats.pearsonr(Y, P).statistic], rtol=1e-6
    )
    constant = mc.Predictions(Y, {"a": np.full(60, 3.25)}, kind="values")
    assert np.isnan(mc.bootstrap(constant, "pearson", n_resamples=2).point[0, 0])


def test_parts_of_a_large_test_set_share_their_centre():
    y = np.sort(RNG.normal(0, 1, 70_000)) + 100
    p = y + RNG.normal(0, 1, 70_000)
    preds = mc.Predictions(y, {"a": p}, kind="values")
    part = Evaluation(preds, resolve_metrics(["pearson", "r2"], preds))
    assert len(part.units.row_blocks()) == 2
    counts = BootstrapWeights(part.units, 2, SEED).draw_all(0)
    rows = np.repeat(np.arange(len(y)), counts[0].astype(int))
    expected = [stats.pearsonr(y[rows], p[rows]).statistic, sk.r2_score(y[rows], p[rows])]
    np.testing.assert_allclose(part.values(counts)[0, 0], expected, rtol=1e-9)


def test_regression_models_are_compared():
    preds = mc.Predictions(Y, {"a": Y + 0.1 * (P - Y), "b": P}, kind="values")
    result = mc.compare(preds, ["rmse", "spearman", "median_absolute_error"], n_resamples=199)
    assert (result.differences.better == "a").all()


N_CLASSES = 4
CODES = np.r_[np.arange(4), RNG.integers(0, 4, 76)]
PROBS = RNG.dirichlet(np.ones(4), 80)
PROBS[:10] = np.round(PROBS[:10], 1)
PROBS /= PROBS.sum(axis=1, keepdims=True)
CALIBRATED = mc.Predictions(CODES, {"a": PROBS})


def entropy_loop(matrix):
    k = len(matrix)
    total = 0.0
    for j in range(k):
        mass = matrix[j].sum() + matrix[:, j].sum()
        shares = [x / mass for i in range(k) if i != j for x in (matrix[j, i], matrix[i, j]) if x]
        total -= (
            mass / (2 * matrix.sum()) * sum(x * np.log(x) / np.log(2 * (k - 1)) for x in shares)
        )
    return total


def test_confusion_entropy():
    guess = PROBS.argmax(axis=1)
    hard = lambda rows: entropy_loop(sk.confusion_matrix(CODES[rows], guess[rows], labels=range(4)))  # noqa: E731
    soft = lambda rows: entropy_loop(np.eye(4)[CODES[rows]].T @ PROBS[rows])  # noqa: E731
    check(CALIBRATED, "confusion_entropy", hard)
    check(CALIBRATED, "pcen", soft)
    perfect = mc.Predictions([0, 1, 2], {"a": np.eye(3)})
    assert mc.bootstrap(perfect, ["confusion_entropy", "pcen"], n_resamples=2).point.max() == 0
    many = mc.Predictions(np.arange(101), {"a": np.arange(101)})
    with pytest.raises(ValueError, match="101 classes; merge the rare ones"):
        mc.bootstrap(many, "confusion_entropy")


def test_divergence_from_soft_labels():
    truth = RNG.dirichlet(np.ones(4), 80)
    preds = mc.Predictions(truth, {"a": PROBS}, normalize=True)
    clipped = np.clip(PROBS, np.finfo(float).eps, 1)
    check(
        preds,
        "kl_divergence",
        lambda rows: stats.entropy(truth[rows], clipped[rows], axis=1).mean(),
    )
    hard = mc.bootstrap(CALIBRATED, ["kl_divergence", "log_loss"], n_resamples=2).point[0]
    assert hard[0] == pytest.approx(hard[1], rel=1e-6)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_top_k(k):
    if k == 5:
        assert mc.bootstrap(CALIBRATED, "top_5_accuracy", n_resamples=2).point[0, 0] == 1
        return
    check(
        CALIBRATED, f"top_{k}_accuracy",
        lambda rows: sk.top_k_accuracy_score(CODES[rows], PROBS[rows], k=k, labels=range(4)),
    )  # fmt: skip


def test_reciprocal_rank():
    ranks = [
        1 + (p > p[c]).sum() + ((p == p[c]).sum() - 1) / 2
        for p, c in zip(PROBS, CODES, strict=True)
    ]
    check(CALIBRATED, "mrr", lambda rows: (1 / np.array(ranks)[rows]).mean())


def test_the_order_of_samples_does_not_matter_here_either():
    preds = mc.Predictions(Y, {"a": P}, kind="values")
    names = [n for n, m in mc.metrics.METRICS.items()
             if m.needs == "values" and not n.startswith("perplexity")]  # fmt: skip
    order = RNG.permutation(len(preds))
    before, after = (
        mc.bootstrap(part, names, n_resamples=2).point for part in (preds, preds.subset(order))
    )
    np.testing.assert_allclose(after, before, rtol=1e-12)


def test_a_constant_has_no_rank_correlation_under_any_weights():
    preds = mc.Predictions(RNG.normal(size=20), {"a": np.full(20, 0.3)}, kind="values")
    for scheme in ("multinomial", "bayesian", "poisson"):
        draws = mc.bootstrap(preds, ["spearman", "pearson"], n_resamples=20, scheme=scheme).draws
        assert np.isnan(draws).all()


def test_an_outlier_that_is_not_drawn_leaves_no_trace():
    y, p = np.r_[RNG.normal(size=30), 1e8], np.r_[RNG.normal(size=30), 1e8]
    weight = np.r_[np.ones(30), 0]
    preds = mc.Predictions(y, {"a": p}, kind="values", sample_weight=weight)
    found = mc.bootstrap(preds, ["pearson", "r2"], n_resamples=2).point[0]
    expected = [stats.pearsonr(y[:30], p[:30]).statistic, sk.r2_score(y[:30], p[:30])]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
