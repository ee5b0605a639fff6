"""Rates of errors of one class, and its prevalence."""

from __future__ import annotations

from dataclasses import replace

from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.counts import SPECIFICITY
from modelcompare.metrics.quotient import ClassRatio

_rate = replace(SPECIFICITY, greater_is_better=False, soft=None)

FPR = replace(
    _rate, name="fpr", ratio=ClassRatio((0, 0, 1, 0), (0, 0, 1, 1)),
    description="""Share of the other classes that was predicted as this one: 1 - specificity.

    The false positive rate, also false alarm or false acceptance rate. Close to 0 for any rare
    class, since true negatives abound: of a thousand alarms nine hundred may be false.""",
    example='>>> fpr([0, 0, 1], [0, 1, 1], average="binary")\n0.5',
)  # fmt: skip

FNR = replace(
    _rate, name="fnr", ratio=ClassRatio((0, 1, 0, 0), (1, 1, 0, 0)),
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

METRICS: tuple[AnyMetric, ...] = (
    FPR, FNR, FALSE_DISCOVERY_RATE, FALSE_OMISSION_RATE, PREVALENCE,
)  # fmt: skip
