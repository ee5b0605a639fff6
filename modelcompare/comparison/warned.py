"""Warnings about intervals that may cover less than their level, and about uninformative ones.

The criteria do not depend on the test, nor beyond the first on the chosen interval:

- few samples: of the values that few samples determine, those of which that is simulated
  (`FewSamples.in_doubt`), and all where an interval method is named; others have a note.
- large weights: the heaviest sample or cluster has a fifth of the weight, and twice an equal share.
- heavy tails, of metrics without two bounds: fewer than `FEW` samples carry the variance of a value
  or a difference, ``(sum u^2)^2 / sum u^4`` of the influences u, and they lie on one side:
  ``|sum u^3| > 0.35 (sum u^2)^1.5``. Of 30 normal numbers ten carry the variance, of 30 exponential
  ones eight, and Student's interval of their mean keeps its coverage. Symmetric tails do not reduce
  coverage. Intervals of bounded values keep it with three carriers. Means of positive numbers are
  judged by their logarithms, which show tails that no sample shows (`tails`).
- a class of the test set that a model predicts under five times, in an average of precisions, where
  an interval method is named; others have a note.
- functions and values that influences do not describe: fewer than three carriers. Their intervals
  are resampled, so they need not be symmetric, but a single sample determines a maximum.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.comparison.few_samples import FewSamples, classes_hardly_known, first
from modelcompare.comparison.tails import heavy_models, heavy_pairs, spreads_of
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs, pair_carriers
from modelcompare.engine.layers import FEW_LEVELS
from modelcompare.intervals import FEW, METHODS, Interval
from modelcompare.intervals.auto import FEW_RESAMPLED
from modelcompare.intervals.base import REFUSED
from modelcompare.intervals.resampled import is_resampled
from modelcompare.metrics import AnyMetric, Metric, SparseDataWarning
from modelcompare.metrics.quantiles import is_quantile
from modelcompare.plugs import load
from modelcompare.words import IntervalMethod, value_name, warn_caller

# Share of the weight that is too large for one sample, or cluster; in equal shares of few.
_HEAVY, _UNEVEN = 1 / 5, 2
# Skewness of a sum beyond which Student's interval covers too little.
_SKEWED = 0.35


def warn_of_sparse_data(
    values: Sample,
    *,
    method: IntervalMethod = "auto",
    scores: Interval | None = None,
    differences: Interval | None = None,
    pairs: Pairs | None = None,
    places: IntArray | None = None,
    where: str = "",
) -> list[str]:
    """Warn of each metric whose intervals are in doubt, and return the texts.

    Parameters
    ----------
    values : Sample
        Models and metrics.
    method : str
        Interval method that was asked for; those but "auto" are in doubt where few samples decide.
    scores, differences : Interval, optional
        Intervals of the models and of the pairs, which may contain numbers of informative samples.
    pairs : tuple of ndarray of int, optional
        Positions of the models of each requested difference.
    places : ndarray of int, optional
        Positions of the requested values; all by default.
    where : str
        Prefix of the texts.
    """
    found = _Sparse(values, method, scores, differences, pairs)
    asked = np.arange(len(values.evaluation.keys)) if places is None else places
    found_texts = (found.warning(metric, asked) for metric in values.evaluation.metrics)
    texts = [f"{where}{text}" for text in found_texts if text]
    for text in texts:
        warn_caller(text, SparseDataWarning)
    return texts


@dataclass(frozen=True)
class _Sparse:
    """Few samples, large weights and heavy tails that put the intervals of a test set in doubt."""

    values: Sample
    method: IntervalMethod
    scores: Interval | None
    differences: Interval | None
    pairs: Pairs | None

    @property
    def evaluation(self) -> Evaluation:
        return self.values.evaluation

    def warning(self, metric: AnyMetric, asked: IntArray) -> str:
        """Return the warning about one metric; empty if its intervals are not in doubt."""
        every = self.evaluation.metric_slice(metric.name)
        where = asked[(asked >= every.start) & (asked < every.stop)]
        few = self._few(metric, where)
        doubts = [*first(few), *self._heaviest(metric), *first([*self._tails(metric, where)])]
        named, ends = not METHODS[self.method].chooses, []
        unknown = []
        if named and len(where):
            unknown = first([*classes_hardly_known(self.evaluation, metric)])
        if doubts:
            ends.append("With so few, intervals cover the true value less often than their level.")
        if few and named and not self._few_samples.in_doubt(metric):
            ends.append("Those of method='auto' (--method auto) hold.")
        if unknown:
            ends.append(
                "The default intervals allow for any value of these classes; resampled ones jump "
                "there: use method='auto' (--method auto)."
            )
        return f"{'; '.join([*doubts, *unknown])}. {' '.join(ends)}" if ends else ""

    # -- samples and clusters -----------------------------------------------------------------

    def _few(self, metric: AnyMetric, where: IntArray) -> list[str]:
        """Return texts of values that few samples determine, if that puts intervals in doubt."""
        few = self._few_samples
        if METHODS[self.method].chooses and not few.in_doubt(metric):
            return []
        return [f"{few.name(at)}: as uncertain as {few.number(at)}" for at in few.places(where)]

    @cached_property
    def _few_samples(self) -> FewSamples:
        return FewSamples(self.values, self.scores)

    # -- weights ------------------------------------------------------------------------------

    def _heaviest(self, metric: AnyMetric) -> list[str]:
        """Return a text about the heaviest sample or cluster, if its weight is too large."""
        share, n = self._largest_share, self.evaluation.units.size
        if share < max(_HEAVY, _UNEVEN / n):
            return []
        one = f"1 of {n:,} {self._unit} holds {share:.0%} of the weight"
        return [f"{metric.name}: {one}".replace("%", " %")]

    @cached_property
    def _largest_share(self) -> float:
        """Share of the weight of the heaviest sample, or cluster; 0 if weights are equal."""
        access = self.evaluation.access
        if "rows" not in access.abilities:
            return 0.0
        if access.unit == "samples" and not access.weighted:
            return 0.0
        weights = access.unit_weights()
        return float(weights.max() / weights.sum())

    # -- tails --------------------------------------------------------------------------------

    def _tails(self, metric: AnyMetric, where: IntArray) -> Iterator[str]:
        """Yield texts of values and differences that a few extreme samples determine."""
        if not (is_resampled(metric) or self._trusts_influences(metric)):
            return
        moments, spreads = self.values.moments, spreads_of(self.evaluation, metric)
        carriers, rows = moments.carriers()[:, where], Contrasts(self.values, None)
        if is_resampled(metric):
            # If leaving one out changes nothing, the number is unknown.
            moved = np.diagonal(moments.second, axis1=1, axis2=2).T > 0
            few = (moved & (moments.carriers() < FEW_RESAMPLED))[:, where]
            yield from self._heavy(rows, few, carriers, where)
            return
        few = self._few_on_one_side(rows, carriers, where)
        heavy = heavy_models(few, carriers, spreads, self.evaluation.units.size)
        yield from self._heavy(rows, heavy, carriers, where)
        if self.pairs is not None and len(self.pairs[0]):
            carriers = self._pair_carriers(self.pairs, where)[:, where]
            rows = Contrasts(self.values, self.pairs)
            few = self._few_on_one_side(rows, carriers, where)
            heavy = heavy_pairs(few, heavy, spreads, self.pairs)
            yield from self._heavy(rows, heavy, carriers, where)

    def _few_on_one_side(self, rows: Contrasts, carriers: FloatArray, where: IntArray) -> BoolArray:
        """Return the values of which a few units, all on one side, carry the variance."""
        return (carriers < FEW) & (6 * np.abs(rows.acceleration[:, where]) > _SKEWED)

    def _heavy(
        self, rows: Contrasts, heavy: BoolArray, carriers: FloatArray, where: IntArray
    ) -> Iterator[str]:
        """Yield a text for each value with a heavy tail, seen or hidden."""
        n = self.evaluation.units.size
        for row, place in np.argwhere(heavy):
            key, few = self.evaluation.keys[where[place]], carriers[row, place]
            what = f"{few:.2g} of {n:,} {self._unit} carry its variance"
            if few >= FEW:
                what = f"by their logarithms, larger {self._unit} than all {n:,} may decide it"
            yield f"{value_name(key.metric, key.label)} of {rows.names[row]}: {what}"

    def _pair_carriers(self, pairs: Pairs, where: IntArray) -> FloatArray:
        """Return the number of units that carry each difference's variance, (n_pairs, n_values)."""
        known = None if self.differences is None else self.differences.n_informative
        if known is not None and not self._clustered:
            return known
        out = np.full((len(pairs[0]), len(self.evaluation.keys)), np.inf)
        out[:, where] = pair_carriers(self.evaluation, self.values.point, pairs, where)
        return out

    def _trusts_influences(self, metric: AnyMetric) -> bool:
        """Return whether a value with unbounded influences has symmetric intervals."""
        if is_quantile(metric):
            return False
        proportion = isinstance(metric, Metric) and metric.proportion
        return not np.isfinite(metric.bounds).all() and (self._clustered or not proportion)

    # -- words --------------------------------------------------------------------------------

    @property
    def _clustered(self) -> bool:
        return self._unit != "samples"

    @property
    def _unit(self) -> str:
        return self.evaluation.access.unit


