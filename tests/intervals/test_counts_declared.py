"""What is read off metrics' records, against the definitions written out."""

from __future__ import annotations

import numpy as np
import pytest

from modelcompare.intervals.counts import Counted, ratio_of_counts
from modelcompare.intervals.influences import averages_absent_classes
from modelcompare.metrics import ClassRatio, Metric, get_metric
from modelcompare.metrics.counts import COUNTS

# TP, FN, FP, TN in the numerator, and in the denominator.
RATIOS = {
    "precision": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "recall": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "specificity": ((0, 0, 0, 1), (0, 0, 1, 1)),
    "jaccard": ((1, 0, 0, 0), (1, 1, 1, 0)),
    "f1": ((2, 0, 0, 0), (2, 1, 1, 0)),
    "f2": ((5, 0, 0, 0), (5, 4, 1, 0)),
    "f0.3": ((1.09, 0, 0, 0), (1.09, 0.09, 1, 0)),
}


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize("average", [None, "macro", "weighted"])
def test_what_a_sample_adds_to_a_class_is_read_off_the_metric(name, average, n_classes):
    metric = get_metric(name if average is None else f"{name}_{average}")

    found = ratio_of_counts(metric, n_classes)

    if (name, average) == ("recall", "weighted"):
        # A class's recall weighs as much as the class: the share of right samples.
        assert found == ratio_of_counts(get_metric("accuracy"), n_classes)
        return
    assert found.over == (average or "class")
    np.testing.assert_allclose(found.ratio.numerator, RATIOS[name][0], rtol=1e-12)
    np.testing.assert_allclose(found.ratio.denominator, RATIOS[name][1], rtol=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "zero_one_loss", "f1_micro", "recall_micro",
                                  "precision_micro", "specificity_micro", "jaccard_micro",
                                  "f2_micro"])  # fmt: skip
def test_what_is_of_all_samples_follows_from_the_accuracy(name):
    rng = np.random.default_rng(0)
    y_true, y_pred = rng.integers(0, 4, (2, 30))
    hits = np.array([np.sum((y_true == k) & (y_pred == k)) for k in range(4)])
    named, support = np.bincount(y_pred, minlength=4), np.bincount(y_true, minlength=4)
    metric = get_metric(name)

    found = ratio_of_counts(metric, 4)

    (right, wrong), n_right = found.ratio.denominator[:2], hits.sum()
    base = right * n_right / (right * n_right + wrong * (30 - n_right))
    value = metric.value(*(1.0 * total for total in (hits, named, support)))
    assert found.over == "correct"
    np.testing.assert_allclose(found.offset + found.slope * base, value, rtol=1e-12)


def test_a_metric_of_ones_own_is_read_like_any_other():
    missed = Metric(
        name="miss_rate", statistics=COUNTS, per_class=True,
        ratio=ClassRatio((0, 1, 0, 0), (1, 1, 0, 0)),
    )  # fmt: skip

    assert ratio_of_counts(missed, 3) == Counted(ClassRatio((0, 1, 0, 0), (1, 1, 0, 0)), "class")


def test_what_depends_on_which_class_is_no_ratio_of_counts():
    first = Metric(
        name="recall_of_the_first", statistics=COUNTS,
        ratio=lambda hits, _predicted, support: (hits[..., 0], support[..., 0]),
    )  # fmt: skip
    costly = Metric(
        name="costs", statistics=COUNTS, per_class=True,
        ratio=lambda hits, _predicted, support: (hits * np.arange(3.0), support),
    )  # fmt: skip

    assert ratio_of_counts(first, 3) is None
    assert ratio_of_counts(costly, 3) is None


@pytest.mark.parametrize("name", ["cf1", "log_loss", "matthews_corrcoef", "roc_auc"])
def test_what_is_no_ratio_of_counts_is_left_to_others(name):
    assert ratio_of_counts(get_metric(name), 3) is None


def test_soft_macro_averages_count_classes_that_never_occur_as_zero():
    found = {n: averages_absent_classes(get_metric(n)) for n in
             ("cf1_macro", "cprecision_macro", "crecall_macro", "cbalanced_accuracy", "cf1",
              "f1_macro")}  # fmt: skip

    counted = ["cf1_macro", "cprecision_macro", "crecall_macro"]
    assert [name for name, absent in found.items() if absent] == counted
