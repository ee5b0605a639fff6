"""A comparison that takes more than a minute warns before its swaps, with what takes less."""

import re
import warnings
from time import process_time

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.comparison.correction import Procedure
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.plugins.plan import duration
from modelcompare.significance import studentized
from modelcompare.significance.swaps.statistic import UnitSwaps

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.metrics.SparseDataWarning")
SECONDS = {"hours": 3600, "minutes": 60, "s": 1}


def models(n_models=4, n_classes=3, n=60):
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    outputs = {}
    for model in range(n_models):
        odds = np.exp(rng.standard_normal((n, n_classes)) + np.eye(n_classes)[y])
        outputs[f"m{model}"] = odds / odds.sum(axis=1, keepdims=True)
    return mc.Predictions(y, outputs, labels=range(n_classes))


def evaluated(preds, *metrics):
    return Evaluation(preds, resolve_metrics([*metrics], preds))


class DrawnError(Exception):
    """Swaps were drawn."""


@pytest.fixture
def slow(monkeypatch):
    """Processors that take a million times as long, and end where swaps are drawn."""
    for each, cost in (("_OF_PRODUCT", 1e6), ("_OF_PAIR", 1e8)):
        monkeypatch.setattr(duration, each, cost)

    def drawn(*_, **__):
        raise DrawnError

    monkeypatch.setattr(UnitSwaps, "_mapped", drawn)


def stated(text):
    found = re.findall(r"about ([\d,]+) (hours|minutes|s)\b", text)
    return [int(number.replace(",", "")) * SECONDS[unit] for number, unit in found]


def expected_seconds(evaluation, n_pairs, n_resamples, n_jobs=None, **procedure):
    with mc.config_context(n_jobs=n_jobs):
        return duration.expected_seconds(evaluation, n_pairs, n_resamples, Procedure(**procedure))


@pytest.mark.usefixtures("slow")
def test_the_time_is_stated_before_a_swap_is_drawn_with_that_of_other_requests():
    # Of ten classes, MCC's outcomes are of too many kinds to be integrated.
    preds = models(n_classes=10, n=600)
    with (
        pytest.warns(UserWarning, match="9,999 swaps of 6 pairs") as caught,
        pytest.raises(DrawnError),
        mc.config_context(n_jobs=1),
    ):
        mc.compare(preds, "mcc")
    (text,) = (str(w.message) for w in caught if "swaps of" in str(w.message))
    evaluation = evaluated(preds, "mcc")
    asked = [(6, 9_999), (6, 999), (3, 9_999)]
    assert "n_resamples=999 (--resamples 999; about" in text
    assert "a baseline (--baseline; 3 pairs; about" in text
    assert stated(text) == pytest.approx(
        [expected_seconds(evaluation, *each, n_jobs=1) for each in asked], rel=0.2
    )
    # The numbers stand for the one call, its tenth, and a call of half the pairs.
    assert stated(text)[0] > 5 * stated(text)[1]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("test", ["sign-flip", "wald"])
def test_other_tests_have_no_swaps_to_wait_for(test):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", mc.SparseDataWarning)
        mc.compare(models(), "mcc", test=test, n_resamples=99)


def test_usual_comparisons_are_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", mc.SparseDataWarning)
        mc.compare(models(), n_resamples=99)
        mc.compare(models(), "f1", n_resamples=99)


def test_a_baseline_or_fewer_resamples_are_not_proposed_where_they_are_given(monkeypatch):
    monkeypatch.setattr(duration, "_OF_PRODUCT", 1e8)
    with pytest.warns(UserWarning, match=r"Faster are fewer classes, or fewer metrics\.$"):
        mc.compare(models(), "mcc", n_resamples=99, baseline="m0")


@pytest.mark.parametrize("more", [
    {"preds": models(n_models=8), "pairs": 28}, {"preds": models(n_classes=6)}, {"preds": models(n=600)},
    {"resamples": 3_000}, {"metrics": ("mcc", "cprecision_macro")}, {"pairs": 12},
], ids=str)  # fmt: skip
def test_more_work_is_expected_to_take_longer(more):
    def seconds(preds, pairs=6, resamples=999, metrics=("mcc",)):
        return expected_seconds(evaluated(preds, *metrics), pairs, resamples, n_jobs=1)

    assert seconds(**({"preds": models()} | more)) > 1.2 * seconds(models())


