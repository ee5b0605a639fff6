import gc
import weakref

import numpy as np
import pytest
from scipy.stats import binom

from modelcompare import Predictions, config_context
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import get_metric, resolve_metrics
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance import run_test
from modelcompare.significance.exact import Grids
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.studentized import (
    algorithm_of,
    studentized_permutation,
    swap_statistic,
)
from modelcompare.significance.swaps.statistic import Asked, count_extreme
from tests.covering import pairwise
from tests.plugged import needs
from tests.significance import oracle
from tests.significance.views import pair_view

SEED = np.random.SeedSequence(3)
PAIR = np.array([0]), np.array([1])
HARD = ["precision", "recall", "f1", "jaccard", "specificity", "f2", "accuracy", "zero_one_loss",
        "f1_micro", "jaccard_micro", "specificity_micro"]  # fmt: skip
AVERAGES = ["f1_macro", "precision_macro", "specificity_weighted", "jaccard_weighted", "f1_weighted",
            "balanced_accuracy", "f0.5_macro"]  # fmt: skip
SOFT = ["cf1", "cprecision", "crecall", "cspecificity", "caccuracy", "log_loss", "brier_score",
        "cf1_macro", "cprecision_weighted"]  # fmt: skip
KINDS = {"hard": HARD, "averages": AVERAGES, "soft": SOFT}


def close_models(seed, n=14, n_changed=7, **columns):
    """Two models of three classes that differ on a few samples."""
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, 2, rng.choice(3, n - 3, p=[0.6, 0.3, 0.1])]
    first = rng.dirichlet(np.full(3, 0.6), n)
    first[np.arange(n), y] += 0.5
    first /= first.sum(axis=1, keepdims=True)
    second = first.copy()
    changed = rng.choice(n, n_changed, replace=False)
    second[changed] = rng.dirichlet(np.full(3, 0.6), n_changed)
    return Predictions(y, {"a": first, "b": second}, labels=range(3), **columns)


def many_models(n=60, n_models=4, seed=0, **columns):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
    outputs = {f"m{i}": rng.dirichlet(np.full(3, 0.8), n) for i in range(n_models)}
    return Predictions(y, outputs, labels=range(3), **columns)


def run(
    preds, names, *, pairs=None, n_resamples=999, zero_division=np.nan, collapse=False, **options
):
    part = Evaluation(
        preds, resolve_metrics(names, preds, zero_division=zero_division), collapse=collapse
    )
    a, b = all_pairs(len(preds.models)) if pairs is None else pairs
    return studentized_permutation(pair_view(part, (a, b), n_resamples, SEED, **options))


@pytest.mark.parametrize(
    ("zero_division", "alternative", "seed"),
    pairwise([np.nan, 0.0, 1.0, "paper"], ["two-sided", "greater", "less"], range(2)),
)
def test_the_sum_over_two_binomials_is_that_over_all_swaps(zero_division, alternative, seed):
    preds = close_models(seed, n_changed=6)
    for metric in resolve_metrics(HARD, preds, zero_division=zero_division):
        part = Evaluation(preds, [metric])
        assert algorithm_of(part, metric) == "exact"
        grids = Grids(part, metric, PAIR)
        found = grids.p_values(alternative)
        expected = oracle.p_value(metric, preds, alternative, grids.half)
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=metric.name)


DESIGNS = {
    "samples": {},
    "weights": {"sample_weight": np.random.default_rng(1).random(14)},
    "clusters": {"groups": np.random.default_rng(2).integers(0, 8, 14)},
    "both": {
        "sample_weight": np.random.default_rng(3).random(14),
        "groups": np.random.default_rng(4).integers(0, 8, 14),
    },
    "strata": {"strata": np.random.default_rng(5).integers(0, 3, 14)},
    "strata of one": {"strata": [0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 0, 1, 0, 0]},
    "clusters in strata": {
        "sample_weight": np.random.default_rng(3).random(14),
        "groups": np.arange(14) // 2,
        "strata": [*"aaaabbbbbb", *"aacc"],
    },
}


