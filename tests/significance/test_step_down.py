from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from modelcompare import Predictions, compare
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import get_metric
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.corrections import adjust
from modelcompare.significance.exact import Grids
from modelcompare.significance.extreme import deciding, n_rising, rising_order
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.step_down import Steps, exact_null, step_down, step_down_swaps
from modelcompare.significance.studentized import studentized_permutation, swap_statistic
from tests.plugged import needs
from tests.significance.oracle import drawn_statistics
from tests.significance.views import pair_view

SEED = np.random.SeedSequence(3)


def step_down_by_a_loop(null, observed):
    """Return Westfall and Young's step-down p-values: the largest of the remaining statistics."""
    adjusted, floor, left = np.full(len(observed), np.nan), 0.0, list(range(len(observed)))
    for _ in range(len(observed)):
        hypothesis = max(left, key=lambda h: observed[h])
        extreme = sum(max(row[h] for h in left) >= observed[hypothesis] - 1e-12 for row in null)
        floor = max(floor, (1 + extreme) / (1 + len(null)))
        adjusted[hypothesis] = floor
        left.remove(hypothesis)
    return adjusted


def test_max_t_is_the_step_down_of_a_loop_whatever_the_blocks():
    rng = np.random.default_rng(0)
    null = np.abs(rng.normal(size=(200, 7)) + rng.normal(size=(200, 1)))
    observed = np.abs(rng.normal(size=7)) * 2
    expected = step_down_by_a_loop(null, observed)
    for n_blocks in (1, 3):
        found = step_down(np.array_split(null, n_blocks), observed)
        np.testing.assert_allclose(found, expected)


def test_min_p_is_the_step_down_of_a_loop_on_p_values():
    rng = np.random.default_rng(1)
    null, observed = rng.integers(1, 9, (200, 6)) / 8, rng.integers(1, 9, 6) / 64
    expected = step_down_by_a_loop(-null, -observed)
    found = step_down([-np.log(null)], -np.log(observed))
    np.testing.assert_allclose(found, expected)


def test_sizes_that_decide_no_step_may_be_anything_between_their_bounds():
    rng = np.random.default_rng(4)
    sizes, observed = np.abs(rng.normal(size=(12, 300))), np.abs(rng.normal(size=12)) * 1.5
    low, high = sizes - rng.random(sizes.shape) / 9, sizes + rng.random(sizes.shape) / 9
    rising = rising_order(observed)
    decides = np.empty(sizes.shape, bool)
    decides[rising[0]] = deciding(low, high, rising)
    assert 0 < decides.mean() < 0.2
    for end in (low, high):
        found = n_rising(np.where(decides, sizes, end), rising)
        np.testing.assert_array_equal(found, n_rising(sizes, rising))
    assert (n_rising(high, rising) > n_rising(low, rising)).any()


def mixed_by_a_loop(null, size, p_value, floor):
    """Return steps over the largest of drawn sizes and of the normal deviates of known p-values."""
    known, left, last = ~np.isnan(p_value), [*np.flatnonzero(~np.isnan(size))], 0.0
    size, adjusted = np.where(known, norm.isf(p_value / 2), size), np.full(len(size), np.nan)
    while left:
        first = max(left, key=lambda h: size[h])
        error = p_value[first] if known[first] else 2 * norm.sf(size[first])
        bound = sum(error for h in left if known[h] and floor[h] <= error)
        if drawn := [h for h in left if not known[h]]:
            beyond = (null[:, drawn].max(axis=1) >= size[first] - 1e-12).sum()
            bound += (1 + beyond) / (1 + len(null))
        last = max(last, bound)
        adjusted[first] = min(last, 1.0)
        left.remove(first)
    return adjusted


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_known_p_values_step_down_beside_drawn_swaps_as_in_a_loop(share):
    rng = np.random.default_rng(int(10 * share))
    for _ in range(20):
        size, null = np.abs(rng.normal(size=(5, 3))) * 2, np.abs(rng.normal(size=(300, 15)))
        size[1, 2] = np.nan
        p_value = np.where(rng.random((5, 3)) < share, rng.random((5, 3)) ** 4, np.nan)
        floor = p_value * rng.choice([1e-9, 0.3, 1.0], (5, 3))
        expected = mixed_by_a_loop(null, *(x.ravel() for x in (size, p_value, floor)))
        steps = Steps.of(size, p_value, floor)
        places = (steps.pairs[:, None] * 3 + np.arange(3)).ravel()
        found = steps.adjusted(n_rising(null[:, places].T, steps.rising), 300)
        np.testing.assert_allclose(found.ravel(), expected)


