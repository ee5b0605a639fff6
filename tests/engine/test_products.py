"""Statistics with one number a sample, as sparse columns: the same numbers as in full."""

import numpy as np
import pytest

from modelcompare import Predictions, config_context
from modelcompare.engine import statistics
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import influence_moments, pair_carriers
from modelcompare.engine.products import SparseColumns
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.significance.pairwise import all_pairs

SEED = np.random.SeedSequence(2)
NAMES = [
    "f1", "cf1", "recall", "cprecision", "specificity", "f1_macro", "cf1_macro", "accuracy",
    "brier_score", "mcc",
]  # fmt: skip
N, K = 400, 60


def predictions(soft_labels=False, **columns):
    rng = np.random.default_rng(0)
    y_true = rng.choice(K, N, p=rng.dirichlet(np.ones(K)))
    outputs = {}
    for model in "abc":
        odds = rng.gamma(0.3, size=(N, K))
        odds[np.arange(N), y_true] += 2
        outputs[model] = odds / odds.sum(axis=1, keepdims=True)
    truth = rng.dirichlet(np.full(K, 0.1), N) if soft_labels else y_true
    return Predictions(truth, outputs, labels=range(K), **columns)


CASES = {
    "plain": {},
    "soft labels": {"soft_labels": True},
    "weights": {"sample_weight": np.random.default_rng(1).uniform(0.5, 2, N)},
    "clusters": {"groups": np.random.default_rng(2).integers(0, 70, N)},
    "strata": {"strata": np.random.default_rng(3).integers(0, 3, N)},
}


@pytest.fixture(params=CASES, ids=list(CASES))
def roads(request, monkeypatch):
    """Two evaluations of one test set, with sparse statistics and with none."""
    preds = predictions(**CASES[request.param])
    metrics = resolve_metrics(NAMES, preds)

    def made(most):
        monkeypatch.setattr(statistics, "MANY_COLUMNS", most)
        monkeypatch.setattr("modelcompare.engine.class_influence.MANY_COLUMNS", most)
        return Evaluation(preds, metrics, collapse=False)

    return made


def both(roads, function):
    return function(roads(50)), function(roads(10**9))


def test_replicates_are_those_of_the_full_matrix(roads):
    def replicates(part):
        return part.replicates(BootstrapWeights(part.units, 300, SEED))

    sparse, full = both(roads, replicates)
    np.testing.assert_allclose(sparse, full, rtol=1e-12, atol=1e-14)


def test_influences_of_few_samples_make_the_same_moments(roads):
    sparse, full = both(roads, lambda part: influence_moments(part, part.estimate()))
    np.testing.assert_allclose(sparse.standard_error(), full.standard_error(), rtol=1e-10)
    np.testing.assert_allclose(sparse.acceleration(), full.acceleration(), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(sparse.fourth, full.fourth, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(sparse.alone, full.alone)


def test_influences_of_few_samples_carry_the_same_differences(roads):
    def carriers(part):
        values = np.arange(len(part.keys))
        return pair_carriers(part, part.estimate(), all_pairs(3), values)

    sparse, full = both(roads, carriers)
    np.testing.assert_allclose(sparse, full, rtol=1e-8)


def test_columns_add_up_to_the_product_of_the_matrix():
    rng = np.random.default_rng(0)
    full = rng.random((30, 7))
    full[:, 3:] *= rng.random((30, 4)) < 0.05
    parted = SparseColumns(30, 8)
    parted.put(0, [full[:11, :3], full[11:, :3]])
    parted.put(3, [full[:11, 3:], full[11:, 3:]])
    parted.put_entries(np.array([4, 4, 9]), np.array([7, 7, 7]), np.array([1.0, 2.0, 0.0]))
    last = np.zeros((30, 1))
    last[4] = 3.0
    weights = rng.random((5, 30))
    expected = weights @ np.hstack([full, last])
    np.testing.assert_allclose(parted.sums(weights), expected, rtol=1e-13)


def test_blocks_of_any_size_and_jobs_give_the_same_bits(monkeypatch):
    preds = predictions()
    part = Evaluation(preds, resolve_metrics(["f1", "recall"], preds), collapse=False)
    weights = BootstrapWeights(part.units, 600, SEED)
    expected = part.replicates(weights)
    with config_context(n_jobs=2):
        np.testing.assert_array_equal(part.replicates(weights), expected)
    monkeypatch.setattr("modelcompare.engine.evaluation.PASS_BYTES", 2**20)
    np.testing.assert_array_equal(part.replicates(weights), expected)