@pytest.mark.parametrize(
    ("design", "alternative", "zero_division", "kind"),
    pairwise(DESIGNS, ["two-sided", "greater"], [np.nan, 0.0, "paper"], KINDS),
)
def test_few_swaps_are_all_counted_as_the_definition_says(design, alternative, zero_division, kind):
    preds, names = close_models(5, **DESIGNS[design]), KINDS[kind]
    found = run(preds, names, pairs=PAIR, zero_division=zero_division, alternative=alternative)
    place = 0
    for metric in resolve_metrics(names, preds, zero_division=zero_division):
        width, half = 3 if metric.per_class else 1, None
        if algorithm_of(Evaluation(preds, [metric]), metric) == "exact":
            half = Grids(Evaluation(preds, [metric]), metric, PAIR).half
        expected = oracle.p_value(metric, preds, alternative, half)
        here = found.p_value[0, place : place + width]
        np.testing.assert_allclose(here, expected, atol=1e-12, err_msg=metric.name)
        place += width


def test_strata_in_which_models_differ_otherwise_are_no_noise():
    # One model is better by 10 of 50 in one stratum, the other by 6 of 50 in the other: the means
    # of the strata explain most of what sum of squares there is.
    y, strata = np.zeros(100, int), np.repeat([0, 1], 50)
    a, b = np.zeros(100, int), np.zeros(100, int)
    b[:45], a[50:80] = 1, 1
    with_strata, without = (
        run(Predictions(y, {"a": a, "b": b}, labels=[0, 1], **columns), ["accuracy"]).p_value[0, 0]
        for columns in ({"strata": strata}, {})
    )
    assert with_strata < 0.01 < 0.08 < without


@needs("calibration")
def test_one_stratum_changes_nothing():
    preds = many_models()
    one = many_models(strata=np.zeros(60, int))
    np.testing.assert_array_equal(run(preds, EVERYTHING).p_value, run(one, EVERYTHING).p_value)


EXACT = ["f1", "f1_macro", "cf1", "cf1_macro", "matthews_corrcoef", "accuracy"]


def all_swapped_data_sets(preds, names):
    """p-values of every data set that comes of swapping samples, (n_swaps, n_values)."""
    first, second = (preds.probabilities(model) for model in preds.models)
    differ = np.flatnonzero((first != second).any(axis=1))
    found = []
    for swap in range(2 ** len(differ)):
        mask = np.zeros((len(preds), 1), bool)
        mask[differ, 0] = swap >> np.arange(len(differ)) & 1
        outputs = {"a": np.where(mask, second, first), "b": np.where(mask, first, second)}
        found.append(run(Predictions(preds.y_true, outputs, labels=range(3)), names).p_value[0])
    return np.array(found)


def test_of_all_swapped_data_sets_at_most_a_share_of_alpha_is_rejected_at_alpha():
    # All samples differ, so ties count in full.
    p = all_swapped_data_sets(close_models(1, n=6, n_changed=6), ["cf1", "cf1_macro", "log_loss"])
    for alpha in np.unique(p):
        assert ((p <= alpha).mean(axis=0) <= alpha + 1e-12).all(), alpha


def test_where_ties_count_half_p_values_of_all_swapped_data_sets_are_a_half_on_average():
    p = all_swapped_data_sets(close_models(1, n=12, n_changed=5), EXACT)
    defined = ~np.isnan(p).any(axis=0) & (p < 1).all(axis=0)
    assert defined.sum() >= 5
    np.testing.assert_allclose(p[:, defined].mean(axis=0), 0.5, atol=1e-12)


def test_accuracy_and_recall_have_the_mid_p_test_of_mcnemar():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 900)
    outputs = {
        m: np.where(rng.random(900) < right, y, rng.integers(0, 4, 900))
        for m, right in (("a", 0.7), ("b", 0.76), ("c", 0.5))
    }
    preds = Predictions(y, outputs)
    accuracy, recall = run(preds, ["accuracy"]).p_value, run(preds, ["recall"]).p_value
    for pair, (i, j) in enumerate(zip(*all_pairs(3), strict=True)):
        right = [outputs["abc"[k]] == y for k in (i, j)]
        for rows, found in [
            (slice(None), accuracy[pair, 0]),
            *((y == k, recall[pair, k]) for k in range(4)),
        ]:
            one, other = right[0][rows], right[1][rows]
            counts = (one & ~other).sum(), (other & ~one).sum()
            n, most = sum(counts), max(counts)
            expected = 2 * binom.sf(most, n, 0.5) + binom.pmf(most, n, 0.5)
            assert found == pytest.approx(1.0 if len({*counts}) == 1 else expected, abs=1e-12)


