"""Values that few samples, or clusters, determine, and averages with classes hardly predicted.

A note, or where coverage is in doubt a warning.

Fewer than `FEW` samples of the class, samples that disagree with chance, or effective clusters.
For a macro average, the samples of the classes that make up its variance: one rare class of two is
sufficient. Intervals are then wide, and hold (``experiments/validity``: the lowest coverage of
1,152 values near the ceiling is 0.925, that of 680 values of 5 to 50 clusters 0.916), so the result
has a note. So it has where a class in an average of precisions is predicted under five times, or
never: the default interval allows for any precision of such a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.variants import times_of_blocks
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals import FEW, Interval, informative_sizes
from modelcompare.intervals.sizes import effective_sizes
from modelcompare.intervals.unknown import averages_counts, few_cases, hardly_known
from modelcompare.metrics import AnyMetric, Metric
from modelcompare.metrics.quantiles import is_quantile
from modelcompare.metrics.quotient import divide
from modelcompare.report.numbers import some_of
from modelcompare.words import label_name, value_name

# Maximum number of values, or groups of them, that a note or a warning names.
MOST_NAMED = 3


def notes_on_few_samples(
    values: Sample, *, scores: Interval | None = None, places: IntArray | None = None
) -> tuple[str, ...]:
    """Return notes on the values that few samples determine, and on classes hardly predicted.

    Arguments are those of `warn_of_sparse_data`. Beside a judge, labels are counted instead.
    """
    if not values.design.samples_decide:
        return ()
    asked = np.arange(len(values.evaluation.keys)) if places is None else places
    found = FewSamples(values, scores)
    metrics = dict.fromkeys(values.evaluation.keys[place].metric for place in asked)
    unknown = notes_on_classes(values.evaluation, [found.metrics[name] for name in metrics])
    return (*_note(found, asked), *unknown)


def notes_on_classes(evaluation: Evaluation, metrics: Sequence[AnyMetric]) -> tuple[str, ...]:
    """Return a note for each average with classes whose values are hardly known."""
    every = (classes_hardly_known(evaluation, metric).items() for metric in metrics)
    parts = (first([f"{what}; {average}" for what, average in found]) for found in every)
    return tuple(f"{'; '.join(texts)}." for texts in parts if texts)


def classes_hardly_known(evaluation: Evaluation, metric: AnyMetric) -> dict[str, str]:
    """Return the classes of each model that are hardly known, and the averages that they allow."""
    labels = evaluation.predictions.labels
    if not averages_counts(metric) or labels is None:
        return {}
    return {
        f"{metric.name} of {model}: "
        f"{few_cases(metric, some_of([*map(label_name, labels[classes].tolist())]))}": (
            f"it would be {least:.3f} if their values were 0, and {most:.3f} if 1"
        )
        for model, classes, least, most in zip(
            evaluation.models, *hardly_known(evaluation, metric), strict=True
        )
        if classes.any()
    }


def _note(found: FewSamples, asked: IntArray) -> tuple[str, ...]:
    """Return the note on the values that few samples determine; empty if there are none."""
    few = found.places(asked)
    # That there are no more samples in all is no news.
    few = [at for at in few if found.unit != "samples" or found.least[at] < found.n_units]
    names: dict[str, list[str]] = {}
    for at in few:
        names.setdefault(found.number(at), []).append(found.name(at))
    if not names:
        return ()
    parts = first([f"{some_of(own, MOST_NAMED)}: as uncertain as {n}" for n, own in names.items()])
    return (f"{'; '.join([*parts, *found.rarest_class(few)])}.",)


@dataclass(frozen=True)
class FewSamples:
    """Numbers of samples, or clusters, that determine the values of one test set.

    Parameters
    ----------
    values : Sample
        Models and metrics.
    scores : Interval, optional
        Intervals of the models, which may contain these numbers.
    """

    values: Sample
    scores: Interval | None

    @property
    def evaluation(self) -> Evaluation:
        return self.values.evaluation

    @property
    def unit(self) -> str:
        """Name of the units: samples, clusters, or buckets of a sketch."""
        return self.evaluation.access.unit

    @property
    def n_units(self) -> int:
        """Number of units."""
        return self.evaluation.units.size

    @cached_property
    def metrics(self) -> dict[str, AnyMetric]:
        """Metrics by name."""
        return {metric.name: metric for metric in self.evaluation.metrics}

    @cached_property
    def least(self) -> FloatArray:
        """Smallest number of informative samples over the models, of each value: (n_values,)."""
        known = None if self.scores is None else self.scores.n_informative
        if known is None:
            known = _sizes(self.values)
        least = np.where(np.isnan(self.values.point), np.inf, known).min(axis=0)
        for metric in self.metrics.values():
            if _is_macro(metric):
                where = self.evaluation.metric_slice(metric.name)
                least[where] = np.minimum(least[where], behind_macro(self.evaluation))
        return np.asarray(least)

    def places(self, where: IntArray) -> list[int]:
        """Return those of some values that few samples determine, fewest first."""
        order = where[np.argsort(self.least[where], kind="stable")]
        return [int(place) for place in order if self.least[place] < FEW]

    def in_doubt(self, metric: AnyMetric) -> bool:
        """Return whether intervals may cover less than their level where few samples decide.

        That is so, by simulation, of fewer than ten samples in all if values are no counts
        (difference of two Brier scores on six: 0.87), of blocks in time (root mean squared error:
        0.91) and of percentiles of clusters (0.91).
        """
        if self.unit == "samples":
            counts = isinstance(metric, Metric) and all(s.discrete for s in metric.statistics)
            return self.n_units < FEW and not counts
        predictions = self.evaluation.predictions
        return is_quantile(metric) or times_of_blocks(predictions) is not None

    # -- words --------------------------------------------------------------------------------

    def name(self, place: int) -> str:
        """Name a value: the metric, and its class if it has one."""
        key = self.evaluation.keys[place]
        return value_name(key.metric, key.label)

    def number(self, place: int) -> str:
        """Write the number of samples, or equal clusters, that determine a value."""
        n = f"{self.least[place]:.2g}"
        if self.unit != "samples":
            return f"{n} of {self.n_units:,} {self.unit}"
        return f"{n} sample{'s' * (n != '1')}"

    def rarest_class(self, places: Sequence[int]) -> list[str]:
        """Write which true class has the fewest samples, if these are few and values are of it."""
        keys = [self.evaluation.keys[place] for place in places]
        of_class = any(key.label is not None or _is_macro(self.metrics[key.metric]) for key in keys)
        support, labels = self.evaluation.support, self.evaluation.predictions.labels
        if support is None or labels is None or self.unit != "samples" or not of_class:
            return []
        least = support[support > 0].min()
        names = [label_name(label) for label in labels[support == least].tolist()]
        one = len(names) == 1
        text = f"class{'' if one else 'es'} {some_of(names, MOST_NAMED)} ha{'s' if one else 've'}"
        return [f"{text} {least:.3g}"] if least < FEW else []


def first(texts: Sequence[str]) -> list[str]:
    """Return the first few texts, and the number of others."""
    more = len(texts) - MOST_NAMED
    return [*texts[:MOST_NAMED], *([f"and {more:,} more"] if more > 0 else [])]


def behind_macro(evaluation: Evaluation) -> float:
    """Return the number of samples that determine a mean over the true classes.

    It is one more than the degrees of freedom (Satterthwaite 1946) of a variance to which a class
    of n samples contributes 1 / n, with n - 1 degrees: a single class has its n samples. Of many
    rare classes these are many samples in all, but the average is biased; where half of the classes
    have fewer than five samples, the number is at most that of a typical class.
    """
    support = _support(evaluation)
    if support is None:
        return np.inf
    support = support[support > 0]
    added, typical = 1 / support, float(np.median(support))
    of_one = divide(added**2, support - 1, np.inf)
    together = 1 + float(added.sum() ** 2 / of_one.sum())
    return min(together, typical) if typical < FEW / 2 else together


def _is_macro(metric: AnyMetric) -> bool:
    return isinstance(metric, Metric) and metric.average == "macro"


def _sizes(values: Sample) -> FloatArray:
    """Return the number of informative samples or clusters of each value; by totals for a scan."""
    evaluation = values.evaluation
    if not evaluation.by_blocks:
        return informative_sizes(values)
    sizes = np.full(values.point.shape, float(evaluation.units.size))
    support = _support(evaluation)
    for metric in evaluation.metrics:
        if support is not None and metric.per_class:
            sizes[:, evaluation.metric_slice(metric.name)] = support
    return sizes


def _support(evaluation: Evaluation) -> FloatArray | None:
    """Return the number of samples, or effective clusters, of each true class; None if unknown."""
    access, support = evaluation.access, evaluation.support
    if support is None or access.unit == "samples":
        return support
    return effective_sizes(access, by_class=True)
