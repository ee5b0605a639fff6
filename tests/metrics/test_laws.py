"""Laws that hold for every metric, on data that hypothesis makes up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import METRICS, resolve_metrics
from modelcompare.metrics.base import Outcomes
from modelcompare.metrics.quotient import divide

TWO_CLASSES = tuple(
    name
    for name in ("roc_auc", "average_precision", "probabilistic_auc", "scored_auc", "soft_auc")
    if name in METRICS
)
NAMES = [
    name
    for name, m in METRICS.items()
    if m.needs in ("labels", "probabilities") and name not in TWO_CLASSES
]
# Bins of equal mass are laid on the samples at hand: without one of them they move.
FIXED = [name for name in NAMES if "_mass" not in name]


@st.composite
def data_sets(draw, n_classes=3, largest=20):
    n = draw(st.integers(4, largest))
    y_true = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    seed = draw(st.integers(0, 2**16))
    rng = np.random.default_rng(seed)
    y_prob = rng.dirichlet(np.full(n_classes, 0.7), n)
    return np.array(y_true), y_prob


def values(y_true, y_prob, labels, weight=None, names=NAMES, **named):
    preds = Predictions(y_true, {"a": y_prob}, labels=labels, sample_weight=weight, **named)
    evaluation = Evaluation(preds, resolve_metrics(names, preds))
    return evaluation.estimate()[0], evaluation


@settings(max_examples=12)
@given(data_sets(), st.randoms(use_true_random=False))
def test_the_order_of_samples_does_not_matter(data, random):
    y_true, y_prob = data
    order = np.array(random.sample(range(len(y_true)), len(y_true)))
    before, _ = values(y_true, y_prob, range(3))
    after, _ = values(y_true[order], y_prob[order], range(3))
    np.testing.assert_allclose(after, before, atol=1e-12)


@settings(max_examples=12)
@given(data_sets(), st.permutations(range(3)))
def test_the_names_of_classes_do_not_matter(data, order):
    y_true, y_prob = data
    order = np.array(order)
    before, evaluation = values(y_true, y_prob, range(3))
    renamed = np.empty_like(y_prob)
    renamed[:, order] = y_prob
    after, _ = values(order[y_true], renamed, range(3))
    for name in NAMES:
        if "cohen_kappa_" in name:
            # Their classes are ordered.
            continue
        where = evaluation.metric_slice(name)
        found, expected = after[where], before[where]
        if len(expected) == 3:
            found = found[order]
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=name)


def test_metrics_of_the_positive_class_are_those_that_change_when_two_classes_change_places():
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 60)
    y_prob = rng.dirichlet([1, 1], 60)
    names = [*NAMES, *TWO_CLASSES, "roc_auc_at_0.1"]
    before, evaluation = values(y_true, y_prob, [0, 1], names=names)
    after, _ = values(y_true, y_prob, [0, 1], names=names, positive=0)
    changed = set()
    for name in names:
        where = evaluation.metric_slice(name)
        if not np.allclose(np.sort(before[where]), np.sort(after[where]), equal_nan=True):
            changed.add(name)
    metrics = resolve_metrics(names, evaluation.predictions)
    assert changed == {"average_precision", "roc_auc_at_0.1"}
    assert changed == {metric.name for metric in metrics if getattr(metric, "of_positive", False)}


@settings(max_examples=12)
@given(data_sets(), st.integers(0, 2**16))
def test_weights_equal_repeats(data, seed):
    y_true, y_prob = data
    counts = np.random.default_rng(seed).integers(0, 4, len(y_true))
    if counts.sum() < 2:
        return
    weighted, _ = values(y_true, y_prob, range(3), weight=counts)
    y_true, y_prob = np.repeat(y_true, counts), np.repeat(y_prob, counts, axis=0)
    repeated, _ = values(y_true, y_prob, range(3))
    np.testing.assert_allclose(weighted, repeated, atol=1e-12)


@settings(max_examples=25)
@given(data_sets())
def test_values_lie_within_the_bounds(data):
    _, evaluation = values(*data, range(3))
    estimate = evaluation.estimate()[0]
    for name in NAMES:
        low, high = METRICS[name].bounds
        found = estimate[evaluation.metric_slice(name)]
        defined = found[~np.isnan(found)]
        assert (defined >= low - 1e-12).all(), name
        assert (defined <= high + 1e-12).all(), name


# Each example evaluates all metrics once for each of its samples.
@settings(max_examples=6)
@given(data_sets(largest=8))
def test_the_jackknife_is_the_value_without_a_sample(data):
    y_true, y_prob = data
    _, evaluation = values(y_true, y_prob, range(3), names=FIXED)
    closed = evaluation.jackknife(slice(None))[:, 0]
    for i in range(len(y_true)):
        kept = np.arange(len(y_true)) != i
        left, _ = values(y_true[kept], y_prob[kept], range(3), names=FIXED)
        np.testing.assert_allclose(closed[i], left, atol=1e-9)


def test_a_perfect_and_certain_model_gets_the_best_value():
    y_true = np.array([0, 1, 2, 0, 1, 2])
    found, evaluation = values(y_true, np.eye(3)[y_true], range(3))
    # Without a false alarm a positive likelihood ratio has no value.
    for name in {*NAMES} - {"brier_resolution", "brier_uncertainty", "lr_positive"}:
        if name.startswith(("selection_rate", "prevalence")):
            continue  # they measure no merit
        best = 1.0 if METRICS[name].greater_is_better else 0.0
        assert found[evaluation.metric_slice(name)] == pytest.approx(best, abs=1e-12), name


RATIOS = [name for name in NAMES if METRICS[name].strategy == "sum" and METRICS[name].ratio]


@settings(max_examples=12)
@given(data_sets())
def test_a_value_is_the_quotient_of_its_linear_parts(data):
    y_true, y_prob = data
    weight = np.random.default_rng(0).random(len(y_true))
    _, evaluation = values(y_true, y_prob, range(3), weight=weight)
    found = evaluation.estimate()[0]
    outcomes = Outcomes.of(evaluation.predictions, "a")
    for name in RATIOS:
        metric = METRICS[name]
        rows = [s.compute(outcomes) * weight[:, None] for s in metric.statistics]
        by_sample = metric.ratio(*rows)
        totals = metric.ratio(*(row.sum(axis=0) for row in rows))
        for part, total in zip(by_sample, totals, strict=True):
            np.testing.assert_allclose(part.sum(axis=0), total, atol=1e-12, err_msg=name)
        quotient = divide(*totals)
        if metric.average:
            sums = [row.sum(axis=0) for row in rows]
            of_true = name.endswith(("balanced_accuracy", "informedness"))
            occurs = sums[-1] > 0 if of_true else np.any(sums, axis=0)
            share = occurs * (sums[-1] if metric.average == "weighted" else 1.0)
            worst = 0.0 if metric.greater_is_better is not False else 1.0
            filled = np.where(np.isnan(quotient), worst, quotient)
            quotient = np.sum(filled * share) / share.sum()
        expected = np.broadcast_to(quotient, found[evaluation.metric_slice(name)].shape)
        np.testing.assert_allclose(
            found[evaluation.metric_slice(name)], expected, atol=1e-12, err_msg=name
        )


@pytest.mark.parametrize("name", ["matthews_corrcoef", "cohen_kappa"])
@pytest.mark.parametrize("twin", [False, True])
def test_a_declared_gradient_is_that_of_central_differences(name, twin):
    metric = METRICS[name]
    metric = metric.soft if twin else metric
    rng = np.random.default_rng(0)
    support = rng.uniform(5, 20, (7, 4))
    totals = [rng.uniform(0, 1, (7, 4)) * support, rng.uniform(5, 20, (7, 4)), support]
    found = metric.value.slopes(*totals)
    for place, slope in enumerate(found):
        for label in range(4):
            step = np.zeros(4)
            step[label] = 1e-5
            up, down = (
                metric.value(*(t + sign * step * (k == place) for k, t in enumerate(totals)))
                for sign in (1, -1)
            )
            np.testing.assert_allclose(slope[:, label], (up - down) / 2e-5, atol=1e-8)
    # Without a denominator the value is undefined, and nothing explains it.
    alone = [np.array([[9.0, 0, 0, 0]])] * 3
    assert not np.any(metric.value.slopes(*alone))