@needs("calibration")
@pytest.mark.parametrize(
    "names", [["f1_macro"], ["cf1"], ["cf1_macro"], ["matthews_corrcoef"], ["ece"]]
)
def test_drawn_swaps_come_close_to_all_of_them(names):
    preds = close_models(2, n=30, n_changed=10)
    exact = run(preds, names, pairs=PAIR, n_resamples=2**10).p_value
    (metric,) = resolve_metrics(names, preds)
    part = Evaluation(preds, [metric], collapse=False)
    statistic = swap_statistic(part, [metric], PAIR)
    masks = SwapMasks(part.units, 20_000, SEED)
    drawn = oracle.share_extreme(statistic, masks, np.array([0]))
    error = np.sqrt(exact * (1 - exact) / 20_000)
    assert (np.abs(drawn - exact) <= 4 * error + 1e-12).all()


def test_drawn_swaps_of_hard_labels_come_close_to_the_binomials():
    preds = many_models(n=200, n_models=3)
    part = Evaluation(preds, [get_metric("f1")], collapse=False)
    exact = Grids(part, get_metric("f1"), all_pairs(3)).p_values().reshape(3, -1)
    statistic = swap_statistic(part, [get_metric("f1")], all_pairs(3))
    masks = SwapMasks(part.units, 12_800, SEED)
    drawn = oracle.share_extreme(statistic, masks, np.arange(3))
    assert (np.abs(drawn - exact) <= 4 * np.sqrt(exact * (1 - exact) / 12_800)).all()


EVERYTHING = ["f1", "f1_macro", "cf1", "cf1_macro", "log_loss", "cohen_kappa", "ece"]


@needs("calibration")
@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"groups": np.arange(60) // 3},
        {"sample_weight": np.arange(1.0, 61)},
        {"strata": np.arange(60) % 7},
    ],
)
def test_threads_do_not_change_a_bit(columns):
    preds = many_models(n_models=3, **columns)
    one = run(preds, EVERYTHING).p_value
    with config_context(n_jobs=2):
        two = run(preds, EVERYTHING).p_value
    assert one.tobytes() == two.tobytes()


@needs("calibration")
def test_blocks_of_memory_do_not_change_a_bit(monkeypatch):
    preds = many_models()
    before = run(preds, EVERYTHING).p_value
    for name, few in (
        ("_SUM_NUMBERS", 1),
        ("CACHE_BYTES", 400),
    ):
        monkeypatch.setattr(f"modelcompare.significance.swaps.statistic.{name}", few)
    monkeypatch.setattr("modelcompare.significance.exact.CACHE_BYTES", 8)
    assert run(preds, EVERYTHING).p_value.tobytes() == before.tobytes()


@needs("calibration")
@pytest.mark.parametrize("name", ["f1", "cf1", "cf1_macro", "log_loss", "ece", "f1_macro"])
def test_numbers_of_all_models_are_let_go_when_a_statistic_is(name):
    """A hundred models of 10,000 samples are 200 MB, which the next comparison would add to."""
    preds = many_models()
    part = Evaluation(preds, resolve_metrics([name], preds), collapse=False)
    gc.disable()
    try:
        statistic = swap_statistic(part, part.metrics, all_pairs(4))
        oracle.n_extreme(statistic, SwapMasks(statistic.units, 99, SEED), np.arange(6))
        left = weakref.ref(statistic)
        del statistic
        assert left() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("columns", [{}, {"strata": np.arange(40) % 3}])
def test_distinct_rows_give_the_same_p_values_where_all_swaps_are_counted(columns):
    preds = close_models(3, n=40, n_changed=8, **columns)
    names = ["f1_macro", "f1", "matthews_corrcoef"]
    collapsed, plain = (
        run(preds, names, pairs=PAIR, collapse=how).p_value for how in (True, False)
    )
    np.testing.assert_allclose(collapsed, plain, atol=1e-12)


