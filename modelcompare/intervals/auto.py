"""The rule of ``method="auto"``: the interval for each type of value.

===============================  ================================  ==============================
value                            score                             difference
===============================  ================================  ==============================
accuracy, scores of 0 and 1,     wilson, modified near 0 and 1;    half-count: a sample more in each
one class's value                F-beta and Jaccard through        cell of disagreement, or half if
                                 TP / (TP + FP + FN)               failures are of two kinds
average of two classes           mover; of precision by support,   half-count; joined where few are
                                 effective-size                    predicted, as of one class
average of three or more         effective-size                    shrunk-influence
MCC, kappa                       effective-size                    mover
ratio of two rates of a class    mover                             mover
ROC AUC, average precision       effective-size                    mover
anything with clusters, other    logit-t; log-t where bounded on   t; between six clusters or
smooth metrics                   one side; soft macro averages     more, and of texts of unequal
                                 less their bias                   lengths, bias-reduced-t
the same without two bounds and  hall-t; log-t, within Hall's     hall-t
without clusters                 where bounded on one side
calibration errors               test-inversion; simultaneous for  mover
                                 the largest gap; refused where
                                 samples have clusters or weights
quantiles, medians               order-statistics                  mover
what influences do not describe  expanded-BCa, if it is bounds     expanded-percentile
===============================  ================================  ==============================

Student's degrees of freedom are those of the influences that carry the variance; for values of
clusters, they are between the number of effective clusters and that of all, and for differences
those of Bell and McCaffrey (`leverage`). Means of independent samples have at most the interval of
a proportion, and near a bound at least that of a value at it. Strata shrink intervals by the
variance that they explain. Below `FEW` informative samples coverage is near 1 and intervals are
wide, or clusters are too few: a warning (`comparison.warned`).
``experiments/validity/intervals_on_sparse_data.py`` simulates each row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import InfluenceMoments, Pairs, influence_moments, pair_carriers
from modelcompare.intervals.base import REFUSED, Interval, IntervalRow
from modelcompare.intervals.influences import (
    Estimates,
    difference_degrees,
    difference_interval,
    macro_corrections,
    score_degrees,
    score_interval,
    share_of_occurring,
    unseen_losses,
    unseen_variance,
)
from modelcompare.intervals.leverage import leveraged_differences
from modelcompare.intervals.optimism import with_optimism
from modelcompare.intervals.quantiles import of_quantile
from modelcompare.intervals.ranks import RANKS, rank_intervals, rarer_size
from modelcompare.intervals.ratios import t_quantile
from modelcompare.intervals.resampled import expanded_intervals, is_resampled
from modelcompare.intervals.sizes import (
    chance_unseen,
    effective_sizes,
    effective_units,
    n_results,
    typical_support,
)
from modelcompare.intervals.unknown import with_unknown
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.planning import loss_of_failure
from modelcompare.metrics.quotient import divide
from modelcompare.plugs import first, load

# Below this number of informative samples the result has a note.
FEW = 10
# The same for carriers of a value whose interval is resampled.
FEW_RESAMPLED = 3
# Number of clusters, or texts, from which on their shares give the error of a difference; below it,
# and of values themselves, the jackknife covers better.
_LEAST_UNITS = 6
# Up to this number of clusters, carriers are those of contributions divided by their sizes. Of more
# clusters of correlated samples, that covers up to 4 points less.
_FEW_CLUSTERS = 20
# A standard error below this share of the value is rounding of identical numbers.
_ROUNDING = 1e-12


def choose(contrasts: Contrasts, level: float) -> Interval:
    """Compute the interval of every value, or difference, by the method that is valid for it."""
    return _Rule(contrasts.sample, contrasts.pairs, level).intervals()


def informative_sizes(sample: Sample) -> FloatArray:
    """Compute the number of informative samples, or equal clusters, of each model's values.

    Equal to `Interval.n_informative` of `choose`, for any interval method.
    """
    # The number of informative samples does not depend on the level.
    rule = _Rule(sample, None, 0.95)
    sizes = [rule.informative(metric) for metric in sample.evaluation.metrics]
    return np.concatenate(sizes, axis=1)


@dataclass(frozen=True)
class _Rule(Contrasts):
    """The rule on one test set, for models or for pairs of them, at a level."""

    level: float

    @property
    def values(self) -> FloatArray:
        """Values of the models."""
        return self.sample.point

    @property
    def moments(self) -> InfluenceMoments:
        return self.sample.moments

    def informative(self, metric: AnyMetric) -> FloatArray:
        """Return the number of informative samples, or equal clusters, of each model's values."""
        closed = self._closed[metric.name]
        if closed is not None and closed.n_informative is not None:
            return closed.n_informative
        where = self.evaluation.metric_slice(metric.name)
        if metric.name in RANKS and not self._clustered:
            return np.full_like(self.values[:, where], rarer_size(self.evaluation))
        found = np.minimum(self._sizes[:, where], typical_support(self.evaluation, metric))
        return np.minimum(found, self._of_class(metric))

    def _of_class(self, metric: AnyMetric) -> FloatArray:
        """Return samples, or equal clusters, of each class, if misses enter the ratio."""
        ratio = metric.class_ratio if isinstance(metric, Metric) and metric.per_class else None
        if ratio is None or not ratio.denominator[1] or self.evaluation.support is None:
            return np.array([np.inf])
        return effective_sizes(self.evaluation.access, by_class=True)

    def intervals(self) -> Interval:
        """Compute intervals of all values, which contain their estimates."""
        parts, drawn = [], None
        for metric in self.evaluation.metrics:
            where = self.evaluation.metric_slice(metric.name)
            closed = self._closed[metric.name]
            part = closed or self._from_influences(metric, where)
            if closed is None and is_resampled(metric):
                drawn = expanded_intervals(self, self.level) if drawn is None else drawn
                part = self._where_usable(drawn, part, metric, where)
            part = with_unknown(part, self.evaluation, metric, self.pairs)
            parts.append(with_optimism(part, self.evaluation, metric, self.pairs))
        joined = Interval.joined(parts, axis=1)
        low, high = np.fmin(joined.low, self.estimate), np.fmax(joined.high, self.estimate)
        return replace(joined, low=low, high=high).where(joined.method != REFUSED, joined)

    @property
    def _clustered(self) -> bool:
        return self.evaluation.access.unit != "samples"

    @cached_property
    def _closed(self) -> dict[str, Interval | None]:
        """Intervals of counts of independent samples, and those of metrics; None for others."""
        return {metric.name: self._closed_of(metric) for metric in self.evaluation.metrics}

    def _closed_of(self, metric: AnyMetric) -> Interval | None:
        if metric.intervals is not None:
            found: Interval = load(metric.intervals.of)(self, metric, self.level)
            return found
        if quantile := of_quantile(self, metric, self.level):
            return quantile
        of_counts = load(self.evaluation.predictions.kind.intervals)
        part = of_counts(self, metric, self.level) or first("intervals", self, metric, self.level)
        return part and self._shrunk_by_strata(part, self.evaluation.metric_slice(metric.name))

    @property
    def _open(self) -> list[AnyMetric]:
        """Metrics without an interval in closed form."""
        return [m for m in self.evaluation.metrics if self._closed[m.name] is None]

    def _from_influences(self, metric: AnyMetric, where: slice) -> Interval:
        if metric.name in RANKS and not self._clustered:
            carriers = self._carriers[:, where]
            return rank_intervals(self, metric.name, where, self.level, carriers)
        if self.pairs is None:
            return self._score(metric, where)
        return self._difference(metric, where, self.pairs)

    def _score(self, metric: AnyMetric, where: slice) -> Interval:
        estimate, size = self.estimate[:, where], self._sizes[:, where]
        error = self.moments.standard_error()[:, where]
        degrees = self._degrees(self._carriers[:, where], where)
        scale = share_of_occurring(self.evaluation, metric)
        bias, unseen = (each[:, None] for each in macro_corrections(self.evaluation, metric))
        error, skew = np.sqrt((error * scale) ** 2 + unseen), self._skew(metric, where)
        power, mean = (metric.power, metric.is_mean) if isinstance(metric, Metric) else (1.0, False)
        low, high = score_interval(
            Estimates(estimate * scale - bias, error, degrees, size, skew),
            metric.bounds, self.level, power=power,
            shares=mean and not self._clustered and bool(size.min() == self.evaluation.units.size),
            items=metric.of_items,
            failure=0.0 if self._clustered else loss_of_failure(metric),
        )  # fmt: skip
        scales = "t" if skew is None else "hall-t", "log-t", "logit-t"
        method = scales[np.isfinite(metric.bounds).sum()]
        return Interval.of(low, high, method, self.informative(metric))

    def _difference(self, metric: AnyMetric, where: slice, pairs: Pairs) -> Interval:
        a, b = pairs
        carriers, size = self._carriers[:, where], self._row_sizes[:, where]
        rounding = _ROUNDING * np.abs(self.values[:, where])
        own = self.moments.standard_error()[:, where]
        own = np.where(own <= rounding, 0.0, own) ** 2
        error = self.moments.standard_error(pairs)[:, where]
        still = error <= np.maximum(rounding[a], rounding[b])
        carriers = np.where(still, 1.0, carriers)
        # The size of unseen differences is known from the models' own values.
        values = self.moments.carriers()[:, where]
        of_error = np.where(still, np.minimum(values[a], values[b]), carriers)
        degrees = self._degrees(of_error, where)
        skew, leveraged = self._skew(metric, where), self._is_leveraged(metric)
        if leveraged:
            error, degrees, skew = *(each[:, where] for each in self._leveraged(pairs)), None
        skew = None if skew is None else np.where(still, 0.0, skew)
        variance = np.where(still, 0.0, error) ** 2
        unseen = (own[a] + own[b]) / n_results(self.evaluation)
        matters = (unseen > variance) | metric.of_items
        chance = chance_unseen(self.evaluation, metric, pairs, matters)
        # Differences that are all equal show nothing of the size of others.
        variance = np.maximum(variance, np.where(variance > 0, chance, 1.0) * unseen)
        if metric.name in RANKS:
            positive = sum(unseen_variance(self.values[side, where], size) for side in pairs)
            variance = variance + RANKS[metric.name][1] * positive
        scale = share_of_occurring(self.evaluation, metric)
        bias, _ = macro_corrections(self.evaluation, metric)
        centre = self.estimate[:, where] * scale - (bias[a] - bias[b])[:, None]
        differences = Estimates(centre, np.sqrt(variance) * scale, degrees, size, skew)
        low, high = difference_interval(
            differences, metric.bounds, self.level, chance * metric.of_items
        )
        if loss_of_failure(metric) and np.isinf(metric.bounds[1]) and not self._clustered:
            covariance = self.moments.covariance()[where]
            half = unseen_losses(covariance, self._sizes[:, where], pairs, self.level)
            low, high = np.minimum(low, centre - half), np.maximum(high, centre + half)
        informative = size if self._clustered else np.minimum(size, carriers)
        method = "bias-reduced-t" if leveraged else "t" if skew is None else "hall-t"
        return Interval.of(low, high, method, informative)

    def _leveraged(self, pairs: Pairs) -> tuple[FloatArray, FloatArray]:
        """Return errors and degrees of freedom of the differences that are leveraged."""
        chosen = [metric for metric in self._open if self._is_leveraged(metric)]
        few = not self._clustered or self.evaluation.units.size <= _FEW_CLUSTERS
        key = ("leveraged", *(side.tobytes() for side in pairs), *(m.name for m in chosen))
        find = partial(leveraged_differences, standardized=few)
        return self.evaluation.once(key, lambda: find(self.evaluation, chosen, self.values, pairs))

    def _is_leveraged(self, metric: AnyMetric) -> bool:
        """True for differences between clusters or buckets, or between texts of unequal lengths."""
        units = self.evaluation.units
        if units.strata is not None or units.size < _LEAST_UNITS or not isinstance(metric, Metric):
            return False
        if self._clustered or not metric.kind.single_text or metric.ratio is None:
            return self._clustered
        size = self._sizes[:, self.evaluation.metric_slice(metric.name)]
        return bool((size < (1 - 1e-9) * units.size).any())

    @cached_property
    def _sizes(self) -> FloatArray:
        # The same at any level: a p-value is found by intervals at several.
        key = ("sizes", *(metric.name for metric in self._open))
        return self.evaluation.once(key, lambda: effective_units(self.evaluation, self._open))

    @cached_property
    def _row_sizes(self) -> FloatArray:
        """Effective number of units for each value; for a difference the smaller of the two."""
        if self.pairs is None:
            return self._sizes
        a, b = self.pairs
        return np.minimum(self._sizes[a], self._sizes[b])

    def _degrees(self, carriers: FloatArray, where: slice) -> FloatArray:
        """Return degrees of freedom of the variances of some values, or of their differences."""
        clusters = self._row_sizes[:, where] if self._clustered else None
        of_rows = score_degrees if self.pairs is None else difference_degrees
        return of_rows(carriers, self.evaluation.units.size, clusters)

    @cached_property
    def _carriers(self) -> FloatArray:
        """Units that carry the variances; of differences those in open metrics alone, else NaN."""
        if self.pairs is None:
            return self.moments.carriers()
        sides = (side.tobytes() for side in self.pairs)
        key = ("carriers", *sides, *(metric.name for metric in self._open))
        return self.evaluation.once(key, partial(self._carriers_of, self.pairs))

    def _carriers_of(self, pairs: Pairs) -> FloatArray:
        out = np.full(self.estimate.shape, np.nan)
        if self._open:
            values = np.r_[tuple(self.evaluation.metric_slice(m.name) for m in self._open)]
            out[:, values] = pair_carriers(self.evaluation, self.values, pairs, values)
        return out

    def _skew(self, metric: AnyMetric, where: slice) -> FloatArray | None:
        """Return the skewness of values, or differences, without two bounds; else None."""
        if self._clustered or np.isfinite(metric.bounds).all():
            return None
        return self._skews[:, where]

    @cached_property
    def _skews(self) -> FloatArray:
        # Cubes of numbers beyond 1e100 overflow.
        return np.clip(np.nan_to_num(6 * self.acceleration, nan=0.0), -1.0, 1.0)

    def _where_usable(
        self, drawn: Interval, part: Interval, metric: AnyMetric, where: slice
    ) -> Interval:
        """Return resampled bounds, widened for few carriers, where they contain the estimate."""
        estimate, low, high = self.estimate[:, where], drawn.low[:, where], drawn.high[:, where]
        values = np.abs(self.values[:, where])
        size = values if self.pairs is None else sum(values[side] for side in self.pairs)
        usable = (high - low > _ROUNDING * size) & (low <= estimate) & (estimate <= high)
        (least, most), wider = metric.bounds, self._widening(where)
        if self.pairs is not None:
            least, most = least - most, most - least
        low, high = (
            np.clip(estimate + (end - estimate) * wider, least, most) for end in (low, high)
        )
        return Interval(low, high, drawn.method[:, where], part.n_informative).where(usable, part)

    def _widening(self, where: slice) -> FloatArray:
        """Return Student's quantile for the degrees of freedom of the influences, relative to all.

        If five of thirty samples carry the variance, resamples do not show its uncertainty: without
        this, intervals of a custom root mean squared error cover 0.90.
        """
        n = self.evaluation.units.size
        moved = np.diagonal(self.moments.second, axis1=1, axis2=2).T[:, where] > 0
        if self.pairs is not None:
            moved = moved[self.pairs[0]] | moved[self.pairs[1]]
        # Values that no single sample changes have unknown carriers; few carriers have a warning.
        known = np.where(moved, np.maximum(self._carriers[:, where], FEW_RESAMPLED), n)
        degrees = self._degrees(known, where)
        most = np.full_like(degrees, max(n - 1, 1))
        few = t_quantile(np.minimum(degrees, most), self.level)
        # At a level of 0 all quantiles are 0.
        return divide(few, t_quantile(most, self.level), 1.0)

    def _shrunk_by_strata(self, found: Interval, where: slice) -> Interval:
        """Shrink intervals by the share of variance explained by strata.

        The ratio of the variance within strata to that of all samples, with two more informative
        samples of which strata explain nothing.
        """
        n = found.n_informative
        if self.evaluation.units.strata is None or n is None:
            return found
        within, of_all = (
            moments.standard_error(self.pairs)[:, where] ** 2
            for moments in (self.moments, self._unstratified)
        )
        explained = 1 - np.minimum(divide(within, of_all, 1.0), 1.0)
        share = np.sqrt(1 - explained * n / (n + 2))
        estimate = self.estimate[:, where]
        low, high = (estimate + (end - estimate) * share for end in (found.low, found.high))
        return replace(found, low=low, high=high)

    @cached_property
    def _unstratified(self) -> InfluenceMoments:
        p, metrics = self.evaluation.predictions, self.evaluation.metrics
        return influence_moments(Evaluation(p, metrics, stratify=False), self.values)


ROWS = (IntervalRow("auto", choose, chooses=True),)
