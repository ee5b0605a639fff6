"""Quotients of totals: ratios of counts, the value of 0 / 0, and averages over classes.

For one class a sample is a true positive (TP), a false negative (FN), a false positive (FP) or a
true negative (TN). Recall is ``TP / (TP + FN)``, F1 is ``2 TP / (2 TP + FN + FP)``. A metric whose
record declares its `ClassRatio` has intervals in closed form, a test that counts all swaps, and
bounds of missing results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.words import ZeroDivision

ClassAverage = Literal["macro", "weighted"]
Parts = Callable[..., tuple[FloatArray, FloatArray]]
Totals = Sequence[FloatArray]
# Of a true positive, a false negative, a false positive and a true negative.
Four = tuple[float, float, float, float]
_ROUNDING = 1e-12
_SLOPE_STEP = 1e-5


@dataclass(frozen=True)
class Quotient:
    """A formula that divides, with the value of 0 / 0 and the average over classes.

    Parameters
    ----------
    parts : callable, optional
        Numerator and denominator from the totals; the metric's `ratio` by default.
    without : callable, optional
        Mask of undefined values by the paper's convention, from the totals (their sums over
        classes, if `parts` is a `SumsOf`); larger totals have a value where smaller ones do.
    average : {"macro", "weighted"}, optional
        Average of the classes; "weighted" by the last total. A class that any total has counts as
        `worst` where its value is undefined; a class that no total has is left out.
    zero_division : float or "paper"
        Value of 0 / 0, also in averages if it is a number. By the paper's convention an average is
        undefined where the value of a class that any total has is.
    gradient : callable, optional
        Derivatives of numerator and of denominator by each total, from the totals.
    of_two_classes : bool
        Whether counts have a value wherever two classes are predicted and two are true.
    of_true : bool
        Whether a macro average is over the classes that the last total has, as balanced accuracy.
    worst : float
        Value in an average of a class whose value is undefined.
    """

    parts: Parts | None = None
    without: Callable[..., BoolArray] | None = None
    average: ClassAverage | None = None
    zero_division: ZeroDivision = math.nan
    gradient: Callable[..., tuple[Totals, Totals]] | None = None
    of_two_classes: bool = False
    of_true: bool = False
    worst: float = 0.0

    def __call__(self, *totals: FloatArray) -> FloatArray:
        values = self.of_classes(*totals)
        if self.average is None:
            return values
        if self.average == "macro" and not np.isnan(plain := values.sum(axis=-1)).any():
            # Nothing is undefined, and masks are slow.
            return plain / values.shape[-1]
        return average_classes(self.filled(values, *totals), totals[-1], self.average)

    def of_classes(self, *totals: FloatArray) -> FloatArray:
        """Return the values that an average is of, NaN where undefined."""
        if self.parts is None:
            raise TypeError("a Metric needs `value` or `ratio`.")
        paper = self.zero_division == "paper"
        values = divide(*self.parts(*totals), math.nan if paper else float(self.zero_division))
        if self.strict:
            np.copyto(values, math.nan, where=self.lacks(*totals))
        return values

    def filled(self, values: FloatArray, *totals: FloatArray) -> FloatArray:
        """Return values of classes, (..., n_classes), as they count in averages.

        NaN where a class is left out; by the paper's convention everywhere, if the value of a class
        that counts is undefined.
        """
        missing = np.isnan(values)
        if not missing.any():
            return values
        counted = totals[-1] > 0
        for total in () if self.of_true else totals[:-1]:
            counted = counted | (total != 0)
        missing &= counted
        if self.zero_division == "paper":
            return np.where(missing.any(axis=-1, keepdims=True), math.nan, values)
        return np.where(missing, self.worst, values)

    def shares(self, *totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the share of each class in an average, and its value there, (..., n_classes)."""
        values = self.filled(self.of_classes(*totals), *totals)
        mass = ~np.isnan(values) * (totals[-1] if self.average == "weighted" else 1.0)
        return divide(mass, mass.sum(axis=-1, keepdims=True), 0.0), np.nan_to_num(values)

    def slopes(self, *totals: FloatArray) -> Totals:
        """Return derivatives of the value by each total, (..., n_classes), by the `gradient`.

        They are 0 where the denominator is.
        """
        assert self.parts is not None  # noqa: S101  a metric without them is refused
        assert self.gradient is not None  # noqa: S101  asked for where it is declared
        numerator, denominator = (part[..., None] for part in self.parts(*totals))
        value = divide(numerator, denominator, 0.0)
        return [
            divide(of_top - value * of_bottom, denominator, 0.0)
            for of_top, of_bottom in zip(*self.gradient(*totals), strict=True)
        ]

    @property
    def strict(self) -> bool:
        """True if the paper's convention leaves more undefined than 0 / 0."""
        return self.zero_division == "paper" and self.without is not None

    @property
    def by_convention(self) -> float:
        """Value in an average of a class that is 0 / 0; NaN by the paper's convention."""
        if self.zero_division == "paper":
            return math.nan
        return self.worst if math.isnan(self.zero_division) else self.zero_division

    def lacks(self, *totals: FloatArray) -> BoolArray | bool:
        """Return the mask of values that the paper's convention leaves undefined."""
        if isinstance(self.parts, SumsOf):
            totals = sum_classes(totals)
        return self.without is not None and self.without(*totals)


