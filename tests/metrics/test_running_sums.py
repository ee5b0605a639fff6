"""Order metrics: a weight counts as so many samples, for any type and neighbours."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sk

from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import get_metric, resolve_metrics
from modelcompare.metrics.outcomes import Outcomes
from modelcompare.metrics.running_sums import Below, Running, by_sample
from modelcompare.resampling.weights import BootstrapWeights

REFERENCES = {
    "roc_auc": sk.roc_auc_score,
    "average_precision": sk.average_precision_score,
    "spearman": lambda y, p: stats.spearmanr(y, p).statistic,
    "kendall": lambda y, p: stats.kendalltau(y, p).statistic,
}


def predictions(name, y, output, **options):
    binary = name in ("roc_auc", "average_precision")
    truth = (y > (y.min() + y.max()) / 2).astype(int) if binary else y
    kind = "values"
    return truth, Predictions(truth, {"a": output}, kind=kind, **options)


def evaluator(name, y, output):
    truth, preds = predictions(name, y, output)
    return truth, get_metric(name).prepare(Outcomes.of(preds, "a"))


@st.composite
def weighted_samples(draw):
    n = draw(st.integers(4, 40))
    numbers = st.lists(st.integers(0, draw(st.sampled_from([2, 9, 1000]))), min_size=n, max_size=n)
    y, output = np.array(draw(numbers), float), np.array(draw(numbers), float)
    y[:2] = 0, 1
    counts = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return y, output, np.array(counts), draw(st.permutations(range(n)))


@pytest.mark.filterwarnings("ignore")
@settings(deadline=None, max_examples=30, derandomize=True)
@given(data=weighted_samples())
def test_a_weight_is_so_many_samples_in_any_order(data):
    y, output, counts, order = data
    rows = np.repeat(np.arange(len(y)), counts)
    for name, reference in REFERENCES.items():
        truth, evaluate = evaluator(name, y, output)
        if len(np.unique(truth[rows])) < 2:
            continue
        expected = reference(truth[rows], output[rows])
        types = (np.uint8, np.int32, np.float64)
        found = [evaluate(counts[None].astype(dtype))[0] for dtype in types]
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=name)
        _, evaluate = evaluator(name, y[list(order)], output[list(order)])
        shuffled = evaluate(counts[list(order)][None].astype(np.uint8))
        np.testing.assert_allclose(shuffled, expected, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("name", ["spearman", "kendall"])
def test_correlations_of_ranks_do_not_change_with_the_unit_of_weights(name):
    rng = np.random.default_rng(0)
    y, output = np.round(rng.normal(size=(2, 60)), 1)
    _, evaluate = evaluator(name, y, output)
    weights = rng.integers(0, 4, (5, 60))
    np.testing.assert_allclose(evaluate(weights * 0.37), evaluate(weights), atol=1e-12)


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.parametrize("largest", [3, 255, 2000])
def test_many_samples_and_large_weights(name, decimals, largest):
    rng, n = np.random.default_rng(1), 1500 if largest < 256 else 300
    y = np.round(rng.normal(size=n), decimals)
    output = np.round(y + rng.normal(size=n), decimals)
    truth, evaluate = evaluator(name, y, output)
    counts = rng.integers(0, largest + 1, (2, n))
    found = evaluate(counts.astype(np.uint8 if largest < 256 else np.int32))
    for row, value in zip(counts, found, strict=True):
        rows = np.repeat(np.arange(n), row)
        assert value == pytest.approx(REFERENCES[name](truth[rows], output[rows]), abs=1e-12)


@pytest.mark.parametrize("name", REFERENCES)
def test_a_resample_has_its_value_whatever_is_evaluated_beside_it(name):
    rng = np.random.default_rng(2)
    y, output = rng.normal(size=(2, 1200))
    _, evaluate = evaluator(name, y, output)
    for weights in (rng.random((7, 1200)), rng.poisson(1, (7, 1200)).astype(np.uint8)):
        alone = np.concatenate([evaluate(weights[[row]]) for row in range(7)])
        np.testing.assert_array_equal(evaluate(weights), alone)
        np.testing.assert_array_equal(evaluate(np.asfortranarray(weights)), alone)


@pytest.mark.parametrize("n", [0, 1, 2, 255, 256, 257, 70_000])
def test_running_sums_are_exact_and_fit_their_type(n):
    order = np.random.default_rng(3).permutation(n)
    weights = np.full((n, 2), 255, np.uint8)
    running = Running.over(order)
    sums = running.sums(weights)
    np.testing.assert_array_equal(sums[running.at, 0], 255 * np.arange(n + 1))
    assert 2 * 255 * n <= np.iinfo(sums.dtype).max


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("largest", [32, 33, 64, 65, 255])
def test_heavy_readers_of_heavy_sums_do_not_overflow(ties, largest):
    # A sum just below 2^15, which fits 16 bits twice, read by a slab of heavy samples.
    n_adders, n_readers = 2**15 // largest, 2048
    adders, readers = np.arange(n_adders), n_adders + np.arange(n_readers)
    up_to = np.full(n_readers, n_adders)
    below = Below(adders, readers, up_to - ties, up_to)
    weights = np.full((n_adders + n_readers, 3), largest, np.uint8)
    read, total, _ = below.read(weights)
    assert (total == n_readers * largest).all()
    assert (read == n_readers * largest * largest * (n_adders - ties / 2)).all()


def test_what_lies_below_is_read_group_by_group():
    below = Below(
        adders=np.array([0, 1, 2]), readers=np.array([3, 4, 5]),
        below=np.array([1, 2, 3]), up_to=np.array([2, 2, 3]), start=np.array([0, 2, 2]),
    )  # fmt: skip
    read, readers, _ = below.read(by_sample(np.array([[1, 2, 4, 8, 16, 32]], np.uint8)))
    # The first has 1 below and half of 2; the second starts again with nothing; the third has 4.
    assert read[0] == 8 * (1 + 2 / 2) + 16 * 0 + 32 * 4
    assert readers[0] == 8 + 16 + 32


@pytest.mark.parametrize("name", REFERENCES)
def test_clusters_are_drawn_whole(name):
    rng = np.random.default_rng(4)
    y, output = rng.normal(size=(2, 120))
    groups = np.arange(120) // 3
    truth, preds = predictions(name, y, output, groups=groups)
    part = Evaluation(preds, resolve_metrics(name, preds))
    weights = BootstrapWeights(part.units, 20, np.random.SeedSequence(0))
    for row, found in zip(weights.draw_all(0), part.replicates(weights)[:, 0, 0], strict=True):
        rows = np.repeat(np.arange(120), np.repeat(row, 3).astype(int))
        assert found == pytest.approx(REFERENCES[name](truth[rows], output[rows]), abs=1e-12)


@pytest.mark.parametrize("name", ["spearman", "kendall"])
@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_correlations_of_ranks_without_each_sample_are_the_loop(name, decimals, weighted):
    rng = np.random.default_rng(5)
    y, output = np.round(rng.normal(size=(2, 40)), decimals)
    weight = rng.random(40) if weighted else None
    preds = Predictions(y, {"a": output}, kind="values", sample_weight=weight)
    part = Evaluation(preds, resolve_metrics(name, preds))
    closed = part.jackknife(slice(None))[:, 0, 0]
    left = part.values(1.0 - np.eye(40))[:, 0, 0]
    np.testing.assert_allclose(closed, left, atol=1e-12)


@pytest.mark.parametrize("name", ["spearman", "kendall"])
def test_a_sample_that_alone_varies_leaves_no_correlation_behind(name):
    preds = Predictions([1.0, 1.0, 1.0, 2.0], {"a": [1.0, 2.0, 3.0, 4.0]}, kind="values")
    part = Evaluation(preds, resolve_metrics(name, preds))
    left = part.jackknife(slice(None))[:, 0, 0]
    assert np.isnan(left).tolist() == [False, False, False, True]
