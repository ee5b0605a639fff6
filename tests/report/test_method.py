"""The method in words: everything used has a phrase, and every number refers to a work."""

import re
from typing import get_args

import pytest

import modelcompare as mc
from modelcompare.comparison.method import CORRECTIONS, INTERVALS, TESTS, comparison_method
from modelcompare.significance.known import WAYS
from modelcompare.words import CompareTest, Correction, IntervalMethod
from tests.plugged import needs


@needs("runs")
def test_every_choice_has_its_phrase():
    assert {*get_args(IntervalMethod)} - {"auto"} <= {*INTERVALS}
    assert {*TESTS} == {*get_args(CompareTest)}
    assert {*CORRECTIONS} == {*get_args(Correction), "step-down"} - {"none"}


@needs("calibration")
@pytest.mark.parametrize(
    "metric", ["accuracy", "f1", "f1_macro", "cf1_macro", "mcc", "ece", "log_loss"]
)
def test_what_the_default_takes_has_its_phrase(metric):
    result = mc.compare(mc.load_example("snli"), metric, n_resamples=299)
    assert {*result.scores["method"], *result.differences["method"]} <= {*INTERVALS}
    tests, _, ways = zip(
        *(test.partition(": ") for test in result.differences["test"]), strict=True
    )
    assert {*tests} <= {*TESTS}
    assert {*filter(None, ways)} <= {*WAYS}


def test_references_are_numbered_as_they_come():
    result = mc.compare(
        mc.load_example("snli"), ["accuracy", "f1_macro", "cf1_macro"], n_resamples=299
    )
    text, works = result.document().method, result.document().references
    cited = [int(n) for found in re.findall(r"\[([\d, ]+)\]", text) for n in found.split(", ")]
    assert list(dict.fromkeys(cited)) == list(range(1, len(works) + 1))
    assert "accuracy, f1_macro [1] and cf1_macro [2] of 4 models on the same 9,824 test" in text
    assert works[1].startswith("Yacouby & Axman (2020)")
    assert "299 random ones where none holds" in text
    assert "adjusted by Holm's method" in text
    assert text.endswith(f"Computed with modelcompare {mc.__version__}, seed 0.")


def test_clusters_and_strata_are_reported():
    preds = mc.Predictions(
        [0, 1] * 60, {"a": [0, 1] * 50 + [1, 0] * 10, "b": [0, 1] * 60},
        groups=[i // 4 for i in range(120)], strata=[i // 60 for i in range(120)],
    )  # fmt: skip
    text = mc.compare(preds, "accuracy", n_resamples=99).document().method
    assert " 30 clusters of samples are taken whole; strata keep their sizes. " in text


def test_without_a_correction_none_is_cited(make_comparison):
    result = make_comparison()
    result.correction = "none"
    text, works = comparison_method(result)
    assert "[2, 3], not adjusted. We call" in text
    assert "where the p-value is below 0.05" in text
    assert not any("Holm" in work for work in works)


def test_a_single_test_is_not_reported_to_be_corrected():
    preds = mc.Predictions([0, 1] * 30, {"a": [0, 1] * 25 + [1, 0] * 5, "b": [0, 1] * 30})
    text = mc.compare(preds, "accuracy", n_resamples=99).document().method
    assert "not adjusted" in text
    assert "Holm" not in text


def test_families_are_given_by_their_sizes_from_small_to_large(make_comparison):
    result = make_comparison(["a", "b", "c"], ["f1", "mcc"], {"f1": list("uvwx")})
    text, _ = comparison_method(result)
    assert "over all pairs and classes of a metric (3 or 12 tests)" in text


def test_another_correction_that_stood_in_is_named(make_comparison):
    result = make_comparison(metrics=["accuracy", "mcc"])
    result.corrections_used = {"mcc": "step-down"}
    text, works = comparison_method(result)
    assert "the step-down of the same swaps [5] for mcc" in text
    assert works[4].startswith("Westfall & Young")


def test_max_t_needs_no_test_of_its_own(make_comparison):
    result = make_comparison()
    result.correction = "max-t"
    text, _ = comparison_method(result)
    assert "permutation" not in text
    assert "the largest studentized difference over resamples (max-t) [" in text
