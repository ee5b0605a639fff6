"""Half counts and shrunk influences against plain loops written from the steps, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import modelcompare as mc
from modelcompare.engine.influence import standard_errors
from modelcompare.engine.labels import Labels
from modelcompare.intervals.averages import Average, comparable_mean
from modelcompare.intervals.confusions import Confusions
from modelcompare.intervals.differences import (
    half_count_error,
    mover,
    shrunk_covariance,
    shrunk_influences,
)
from modelcompare.intervals.sizes import chance_unseen
from modelcompare.metrics import ClassRatio

RECALL = ClassRatio((1, 0, 0, 0), (1, 1, 0, 0))
PRECISION = ClassRatio((1, 0, 0, 0), (1, 0, 1, 0))
F1 = ClassRatio((2, 0, 0, 0), (2, 1, 1, 0))
ONE_PAIR = (np.array([0]), np.array([1]))
RATIOS = {"recall": RECALL, "precision": PRECISION, "f1": F1}
pair_counts = st.lists(st.integers(0, 20), min_size=8, max_size=8).map(
    lambda cells: np.array(cells, dtype=float).reshape(2, 2, 2)
)


def samples_of(cells):
    """(truth, a, b) and how many of each."""
    return [((y, a, b), cells[y, a, b]) for y in (0, 1) for a in (0, 1) for b in (0, 1)]


def looped_f1_influence(y, p, counts, k):
    """Of a sample (y, p) on F1 of class k, from counts of (truth, prediction)."""
    hits = counts[k, k]
    s = counts[k].sum() + counts[:, k].sum()
    return (2 * (y == p == k) - 2 * hits / s * ((y == k) + (p == k))) / s


@pytest.mark.parametrize("average", [None, "macro"])
def test_the_half_count_error_of_f1_is_that_of_a_plain_loop(average):
    cells = np.array([[[70.0, 3.0], [2.0, 4.0]], [[1.0, 0.0], [5.0, 9.0]]])
    more = cells.copy()
    for (y, a, b), _ in samples_of(cells):
        more[y, a, b] += 0.5 * (a != b)
    of_a, of_b = more.sum(axis=2), more.sum(axis=1)
    classes = (1,) if average is None else (0, 1)
    variance = 0.0
    for (y, a, b), n in samples_of(more):
        apart = [
            looped_f1_influence(y, a, of_a, k) - looped_f1_influence(y, b, of_b, k) for k in classes
        ]
        variance += n * np.mean(apart) ** 2

    found = half_count_error(cells, cells, F1, average=average)

    np.testing.assert_allclose(found, np.sqrt(variance), rtol=1e-12)


def test_the_half_count_error_of_accuracy_is_bonett_and_prices():
    n, b, c = 80.0, 9.0, 4.0
    cells = np.zeros((2, 2, 2))
    cells[1] = [[7.0, c], [b, n - 7 - b - c]]

    found = half_count_error(cells, cells, RECALL)

    p_b, p_c = (b + 1) / (n + 2), (c + 1) / (n + 2)
    np.testing.assert_allclose(found, np.sqrt((p_b + p_c - (p_b - p_c) ** 2) / (n + 2)), rtol=1e-12)


@pytest.mark.parametrize(("metric", "label"), [("recall", 1), ("specificity", 1), ("recall", 0)])
def test_the_interval_of_a_recall_is_that_of_the_accuracy_on_its_class(metric, label):
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [30, 40])
    a, b = (np.where(rng.random(70) < 0.1, 1 - y, y) for _ in range(2))
    whole = mc.compare(mc.Predictions(y, {"a": a, "b": b}, labels=[0, 1]), metric, n_resamples=99)
    (row,) = whole.differences.query("label == @label").to_dict("records")
    own = y == label if metric == "recall" else y != label
    right = {"a": (a == y)[own].astype(int), "b": (b == y)[own].astype(int)}
    preds = mc.Predictions(np.ones(own.sum(), dtype=int), right, labels=[0, 1])
    (expected,) = mc.compare(preds, "accuracy", n_resamples=99).differences.to_dict("records")
    for end in ("difference", "ci_low", "ci_high"):
        assert row[end] == pytest.approx(expected[end], abs=1e-12)


def test_a_false_alarm_that_was_not_seen_counts_in_a_precision_as_an_error_does_in_accuracy():
    # All of 20 predictions of the class are right, and 40 of 40 answers.
    cells = np.zeros((2, 2, 2))
    cells[0, 0, 0] = cells[1, 1, 1] = 20.0

    found = half_count_error(cells, cells, RATIOS["precision"])

    # Each model has one hit and one false alarm alone: 21 of 22 are right.
    assert found == pytest.approx(np.sqrt(2 * (21**2 + 1)) / 22**2, rel=1e-9)


def test_the_weighted_average_of_two_recalls_is_the_accuracy():
    cells = np.array([[[7.0, 3.0], [2.0, 40.0]], [[1.0, 4.0], [5.0, 9.0]]])
    right = np.zeros((2, 2, 2))
    right[1] = cells[1] + cells[0, ::-1, ::-1]

    found = half_count_error(cells, cells, RECALL, average="weighted")

    np.testing.assert_allclose(found, half_count_error(right, right, RECALL), rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(cells=pair_counts)
@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize("average", [None, "macro", "weighted"])
def test_the_error_is_never_zero_and_the_same_for_swapped_models(name, average, cells):
    found = half_count_error(cells, cells, RATIOS[name], average=average)
    swapped = half_count_error(
        cells.transpose(0, 2, 1), cells.transpose(0, 2, 1), RATIOS[name], average=average
    )

    assert found > 0
    np.testing.assert_allclose(found, swapped, rtol=1e-9)


def test_weights_of_two_are_no_weights_to_half_counts():
    cells = np.array([[[7.0, 3.0], [2.0, 40.0]], [[1.0, 4.0], [5.0, 9.0]]])

    found = half_count_error(2 * cells, 4 * cells, F1)

    np.testing.assert_allclose(found, half_count_error(cells, cells, F1), rtol=1e-12)


def random_labels(seed, n=120, k=4):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n)
    noise = rng.integers(0, k, (n, 2))
    return codes, np.where(rng.random((n, 2)) < 0.6, codes[:, None], noise)


def confusions_of(codes, predicted, k=4):
    out = np.zeros((predicted.shape[1], k, k))
    for i, y in enumerate(codes):
        for m in range(predicted.shape[1]):
            out[m, y, predicted[i, m]] += 1
    return out


def test_the_shrunk_error_of_macro_f1_is_that_of_a_plain_loop():
    codes, predicted = random_labels(3)
    k, confusion = 4, confusions_of(codes, predicted)
    influence = np.zeros(predicted.shape)
    extra = 0.0
    for m in range(2):
        x = np.diag(confusion[m])
        s = confusion[m].sum(axis=1) + confusion[m].sum(axis=0)
        d = s - x
        prior = (sum(x / d) + 0.5) / (k + 1)
        f = (x + 2 * prior) / (d + 2)
        value = 2 * f / (1 + f)
        for c in range(k):
            larger = np.sqrt(d[c] / (d[c] - 1 + (2 / (d[c] + 2)) ** 2))
            for i, (y, p) in enumerate(zip(codes.tolist(), predicted[:, m].tolist(), strict=True)):
                own = (2 * (y == p == c) - value[c] * ((y == c) + (p == c))) / s[c]
                influence[i, m] += own * larger / k
            extra += 2 / k * 0.5 * (2 / k / s[c]) ** 2
    expected = np.sqrt(((influence[:, 0] - influence[:, 1]) ** 2).sum() + extra)
    average = Average(Confusions.of_tables(confusion, confusion), F1)

    influence_of_cells, unseen = shrunk_influences(average)
    by_sample = influence_of_cells.at(np.broadcast_to(codes, predicted.T.shape), predicted.T).T
    found = standard_errors(shrunk_covariance(by_sample, unseen)[None], ONE_PAIR)[0]

    np.testing.assert_allclose(found, [expected], rtol=1e-12)


def test_values_reach_together_as_far_as_their_correlation_lets_them():
    covariance = np.array([[4.0, 3.0], [3.0, 9.0]])

    np.testing.assert_allclose(standard_errors(covariance[None], ONE_PAIR), [[np.sqrt(4 + 9 - 6)]])
    below, above = np.array([1.0, 4.0]), np.array([3.0, 2.0])
    # The correlation is 3 / (2 * 3).
    low, high = mover(np.array([0.9, 0.7]), below, above, np.array([0.5]), ONE_PAIR)
    np.testing.assert_allclose(low, [0.2 - np.sqrt(1 + 4 - 2 * 0.5 * 1 * 2)])
    np.testing.assert_allclose(high, [0.2 + np.sqrt(9 + 16 - 2 * 0.5 * 3 * 4)])


def test_identical_models_differ_by_no_less_than_what_was_not_seen():
    codes, predicted = random_labels(5)
    predicted[:, 1] = predicted[:, 0]
    confusion = confusions_of(codes, predicted)

    influence_of_cells, unseen = shrunk_influences(
        Average(Confusions.of_tables(confusion, confusion), RECALL)
    )
    by_sample = influence_of_cells.at(np.broadcast_to(codes, predicted.T.shape), predicted.T).T
    found = standard_errors(shrunk_covariance(by_sample, unseen)[None], ONE_PAIR)[0]

    support = np.bincount(codes)
    # Macro recall: a hit is worth 1 / (4 support), and two of them, spread over 4 classes.
    np.testing.assert_allclose(found, np.sqrt(2 * np.mean(1 / (4 * support) ** 2)), rtol=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000))
def test_cells_of_pairs_count_every_sample_once_in_each_class(seed):
    codes, predicted = random_labels(seed, n=40)
    weights = np.random.default_rng(seed).random(40)

    labels = Labels(codes, predicted.T, 4, np.ones(40, dtype=int), weights)
    found, squares = (labels.pair_cells(*ONE_PAIR, power) for power in (1, 2))

    for c in range(4):
        expected = np.zeros((2, 2, 2, 2))
        for i in range(40):
            cell = (codes[i] == c, predicted[i, 0] == c, predicted[i, 1] == c)
            expected[tuple(map(int, cell))] += weights[i], weights[i] ** 2
        np.testing.assert_allclose(found[0, c], expected[..., 0], atol=1e-12)
        np.testing.assert_allclose(squares[0, c], expected[..., 1], atol=1e-12)


@pytest.mark.parametrize(
    ("name", "enters"),
    [
        ("recall", lambda y: y == 1),
        ("specificity", lambda y: y != 1),
        ("f1", lambda y: np.full(y.shape, fill_value=True)),
    ],
)
def test_disagreements_count_where_they_enter_the_metric_of_a_class(name, enters):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 120)
    models = {m: np.where(rng.random(120) < 0.7, y, rng.integers(0, 3, 120)) for m in "ab"}
    result = mc.compare(mc.Predictions(y, models), name, n_resamples=9)
    apart = (models["a"] == 1) != (models["b"] == 1)
    expected = np.count_nonzero(apart & enters(y))
    assert result.evidence.difference_interval.n_informative[0, 1] == expected


@pytest.mark.parametrize(
    ("metric", "failed"), [("f1_macro", 1), ("recall_macro", 1), ("jaccard_macro", 2)]
)
def test_an_unseen_error_costs_what_it_takes_off_an_average_of_three_classes(metric, failed):
    y = np.repeat([0, 1, 2], 40)
    preds = mc.Predictions(y, {"a": y, "b": y}, labels=[0, 1, 2])
    (row,) = mc.compare(preds, metric, n_resamples=99).differences.to_dict("records")

    # One error of each model takes 1 / 120 off; off Jaccard's index of two classes 1 / 40 each.
    wrong = y.copy()
    wrong[0] = 1
    cost = 1 - getattr(mc.metrics, metric.removesuffix("_macro"))(y, wrong, average="macro")
    assert cost == pytest.approx(failed / 120, rel=0.02)
    assert row["ci_high"] == pytest.approx(1.96 * np.sqrt(2) * failed / 120, rel=0.01)


@pytest.mark.parametrize(("n_apart", "chance"), [(0, 1.0), (2, 0.98), (10, 0.9 * 0.3)])
def test_the_next_disagreement_is_unlike_those_seen_by_the_rule_of_three(n_apart, chance):
    y = np.arange(100) % 2
    preds = mc.Predictions(y, {"a": y, "b": np.where(np.arange(100) < n_apart, 1 - y, y)})
    evaluation = mc.bootstrap(preds, "accuracy", n_resamples=2).evaluation
    pairs = np.array([0]), np.array([1])
    found = chance_unseen(evaluation, evaluation.metrics[0], pairs, np.array([[True]]))
    assert found.tolist() == [[pytest.approx(chance)]]


def test_the_error_of_weighted_precisions_is_that_of_their_corrected_mean():
    # 50 classes of eight samples, 85 % right. The correction for the varying shares of classes
    # makes the mean vary by a tenth more.
    rng, k = np.random.default_rng(0), 50
    share = (np.full((k, k), 0.15 / (k - 1)) + (0.85 - 0.15 / (k - 1)) * np.eye(k)) / k
    tables = rng.multinomial(400, share.ravel(), size=3000).reshape(-1, k, k).astype(float)
    cells = Confusions.of_tables(tables, tables)
    average = Average(cells, PRECISION, support_weighted=True)

    influence, unseen = shrunk_influences(average)
    variance = (cells.weights * influence.of(cells) ** 2).sum(axis=-1) + unseen

    # The standard deviation of 3,000 values is known to 1.3 %.
    ratio = np.sqrt(variance.mean()) / comparable_mean(average).std()
    assert 0.96 < ratio < 1.04
