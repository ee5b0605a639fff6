"""Tests of two models on the same samples that need no resamples.

McNemar's tests count the samples on which one model is right and the other wrong; they test
equal accuracy and nothing else (used for equal F1, their size is 0.19 instead of 0.05). The t,
Wilcoxon and sign tests use per-sample differences of scores.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Literal, get_args

from modelcompare.data.alone import refuse_pseudo_values
from modelcompare.engine.delong import check_area, delong_covariance
from modelcompare.engine.influence import standard_errors
from modelcompare.engine.pairs import pair_differences
from modelcompare.significance.extreme import (
    normal_p,
    smallest_p_value,
    standardized,
)
from modelcompare.significance.pairwise import Outcome, PairTest, PairView
from modelcompare.significance.samples import (
    SampleTest,
    require_plain,
    right_or_wrong,
    sample_contributions,
    sample_test,
)
from modelcompare.words import Alternative

McNemar = Literal["mcnemar-exact", "mcnemar-midp", "mcnemar-chi2", "mcnemar-chi2-corrected"]


def mcnemar_test(
    n_a_only: int, n_b_only: int, method: McNemar, alternative: Alternative = "two-sided"
) -> tuple[float, float]:
    """Return statistic and p-value of McNemar's test from the discordant samples.

    Without discordant samples p is 1; with the continuity correction equal counts have p = 1 too,
    as in R.

    Parameters
    ----------
    n_a_only, n_b_only : int
        Samples that model a alone, and model b alone, got right.
    method : str
        Exact binomial, its mid-p version, chi-square, or chi-square with Edwards' correction.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is right more often.

    Examples
    --------
    >>> statistic, p_value = mcnemar_test(10, 2, "mcnemar-exact")
    >>> round(p_value, 4)
    0.0386
    """
    from scipy.stats import binom

    n = n_a_only + n_b_only
    if n == 0:
        return 0.0, 1.0
    if method in ("mcnemar-exact", "mcnemar-midp"):
        greater = float(binom.sf(n_a_only - 1, n, 0.5))
        less = float(binom.cdf(n_a_only, n, 0.5))
        if method == "mcnemar-midp":
            half = float(binom.pmf(n_a_only, n, 0.5)) / 2
            greater, less = greater - half, less - half
        p_value = {"two-sided": 2 * min(greater, less), "greater": greater, "less": less}
        return float(n_a_only), min(p_value[alternative], 1.0)
    size = abs(n_a_only - n_b_only)
    if method == "mcnemar-chi2-corrected":
        size = max(size - 1, 0)
    z = math.copysign(size / math.sqrt(n), n_a_only - n_b_only)
    return z**2, float(normal_p(z, alternative))


def _mcnemar(method: McNemar, view: PairView) -> Outcome:
    (metric,) = view.evaluation.metrics
    predictions = view.evaluation.predictions
    right = right_or_wrong(predictions, metric)
    if right is None:
        raise ValueError(
            f"McNemar's tests are of accuracy, or of scores that are 0 or 1, not of {metric.name}; "
            "use 'studentized-permutation', 'permutation', 'bootstrap' or 'wald' instead."
        )
    require_plain(predictions.access, "McNemar's test")
    right_a, right_b = right
    a_only, b_only = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    return Outcome.of_one(*mcnemar_test(a_only, b_only, method, view.alternative))


def _samples(method: SampleTest, view: PairView) -> Outcome:
    require_plain(view.evaluation.access, f"test {method!r}")
    if method != "t":
        refuse_pseudo_values(view.evaluation.access, f"test {method!r}")
    (metric,) = view.evaluation.metrics
    contributions = sample_contributions(view.evaluation, metric)
    differences = pair_differences(contributions, view.model_a, view.model_b)[0]
    return Outcome.of_one(*sample_test(method, differences, view.alternative))


def _delong(view: PairView) -> Outcome:
    (metric,) = view.evaluation.metrics
    check_area(metric)
    auc, covariance = delong_covariance(view.evaluation.predictions)
    error = standard_errors(covariance[None], view.pairs)[0, 0]
    z = float(standardized(auc[0] - auc[1], error))
    floor = float(smallest_p_value(len(view.evaluation.predictions), view.alternative))
    return Outcome.of_one(z, max(float(normal_p(z, view.alternative)), floor))


_MEANS = "means of per-sample numbers, independent samples"
ROWS: tuple[PairTest, ...] = (
    *(
        PairTest(
            name, partial(_mcnemar, name), reads="rows", needs="accuracy, or scores of 0 and 1"
        )
        for name in get_args(McNemar)
    ),
    PairTest("delong", _delong, reads="rows", needs="roc_auc"),
    *(
        PairTest(name, partial(_samples, name), reads="rows", needs=_MEANS, by_sample=True)
        for name in get_args(SampleTest)
    ),
)
