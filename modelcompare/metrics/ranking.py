"""Metrics of the order of scores: sorted once, then evaluated for a block of weight vectors.

ROC AUC is the probability that a positive gets a higher score than a negative, ties counting half
(Hanley & McNeil 1982). The share of negatives below a positive is its placement; leave-one-out
values, and DeLong's variance, follow from the placements in closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Literal, TypeAlias, get_args

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.metrics.base import AnyMetric, Factory, OrderMetric, Outcomes, divide
from modelcompare.metrics.defined import every_class
from modelcompare.metrics.quotient import ClassAverage, average_classes
from modelcompare.metrics.running_sums import (
    Below,
    Groups,
    Running,
    added,
    by_sample,
    partners,
    slabs,
    summed,
)
from modelcompare.metrics.variants import number

Evaluate = Callable[[FloatArray], FloatArray]
Prepare = Callable[[Outcomes], Evaluate]
Jackknife = Callable[[Outcomes, FloatArray], FloatArray]
MultiClass = Literal["ovr", "ovo"]
_VARIANTS = {"ovr": "each class against the rest", "ovo": "each pair of classes"}


def one_way(outcomes: Outcomes, code: int, samples: IntArray | None = None) -> Below:
    """Return the order of a class's samples relative to the others: negatives below positives."""
    scores = outcomes.score(code)
    samples = np.arange(len(scores)) if samples is None else samples
    order = samples[np.argsort(scores[samples], kind="stable")]
    return Below.of(order, scores, outcomes.true_codes == code)


def check_two_classes(outcomes: Outcomes, remedy: str) -> None:
    """Refuse more than two classes; the remedy is what a metric has for them."""
    if outcomes.n_classes != 2:
        raise ValueError(f"this metric is for 2 classes, got {outcomes.n_classes}; {remedy}.")


def of_two_classes(outcomes: Outcomes) -> Below:
    """Return the order of the second of two classes relative to the first; refuse more classes."""
    check_two_classes(outcomes, "use its _ovr or _ovo form")
    return one_way(outcomes, 1)


