"""Which metrics are ratios of counts, read off their records, and the counts behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeGuard

import numpy as np

from modelcompare.arrays import PASS_BYTES, AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals.averages import Average
from modelcompare.intervals.confusions import Confusions
from modelcompare.intervals.ratios import Bounds
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes
from modelcompare.metrics.class_ratio import ClassRatio
from modelcompare.metrics.counts import COUNTS, SOFT_COUNTS
from modelcompare.metrics.quotient import Quotient, divide

Pairs = tuple[IntArray, IntArray]
RECALL = ClassRatio((1, 0, 0, 0), (1, 1, 0, 0))
# Bytes of a cell of the confusion matrices that are worked on at once: a dozen arrays of numbers.
_CELL_BYTES = 12 * 8


@dataclass(frozen=True)
class Counted:
    """A metric of counts: ``offset + slope * base``, the base a ratio or an average of ratios.

    Attributes
    ----------
    ratio : ClassRatio
        The metric of one class.
    over : {"class", "correct", "macro", "weighted"}
        One value for each class; one of all samples, each right (TP) or wrong (FN); an average.
    offset, slope : float
        What makes the value of the base.
    strict : bool
        Whether a class never predicted has no value (the paper's F1).
    """

    ratio: ClassRatio
    over: Literal["class", "correct", "macro", "weighted"]
    offset: float = 0.0
    slope: float = 1.0
    strict: bool = False

    def apply(self, low: FloatArray, high: FloatArray) -> Bounds:
        """Bounds of the value from bounds of the base."""
        ends = self.offset + self.slope * low, self.offset + self.slope * high
        return ends if self.slope > 0 else ends[::-1]


def counted(metric: AnyMetric, n_classes: int) -> Counted | None:
    """Describe a metric of true and predicted classes that is a ratio; None for any other."""
    ratio = metric.class_ratio if isinstance(metric, Metric) else None
    if (
        not isinstance(metric, Metric)
        or ratio is None
        or n_classes < 2
        or metric.statistics != COUNTS
        or not isinstance(metric.value, Quotient)
    ):
        return None
    if metric.is_of_samples:
        return _of_samples(ratio, n_classes)
    if not ratio.is_share:
        return None
    if metric.average == "weighted" and ratio == RECALL:
        return Counted(RECALL, "correct")
    strict = metric.zero_division == "paper" and metric.value.without is not None
    return Counted(ratio, metric.average or "class", strict=strict)


def _of_samples(ratio: ClassRatio, n_classes: int) -> Counted | None:
    """Describe a ratio that samples add to by being right or wrong, whatever their class."""
    (hit, right), (missed, wrong) = ratio.of_sample(n_classes)
    if right == wrong and hit != missed:
        return Counted(RECALL, "correct", missed / wrong, (hit - missed) / wrong)
    found = ClassRatio((hit, 0.0, 0.0, 0.0), (right, wrong, 0.0, 0.0))
    return Counted(found, "correct") if missed == 0 and found.is_share else None


def is_soft_macro(metric: AnyMetric) -> TypeGuard[Metric]:
    """Whether a metric is a macro average of ratios of soft counts."""
    return (
        isinstance(metric, Metric)
        and metric.average == "macro"
        and metric.ratio is not None
        and set(metric.statistics) <= set(SOFT_COUNTS)
    )


def averages_absent_classes(metric: AnyMetric) -> bool:
    """Whether a metric is a macro average of soft counts that takes 0 for classes never true.

    They get probability, so they have a value; that of a class without a support is no 0 / 0 where
    probability is in the denominator.
    """
    ratio = metric.class_ratio if is_soft_macro(metric) else None
    return ratio is not None and bool(ratio.numerator[0] and ratio.denominator[2])


@dataclass(frozen=True)
class Labels:
    """True and predicted classes of all models, and what they count up to.

    Attributes
    ----------
    codes : ndarray of int of shape (n_samples,)
        True classes.
    predicted : ndarray of int of shape (n_samples, n_models)
        Predicted classes.
    weights : ndarray of shape (n_samples,) or None
        Sample weights.
    times : ndarray of int of shape (n_samples,), optional
        How many samples each stands for, where equal ones are put together.
    """

    codes: IntArray
    predicted: IntArray
    n_classes: int
    weights: FloatArray | None
    times: IntArray | None = None

    @classmethod
    def of(cls, evaluation: Evaluation) -> Labels | None:
        """Labels of a test set; None where the truth is no class, or a model did not choose one."""
        rows = evaluation.labelled
        if rows is None:
            return None
        predicted = np.stack([*rows.predicted.values()], axis=1)
        if evaluation.collapsed:
            return cls(rows.codes, predicted, rows.n_classes, None, rows.multiplicity)
        return cls(rows.codes, predicted, rows.n_classes, evaluation.predictions.sample_weight)

    @classmethod
    def judged(cls, predictions: TestSet, metric: AnyMetric) -> Labels | None:
        """The same of scores that are all 0 or 1: right or wrong; None of other metrics."""
        if not isinstance(metric, Metric) or metric.needs != "scores" or not metric.proportion:
            return None
        if predictions.sums is not None:
            return None
        outputs = (Outcomes(predictions.output(model)) for model in predictions.models)
        right = np.concatenate([metric.statistics[0].compute(each) for each in outputs], axis=1)
        ones = np.ones(len(right), dtype=np.intp)
        return cls(ones, right.astype(np.intp), 2, predictions.sample_weight)

    @property
    def right_or_wrong(self) -> Labels:
        """The same samples in one class, 1, that models name where they are right."""
        right = (self.predicted == self.codes[:, None]).astype(np.intp)
        return replace(self, codes=np.ones_like(self.codes), predicted=right, n_classes=2)

    @property
    def _tabled(self) -> bool:
        """Whether all cells of a confusion matrix are no more than there are samples."""
        n_samples = len(self.codes) if self.times is None else int(self.times.sum())
        return self.n_classes**2 <= max(n_samples, 4)

    @property
    def chunks(self) -> list[slice]:
        """Models whose confusion matrices are worked on at once."""
        n_models = self.predicted.shape[1]
        n_cells = self.n_classes**2 if self._tabled else len(self.codes)
        step = max(1, PASS_BYTES // (_CELL_BYTES * n_cells))
        return [slice(start, min(start + step, n_models)) for start in range(0, n_models, step)]

    def average(self, what: Counted, models: slice) -> Average:
        """Values of some models' classes, and their average."""
        cells = self.confusions(models)
        return Average(cells, what.ratio, what.over == "weighted", strict=what.strict)

    def classes(self, models: slice) -> tuple[IntArray, IntArray]:
        """True and named class of each sample, (n_models, n_samples)."""
        named = self.predicted[:, models].T
        return np.broadcast_to(self.codes, named.shape), named

    def confusions(self, models: slice) -> Confusions:
        """Confusion matrices of some models."""
        if self._tabled:
            weights = self._confusion(models, 1)
            squares = weights if self.weights is None else self._confusion(models, 2)
            return Confusions.of_tables(weights, squares)
        true, named = self.classes(models)
        weights = np.broadcast_to(self.powered(1), true.shape)
        squares = weights if self.weights is None else np.square(weights)
        return Confusions(true, named, weights, squares, self.n_classes)

    def _confusion(self, models: slice, power: int) -> FloatArray:
        weights, k = self.powered(power), self.n_classes
        cells = [
            np.bincount(self.codes * k + column, weights, k * k)
            for column in self.predicted.T[models]
        ]
        return np.array(cells, dtype=np.float64).reshape(-1, k, k)

    def disagreements(self, pairs: Pairs) -> FloatArray:
        """Effective number of samples on which the models of each pair disagree."""
        weights = np.stack([self.powered(1), self.powered(2)])
        sums = np.empty((2, len(pairs[0])))
        for place, (a, b) in enumerate(zip(*pairs, strict=True)):
            sums[:, place] = weights @ (self.predicted[:, a] != self.predicted[:, b])
        return divide(sums[0] ** 2, sums[1], 0.0)

    def pair_cells(self, pairs: Pairs) -> tuple[FloatArray, FloatArray]:
        """Sums of weights, and of squares, by truth, model a and model b in each class or not.

        Of shape (n_pairs, n_classes, 2, 2, 2).
        """
        cells = self._pair_cells(pairs, 1)
        return cells, cells if self.weights is None else self._pair_cells(pairs, 2)

    def _pair_cells(self, pairs: Pairs, power: int) -> FloatArray:
        codes, predicted, weights = self.codes, self.predicted, self.powered(power)

        def sums(classes: IntArray, where: BoolArray | slice = slice(None)) -> FloatArray:
            found = np.bincount(classes[where], weights[where], self.n_classes)
            return np.asarray(found, dtype=np.float64)

        support, total = sums(codes), weights.sum()
        hits = np.array([sums(codes, column == codes) for column in predicted.T])
        named = np.array([sums(column) for column in predicted.T])
        counts = np.empty((len(pairs[0]), self.n_classes, 2, 2, 2))
        for cells, a, b in zip(counts, *pairs, strict=True):
            agree = predicted[:, a] == predicted[:, b]
            both = sums(predicted[:, a], agree)
            both_hit = sums(codes, agree & (predicted[:, a] == codes))
            cells[:, 1, 1, 1] = both_hit
            cells[:, 1, 1, 0], cells[:, 1, 0, 1] = hits[a] - both_hit, hits[b] - both_hit
            cells[:, 1, 0, 0] = support - hits[a] - hits[b] + both_hit
            cells[:, 0, 1, 1] = both - both_hit
            cells[:, 0, 1, 0] = named[a] - hits[a] - cells[:, 0, 1, 1]
            cells[:, 0, 0, 1] = named[b] - hits[b] - cells[:, 0, 1, 1]
            cells[:, 0, 0, 0] = 0.0
            cells[:, 0, 0, 0] = total - cells.sum(axis=(-3, -2, -1))
        # What cancels in exact arithmetic is 0.
        return np.where(np.abs(counts) <= 1e-12 * total, 0.0, counts)

    @property
    def support(self) -> FloatArray:
        """Samples of each true class."""
        found = np.bincount(self.codes, self.times, self.n_classes)
        return found.astype(np.float64)

    @property
    def size_of_others(self) -> float:
        """Effective number of samples outside of the most frequent class."""
        sums = (np.bincount(self.codes, self.powered(power)) for power in (1, 2))
        return _size_of_others(*sums)

    def powered(self, power: int) -> FloatArray:
        """Weights to a power, ones where there are none, of all samples that each stands for."""
        if self.times is not None:
            return self.times.astype(np.float64)
        return np.ones(len(self.codes)) if self.weights is None else self.weights**power


def size_of_others(codes: IntArray, weights: FloatArray | None) -> float:
    """Effective number of samples outside of the most frequent class."""
    count = np.bincount(codes, weights)
    return _size_of_others(count, count if weights is None else np.bincount(codes, weights**2))


def _size_of_others(count: AnyArray, squares: AnyArray) -> float:
    most = count.argmax()
    others, of_squares = (np.delete(sums, most).sum() for sums in (count, squares))
    return float(divide(others**2, of_squares, 0.0))
