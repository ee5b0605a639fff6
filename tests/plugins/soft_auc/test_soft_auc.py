"""Variants of the AUC: means over all pairs, written as loops, for any weights."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import modelcompare as mc

KERNELS = {
    "probabilistic_auc": lambda d: (1 + d) / 2,
    "scored_auc": lambda d: np.maximum(d, 0),
    "soft_auc": lambda d: 1 / (1 + np.exp(-10 * d)),
    "soft_auc_1": lambda d: 1 / (1 + np.exp(-d)),
    "soft_auc_50": lambda d: 1 / (1 + np.exp(-50 * d)),
}


def made(n=80, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    # Ties, and probabilities of exactly 0 and 1.
    return y, np.round(np.clip(0.5 * y + rng.normal(0.25, 0.3, n), 0, 1), 1), rng.uniform(0.2, 3, n)


def over_pairs(kernel, y, p, w):
    pairs = kernel(p[y == 1][:, None] - p[y == 0])
    weights = w[y == 1][:, None] * w[y == 0]
    return (weights * pairs).sum() / weights.sum()


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", [0, 1])
def test_values_are_means_over_pairs_with_weights(name, seed):
    y, p, w = made(seed=seed)
    for weight in (np.ones(len(y)), w):
        preds = mc.Predictions(y, {"a": p}, sample_weight=weight)
        (found,) = mc.bootstrap(preds, name, n_resamples=2).estimate
        assert found == pytest.approx(over_pairs(KERNELS[name], y, p, weight), abs=1e-12)


@pytest.mark.parametrize("name", KERNELS)
def test_replicates_are_means_over_the_drawn_pairs(name):
    y, p, _ = made()
    result = mc.bootstrap(mc.Predictions(y, {"a": p}), name, n_resamples=20)
    weights = np.vstack([*result.weights.blocks()])
    expected = [over_pairs(KERNELS[name], y, p, w) for w in weights]
    np.testing.assert_allclose(result.draws[:, 0, 0], expected, atol=1e-12)


@pytest.mark.parametrize("name", KERNELS)
def test_standard_errors_are_those_of_a_jackknife(name):
    y, p, _ = made(60)
    score = mc.compare(mc.Predictions(y, {"a": p}), name, n_resamples=99).scores.iloc[0]
    keep = ~np.eye(60, dtype=bool)
    left = [over_pairs(KERNELS[name], y[k], p[k], np.ones(59)) for k in keep]
    expected = np.sqrt(59 / 60 * ((left - np.mean(left)) ** 2).sum())
    assert score["standard_error"] == pytest.approx(expected, rel=0.02)


def test_a_steep_sigmoid_comes_near_the_auc_where_nothing_ties():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 30)
    p = rng.permutation(np.linspace(0.01, 0.99, 30))
    auc = roc_auc_score(y, p)
    far = [abs(mc.metrics.soft_auc(y, p, steepness=beta) - auc) for beta in (1, 10, 50)]
    assert far[0] > far[1] > far[2]


def test_scored_auc_is_the_area_under_the_auc_at_a_margin():
    y, p, _ = made()
    margins = (np.arange(2000) + 0.5) / 2000
    d = p[y == 1][:, None] - p[y == 0]
    area = np.mean([(d > margin).mean() for margin in margins])
    assert mc.metrics.scored_auc(y, p) == pytest.approx(area, abs=1e-3)


def test_more_classes_and_raw_scores_are_refused():
    with pytest.raises(ValueError, match="for 2 classes, got 3"):
        mc.metrics.scored_auc([0, 1, 2], np.full((3, 3), 1 / 3))
    with pytest.raises(ValueError, match="for 2 classes, got 3"):
        mc.metrics.soft_auc([0, 1, 2], np.full((3, 3), 1 / 3))
    for beta in (0, -1, 51):
        with pytest.raises(ValueError, match="steepness"):
            mc.metrics.soft_auc([0, 1], [0.2, 0.7], steepness=beta)