def test_swaps_of_outputs_take_time_for_each_sample():
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    preds = mc.Predictions(y, {name: y + rng.normal(size=300) for name in "abc"})
    seconds = expected_seconds(evaluated(preds, "median_absolute_error"), 3, 9_999, n_jobs=1)
    assert seconds == pytest.approx(7e-9 * 3 * 9_999 * 300, rel=0.05)
    assert expected_seconds(evaluated(preds, lambda y, p: np.abs(y - p).max()), 3, 9_999) == 0


def test_swaps_that_are_counted_exactly_or_step_down_are_known():
    preds = models()
    hard = mc.Predictions(preds.y_true, {m: preds.predicted(m) for m in preds.models})
    few, all_pairs, more = (
        expected_seconds(evaluated(hard, "accuracy"), *asked)
        for asked in ((3, 9_999), (6, 9_999), (6, 99_999))
    )
    assert few < all_pairs == more < 2 * few
    assert (
        studentized.algorithm_of(
            evaluated(hard, "accuracy"), evaluated(hard, "accuracy").metrics[0]
        )
        == "exact"
    )
    evaluation = evaluated(preds, "mcc")
    # 50 tests of 999 swaps: no p-value can be below 0.05 by Holm's method.
    few, many = (expected_seconds(evaluation, pairs, 999) / pairs for pairs in (49, 50))
    assert many == pytest.approx(2 * few, rel=0.1)
    assert expected_seconds(evaluation, 6, 999, n_jobs=2) == pytest.approx(
        expected_seconds(evaluation, 6, 999, n_jobs=1) / 2, rel=0.05
    )


@pytest.mark.parametrize("asked", [
    {"correction": "none"}, {"correction": "fdr_bh"}, {"family": "all"},
], ids=str)  # fmt: skip
def test_a_correction_that_does_not_step_down_takes_less(asked):
    evaluation = evaluated(models(7), "mcc")
    stepped = expected_seconds(evaluation, 21, 300, n_jobs=1)
    assert expected_seconds(evaluation, 21, 300, n_jobs=1, **asked) == pytest.approx(
        stepped / 2, rel=0.05
    )


def test_a_law_is_evaluated_for_each_pair_and_labels_in_strata_are_integrated():
    preds = models(n=900)
    hard = mc.Predictions(preds.y_true, {m: preds.predicted(m) for m in preds.models})
    read, three, six = (
        expected_seconds(evaluated(hard, "f1_macro"), pairs, 9_999) for pairs in (0, 3, 6)
    )
    assert six - read == pytest.approx(2 * (three - read))
    within = hard.with_columns(strata=np.arange(900) % 2)
    assert expected_seconds(evaluated(within, "f1_macro"), 6, 9_999) > 10 * six
    # A class of 20 samples has no law: its swaps are drawn, and fewer take less.
    rare = mc.Predictions(hard.y_true[:60], {m: hard.predicted(m)[:60] for m in hard.models})
    drawn, fewer = (expected_seconds(evaluated(rare, "f1_macro"), 6, n) for n in (9_999, 999))
    assert drawn > 5 * fewer


def test_estimates_are_within_a_factor_of_the_processor_time_taken():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2_000)
    preds = mc.Predictions(y, {
        f"m{k:02}": np.where(rng.random(2_000) < 0.7 + k / 100, y, rng.integers(0, 3, 2_000))
        for k in range(20)
    })  # fmt: skip
    mc.compare(preds[["m00", "m01"]])
    began = process_time()
    mc.compare(preds)
    taken = process_time() - began
    # Machines differ; experiments/benchmarks/matrix.py prints both for its rows.
    assert taken / 6 < mc.plan(preds).seconds < taken * 6


def test_groups_are_warned_of_together_before_any_is_compared(monkeypatch):
    of = models(n=600)
    preds = mc.Predictions(
        of.y_true, {m: of.output(m).array for m in of.models}, labels=of.labels,
        slices={"part": np.repeat(["x", "y", "z"], 200)},
    )  # fmt: skip
    one = mc.plan(preds.subset(np.arange(200)), "f1_macro").seconds
    monkeypatch.setattr(duration, "LONG", 2.5 * one)
    monkeypatch.setattr(duration, "_SMALL", 0)

    def refuse(*_, **__):
        raise DrawnError

    monkeypatch.setattr("modelcompare.comparison.compare_groups.compare", refuse)
    with (
        pytest.warns(UserWarning, match="6 pairs of models in each of 3 groups are expected"),
        pytest.raises(DrawnError),
    ):
        mc.compare_groups(preds, "f1_macro")
    # Two groups of the three are below the limit.
    two = preds.subset(np.arange(400))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        with pytest.raises(DrawnError):
            mc.compare_groups(two, "f1_macro")
