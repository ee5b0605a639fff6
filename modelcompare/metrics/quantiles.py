"""Quantiles of one number for each sample: percentiles of scores, the median absolute error.

The quantile of a share p is the number at which the weights of the samples in ascending order reach
p of their sum; where they reach it exactly, the mean of that number and the next one. Of equal
weights this is the quantile "averaged_inverted_cdf" of `numpy.quantile`, and for p = 1/2 the usual
median; a sample of weight 2 counts as two samples.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeGuard

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.metrics.base import AnyMetric, Factory, OrderMetric, Outcomes
from modelcompare.metrics.defined import any_sample
from modelcompare.metrics.ranking import Evaluate
from modelcompare.metrics.running_sums import Running, by_sample
from modelcompare.metrics.scoring import score_of
from modelcompare.metrics.variants import number
from modelcompare.words import check_number

# One number for each sample.
Numbers = Callable[[Outcomes], FloatArray]
# Share of a sum of weights that is rounding.
_ROUNDING = 1e-12
_NAME = re.compile(r"(?:(.*)_)?p([0-9]+\.?[0-9]*)", re.DOTALL)


def quantile_metric(numbers: Numbers, share: float, **declarations: Any) -> OrderMetric:
    """Return the metric that is a quantile of one number for each sample."""
    return OrderMetric(
        prepare=partial(_prepare, numbers=numbers, share=share), quantile_of=numbers, share=share,
        smooth=False, defined_by=any_sample, **declarations,
    )  # fmt: skip


def is_quantile(metric: AnyMetric) -> TypeGuard[OrderMetric]:
    """True if a metric is a quantile of one number for each sample."""
    return isinstance(metric, OrderMetric) and metric.quantile_of is not None


def _prepare(outcomes: Outcomes, *, numbers: Numbers, share: float) -> Evaluate:
    """Return the function that computes the weighted quantile under each row of weights."""
    found = numbers(outcomes)
    order = np.argsort(found, kind="stable")
    ordered, running = found[order], Running.over(order)

    def evaluate(weights: FloatArray) -> FloatArray:
        sums = running.sums(by_sample(weights))
        total = sums[running.at[-1]].astype(np.float64)
        at, rounding = share * total, _ROUNDING * total
        rows, low = running.at[1:], np.maximum(at - rounding, rounding)
        lower = ordered[_first(sums, rows, np.greater_equal, low)]
        high = np.minimum(at + rounding, total - rounding)
        upper = ordered[_first(sums, rows, np.greater, high)]
        return np.where(total > 0, (lower + upper) / 2, np.nan)

    return evaluate


def _first(sums: AnyArray, rows: IntArray, reaches: np.ufunc, bound: FloatArray) -> IntArray:
    """Find the first of the rising `rows` that reaches a bound, in each column, by bisection."""
    low, high = np.zeros(len(bound), np.intp), np.full(len(bound), len(rows) - 1)
    columns = np.arange(len(bound))
    for _ in range(len(rows).bit_length()):
        middle = (low + high) // 2
        found = reaches(sums[rows[middle], columns], bound)
        high = np.where(found, middle, high)
        low = np.where(found, low, np.minimum(middle + 1, high))
    return high


def _scores(outcomes: Outcomes, *, place: int = 0) -> FloatArray:
    return score_of(outcomes, place=place)[:, 0]


def percentile_metric(*, p: float = 95.0) -> OrderMetric:
    """Return the percentile p of per-example scores."""
    check_number("p", p, at_most=100.0)
    made = Factory(percentile_metric, {"p": p}, "p{p}")
    return _percentile(p, name=f"p{number(p)}", factory=made)


def _percentile(p: float, *, place: int = 0, **declarations: Any) -> OrderMetric:
    return quantile_metric(
        partial(_scores, place=place), p / 100, family="percentile", needs="scores",
        bounds=(-math.inf, math.inf), greater_is_better=None, direction_from="unknown",
        description="""Percentile of per-example scores, such as latencies: p % are no higher.

        Measures the tail that users feel and a mean hides. It is the quantile of the inverted
        distribution, averaged where two scores fit (numpy's "averaged_inverted_cdf"). p is part of
        the name: ``p50``, ``p99.9``; of several scores the score is too, ``latency_ms_p95``.
        Intervals are from order statistics, those of differences from both models' (MOVER): if too
        few samples lie beyond, as of ``p99`` below 368, there is no upper end. The direction is
        that of the scores, as of means.""",
        references=(
            "Hyndman & Fan (1996), Sample Quantiles in Statistical Packages, The American "
            "Statistician 50, 361-365.",
        ),
        example=">>> percentile([10.0, 20.0, 30.0, 400.0], p=75)\n215.0",
        **declarations,
    )  # fmt: skip


def percentile_of(name: str, scores: Sequence[str]) -> tuple[str, float] | None:
    """Return the score and the p that the name of a percentile states; None for another name.

    Examples
    --------
    >>> percentile_of("latency_ms_p95", ["correct", "latency_ms"]), percentile_of("p50", ["cost"])
    (('latency_ms', 95.0), ('cost', 50.0))
    """
    found = _NAME.fullmatch(name)
    if found is None or name in scores:
        return None
    score, p = found.groups()
    if score is None and len(scores) == 1:
        score = scores[0]
    return (score, float(p)) if score in scores else None


def named_percentile(name: str, scores: Sequence[str]) -> OrderMetric | None:
    """Return the percentile of one of several scores; None if the name is no such name."""
    found = percentile_of(name, scores)
    if found is None:
        return None
    score, p = found
    return _percentile(
        p, place=scores.index(score), name=f"{score}_{percentile_metric(p=p).name}",
        variant=f"of the score {score}",
    )  # fmt: skip


METRICS: tuple[AnyMetric, ...] = tuple(percentile_metric(p=p) for p in (50.0, 95.0, 99.0))
