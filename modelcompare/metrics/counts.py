"""Confusion-matrix metrics, each one formula over hard or soft statistics.

For class j and sample i the three statistics are

- ``hits[i, j]``: 1 where the truth is j and the prediction is j,
- ``predicted[i, j]``: 1 where the prediction is j,
- ``support[i, j]``: 1 where the truth is j.

The probabilistic metrics of Yacouby & Axman (2020, eq. 3 to 8) replace "the prediction is j" by the
model's probability of j and keep every formula. That is their whole definition, and here too: a
soft twin differs from its metric only in `statistics`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from operator import attrgetter, methodcaller
from typing import Any

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.data.kinds import all_kinds
from modelcompare.metrics.base import AnyMetric, Factory, Metric, Statistic
from modelcompare.metrics.outcomes import Entries, Outcomes
from modelcompare.metrics.quotient import ClassRatio, Quotient, SumsOf, Totals, divide
from modelcompare.metrics.variants import number
from modelcompare.words import check_number

Pair = tuple[FloatArray, FloatArray]
# Of numerator and denominator, by each of the three totals.
Slopes = tuple[Totals, Totals]


def _hits(outcomes: Outcomes) -> Entries | None:
    if outcomes.predicted.ndim > 1:
        return None
    return outcomes.predicted, outcomes.truth_of(outcomes.predicted)


def _predicted(outcomes: Outcomes) -> Entries | None:
    codes = outcomes.predicted
    return None if codes.ndim > 1 else (codes, np.ones(len(outcomes)))


def _soft_hits(outcomes: Outcomes) -> Entries | None:
    return outcomes.of_true_class(outcomes.output.array)


def _soft_hit_matrix(outcomes: Outcomes) -> FloatArray:
    return outcomes.truth * outcomes.probabilities


# Functions with names, here and in all records, so that metrics and results can be pickled.
_of_class = partial(Statistic, class_axes=1)
_hard = partial(_of_class, discrete=True, indicator=True)
SOFT_PREDICTED = _of_class("soft_predicted", attrgetter("probabilities"))
SOFT_HITS = _of_class("soft_hits", _soft_hit_matrix, members_of=SOFT_PREDICTED, entries=_soft_hits)
PREDICTED = _hard(
    "predicted", attrgetter("predicted_indicator"), entries=_predicted, soft=SOFT_PREDICTED
)
HITS = _hard("hits", attrgetter("set_hits"), entries=_hits, members_of=PREDICTED, soft=SOFT_HITS)
SUPPORT = _hard("support", attrgetter("truth"), shared=True, entries=methodcaller("of_true_class"))

COUNTS = (HITS, PREDICTED, SUPPORT)
SOFT_COUNTS = (SOFT_HITS, SOFT_PREDICTED, SUPPORT)

_of_counts = partial(Metric, statistics=COUNTS)
_of_classes = partial(_of_counts, per_class=True, zero_division=math.nan)
_PAPER = "Yacouby & Axman (2020), {}, https://aclanthology.org/2020.eval4nlp-1.9"


def soft_twin(metric: Metric, **prose: Any) -> Metric:
    """Return the probabilistic counterpart of a metric: the same formula over soft statistics.

    Parameters
    ----------
    metric : Metric
        A metric whose statistics have a soft twin, such as the three counts.
    **prose
        Texts of the twin (`description`, `references`, `example`); those of the metric by default.

    Raises
    ------
    TypeError
        If a statistic of the models' outputs has no soft twin.

    Examples
    --------
    >>> from modelcompare.metrics import get_metric
    >>> soft_twin(get_metric("precision")).name
    'cprecision'
    """
    hard = [s for s in metric.statistics if not s.shared]
    if not metric.kind.twin or not hard or any(s.soft is None for s in hard):
        raise TypeError(f"{metric.name} has no soft twin: its statistics have none.")
    needs = all_kinds()[metric.kind.twin]
    family, made = "" if prose else metric.stem, metric.factory
    made = made and replace(made, pattern=f"c{made.pattern}", soft=True)
    return replace(
        metric, name=f"c{metric.name}", statistics=tuple(s.soft or s for s in metric.statistics),
        needs=needs.name, proportion=False, soft=None, family=family, factory=made,
        variant="" if prose else needs.twin_variant, **prose,
    )  # fmt: skip


def with_twin(metric: Metric, **prose: Any) -> Metric:
    """Return the metric with its soft twin."""
    return replace(metric, soft=soft_twin(metric, **prose))


# Of a true positive, a false negative, a false positive and a true negative.
_PRECISION = ClassRatio((1, 0, 0, 0), (1, 0, 1, 0))
_RECALL = ClassRatio((1, 0, 0, 0), (1, 1, 0, 0))
_SPECIFICITY = ClassRatio((0, 0, 0, 1), (0, 0, 1, 1))
_RIGHT = SumsOf(_RECALL)
_WRONG = SumsOf(ClassRatio((0, 1, 0, 0), (1, 1, 0, 0)))

ACCURACY = with_twin(
    _of_counts(
        name="accuracy", ratio=_RIGHT, proportion=True,
        description="""Share of samples whose class was predicted.

        Weighs every sample equally. With one class of 95 %, always predicting it scores 0.95: also
        report balanced accuracy or recall per class.""",
        example='>>> accuracy(["a", "b", "b"], ["a", "b", "a"])\n0.6666666666666666',
    ),
    description="""Mean probability of the true class, the soft twin of accuracy.

    Rewards confidence in the true class, and weighs every sample equally. It is linear in the
    probability, so it is not a proper score: raising a true 0.8 to 1.0 improves it on average.""",
    example=">>> caccuracy([0, 1], [[0.75, 0.25], [0.5, 0.5]])\n0.625",
)  # fmt: skip

ZERO_ONE_LOSS = _of_counts(
    name="zero_one_loss", greater_is_better=False, ratio=_WRONG, proportion=True,
    description="""Share of samples whose class was not predicted: 1 - accuracy.

    The classification error. It has the merits and weaknesses of `accuracy`; differences are easier
    to read where accuracy is close to 1.""",
    example='>>> round(zero_one_loss(["a", "b", "b"], ["a", "b", "a"]), 4)\n0.3333',
)  # fmt: skip


BALANCED_ACCURACY = _of_counts(
    name="balanced_accuracy", ratio=_RECALL, average="macro", value=Quotient(of_true=True),
    description="""Mean recall of the classes that occur.

    Weighs every class equally, however rare; a class of three samples moves it as much as one of
    three thousand, so its interval is wide.""",
    example=">>> balanced_accuracy([0, 0, 0, 1], [0, 0, 0, 0])\n0.5",
)  # fmt: skip


PRECISION = with_twin(
    _of_classes(
        name="precision", ratio=_PRECISION, proportion=True,
        description="""Share of the predictions of a class that are right: hits / predicted.

        Penalizes false alarms and ignores misses: predicting a class once, correctly, scores 1.
        Undefined where a class is never predicted.""",
        references=(_PAPER.format("section 2, eq. 4"),),
        example=""">>> precision([0, 0, 1], [0, 1, 1])
        array([1. , 0.5])
        >>> precision([0, 0, 1], [0, 1, 1], average="binary")
        0.5""",
    ),
    description="""Share of the probability given to a class that is on its members (cPrecision).

    Precision's formula with the model's confidence instead of its decision; defined wherever a
    model gives a class any probability. Rewards confident hits, penalizes confident false alarms.
    """,
    references=(_PAPER.format("eq. 5 to 7"),),
    example=">>> cprecision([0, 1], [[0.75, 0.25], [0.25, 0.75]])\narray([0.75, 0.75])",
)  # fmt: skip

RECALL = with_twin(
    _of_classes(
        name="recall", ratio=_RECALL, proportion=True,
        description="""Share of the members of a class that were predicted as such: hits / support.

        Penalizes misses and ignores false alarms: always predicting the class scores 1.
        Undefined where a class does not occur.""",
        references=(_PAPER.format("section 2, eq. 4"),),
        example=">>> recall([0, 0, 1], [0, 1, 1])\narray([0.5, 1. ])",
    ),
    description="""Mean probability given to a class on its members (cRecall).

    Recall's formula with the model's confidence instead of its decision. An underconfident model
    scores low even if all its decisions are right.""",
    references=(_PAPER.format("eq. 5 and 8"),),
    example=">>> crecall([0, 1], [[0.75, 0.25], [0.5, 0.5]])\narray([0.75, 0.5 ])",
)  # fmt: skip


SPECIFICITY = _of_classes(
    name="specificity", ratio=_SPECIFICITY, proportion=True,
    description="""Share of the other classes that was not predicted as this one.

    The recall of "not this class". Close to 1 for any rare class, since true negatives abound.""",
    example='>>> specificity([0, 0, 1], [0, 1, 1], average="binary")\n0.5',
)  # fmt: skip


SELECTION_RATE = _of_classes(
    name="selection_rate", ratio=ClassRatio((1, 0, 1, 0), (1, 1, 1, 1)), proportion=True,
    description="""Share of samples that are predicted as a class.

    Measures no merit: of two groups of people, demographic parity is a gap of 0 between their
    selection rates. It ignores whether the predictions are right.""",
    references=("Hardt, Price & Srebro (2016), Advances in Neural Information Processing Systems "
                "29.",),
    example='>>> selection_rate([0, 0, 1], [0, 1, 1], average="binary")\n0.6666666666666666',
)  # fmt: skip


JACCARD = _of_classes(
    name="jaccard", ratio=ClassRatio((1, 0, 0, 0), (1, 1, 1, 0)),
    description="""Intersection over union of the predicted and the true members of a class.

    Orders models of one class as F1 does (J = F1 / (2 - F1)) and is stricter on errors.""",
    example=">>> jaccard([0, 0, 1], [0, 1, 1])\narray([0.5, 0.5])",
)  # fmt: skip


def _one_sided(_hits: FloatArray, predicted: FloatArray, support: FloatArray) -> BoolArray:
    """Return the classes without precision or recall, whose F the paper leaves undefined."""
    return (predicted == 0) | (support == 0)


def fbeta_metric(*, beta: float) -> Metric:
    """Return F-beta for any beta; 0 / 0 only for a class neither predicted nor true."""
    check_number("beta", beta)
    square = beta**2
    return with_twin(_of_classes(
        name=f"f{number(beta)}", family="fbeta", value=Quotient(without=_one_sided),
        ratio=ClassRatio((1 + square, 0, 0, 0), (1 + square, square, 1, 0)),
        factory=Factory(fbeta_metric, {"beta": beta}, "f{beta}"),
        description="""Harmonic mean of precision and recall, recall counting beta times as much.

        Weighs misses more than false alarms if beta is above 1 (a screening test), less if it is
        below (a user who sees every alarm). Choose beta from the cost of errors, before seeing
        scores; true negatives do not count. Beta is part of the name: ``f2``, ``f0.5_macro``.""",
        example='>>> round(fbeta([0, 0, 1], [0, 1, 1], beta=2, average="binary"), 4)\n0.8333',
    ))  # fmt: skip


FBETA = fbeta_metric(beta=2.0)

F1 = with_twin(
    replace(
        fbeta_metric(beta=1.0), family="", factory=None,
        description="""Harmonic mean of precision and recall: 2 hits / (predicted + support).

        Weighs false alarms and misses equally, even if the application does not, and ignores true
        negatives. It jumps where a confidence crosses the threshold. The macro average is the mean
        of the classes' F1, not the F1 of mean precision and mean recall.""",
        references=("van Rijsbergen (1979), Information Retrieval, chapter 7.",),
        example='>>> f1([0, 0, 1], [0, 1, 1], average="macro")\n0.6666666666666666',
    ),
    description="""Harmonic mean of cPrecision and cRecall (cF1).

    F1's formula with the model's confidence instead of its decision: smooth in the confidences,
    without a threshold, and rarely undefined. It depends on calibration: sharpening all confidences
    can raise it though no decision changes.""",
    references=(_PAPER.format("section 2"),),
    example='>>> cf1([0, 1], [[0.75, 0.25], [0.25, 0.75]], average="macro")\n0.75',
)  # fmt: skip