def divide(numerator: FloatArray, denominator: FloatArray, undefined: float = np.nan) -> FloatArray:
    """Divide, with `undefined` where the denominator is 0."""
    # Masked division is slow, so undefined values are filled in afterwards.
    with np.errstate(divide="ignore", invalid="ignore"):
        out = np.asarray(np.true_divide(numerator, denominator), dtype=np.float64)
    empty = np.equal(denominator, 0)
    if empty.any():
        np.copyto(out, undefined, where=empty)
    return out


def side_by_side(pair: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return numerator and denominator, such as edits and words, of a statistic with both."""
    return pair[..., 0], pair[..., 1]


def average_classes(values: FloatArray, support: FloatArray, average: ClassAverage) -> FloatArray:
    """Average over the last axis, leaving out classes whose value is NaN."""
    defined = ~np.isnan(values)
    weights = defined * support if average == "weighted" else defined.astype(np.float64)
    return divide(np.where(defined, weights * values, 0.0).sum(axis=-1), weights.sum(axis=-1))


def sum_classes(arrays: tuple[FloatArray, ...]) -> Any:
    """Sum each array over its classes."""
    return tuple(array.sum(axis=-1) for array in arrays)


@dataclass(frozen=True)
class SumsOf:
    """Numerator and denominator, each summed over classes."""

    parts: Parts

    def __call__(self, *totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        numerator, denominator = sum_classes(self.parts(*totals))
        return numerator, denominator


@dataclass(frozen=True)
class ClassRatio:
    """Contributions of a sample to a ratio's numerator and denominator.

    Called with totals of hits, predicted and support (or of their soft twins), each of shape
    (..., n_classes), it gives numerators and denominators of that shape.

    Parameters
    ----------
    numerator, denominator : tuple of 4 floats
        Contributions of a true positive, a false negative, a false positive and a true negative.

    Examples
    --------
    >>> miss_rate = ClassRatio(numerator=(0, 1, 0, 0), denominator=(1, 1, 0, 0))
    >>> hits, predicted, support = np.array([[8.0, 3.0], [9.0, 4.0], [10.0, 3.0]])
    >>> miss_rate(hits, predicted, support)
    (array([2., 0.]), array([10.,  3.]))
    """

    numerator: Four
    denominator: Four

    def __call__(
        self, hits: FloatArray, predicted: FloatArray, support: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        numerator, denominator = (
            _combined(four, hits, predicted, support) for four in (self.numerator, self.denominator)
        )
        if denominator.shape != numerator.shape:
            # All samples, which are the same for every class.
            denominator = denominator + np.zeros_like(numerator)
        return numerator, denominator

    def of_sample(self, n_classes: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the contributions of a right and of a wrong sample to the sums over classes."""
        sides = [
            (tp + (n_classes - 1) * tn, fn + fp + (n_classes - 2) * tn)
            for tp, fn, fp, tn in (self.numerator, self.denominator)
        ]
        right, wrong = zip(*sides, strict=True)
        return right, wrong

    @property
    def is_of_class_alone(self) -> bool:
        """True if true negatives do not contribute."""
        return self.numerator[3] == self.denominator[3] == 0

    @property
    def is_of_truth(self) -> bool:
        """True if its denominator depends on true classes only, as in recall and specificity."""
        hits, missed, alarms, others = self.denominator
        return hits == missed and alarms == others

    @property
    def is_share(self) -> bool:
        """True if it is a share of successes, all of one weight, among successes and failures."""
        top, bottom = np.array(self.numerator), np.array(self.denominator)
        same = (top == bottom) & (top == top.max())
        return bool(top.max() > 0 and bottom.min() >= 0 and (same | (top == 0)).all()) and bool(
            self.failure.any()
        )

    @property
    def success(self) -> FloatArray:
        """1 for the outcomes that are successes."""
        return (np.array(self.numerator) != 0).astype(np.float64)

    @property
    def failure(self) -> FloatArray:
        """1 for the outcomes that are failures."""
        return (np.array(self.denominator) != 0) - self.success

    @property
    def success_weight(self) -> float:
        """Weight of a success, a."""
        return max(self.numerator)

    @property
    def failure_weights(self) -> FloatArray:
        """Weights of the failures, 0 for other outcomes."""
        return np.array(self.denominator) * self.failure


def _combined(
    four: Four, hits: FloatArray, predicted: FloatArray, support: FloatArray
) -> FloatArray:
    """Weight the four outcomes, with TP = hits, FN = support - hits and FP = predicted - hits."""
    tp, fn, fp, tn = four
    # Weights that cancel, such as those of F0.3, leave rounding errors.
    of_hits = tp - fn - fp + tn
    of_hits = of_hits if abs(of_hits) > _ROUNDING * max(map(abs, four)) else 0.0
    # In this order sums round as the textbook formulas do.
    terms = [(fn - tn, support), (fp - tn, predicted), (of_hits, hits)]
    if tn:
        terms.insert(0, (tn, support.sum(axis=-1, keepdims=True)))
    found: FloatArray | None = None
    for weight, counts in terms:
        if weight:
            term = counts if weight == 1 else weight * counts
            found = term if found is None else found + term
    return np.zeros_like(support) if found is None else found


def numerical_slopes(
    value: Callable[[FloatArray], FloatArray], totals: FloatArray, scale: FloatArray
) -> FloatArray:
    """Return slopes of a value by central differences, shaped like the totals.

    One-sided where the value is undefined after a step. Totals are (..., n_columns, n_masks), and
    their scale is (..., n_columns).
    """
    out = np.zeros_like(totals)
    here = value(totals)
    largest = np.abs(scale).max(axis=-1, initial=0.0, keepdims=True)
    step = _SLOPE_STEP * np.maximum(np.abs(scale), 1e-8 * largest)
    for column in range(step.shape[-1]):
        h = step[..., column, None]
        up, down = totals.copy(), totals.copy()
        up[..., column, :] += h
        down[..., column, :] -= h
        up_value, down_value = value(up), value(down)
        up_step = np.where(np.isnan(up_value), 0.0, h)
        down_step = np.where(np.isnan(down_value) | (down[..., column, :] < 0), 0.0, h)
        down_step = np.where((totals[..., column, :] < 0) & ~np.isnan(down_value), h, down_step)
        rise = np.where(up_step > 0, up_value, here) - np.where(down_step > 0, down_value, here)
        width = up_step + down_step
        out[..., column, :] = np.divide(rise, width, out=np.zeros_like(rise), where=width > 0)
    return np.nan_to_num(out, nan=0.0)