def warn_of_no_width(rows: Contrasts, interval: Interval, asked: IntervalMethod) -> None:
    """Warn, for each metric, of an interval without bounds, of width 0, or of infinite width."""
    refused = (interval.method == REFUSED).any(axis=0)
    reasons: dict[str, list[str]] = {}
    for metric in rows.evaluation.metrics:
        if metric.intervals and refused[rows.evaluation.metric_slice(metric.name)].any():
            reasons.setdefault(metric.intervals.refusal, []).append(metric.name)
    for place, names in reasons.items():
        warn_caller(load(place)(rows.evaluation.predictions, names), UserWarning)
    endless = np.isinf(interval.low) | np.isinf(interval.high)
    bad = ~np.isnan(rows.estimate) & (endless | ~(interval.low < interval.high))
    # Intervals at a bound on the logit scale, and refused ones, have other warnings.
    bad &= (interval.method != "none") & (interval.method != REFUSED)
    chosen = asked == "auto"
    remedy = "Take more samples" if chosen else "Use method='auto'"
    for metric in rows.evaluation.metrics:
        where = rows.evaluation.metric_slice(metric.name)
        found = np.argwhere(bad[:, where])
        if len(found) == 0:
            continue
        row, position = found[0] + [0, where.start]
        key, others = rows.evaluation.keys[position], len(found) - 1
        warn_caller(
            f"the {interval.method[row, position]} interval of "
            f"{value_name(key.metric, key.label)} of {rows.names[row]}"
            f"{f' (and of {others:,} more)' if others else ''} "
            f"{_flaw(interval.low[row, position], interval.high[row, position])}: the "
            f"{'' if chosen else 're'}samples do not determine its uncertainty. {remedy}.",
            SparseDataWarning if chosen else UserWarning,
        )


