"""Swaps of averages and other smooth metrics: in steps, decided by bounds, or in full."""

from dataclasses import replace

import numpy as np
import pytest

from modelcompare import Predictions, compare, config_context
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.extreme import decide, rising_order
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.step_down import step_down_swaps
from modelcompare.significance.studentized import algorithm_of, studentized_permutation
from modelcompare.significance.swaps import forms as swapped_forms
from modelcompare.significance.swaps import outcomes, slopes
from modelcompare.significance.swaps.forms import Form
from modelcompare.significance.swaps.statistic import Asked, Swapped
from modelcompare.significance.swaps.sums import Formula, SwappedSums
from tests.plugged import needs
from tests.significance.oracle import drawn_statistics, n_extreme
from tests.significance.views import pair_view

SEED = np.random.SeedSequence(8)
PAIR = np.array([0]), np.array([1])
SOFT = ["cf1_macro", "cprecision_macro", "cf1_weighted", "crecall_macro"]
DESIGNS = {
    "samples": {},
    "clusters": {"groups": np.arange(240) // 4},
    "weights": {"sample_weight": np.linspace(0.5, 2, 240)},
    "strata": {"strata": np.arange(240) % 5},
}


def models(n=240, n_classes=3, n_models=3, changed=None, **columns):
    """Models of which the second predicts half of the classes too often."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    scores = rng.standard_normal((n_models, n, n_classes))
    scores[:, np.arange(n), y] += 2
    scores[1, :, : n_classes // 2] += 0.7
    if changed is not None:
        others = np.setdiff1d(np.arange(n), changed)
        scores[1:, others] = scores[0, others]
    odds = np.exp(scores)
    odds /= odds.sum(axis=2, keepdims=True)
    outputs = {f"m{i}": p for i, p in enumerate(odds)}
    return Predictions(y, outputs, labels=range(n_classes), **columns)


def evaluated(preds, name):
    evaluation = Evaluation(preds, resolve_metrics([name], preds), collapse=False)
    return evaluation, evaluation.metrics


def of_forms(preds, name, pairs=None):
    return SwappedSums(*evaluated(preds, name), pairs or all_pairs(3), formula=Form)


def run(preds, name, pairs=PAIR, n_resamples=999, **options):
    evaluation, _ = evaluated(preds, name)
    return studentized_permutation(pair_view(evaluation, pairs, n_resamples, SEED, **options))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("n_classes", [3, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name", ["cf1_macro", "cprecision_weighted", "f1_macro", "mcc", "cohen_kappa", "log_loss"]
)
def test_bounds_decide_as_all_statistics_do(name, n_classes, design, monkeypatch):
    preds = models(n_classes=n_classes, **DESIGNS[design])
    masks = SwapMasks(of_forms(preds, name).units, 300, SEED)
    few, every = [], np.arange(3)
    monkeypatch.setattr(swapped_forms, "_MOST_UNDECIDED", 1.0)
    for alternative in ("two-sided", "greater", "less"):
        statistic = of_forms(preds, name)
        monkeypatch.setattr(
            swapped_forms,
            "decide",
            lambda *ends: few.append(decide(*ends)[1].mean()) or decide(*ends),
        )
        found = n_extreme(statistic, masks, every, alternative)
        drawn = drawn_statistics(statistic, masks)
        sign = {"greater": 1, "less": -1}.get(alternative)
        size, least = (np.abs(t) if sign is None else sign * t for t in (drawn, statistic.observed))
        np.testing.assert_array_equal(found, (size >= least - 1e-9).sum(axis=0))
    assert 0 < np.mean(few) < 0.2


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", ["cf1_macro", "f1_macro", "mcc", "log_loss"])
def test_statistics_of_single_swaps_are_those_of_all_of_them(name, design):
    statistic = of_forms(models(**DESIGNS[design]), name)
    masks = SwapMasks(statistic.units, 50, SEED)
    swapped = Swapped(lambda: masks.narrow(0, 0), 50)
    statistic.sum_up(swapped)
    pairs, some = np.array([2, 0, 1, 0, 2]), np.array([7, 49, 0, 7, 3])
    found = statistic.formulas[0]._singly(pairs, some, swapped)
    expected = statistic.of_pairs(np.arange(3), swapped)[pairs, 0, some]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert not len(statistic.formulas[0]._singly(pairs[:0], some[:0], swapped))


@pytest.mark.parametrize("name", ["cf1_macro", "f1_macro", "log_loss", "mcc"])
def test_numbers_that_are_not_kept_and_steps_do_not_change_the_answer(name, monkeypatch):
    preds = models(n_classes=10)
    masks, found = SwapMasks(of_forms(preds, name).units, 200, SEED), []
    for most in (2**28, 2**10):
        monkeypatch.setattr(swapped_forms, "PASS_BYTES", most)
        statistic = of_forms(preds, name)
        count = n_extreme(statistic, masks, np.array([2, 0]))
        n_movable, units = statistic.movable(300)
        found.append([statistic.observed, drawn_statistics(statistic, masks)])
        found[-1] += [count, n_movable, *units]
        assert (len(statistic.formulas[0]._kept) == 3) == (most == 2**28)
    for whole, apart in zip(*found, strict=True):
        np.testing.assert_allclose(whole, apart, rtol=1e-10)


@pytest.mark.parametrize("name", ["cf1_macro", "cprecision_macro", "f1_macro", "mcc"])
def test_few_swaps_are_all_counted_and_each_has_its_mirror_image(name):
    preds = models(60, 12, changed=np.arange(8))
    found, statistic = run(preds, name), of_forms(preds, name, PAIR)
    ((units,),) = [statistic.movable(20)[1]]
    t = drawn_statistics(statistic, SwapMasks(statistic.units, 2 ** len(units), SEED, units))
    size, observed = np.abs(t), np.abs(statistic.observed)
    expected = ((size >= observed - 1e-9).mean() + (size > observed + 1e-9).mean()) / 2
    assert found.floor[0, 0] == 0.5 ** len(units)
    assert found.p_value[0, 0] == pytest.approx(expected)
    assert not found.used


def test_models_in_the_other_order_have_the_same_p_value_and_equal_models_one_of_1():
    preds = models(n_classes=12)
    p = {m: preds.probabilities(m) for m in preds.models}
    turned = Predictions(preds.y_true, {"m1": p["m1"], "m0": p["m0"]}, labels=range(12))
    same = Predictions(preds.y_true, {"a": p["m0"], "b": p["m0"].copy()}, labels=range(12))
    for name in [*SOFT, "f1_macro", "mcc"]:
        assert run(preds, name).p_value == pytest.approx(run(turned, name).p_value)
        assert run(same, name).p_value == 1


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", SOFT)
def test_units_in_steps_have_the_p_values_of_all_at_once_without_products_of_classes(
    name, design, monkeypatch
):
    preds = models(n_classes=12, **DESIGNS[design])
    once, whole = run(preds, name, all_pairs(3)), of_forms(preds, name).observed
    monkeypatch.setattr(swapped_forms, "PASS_BYTES", 2**15)
    statistic = of_forms(preds, name, all_pairs(3))
    (form,) = statistic.formulas
    assert len(form._steps) > 2
    assert statistic.observed == pytest.approx(whole, rel=1e-12)
    assert not form._squares
    assert run(preds, name, all_pairs(3)).p_value == pytest.approx(once.p_value, rel=1e-9)


@pytest.mark.parametrize("name", ["cf1_macro", "mcc"])
def test_threads_and_blocks_of_memory_do_not_change_a_bit(name, monkeypatch):
    preds = models(n_classes=12)
    once = run(preds, name, all_pairs(3)).p_value
    with config_context(n_jobs=2):
        assert run(preds, name, all_pairs(3)).p_value.tobytes() == once.tobytes()
    for limit, few in (("_SUM_NUMBERS", 1), ("CACHE_BYTES", 2**12)):
        monkeypatch.setattr(f"modelcompare.significance.swaps.statistic.{limit}", few)
    assert run(preds, name, all_pairs(3)).p_value.tobytes() == once.tobytes()


def test_very_many_numbers_are_swapped_raw_and_say_so(monkeypatch):
    monkeypatch.setattr(slopes, "_MOST_PRODUCTS", 1)
    assert run(models(n_classes=12), "cf1_macro").used == {"cf1_macro": "permutation"}


def test_a_class_that_one_model_never_gives_any_share_is_no_obstacle():
    preds = models(120, 12)
    p = {m: preds.probabilities(m).copy() for m in ("m0", "m1")}
    p["m0"][:, 3] = 0
    p["m0"] /= p["m0"].sum(axis=1, keepdims=True)
    found = run(Predictions(preds.y_true, p, labels=range(12)), "cprecision_macro")
    assert 0 < found.p_value[0, 0] <= 1


def test_swaps_that_leave_a_value_undefined_count_as_extreme():
    # Where one model receives all predictions of class 1, the other has no MCC.
    a, b = np.zeros(40, int), np.zeros(40, int)
    a[[1, 3]] = b[[0, 5, 7, 9]] = 1
    preds = Predictions(np.arange(40) % 2, {"a": a, "b": b}, labels=[0, 1])
    statistic = of_forms(preds, "mcc", PAIR)
    masks = SwapMasks(statistic.units, 300, SEED)
    drawn = drawn_statistics(statistic, masks)
    assert 0 < np.isnan(drawn).mean() < 0.1
    expected = (~(np.abs(drawn) < np.abs(statistic.observed) - 1e-9)).sum(axis=0)
    np.testing.assert_array_equal(n_extreme(statistic, masks, np.array([0])), expected)


@needs("calibration")
def test_forms_are_used_for_averages_and_smooth_metrics_with_few_slopes():
    preds, used = models(n_classes=40), {}
    for name in ("f1_macro", "cf1_macro", "mcc", "f1", "ece", "accuracy"):
        evaluation, (metric,) = evaluated(preds, name)
        used[name] = algorithm_of(evaluation, metric)
    assert used == {
        "f1_macro": "form", "cf1_macro": "form", "mcc": "raw", "f1": "exact", "ece": "raw",
        "accuracy": "exact",
    }  # fmt: skip


@pytest.mark.slow
def test_exchangeable_models_have_uniform_p_values():
    rng, found = np.random.default_rng(1), []
    for _ in range(150):
        y = np.arange(60) % 12
        odds = rng.gamma(0.5, size=(2, 60, 12)) + np.eye(12)[y]
        odds /= odds.sum(axis=2, keepdims=True)
        preds = Predictions(y, dict(zip("ab", odds, strict=True)), labels=range(12))
        found.append(run(preds, "cf1_macro", n_resamples=99).p_value[0, 0])
    # The share of p-values up to a level has a standard deviation of at most 0.04.
    for level in (0.05, 0.25, 0.5, 0.75):
        assert np.mean(np.array(found) <= level) == pytest.approx(level, abs=0.1)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", ["cf1_macro", "f1_macro", "mcc"])
def test_bounds_step_down_as_all_statistics_do(name, design, monkeypatch):
    preds = models(n_models=6, **DESIGNS[design])
    statistic = of_forms(preds, name, all_pairs(6))
    masks = SwapMasks(statistic.units, 400, SEED)
    calls = []
    exact = Form._at

    def counted(self, where, swapped):
        found = exact(self, where, swapped)
        calls.append(found.size)
        return found

    assert statistic.observed.shape == (15, 1)
    monkeypatch.setattr(Form, "_at", counted)
    found = step_down_swaps(statistic, masks)
    assert 0 < sum(calls) < 0.2 * 15 * 400
    rising = rising_order(np.abs(statistic.observed).ravel())
    every = np.arange(15)
    extreme, steps = statistic.counts(masks, every, Asked("two-sided", rising))
    np.testing.assert_array_equal(extreme, n_extreme(statistic, masks, every))
    alone = statistic.counts(masks, every, Asked(rising=rising))
    np.testing.assert_array_equal(steps, alone[1])
    monkeypatch.setattr(Form, "counts", Formula.counts)
    np.testing.assert_array_equal(found, step_down_swaps(statistic, masks))


@pytest.mark.parametrize("names", [["f1_macro"], ["mcc", "accuracy"], ["precision", "recall"]])
def test_steps_are_the_same_counted_with_the_test_or_after_it(names):
    preds = models(n_models=5)
    evaluation = Evaluation(preds, resolve_metrics(names, preds))
    alone, together = (
        studentized_permutation(
            replace(pair_view(evaluation, all_pairs(5), 300, SEED), steps=steps)
        )
        for steps in (False, True)
    )
    np.testing.assert_array_equal(alone.p_value, together.p_value)
    for name, counted in together.step_down.items():
        np.testing.assert_array_equal(alone.step_down[name](), counted())
    assert alone.step_down.keys() == together.step_down.keys() != set()


def test_swaps_are_drawn_once_where_a_correction_steps_down(monkeypatch):
    drawn = []
    once = Form.counts

    def counts(self, pairs, swapped, observed, asked):
        drawn.append(asked.rising is None or asked.alternative is None)
        return once(self, pairs, swapped, observed, asked)

    monkeypatch.setattr(Form, "counts", counts)
    # Nothing is drawn where samples are of few kinds.
    monkeypatch.setattr(outcomes, "MOST_DIMENSIONS", 0)
    result = compare(models(n_models=5), "mcc", n_resamples=150)
    assert result.evidence.corrections_used == {"matthews_corrcoef": "step-down"}
    assert drawn
    assert not any(drawn)