def test_known_p_values_alone_step_down_as_by_holm():
    p = np.random.default_rng(0).random((4, 2)) ** 5
    steps = Steps.of(np.ones((4, 2)), p, np.zeros((4, 2)))
    assert len(steps.pairs) == 0
    found = steps.adjusted(np.empty(0, int), 99)
    np.testing.assert_allclose(found, adjust(p, "holm"), rtol=1e-12)


def mixed_family(seed=0, shift=0.5):
    """Means of 400 scores, of which those of the last two models are skewed."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=400)
    scores = {f"m{i}": common + rng.normal(size=400) for i in range(4)}
    scores |= {f"heavy{i}": common + rng.lognormal(0, 1.3, 400) - 2.3 for i in range(2)}
    scores["m0"] += shift
    scores["heavy1"] += 3 * shift
    return Predictions.from_scores(scores)


def test_drawn_differences_are_significant_beside_many_known_ones():
    found = compare(mixed_family(), "mean_score", n_resamples=199)
    drawn = found.differences.test == "studentized-permutation: drawn"
    assert 0 < drawn.sum() < 15
    # Holm's method would multiply 1/200 by 15.
    assert found.evidence.corrections_used == {"mean_score": "step-down"}
    assert (found.differences.p_adjusted[drawn] < 0.05).sum() >= 4
    # What is added to known p-values is the share of swaps alone.
    known = found.differences[~drawn]
    assert (known.p_adjusted[known.p_value < 1e-4] < 0.0065).all()
    enough = compare(mixed_family(), "mean_score", n_resamples=1999)
    assert enough.evidence.corrections_used == {}


def test_steps_beside_known_p_values_are_the_same_counted_with_the_test_or_after_it():
    preds = mixed_family()
    part = Evaluation(preds, [get_metric("mean_score")], collapse=False)
    alone = studentized_permutation(pair_view(part, all_pairs(6), 199, SEED))
    view = replace(pair_view(part, all_pairs(6), 199, SEED), steps=True)
    together = studentized_permutation(view)
    for each in (alone, together):
        found = each.step_down["mean_score"](np.array([0]), beside_known=True)
        np.testing.assert_array_equal(found, alone.step_down["mean_score"](beside_known=True))
        every = each.step_down["mean_score"]()
        np.testing.assert_array_equal(every, alone.step_down["mean_score"]())


def test_a_hypothesis_without_a_value_does_not_count():
    null = np.abs(np.random.default_rng(2).normal(size=(99, 3)))
    found = step_down([null], np.array([2.0, np.nan, 1.0]))
    expected = step_down([null[:, [0, 2]]], np.array([2.0, 1.0]))
    np.testing.assert_allclose(found[[0, 2]], expected)
    assert np.isnan(found[1])


def test_a_swap_without_a_value_is_extreme():
    null = np.array([[np.nan, 0.0], [0.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(step_down([null], np.array([3.0, 2.0])), [0.5, 0.5])


def rare(n_classes=8, support=25, right=(0.9, 0.6, 0.6), seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), support)
    n = len(y)
    outputs = {
        f"m{i}": np.where(rng.random(n) < share, y, rng.integers(0, n_classes, n))
        for i, share in enumerate(right)
    }
    return Predictions(y, outputs, labels=range(n_classes))


@pytest.mark.parametrize("name", ["f1", "precision", "accuracy"])
@pytest.mark.parametrize("collapse", [False, True])
def test_swapped_data_sets_have_the_p_values_that_they_had_by_themselves(name, collapse):
    preds = rare(3, 20)
    metric = get_metric(name)
    part = Evaluation(preds, [metric], collapse=collapse)
    a, b = all_pairs(3)
    masks = SwapMasks(part.units, 5, SEED)
    grids = Grids(part, metric, (a, b))
    observed, null = exact_null(grids, masks)
    np.testing.assert_allclose(np.exp(-observed), grids.p_values(), rtol=1e-9)
    if collapse:
        return
    (found,) = null
    answers = [preds.predicted(model) for model in preds.models]
    for row, mask in zip(found, masks.draw_all(0).astype(bool), strict=True):
        for pair, (i, j) in enumerate(zip(a, b, strict=True)):
            outputs = {
                "a": np.where(mask, answers[j], answers[i]),
                "b": np.where(mask, answers[i], answers[j]),
            }
            other = Evaluation(
                Predictions(preds.y_true, outputs, labels=range(3)), [metric], collapse=False
            )
            expected = Grids(other, metric, (np.array([0]), np.array([1]))).p_values()
            width = len(expected)
            np.testing.assert_allclose(
                np.exp(-row[pair * width : (pair + 1) * width]), expected, rtol=1e-9
            )


def test_step_down_of_averages_is_that_of_their_statistics():
    preds = rare(4, 20)
    metric = get_metric("f1_macro")
    part = Evaluation(preds, [metric], collapse=False)
    a, b = all_pairs(3)
    statistic = swap_statistic(part, [metric], (a, b))
    masks = SwapMasks(part.units, 300, SEED)
    null = np.abs(drawn_statistics(statistic, masks))[:, :, 0]
    expected = step_down_by_a_loop(null, np.abs(statistic.observed[:, 0]))
    found = step_down_swaps(statistic, masks)
    np.testing.assert_allclose(found[:, 0], expected)


def test_rare_classes_take_nothing_from_the_others():
    common, many = rare(2, 40, (0.85, 0.45)), 60
    rng = np.random.default_rng(0)
    y = np.r_[common.y_true, np.arange(2, 2 + many)]
    outputs = {
        m: np.r_[common.predicted(m), np.where(rng.random(many) < 0.6, y[80:], 2)]
        for m in common.models
    }
    preds = Predictions(y, outputs, labels=range(2 + many))
    metric = get_metric("f1")
    part = Evaluation(preds, [metric], collapse=False)
    a, b = all_pairs(2)
    outcome = studentized_permutation(pair_view(part, (a, b), 1999, SEED))
    plain, found = outcome.p_value, outcome.step_down["f1"]()
    assert (found[0, :2] < adjust(plain[0], "holm")[:2]).all()
    assert (found[0, :2] < 0.05).all()
    assert (found[0, 2:][~np.isnan(found[0, 2:])] > 0.05).all()


@needs("calibration")
@pytest.mark.parametrize("columns", [{}, {"strata": np.arange(60) % 3}])
def test_step_down_of_a_test_is_that_of_its_swaps_to_the_bit(columns):
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 3
    outputs = {name: rng.dirichlet(np.ones(3), 60) for name in "abc"}
    preds = Predictions(truth, outputs, **columns)
    metrics = [get_metric(name) for name in ("cf1", "crecall", "f1_macro", "ece")]
    part = Evaluation(preds, metrics, collapse=False)
    a, b = all_pairs(3)
    outcome = studentized_permutation(pair_view(part, (a, b), 300, SEED))
    assert outcome.step_down.keys() == {metric.name for metric in metrics}
    masks = SwapMasks(part.units, 300, SEED)
    new = [step_down_swaps(swap_statistic(part, [m], (a, b)), masks) for m in metrics]
    for metric, expected in zip(metrics, new, strict=True):
        assert outcome.step_down[metric.name]().tobytes() == expected.tobytes()
