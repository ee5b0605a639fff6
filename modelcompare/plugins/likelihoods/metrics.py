"""Likelihood ratios: the factor by which a prediction changes the odds of a class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from modelcompare.arrays import FloatArray
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.counts import COUNTS
from modelcompare.metrics.quotient import ClassRatio, Quotient

_HITS, _MISSES = (ClassRatio(of, (1, 1, 0, 0)) for of in ((1, 0, 0, 0), (0, 1, 0, 0)))
_ALARMS, _CLEARED = (ClassRatio(of, (0, 0, 1, 1)) for of in ((0, 0, 1, 0), (0, 0, 0, 1)))


@dataclass(frozen=True)
class RatioOfRates:
    """Numerator and denominator of a quotient of two rates of one class, as products of counts."""

    first: ClassRatio
    second: ClassRatio

    def __call__(self, *totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        (top, of_top), (bottom, of_bottom) = self.first(*totals), self.second(*totals)
        return top * of_bottom, bottom * of_top


_of_tests = partial(
    Metric, statistics=COUNTS, per_class=True, zero_division=math.nan, bounds=(0.0, math.inf),
    references=("Deeks & Altman (2004), BMJ 329, 168-169.",),
)  # fmt: skip

LR_POSITIVE = _of_tests(
    name="lr_positive", value=Quotient(RatioOfRates(_HITS, _ALARMS)),
    description="""Factor by which a prediction of a class raises its odds: recall / fpr.

    The positive likelihood ratio of a diagnostic test; it does not depend on the share of the
    class. Undefined without a false alarm, where it has no upper limit.""",
    example='>>> lr_positive([0, 0, 0, 1, 1], [0, 1, 0, 1, 0], average="binary")\n1.5',
)  # fmt: skip

LR_NEGATIVE = _of_tests(
    name="lr_negative", value=Quotient(RatioOfRates(_MISSES, _CLEARED)), greater_is_better=False,
    description="""Factor by which a prediction of another class lowers a class's odds.

    The negative likelihood ratio of a diagnostic test, fnr / specificity; it does not depend on the
    share of the class.""",
    example='>>> lr_negative([0, 0, 0, 1, 1], [0, 1, 0, 1, 0], average="binary")\n0.75',
)  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (LR_POSITIVE, LR_NEGATIVE)