def warn_of_little_data(
    sample: Sample, *, method: IntervalMethod = "auto", scores: Interval | None = None,
    differences: Interval | None = None, pairs: Pairs | None = None,
    places: IntArray | None = None,
) -> list[str]:  # fmt: skip
    """Warn where samples, or what else decides, put intervals in doubt; return the texts.

    Arguments are those of `warn_of_sparse_data`.
    """
    texts = sample.estimator.warnings(places)
    if not sample.design.samples_decide:
        return texts
    return texts + warn_of_sparse_data(
        sample, method=method, scores=scores, differences=differences, pairs=pairs, places=places
    )


def warn_of_few(n: int, these: str, new: str, others: str, added: str) -> list[str]:
    """Warn, and return the text, where so few decide about new ones, however many others."""
    if n >= FEW_LEVELS:
        return []
    text = (
        f"{n} {these} decide how far new {new} may differ: with fewer than {FEW_LEVELS}, intervals "
        f"are wide and differences seldom significant, however many {others} there are. Add "
        f"{added}, or ask about these alone with generalize_to='items' (--generalize-to items)."
    )
    warn_caller(text, SparseDataWarning)
    return [text]


def _flaw(low: float, high: float) -> str:
    if math.isnan(low) or math.isnan(high):
        return "has no bounds"
    return "has width 0" if low == high else "has no end"


@contextmanager
def collect_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Collect all warnings in the returned list instead of showing them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


@contextmanager
def each_warning_once() -> Iterator[None]:
    """Show each distinct warning once, at the end."""
    with collect_warnings() as caught:
        yield
    for text, category in dict.fromkeys((str(each.message), each.category) for each in caught):
        warn_caller(text, category)