def _spread(counts: FloatArray) -> FloatArray:
    """Return the squared spread of the class indicators, times the squared number of samples."""
    return counts.sum(axis=-1) ** 2 - (counts**2).sum(axis=-1)


def _gorodkin(hits: FloatArray, predicted: FloatArray, support: FloatArray) -> Pair:
    """Return the covariance of the class indicators and the product of their spreads (R_K)."""
    covariance, _ = _beyond_chance(hits, predicted, support)
    squared = np.maximum(_spread(predicted), 0.0) * np.maximum(_spread(support), 0.0)
    return covariance, np.sqrt(squared)


def _gorodkin_slopes(hits: FloatArray, predicted: FloatArray, support: FloatArray) -> Slopes:
    of_covariance, _ = _beyond_chance_slopes(hits, predicted, support)
    product = _gorodkin(hits, predicted, support)[1][..., None]
    # Of the roots of both spreads, whose product is the denominator.
    of_predicted, of_support = (
        divide(product * (part.sum(axis=-1, keepdims=True) - part), _spread(part)[..., None], 0.0)
        for part in (predicted, support)
    )
    return of_covariance, (np.zeros_like(of_support), of_predicted, of_support)


MATTHEWS_CORRCOEF = _of_counts(
    name="matthews_corrcoef",
    value=Quotient(_gorodkin, gradient=_gorodkin_slopes, of_two_classes=True),
    bounds=(-1.0, 1.0), zero_division=math.nan,
    description="""Correlation of the true and the predicted class indicators.

    Uses all four cells of the confusion matrix and is 0 for any prediction that ignores the input.
    For two classes it is Pearson's phi, for more Gorodkin's R_K. Undefined where only one class is
    true or predicted.""",
    references=("Gorodkin (2004), Computational Biology and Chemistry 28, 367-374.",),
    example=">>> round(matthews_corrcoef([0, 0, 1, 1], [0, 0, 1, 0]), 4)\n0.5774",
)  # fmt: skip