def test_the_order_of_samples_and_the_names_of_classes_do_not_matter():
    preds = close_models(6)
    first, second = (preds.probabilities(model) for model in preds.models)
    order, names = np.random.default_rng(0).permutation(14), np.array([2, 0, 1])
    before = run(preds, ["f1_macro", "cf1", "accuracy"], pairs=PAIR).p_value[0]
    renamed = [np.empty_like(first), np.empty_like(first)]
    for place, p in enumerate((first, second)):
        renamed[place][:, names] = p[order]
    other = Predictions(
        names[preds.y_true[order]], dict(zip("ab", renamed, strict=True)), labels=range(3)
    )
    after = run(other, ["f1_macro", "cf1", "accuracy"], pairs=PAIR).p_value[0]
    np.testing.assert_allclose(
        after, np.r_[before[0], before[1:4][np.argsort(names)], before[4]], atol=1e-12
    )


@needs("calibration")
def test_models_that_say_the_same_have_a_p_value_of_one():
    preds = many_models(n_models=1)
    p = preds.probabilities("m0")
    same = Predictions(preds.y_true, {"a": p, "b": p.copy()}, labels=range(3))
    found = run(same, EVERYTHING, pairs=PAIR)
    assert (found.p_value == 1).all()
    assert (found.floor == 1).all()


@needs("texts")
def test_one_long_text_of_twenty_decides_nothing():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcdef"), 5 if i else 200)) for i in range(20)]
    other = [texts[0].replace("a", "z"), *texts[1:]]
    found = run(
        Predictions(texts, {"a": texts, "b": other}, kind="texts"), ["wer", "bleu"], pairs=PAIR
    )
    # Both outcomes are equally extreme.
    np.testing.assert_allclose(found.p_value, 0.5)
    np.testing.assert_allclose(found.floor, 0.5)


def test_sixty_classes_of_one_sample_hold_no_finding():
    rng = np.random.default_rng(0)
    y = np.arange(60)
    outputs = {m: np.where(rng.random(60) < 0.6, y, rng.integers(0, 60, 60)) for m in "ab"}
    found = run(
        Predictions(y, outputs, labels=range(60)), ["f1", "recall", "precision"], pairs=PAIR
    )
    assert np.nanmin(found.p_value) >= 0.2


def test_no_p_value_is_below_its_floor_or_zero():
    preds = many_models(n=400)
    found = run(preds, ["f1", "f1_macro", "cf1", "log_loss"])
    assert (found.p_value >= found.floor * (1 - 1e-9)).all()
    assert (found.floor > 0).all()
    assert np.median(found.floor) < 1e-20


def test_a_difference_beyond_doubt_has_a_p_value_far_below_any_number_of_resamples():
    y = np.tile([0, 1, 2], 400)
    wrong = (y + 1) % 3
    found = run(Predictions(y, {"a": y, "b": wrong}), ["f1", "accuracy"], pairs=PAIR)
    assert (found.p_value < 1e-15).all()
    assert (found.p_value > 0).all()


def test_a_model_without_a_value_has_no_p_value():
    y = np.array([0, 0, 1, 1, 0, 1])
    preds = Predictions(y, {"a": np.zeros(6, int), "b": y}, labels=[0, 1])
    assert np.isnan(run(preds, ["precision"], pairs=PAIR).p_value[0, 1])


def test_other_metrics_of_order_are_served_by_flipped_influences_and_say_so():
    y = np.tile([0, 1], 10)
    p = np.random.default_rng(0).random(20)
    preds = Predictions(y, {"a": p, "b": p**2}, labels=[0, 1], kind="probabilities")
    found = run(preds, ["accuracy", "average_precision"], pairs=PAIR)
    assert found.used == {"average_precision": "sign-flip"}
    alone = Evaluation(preds, resolve_metrics(["average_precision"], preds), collapse=False)
    flipped = run_test("sign-flip", pair_view(alone, PAIR, 999, SEED))
    assert found.p_value[0, 1] == flipped.p_value[0, 0]


def test_swaps_that_are_counted_hold_the_data_as_they_are():
    # Each swap, and none, is rounded otherwise than what is observed.
    found = np.array([[[1 - 1e-6, 0.1, -0.1, 1e-6 - 1]]])
    every = [
        count_extreme([found], observed, Asked("two-sided"))[0]
        for observed in (None, np.ones((1, 1)))
    ]
    assert every == [2, 0]
