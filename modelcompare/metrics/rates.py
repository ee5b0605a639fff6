"""Rates of errors of one class, its prevalence, and likelihood ratios."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.counts import COUNTS, SPECIFICITY
from modelcompare.metrics.quotient import ClassRatio, Quotient, RatioOfRates

_HITS, _MISSES = (ClassRatio(of, (1, 1, 0, 0)) for of in ((1, 0, 0, 0), (0, 1, 0, 0)))
_ALARMS, _CLEARED = (ClassRatio(of, (0, 0, 1, 1)) for of in ((0, 0, 1, 0), (0, 0, 0, 1)))
_rate = replace(SPECIFICITY, greater_is_better=False, soft=None)

FPR = replace(
    _rate, name="fpr", ratio=_ALARMS,
    description="""Share of the other classes that was predicted as this one: 1 - specificity.

    The false positive rate, also false alarm or false acceptance rate. Close to 0 for any rare
    class, since true negatives abound: of a thousand alarms nine hundred may be false.""",
    example='>>> fpr([0, 0, 1], [0, 1, 1], average="binary")\n0.5',
)  # fmt: skip

FNR = replace(
    _rate, name="fnr", ratio=_MISSES,
    description="""Share of the members of a class that was not predicted as such: 1 - recall.

    The false negative rate, also miss or false rejection rate. It ignores false alarms: always
    predicting the class scores 0.""",
    example='>>> fnr([0, 1, 1], [0, 0, 1], average="binary")\n0.5',
)  # fmt: skip

FALSE_DISCOVERY_RATE = replace(
    _rate, name="false_discovery_rate", ratio=ClassRatio((0, 0, 1, 0), (1, 0, 1, 0)),
    description="""Share of the predictions of a class that are wrong: 1 - precision.

    It ignores misses. Undefined where a class is never predicted.""",
    references=("Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B 57, "
                "289-300.",),
    example='>>> false_discovery_rate([0, 0, 1], [0, 1, 1], average="binary")\n0.5',
)  # fmt: skip

FALSE_OMISSION_RATE = replace(
    _rate, name="false_omission_rate", ratio=ClassRatio((0, 1, 0, 0), (0, 1, 0, 1)),
    description="""Share of what is predicted as another class that belongs to this one.

    The chance that remains after a negative test: 1 - the negative predictive value. It rises with
    the share of the class in the test set.""",
    example='>>> false_omission_rate([0, 1, 1], [0, 0, 1], average="binary")\n0.5',
)  # fmt: skip

PREVALENCE = replace(
    SPECIFICITY, name="prevalence", ratio=ClassRatio((1, 1, 0, 0), (1, 1, 1, 1)), soft=None,
    greater_is_better=None,
    description="""Share of samples whose true class is this one (base rate).

    A property of the test set, equal for all models: precision, both predictive values and accuracy
    depend on it, recall and specificity do not.""",
    example='>>> round(prevalence([0, 1, 1], [0, 0, 1], average="binary"), 4)\n0.6667',
)  # fmt: skip


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

METRICS: tuple[AnyMetric, ...] = (
    FPR, FNR, FALSE_DISCOVERY_RATE, FALSE_OMISSION_RATE, PREVALENCE, LR_POSITIVE, LR_NEGATIVE,
)  # fmt: skip
