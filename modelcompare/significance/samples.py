"""Per-sample numbers, and tests of their differences."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.data.test_set import Access, TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.labels import Labels
from modelcompare.intervals import TIE_TOLERANCE
from modelcompare.metrics import AnyMetric, Metric
from modelcompare.metrics.quotient import SumsOf, divide
from modelcompare.significance.extreme import smallest_p_value, student_p
from modelcompare.words import Alternative

SampleTest = Literal["t", "wilcoxon", "sign"]
# Share of the largest difference below which one is rounding.
_ROUNDING = 1e-13


def sample_test(
    method: SampleTest,
    differences: FloatArray,
    alternative: Alternative = "two-sided",
) -> tuple[float, float]:
    """Return statistic and p-value of a test on per-sample differences a - b, by scipy.

    Differences that are rounding beside the largest one, as (0.1 + 0.2) - 0.3 beside 0.1, are 0.
    If all differences are 0, p is 1. If they are equal, they have no spread, and p is the smallest
    one possible for their number (`smallest_p_value`). The sign test leaves out samples without a
    difference; Wilcoxon's keeps their ranks (Pratt) and treats sizes that differ only by rounding
    as tied.
    """
    from scipy import stats

    size = np.abs(differences)
    differences = np.where(size <= _ROUNDING * size.max(), 0.0, differences)
    nonzero = differences[differences != 0]
    if len(nonzero) == 0:
        return 0.0, 1.0
    if method == "sign":
        n_positive = int((nonzero > 0).sum())
        found = stats.binomtest(n_positive, len(nonzero), 0.5, alternative=alternative)
        return float(n_positive), float(found.pvalue)
    if method == "wilcoxon":
        result = stats.wilcoxon(tied(differences), zero_method="pratt", alternative=alternative)
    elif np.ptp(differences) <= TIE_TOLERANCE * np.abs(differences).max():
        t = math.copysign(math.inf, differences[0])
        p_value = float(student_p(t, len(differences) - 1, alternative))
        return t, max(p_value, float(smallest_p_value(len(differences), alternative)))
    else:
        result = stats.ttest_1samp(differences, 0.0, alternative=alternative)
    return float(result.statistic), float(result.pvalue)


def tied(numbers: FloatArray) -> FloatArray:
    """Give one size to numbers whose sizes are equal except for rounding."""
    size = np.abs(numbers)
    order = np.argsort(size)
    ordered = size[order]
    begins = np.r_[True, np.diff(ordered) > TIE_TOLERANCE * ordered[1:]]
    size[order] = ordered[begins][np.cumsum(begins) - 1]
    return np.copysign(size, numbers)


def sample_contributions(evaluation: Evaluation, metric: AnyMetric) -> FloatArray:
    """Return per-sample numbers whose mean is the metric, of shape (n_models, n_samples).

    Raises
    ------
    ValueError
        If the metric is not a mean of per-sample numbers.
    """
    if isinstance(metric, Metric) and _may_be_mean(metric):
        # The value on each sample; leave-one-out values have rounding errors, which tests of signs
        # and ranks would count as differences.
        parts = [
            _of_each(evaluation, metric, evaluation.statistics(rows))
            for rows in evaluation.row_steps()
        ]
        contributions: FloatArray = np.concatenate(parts).T
        if np.allclose(contributions.mean(axis=1), evaluation.estimate()[:, 0]):
            return contributions
    raise ValueError(
        f"metric {metric.name!r} is not a mean of per-sample numbers; t, Wilcoxon and sign tests "
        "need one (accuracy, mean_score, log_loss, ...). Use 'studentized-permutation', "
        "'bootstrap' or 'wald'."
    )


def _of_each(evaluation: Evaluation, metric: Metric, numbers: FloatArray) -> FloatArray:
    """Return the value on each sample, (n_rows, n_models); for averages its quotient of sums."""
    if metric.average is None or metric.ratio is None:
        return evaluation.values_of_totals(numbers)[:, :, 0]
    # An average of a single sample would count 0 for classes that it cannot show.
    return divide(*SumsOf(metric.ratio)(*evaluation.parts(metric, numbers)))


def _may_be_mean(metric: Metric) -> bool:
    """Return False if the record declares an average over classes, not a mean of samples.

    Averages of shares of the true members, or of the others, of a class can be means of samples:
    those weighted by support, and plain ones of equally large classes (balanced accuracy).
    """
    ratio = metric.class_ratio
    of_truth = ratio is not None and ratio.is_of_truth
    return not metric.per_class and (metric.average is None or of_truth)


def right_or_wrong(predictions: TestSet, metric: AnyMetric) -> BoolArray | None:
    """Return where each model is right (n_models, n_samples), by labels or by scores 0 and 1.

    None for other metrics and scores.
    """
    if metric.name == "accuracy":
        return np.array(Labels.of_each(predictions).right_or_wrong.predicted) == 1
    scored = Labels.of_scores(predictions, metric)
    return None if scored is None else np.array(scored.predicted) == 1


def require_plain(access: Access[Any], what: str) -> None:
    """Refuse clusters and weights for a test of independent samples of equal weight."""
    if not access.plain:
        raise ValueError(
            f"{what} needs independent samples of equal weight; with clusters or weights use "
            "'studentized-permutation', 'bootstrap' or 'wald'."
        )