def placements(outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Compute DeLong's structural components of positives, and of negatives."""
    pairs, positive = of_two_classes(outcomes), outcomes.true_codes == 1
    placed = partners([pairs], np.ones(len(outcomes)))
    return placed[positive] / len(pairs.adders), placed[~positive] / len(pairs.readers)


def _auc(pairs: Below, weights: AnyArray) -> FloatArray:
    """Compute AUC under weights (n_samples, n_resamples); NaN where a class has no weight."""
    hits, positives, negatives = pairs.read(weights)
    return divide(hits, positives * negatives)


def _auc_left_out(pairs: Below, weights: FloatArray) -> FloatArray:
    """Compute AUC without each sample, of shape (n_samples,), under one vector of weights."""
    hits, (positive, negative) = weights * partners([pairs], weights), np.zeros((2, len(weights)))
    positive[pairs.readers], negative[pairs.adders] = weights[pairs.readers], weights[pairs.adders]
    others = (positive.sum() - positive) * (negative.sum() - negative)
    return divide(hits.sum() / 2 - hits, others)


# A binary comparison, in one direction or both, and the samples whose weight it has.
Question: TypeAlias = tuple[Sequence[Below], IntArray]


def _questions(outcomes: Outcomes, multi_class: MultiClass | None) -> Iterator[Question]:
    """Yield the comparison of two classes; each class against the rest; or each pair of classes.

    Pairs are compared in both directions (Hand & Till 2001). A class has no AUC if it does not
    occur, or if no other class does.
    """
    codes, n_classes = outcomes.true_codes, outcomes.n_classes
    if multi_class is None:
        yield [of_two_classes(outcomes)], np.arange(len(outcomes))
    elif multi_class == "ovr":
        for j in range(n_classes):
            yield [one_way(outcomes, j)], np.flatnonzero(codes == j)
    else:
        for pair in combinations(range(n_classes), 2):
            rows = np.flatnonzero(np.isin(codes, pair))
            yield [one_way(outcomes, j, rows) for j in pair], rows


def _mean(values: list[FloatArray], average: ClassAverage, shares: list[FloatArray]) -> FloatArray:
    columns = np.stack(values, axis=-1)
    weights = np.stack(shares, axis=-1) if average == "weighted" else np.ones_like(columns)
    return average_classes(columns, weights, average)


def _prepare_auc(
    outcomes: Outcomes, *, multi_class: MultiClass | None, average: ClassAverage
) -> Evaluate:
    questions = list(_questions(outcomes, multi_class))

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = by_sample(weights)
        values = [np.mean([_auc(way, weights) for way in ways], axis=0) for ways, _ in questions]
        weighted = questions if average == "weighted" else []
        return _mean(values, average, [summed(weights, members) for _, members in weighted])

    return evaluate


def _auc_jackknife(
    outcomes: Outcomes, weights: FloatArray, *, multi_class: MultiClass | None,
    average: ClassAverage,
) -> FloatArray:  # fmt: skip
    values, shares = [], []
    for (pairs,), members in _questions(outcomes, multi_class):
        values.append(_auc_left_out(pairs, weights))
        if average == "weighted":
            share = np.full(len(outcomes), weights[members].sum())
            share[members] -= weights[members]
            shares.append(share)
    return _mean(values, average, shares)


@dataclass(frozen=True)
class Descending:
    """Samples by decreasing score, in runs of equal scores.

    Attributes
    ----------
    groups : Groups
        Runs of equal scores, the highest first.
    positive : ndarray of bool of shape (n_samples,)
        Whether each sample, in that order, is a positive.
    """

    groups: Groups
    positive: BoolArray

    @classmethod
    def of(cls, scores: FloatArray, positive: BoolArray) -> Descending:
        """Sort the samples."""
        groups = Groups.of(-scores)
        return cls(groups, positive[groups.order])

    @property
    def lasts(self) -> IntArray:
        """Last sample of each run."""
        return self.groups.order[self.groups.starts[1:] - 1]

    def counts(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Count positives and negatives at or above each score, for each row of weights."""
        weights = by_sample(weights)
        hits = self._hits.sums(weights)[self._hits_at[1:]].astype(np.float64)
        retrieved = self.groups.running.sums(weights)[self.groups.rows[1:]].astype(np.float64)
        return hits.T, (retrieved - hits).T

    def average_precision(self, weights: FloatArray) -> FloatArray:
        """Sum precision times the step in recall, one step for each distinct score."""
        weights = by_sample(weights)
        hits, retrieved = self._hits.sums(weights), self.groups.running.sums(weights)
        area = np.zeros(weights.shape[1])
        steps = np.flatnonzero(np.diff(self._hits_at))
        for some in map(steps.__getitem__, slabs(len(steps), floats=True)):
            before, after = hits[self._hits_at[some]], hits[self._hits_at[some + 1]]
            reached = retrieved[self.groups.rows[some + 1]].astype(np.float64)
            # Where nothing is retrieved, there are no hits.
            np.maximum(reached, np.finfo(np.float64).tiny, out=reached)
            precision = np.divide(after, reached, out=reached)
            precision *= after - before
            area += added(precision)
        return divide(area, hits[self._hits_at[-1]])

    @cached_property
    def _hits(self) -> Running:
        return Running.over(self.groups.order[self.positive])

    @cached_property
    def _hits_at(self) -> IntArray:
        """Rows of the positives' running sums before each run of equal scores, and after all."""
        return self._hits.at[np.r_[0, np.cumsum(self.positive)][self.groups.starts]]

    def partial_auc(self, weights: FloatArray, max_fpr: float) -> FloatArray:
        """Compute the area up to a false positive rate; 0.5 for chance (McClish 1989)."""
        hits, alarms = self.counts(weights)
        zero = np.zeros((len(weights), 1))
        tpr = np.hstack([zero, divide(hits, hits[:, -1:])])
        fpr = np.hstack([zero, divide(alarms, alarms[:, -1:])])
        width = np.diff(fpr, axis=1)
        inside = np.clip(max_fpr - fpr[:, :-1], 0.0, width)
        slope = divide(np.diff(tpr, axis=1), width, 0.0)
        # Vertical steps have no width; others may be cut off at the limit.
        area = (inside * (tpr[:, :-1] + slope * inside / 2)).sum(axis=1)
        least = max_fpr**2 / 2
        standardized = 0.5 * (1 + (area - least) / (max_fpr - least))
        return np.where(np.isnan(tpr[:, -1]) | np.isnan(fpr[:, -1]), np.nan, standardized)


def _descending(outcomes: Outcomes, j: int) -> Descending:
    return Descending.of(outcomes.score(j), outcomes.true_codes == j)


def _prepare_partial(outcomes: Outcomes, *, max_fpr: float) -> Evaluate:
    check_two_classes(outcomes, "the area of all rates has forms of more, roc_auc_ovr and _ovo")
    return partial(_descending(outcomes, 1).partial_auc, max_fpr=max_fpr)


def roc_auc_metric(
    *, multi_class: MultiClass | None = None, average: ClassAverage = "macro",
    max_fpr: float | None = None,
) -> OrderMetric:  # fmt: skip
    """Return the area under the ROC curve: of two classes, partial, or averaged over more."""
    if max_fpr is not None and not 0 < max_fpr <= 1:
        raise ValueError(f"a false positive rate must be in (0, 1], got {max_fpr:g}.")
    if max_fpr is not None and multi_class is not None:
        raise ValueError("`max_fpr` is for two classes; leave `multi_class` out.")
    prepare: Prepare = partial(_prepare_auc, multi_class=multi_class, average=average)
    jackknife: Jackknife | None = partial(_auc_jackknife, multi_class=multi_class, average=average)
    name, variant, pattern = "roc_auc", "", "roc_auc_at_{max_fpr}"
    if max_fpr is not None:
        prepare = partial(_prepare_partial, max_fpr=max_fpr)
        name, variant = f"roc_auc_at_{number(max_fpr)}", "false positive rates up to a limit"
    elif multi_class is not None:
        name, variant, pattern = f"roc_auc_{multi_class}", _VARIANTS[multi_class], ""
        if average == "weighted":
            name, variant = f"{name}_weighted", f"{variant}; weighted by the classes' support"
    if max_fpr is not None or multi_class == "ovo":
        jackknife = None
    options = {"multi_class": multi_class, "average": average, "max_fpr": max_fpr}
    return OrderMetric(
        name=name, needs="probabilities", serves_values=True, prepare=prepare, jackknife=jackknife,
        of_positive=max_fpr is not None, defined_by=every_class,
        family="roc_auc", variant=variant, factory=Factory(roc_auc_metric, options, pattern),
        description="""
        Probability that a positive gets a higher score than a negative, ties counting half.

        Depends on the order of the scores only, so raw scores (markers, logits; ``kind="values"``)
        can replace probabilities; the share of positives does not matter. It does not evaluate the
        one threshold that will be used, and averages over false positive rates that are too high to
        be useful; true negatives count, so a large negative class makes it look good. For more than
        two classes ``_ovr`` averages each class against the rest, ``_ovo`` each pair of classes
        (Hand & Till); ``_weighted`` weights them by support. ``roc_auc_at_0.1`` uses false positive
        rates up to 0.1 only, standardized to 0.5 for chance.""",
        references=(
            "Hanley & McNeil (1982), Radiology 143, 29-36.",
            "Hand & Till (2001), Machine Learning 45, 171-186.",
            "McClish (1989), Medical Decision Making 9, 190-195 (partial area).",
        ),
        example=">>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])\n0.75",
    )  # fmt: skip


ROC_AUC = roc_auc_metric()


def _prepare_ap(outcomes: Outcomes, *, macro: bool = False) -> Evaluate:
    if not macro:
        check_two_classes(outcomes, "use average_precision_macro")
    classes = range(outcomes.n_classes) if macro else [1]
    parts = [_descending(outcomes, j) for j in classes]
    return lambda weights: _mean([part.average_precision(weights) for part in parts], "macro", [])


AVERAGE_PRECISION = OrderMetric(
    name="average_precision", needs="probabilities", serves_values=True, prepare=_prepare_ap,
    of_positive=True, defined_by=every_class,
    description="""Mean of the precision at each threshold, weighted by the step in recall.

    Rewards positives with the highest scores. Its value for chance is the share of positives, so
    values of different test sets cannot be compared. Definitions differ between papers: this is the
    sum over thresholds without interpolation, which interpolated variants exceed.
    ``_macro`` is the mean over classes, each against the rest.""",
    references=(
        "Manning, Raghavan & Schuetze (2008), Introduction to Information Retrieval, section 8.4.",
    ),
    example=">>> round(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)\n0.8333",
)  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (
    ROC_AUC,
    *(roc_auc_metric(multi_class=multi_class, average=average)
      for multi_class in get_args(MultiClass) for average in get_args(ClassAverage)),
    AVERAGE_PRECISION,
    replace(
        AVERAGE_PRECISION, name="average_precision_macro", prepare=partial(_prepare_ap, macro=True),
        of_positive=False, family="average_precision", variant="the mean over classes",
    ),
)  # fmt: skip
