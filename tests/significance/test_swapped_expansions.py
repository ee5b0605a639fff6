from functools import partial

import numpy as np
import pytest

from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.pairwise import PairView, all_pairs
from modelcompare.significance.studentized import algorithm_of, studentized_permutation
from modelcompare.significance.swaps.averages import ExpandedAverage
from modelcompare.significance.swaps.forms import swapped_forms
from modelcompare.significance.swaps.sums import SwappedSums

SEED = np.random.SeedSequence(8)
PAIR = np.array([0]), np.array([1])
SOFT = ["cf1_macro", "cprecision_macro", "cf1_weighted", "crecall_macro"]


def many_classes(n=240, n_classes=12, n_models=3, changed=None, **columns):
    """Models of which the second predicts half of the classes too often."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    scores = rng.standard_normal((n_models, n, n_classes))
    scores[:, np.arange(n), y] += 2
    scores[1, :, : n_classes // 2] += 0.7
    if changed is not None:
        scores[1:, np.setdiff1d(np.arange(n), changed)] = scores[
            0, np.setdiff1d(np.arange(n), changed)
        ]
    odds = np.exp(scores)
    odds /= odds.sum(axis=2, keepdims=True)
    outputs = {f"m{i}": p for i, p in enumerate(odds)}
    return Predictions(y, outputs, labels=range(n_classes), **columns)


def evaluated(preds, name):
    evaluation = Evaluation(preds, resolve_metrics([name], preds), collapse=False)
    return evaluation, evaluation.metrics[0]


def run(preds, name, pairs=PAIR, n_resamples=999, **options):
    evaluation, _ = evaluated(preds, name)
    return studentized_permutation(PairView.of(evaluation, *pairs, n_resamples, SEED, **options))


@pytest.mark.parametrize(
    "columns",
    [{}, {"groups": np.arange(240) // 4}, {"sample_weight": np.linspace(0.5, 2, 240)}],
)
@pytest.mark.parametrize("name", SOFT)
def test_the_expansion_is_nearly_the_sum_of_squares_in_full(name, columns):
    evaluation, metric = evaluated(many_classes(**columns), name)
    assert algorithm_of(evaluation, metric) == "expansion"
    near, full = (
        made(evaluation, (metric,), *all_pairs(3))
        for made in (partial(SwappedSums, formula=ExpandedAverage), swapped_forms)
    )
    np.testing.assert_allclose(near.observed, full.observed, rtol=5e-3)
    masks = SwapMasks(evaluation.units, 100, SEED)
    drawn = (statistic.map(masks, lambda t: t)[0] for statistic in (near, full))
    np.testing.assert_allclose(*drawn, rtol=2e-3, atol=1e-6)


@pytest.mark.parametrize("name", ["cf1_macro", "cprecision_macro"])
def test_few_swaps_are_all_counted_and_each_has_its_mirror_image(name):
    preds = many_classes(n=60, changed=np.arange(8))
    found, full = run(preds, name), evaluated(preds, name)
    assert found.floor[0, 0] == 2 * 0.5**8
    forms = swapped_forms(full[0], full[1:], *PAIR)
    bits = np.arange(2**8)[:, None] >> np.arange(8) & 1
    ((_, t),) = forms.enumerated_of(np.array([0]), bits.astype(float), np.arange(8))
    expected = (np.abs(t) >= np.abs(forms.observed) - 1e-9).mean()
    assert found.p_value[0, 0] == pytest.approx(expected, abs=2 / 2**8)
    assert found.p_value[0, 0] * 2**7 % 1 == 0
    assert not found.used


def test_models_in_the_other_order_have_the_same_p_value_and_equal_models_one_of_1():
    preds = many_classes()
    p = {m: preds.probabilities(m) for m in preds.models}
    turned = Predictions(preds.y_true, {"m1": p["m1"], "m0": p["m0"]}, labels=range(12))
    same = Predictions(preds.y_true, {"a": p["m0"], "b": p["m0"].copy()}, labels=range(12))
    for name in SOFT:
        assert run(preds, name).p_value == pytest.approx(run(turned, name).p_value)
        assert run(same, name).p_value == 1


def test_threads_and_blocks_of_memory_do_not_change_a_bit(monkeypatch):
    preds = many_classes()
    once = run(preds, "cf1_macro", all_pairs(3), n_jobs=1).p_value
    assert run(preds, "cf1_macro", all_pairs(3), n_jobs=2).p_value.tobytes() == once.tobytes()
    for name, few in (("_SUM_NUMBERS", 1), ("CACHE_BYTES", 2**12)):
        monkeypatch.setattr(f"modelcompare.significance.swaps.statistic.{name}", few)
    assert run(preds, "cf1_macro", all_pairs(3)).p_value.tobytes() == once.tobytes()


def test_very_many_numbers_are_swapped_raw_and_say_so(monkeypatch):
    monkeypatch.setattr("modelcompare.significance.swaps.averages._MOST_NUMBERS", 1)
    assert run(many_classes(), "cf1_macro").used == {"cf1_macro": "permutation"}


def test_a_class_that_one_model_never_gives_any_share_is_no_obstacle():
    preds = many_classes(n=120)
    p = {m: preds.probabilities(m).copy() for m in ("m0", "m1")}
    p["m0"][:, 3] = 0
    p["m0"] /= p["m0"].sum(axis=1, keepdims=True)
    found = run(Predictions(preds.y_true, p, labels=range(12)), "cprecision_macro")
    assert 0 < found.p_value[0, 0] <= 1