def _beyond_chance(hits: FloatArray, predicted: FloatArray, support: FloatArray) -> Pair:
    total = support.sum(axis=-1)
    chance = (predicted * support).sum(axis=-1)
    return hits.sum(axis=-1) * total - chance, total**2 - chance


def _beyond_chance_slopes(hits: FloatArray, predicted: FloatArray, support: FloatArray) -> Slopes:
    hit, total = (part.sum(axis=-1, keepdims=True) for part in (hits, support))
    of_numerator = total + np.zeros_like(support), -support, hit - predicted
    return of_numerator, (np.zeros_like(support), -support, 2 * total - predicted)


COHEN_KAPPA = _of_counts(
    name="cohen_kappa",
    value=Quotient(_beyond_chance, gradient=_beyond_chance_slopes, of_two_classes=True),
    bounds=(-1.0, 1.0), zero_division=math.nan,
    description="""Agreement beyond chance, as given by the two margins.

    0 for chance, 1 for perfect agreement. Depends on the class shares: the same error rates give a
    lower kappa on imbalanced data.""",
    references=("Cohen (1960), Educational and Psychological Measurement 20, 37-46.",),
    example=">>> cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0])\n0.5",
)  # fmt: skip

_RECORDS = (
    PRECISION, RECALL, SPECIFICITY, JACCARD, F1, ACCURACY, ZERO_ONE_LOSS, BALANCED_ACCURACY,
    MATTHEWS_CORRCOEF, COHEN_KAPPA,
)  # fmt: skip
METRICS: tuple[AnyMetric, ...] = (
    *(each if each.soft else with_twin(each) for each in _RECORDS), SELECTION_RATE,
)  # fmt: skip
