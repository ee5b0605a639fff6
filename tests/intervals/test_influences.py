"""Influences against derivatives and textbook variances; intervals on logit and log scales."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm, t

import modelcompare as mc
from modelcompare.engine.influence import influence_moments, pair_carriers
from modelcompare.intervals.confusions import Confusions
from modelcompare.intervals.counts import agreement_influences, agreement_interval
from modelcompare.intervals.influences import (
    Estimates,
    cluster_degrees,
    difference_degrees,
    difference_interval,
    macro_corrections,
    score_degrees,
    score_interval,
)
from modelcompare.intervals.resampled import expanded_level
from modelcompare.intervals.sizes import effective_units
from tests.plugged import needs


def estimates(*numbers):
    return Estimates(*map(np.array, numbers))


def result_of(metric, y_true, models, n_resamples=2):
    return mc.bootstrap(mc.Predictions(y_true, models), metric, n_resamples=n_resamples)


@pytest.mark.parametrize("metric", ["matthews_corrcoef", "cohen_kappa"])
def test_influences_on_agreement_are_derivatives_of_the_metric(metric):
    confusion = np.array([[30.0, 4.0, 1.0], [2.0, 5.0, 0.5], [0.0, 3.0, 40.0]])
    y_true, y_pred = (side.ravel() for side in np.indices((3, 3)))
    function = getattr(mc.metrics, metric)

    cells = Confusions.of_tables(confusion, confusion)
    value, found = agreement_influences(mc.get_metric(metric).value, cells.margins)

    def at(counts):
        return function(y_true, y_pred, sample_weight=counts.ravel())

    assert value == pytest.approx(at(confusion), rel=1e-12)
    found = found.of(cells).reshape(3, 3)
    step = 1e-4
    for cell in np.ndindex(3, 3):
        moved = np.zeros((3, 3))
        moved[cell] = step
        slope = (at(confusion + moved) - at(np.abs(confusion - moved))) / (2 * step)
        if confusion[cell] > 0:
            assert found[cell] == pytest.approx(slope, rel=1e-6)


def test_a_perfect_kappa_is_known_from_its_size():
    few, many = (np.diag([n / 2, n / 2]) for n in (10.0, 1000.0))
    both = np.array([few, many])

    low, high = agreement_interval(
        mc.get_metric("cohen_kappa").value, np.ones(2), Confusions.of_tables(both, both)
    )

    assert (high == 1).all()
    assert 0 < low[0] < 0.8 < 0.97 < low[1] < 1


def test_units_that_carry_a_variance_are_counted_by_fourth_moments():
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 3, 50)
    models = {name: np.where(rng.random(50) < 0.7, y_true, 0) for name in "abc"}
    evaluation = result_of("f1_macro", y_true, models).evaluation
    estimate = evaluation.estimate()
    influence = evaluation.influence(slice(None), estimate)[:, :, 0]
    pairs = np.array([0, 2]), np.array([1, 1])

    own = influence_moments(evaluation, estimate).carriers()
    apart = pair_carriers(evaluation, estimate, pairs, np.array([0]))

    def carriers(u):
        u = u - u.mean()
        return (u**2).sum() ** 2 / (u**4).sum()

    counts = evaluation.units.counts()
    influence = np.repeat(influence, counts, axis=0)
    expected = [carriers(column) for column in influence.T]
    np.testing.assert_allclose(own[:, 0], expected, rtol=1e-9)
    expected = [carriers(influence[:, a] - influence[:, b]) for a, b in zip(*pairs, strict=True)]
    np.testing.assert_allclose(apart[:, 0], expected, rtol=1e-9)


def test_a_mean_of_symmetric_scores_has_students_interval():
    x = np.random.default_rng(2).normal(size=400)
    preds = mc.Predictions.from_scores({"a": x, "b": x + 1})

    chosen = mc.bootstrap(preds, n_resamples=2).score_interval("auto", 0.95)

    # With 400 normal samples Satterthwaite's degrees of freedom are some hundreds.
    half = t.ppf(0.975, 399) * x.std(ddof=1) / 20
    np.testing.assert_allclose(chosen.low[0, 0], x.mean() - half, rtol=5e-3)
    assert chosen.method[0, 0] == "hall-t"


def test_losses_are_taken_on_the_log_scale():
    low, high = score_interval(estimates(2.0, 0.5, np.inf, 30.0), (0.0, np.inf))

    factor = np.exp(norm.ppf(0.975) * 0.25)
    np.testing.assert_allclose([low, high], [2 / factor, 2 * factor])


def test_an_error_rate_of_zero_in_every_text_is_a_share_of_the_texts():
    low, high = score_interval(estimates(0.0, 0.0, 10.0, 20.0), (0.0, np.inf))

    z = norm.ppf(0.975)
    np.testing.assert_allclose([low, high], [0, z**2 / (20 + z**2)])


def test_differences_that_are_all_zero_leave_room_for_one_that_was_not_seen():
    low, high = difference_interval(estimates(0.0, 0.0, 1.0, 18.0), (0.0, 1.0))

    np.testing.assert_allclose(high, norm.ppf(0.975) * np.sqrt(2) / 20)
    np.testing.assert_allclose(low, -high)


def test_what_influences_do_not_describe_takes_resampled_bounds_where_they_are_any():
    rng = np.random.default_rng(3)
    y_true = rng.integers(0, 2, 60)
    draws = {name: rng.random(60) for name in ("a", "b", "c")}
    rough = replace(mc.get_metric("brier_score"), smooth=False)
    result = result_of(rough, y_true, draws, n_resamples=999)
    # No resample has a value of b, and all have the same of c.
    result.draws[:, 1] = np.nan
    result.draws[:, 2] = result.point[2]
    level = expanded_level(60, 0.95)
    with pytest.warns(
        match=r"the BCa interval of brier_score of 'b' \(and of 1 more\) has no bounds"
    ):
        resampled = result.score_interval("BCa", level)

    chosen = result.score_interval("auto", 0.95)

    assert chosen.method.ravel().tolist() == ["expanded-BCa", "logit-t", "logit-t"]
    assert (chosen.low[0, 0], chosen.high[0, 0]) == (resampled.low[0, 0], resampled.high[0, 0])
    assert (chosen.low < result.point).all()
    assert (chosen.high > result.point).all()


@needs("texts")
def test_texts_count_by_their_length():
    texts = ["a b c d e f g h"] + ["a b"] * 4
    preds = mc.Predictions(texts, {"a": ["a"] * 5}, kind="texts")
    evaluation = mc.bootstrap(preds, "wer", n_resamples=2).evaluation

    found = effective_units(evaluation, evaluation.metrics)

    # One text of a half and four of an eighth.
    np.testing.assert_allclose(found, 1 / (1 / 4 + 4 / 64))


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_a_cluster_counts_by_its_share_of_the_classes_that_are_averaged(average):
    y_true = np.array([0, 0, 0, 1, 1, 1])
    preds = mc.Predictions(y_true, {"a": y_true}, groups=[0, 1, 2, 2, 2, 2])
    evaluation = mc.bootstrap(preds, f"precision_{average}", n_resamples=2).evaluation

    found = effective_units(evaluation, evaluation.metrics)

    # Both classes have three samples: the third cluster has a third of one and all of the other.
    shares = np.array([1 / 3, 1 / 3, 1 / 3 + 1]) / 2
    np.testing.assert_allclose(found, 1 / np.sum(shares**2))


def test_many_normal_influences_have_their_number_of_degrees():
    x = np.random.default_rng(3).normal(size=20_000)
    carriers = np.array((x**2).sum() ** 2 / (x**4).sum())

    assert score_degrees(carriers, len(x)) == pytest.approx(len(x), rel=0.05)
    # Differences are given less: two of three.
    assert difference_degrees(carriers, len(x)) == pytest.approx(len(x) * 2 / 3, rel=0.05)


def test_equal_clusters_have_their_number_less_one_and_unequal_ones_fewer():
    equal, unequal = (cluster_degrees(np.array(n), 10, 1 / 2) for n in (10.0, 4.0))

    assert equal == pytest.approx(9)
    assert 3 < unequal < 9
    # Values have fewer than differences; one that holds everything leaves a single one.
    many = np.array(100.0)
    assert score_degrees(many, 10, np.array(4.0)) < difference_degrees(many, 10, np.array(4.0))
    assert score_degrees(many, 10, np.array(1.0)) == 1
    assert difference_degrees(many, 10, np.array(1.0)) == 1


@pytest.mark.parametrize(("sizes", "effect"), [("equal", 1.0), ("lognormal", 1.0)])
def test_means_over_eight_clusters_are_covered_and_not_by_width_alone(sizes, effect):
    # Of 30 lots of clusters, with 10 models each, whose intervals are independent.
    rng, covered, against_normal = np.random.default_rng(8), [], []
    for _ in range(30):
        size = np.full(8, 20) if sizes == "equal" else np.ceil(20 * rng.lognormal(size=8))
        groups = np.repeat(np.arange(8), size.astype(int))
        scores = {m: rng.normal(size=len(groups)) + effect * rng.normal(size=8)[groups]
                  for m in map(str, range(10))}  # fmt: skip
        result = mc.bootstrap(mc.Predictions.from_scores(scores, groups=groups), n_resamples=2)
        found = result.score_interval("auto", 0.95)
        low, high = found.low[:, 0], found.high[:, 0]
        covered.extend((low <= 0) & (high >= 0))
        error = result.moments.standard_error()[:, 0]
        against_normal.extend((high - low) / (2 * norm.ppf(0.975) * error))

    # Of 300 intervals two standard errors are 0.03, and more where the sizes decide.
    assert np.mean(covered) > 0.925 - 0.04
    # Student's quantile of 7 degrees is 1.2 times the normal one. With the effective clusters alone
    # intervals of lognormal sizes would be 1.7 times as wide.
    assert 1.15 < np.mean(against_normal) < (1.3 if sizes == "equal" else 1.6)


def test_the_bias_of_a_soft_macro_average_is_the_jackknifes():
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(3), 60)
    output = rng.dirichlet(np.ones(3), len(codes)) + np.eye(3)[codes]
    preds = mc.Predictions(codes, {"a": output / 2}, labels=range(3))
    evaluation = mc.bootstrap(preds, "cf1_macro", n_resamples=2).evaluation
    metric, n = evaluation.metrics[0], len(codes)

    found = macro_corrections(evaluation, metric)[0]

    soft = [mc.metrics.cf1(np.delete(codes, i), np.delete(output / 2, i, 0), average="macro")
            for i in range(n)]  # fmt: skip
    jackknife = (n - 1) * (np.mean(soft) - mc.metrics.cf1(codes, output / 2, average="macro"))
    # 59 of 60 samples of each class count, and terms of third order are left out.
    np.testing.assert_allclose(found, [jackknife], rtol=0.05)


def test_many_classes_of_few_samples_do_not_shift_the_interval_of_a_soft_macro_average():
    rng, n_classes, covered = np.random.default_rng(5), 60, []

    def draw(n):
        y = rng.integers(0, n_classes, n)
        logits = rng.normal(size=(n, n_classes))
        logits[np.arange(n), y] += 4
        p = np.exp(logits)
        return y, p / p.sum(axis=1, keepdims=True)

    y, p = draw(60_000)
    truth = mc.metrics.cf1(y, p, labels=range(n_classes), average=None)
    for _ in range(60):
        y, p = draw(6 * n_classes)
        preds = mc.Predictions(y, {"a": p}, labels=range(n_classes))
        found = mc.bootstrap(preds, "cf1_macro", n_resamples=2).score_interval("auto", 0.95)
        value = truth[np.unique(y)].mean()
        covered.append(found.low[0, 0] <= value <= found.high[0, 0])

    # It was about 0.7 without the correction.
    assert np.mean(covered) > 0.87


def test_what_clusters_do_to_both_models_does_not_widen_their_difference():
    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(8), 50)
    noise, common = rng.normal(size=(2, 400)), 100 * rng.normal(size=8)[groups]
    with_and_without = []
    for effect in (common, 0.0):
        scores = {name: effect + row for name, row in zip("ab", noise, strict=True)}
        result = mc.bootstrap(mc.Predictions.from_scores(scores, groups=groups), n_resamples=2)
        found = result.difference_interval(np.array([0]), np.array([1]), "auto", 0.95)
        with_and_without.append(found.high[0, 0] - found.low[0, 0])

    # What the models share is 100 times their own noise; a sample's part of it is a floor.
    own = 2 * norm.ppf(0.975) * np.sqrt(2 / 400)
    assert with_and_without[1] < 2 * own
    assert with_and_without[0] < 100 * own * np.sqrt(50 / 400) * 1.5
