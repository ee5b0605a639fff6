"""Outcomes, the true labels and one model's output, and statistics of them per sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.checks import picked
from modelcompare.data.outputs import Output
from modelcompare.data.test_set import TestSet
from modelcompare.plugs import load

_WITHOUT_TRUTH = "this metric needs y_true; the predictions hold per-example scores only."


@dataclass(frozen=True)
class Outcomes:
    """The true labels and the output of one model: the input of every statistic.

    Parameters
    ----------
    output : Output
        The model's labels, probabilities, values, per-example scores or texts.
    codes : ndarray of shape (n_samples,), optional
        True class of each sample, as an index into the labels.
    n_classes : int
        Number of classes; 0 outside classification.
    y_true : ndarray of shape (n_samples,), optional
        True values or texts as given, for metrics of these.
    true_distribution : ndarray of shape (n_samples, n_classes), optional
        Soft labels, where the true label is a distribution over classes; or sets of labels.
    predicted_codes : ndarray of shape (n_samples,), optional
        Predicted class of each sample, if already known.
    weight : ndarray of shape (n_samples,), optional
        Sample weights, for bins of equal weight; sums are weighted elsewhere.
    everyone : Outcomes, optional
        Outcomes of the whole test set, if these are only some of its rows: bin edges and centres
        must not depend on the rows at hand.
    items, runs : ndarray of shape (n_samples,), optional
        Item and run of each row, for metrics of repeated answers.
    labels : ndarray, optional
        The classes, or the numbers that the output's columns are of, such as times.
    """

    output: Output
    codes: IntArray | None = None
    n_classes: int = 0
    y_true: AnyArray | None = None
    true_distribution: FloatArray | None = None
    predicted_codes: IntArray | None = None
    weight: FloatArray | None = None
    everyone: Outcomes | None = None
    items: AnyArray | None = None
    runs: AnyArray | None = None
    labels: AnyArray | None = None

    @classmethod
    def of(cls, predictions: TestSet, model: str) -> Outcomes:
        """Outcomes of one model of a test set."""
        access = predictions.access
        return cls(
            predictions.output(model), access.codes, access.n_classes, predictions.y_true,
            access.true_distribution, weight=predictions.sample_weight, items=access.items,
            runs=access.runs_of(model), labels=predictions.labels,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.output.given)

    def rows(self, rows: IntArray | slice) -> Outcomes:
        """Return the outcomes of some samples as those of a test set."""
        names = (
            "codes", "y_true", "true_distribution", "predicted_codes", "weight", "items", "runs",
        )  # fmt: skip
        some = {name: picked(getattr(self, name), rows) for name in names}
        return replace(self, output=self.output.rows(rows), everyone=None, **some)

    @property
    def whole(self) -> Outcomes:
        """Outcomes of the whole test set."""
        return self if self.everyone is None else self.everyone

    @property
    def true_codes(self) -> IntArray:
        """True class of each sample; an error where there is none."""
        if self.codes is None:
            raise ValueError(_WITHOUT_TRUTH)
        return self.codes

    @property
    def known_truth(self) -> AnyArray:
        """Truth of each sample; an error where there is none."""
        if self.y_true is None:
            raise ValueError(_WITHOUT_TRUTH)
        return self.y_true

    @property
    def true_values(self) -> FloatArray:
        """True value of each sample; an error where there is none."""
        return self.known_truth.astype(np.float64, copy=False)

    @cached_property
    def truth(self) -> FloatArray:
        """True labels as a matrix of shape (n_samples, n_classes): one-hot, or soft labels."""
        if self.true_distribution is not None:
            return self.true_distribution
        return one_hot(self.true_codes, self.n_classes)

    def truth_of(self, codes: IntArray) -> FloatArray:
        """Return 1 or 0 for a given class of each sample, or its share of the soft label."""
        if self.true_distribution is not None:
            return self.true_distribution[np.arange(len(codes)), codes]
        return (self.true_codes == codes).astype(np.float64)

    def of_true_class(self, numbers: FloatArray | None = None) -> Entries | None:
        """Return one of `numbers`, or 1, in the column of the true class of each sample.

        None for soft labels, where a sample has several classes.
        """
        if self.true_distribution is not None:
            return None
        codes = self.true_codes
        if numbers is None:
            return codes, np.ones(len(codes))
        return codes, numbers[np.arange(len(codes)), codes].astype(np.float64)

    @cached_property
    def predicted(self) -> IntArray:
        """Predicted class of each sample, the first of ties; where it has labels, marks of each."""
        if self.predicted_codes is not None:
            return self.predicted_codes
        return self.output.read_as("labels")

    @cached_property
    def predicted_indicator(self) -> FloatArray:
        """Predicted class as a one-hot matrix (n_samples, n_classes), or the labels of each."""
        named: AnyArray = self.predicted
        return one_hot(named, self.n_classes) if named.ndim == 1 else named

    @property
    def set_hits(self) -> FloatArray:
        """True classes that are predicted, (n_samples, n_classes), or how much of each."""
        if place := self.output.kind.hits:
            hits: FloatArray = load(place)(self.output.array)
            return hits
        return self.truth * self.predicted_indicator

    @cached_property
    def probabilities(self) -> FloatArray:
        """Probabilities of shape (n_samples, n_classes)."""
        return self.output.array.astype(np.float64, copy=False)

    def score(self, code: int) -> FloatArray:
        """Return the score of one class for each sample: its probability, or a raw score of two."""
        raw = self.output.array if self.output.kind.real else self.output.order
        if raw is None:
            return self.probabilities[:, code]
        raw = raw.astype(np.float64, copy=False)
        return raw if code == 1 else -raw

    @property
    def values(self) -> FloatArray:
        """Real-valued outputs or per-example scores, of shape (n_samples,)."""
        return self.output.array.astype(np.float64, copy=False)


# The only column of each sample that is not 0, and its number, each of shape (n_samples,).
Entries: TypeAlias = tuple[IntArray, FloatArray]


def one_hot(codes: IntArray, n_classes: int) -> FloatArray:
    """Return the indicator matrix of shape (n_samples, n_classes)."""
    return scattered((codes, np.ones(len(codes))), n_classes)


def scattered(entries: Entries, n_classes: int) -> FloatArray:
    """Return a matrix (n_samples, n_classes) that is 0 except for one number of each sample."""
    codes, numbers = entries
    out = np.zeros((len(codes), n_classes))
    out[np.arange(len(codes)), codes] = numbers
    return out


@dataclass(frozen=True)
class Statistic:
    """Numbers of each sample whose weighted sums are the input of a metric.

    Parameters
    ----------
    name : str
        Statistics of the same name are the same numbers, computed once for all metrics.
    compute : callable
        ``compute(outcomes)`` gives an array of shape (n_samples, n_columns).
    discrete : bool
        Whether it depends on the true and the predicted class alone, so that identical rows
        may collapse into one with a multiplicity.
    indicator : bool
        Whether its numbers are 0 and 1, so that sums are counts.
    members_of : Statistic, optional
        A statistic with a column for each class. This one has the same numbers for the samples of
        the class, and 0 for all others.
    shared : bool
        Whether it ignores the model's output, so that all models share one copy.
    costly : bool
        Whether its numbers are stored: texts are compared, and items sorted, once.
    entries : callable, optional
        ``entries(outcomes)``: the same numbers, if there is a column for each class and all except
        one of a sample are 0; returns None if a sample has more.
    class_axes : int
        Number of leading axes of its columns that are classes: 1 for numbers of each class, 2 for
        numbers of each pair of classes.
    soft : Statistic, optional
        The same with probabilities instead of decisions.
    of_all : bool
        Whether a sample's numbers depend on all samples (edges of bins, a centre), so that blocks
        of a test set cannot be summed separately.
    of_items : bool
        Whether they depend on all rows of the sample's item.
    """

    name: str
    compute: Callable[[Outcomes], FloatArray] = field(compare=False)
    discrete: bool = False
    indicator: bool = False
    members_of: Statistic | None = field(default=None, compare=False)
    shared: bool = False
    costly: bool = False
    entries: Callable[[Outcomes], Entries | None] | None = field(default=None, compare=False)
    class_axes: int = 0
    soft: Statistic | None = field(default=None, compare=False)
    of_all: bool = False
    of_items: bool = False
