"""The studentized swap test of one class, exactly: every swap counted, none drawn.

For a quotient of one class's counts (precision, recall, F-beta, Jaccard, specificity) and
independent samples of weight 1, a swap of two models' outputs moves two kinds of samples only:
hits that one model alone has, and false alarms that one model alone has. How many of each come to
the first model are two independent binomial numbers, and the statistic is a function of them, so a
sum over their grid is the p-value of all swaps. Accuracy has one kind, and its test is McNemar's.

The statistic is that of `significance.studentized`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals import TIE_TOLERANCE
from modelcompare.metrics.base import Metric
from modelcompare.metrics.counts import COUNTS
from modelcompare.significance.binomial import binomial_mass, half_binomial, tail_masses
from modelcompare.significance.exact_lines import Conics
from modelcompare.significance.pair_counts import PairCounts, pair_counts
from modelcompare.significance.strata import Strata
from modelcompare.words import Alternative

# Binomial numbers further from their mean than this many standard deviations have a mass of 2e-19.
_DEVIATIONS = 9.0
_CELLS = 2**18


def are_hard_counts(evaluation: Evaluation, metric: Metric) -> bool:
    """True for a metric of hard labels' counts, of samples that all weigh the same."""
    p = evaluation.predictions
    return (
        metric.statistics == COUNTS
        and evaluation.labelled is not None
        and p.groups is None
        and p.sample_weight is None
    )


def is_exact(evaluation: Evaluation, metric: Metric) -> bool:
    """Whether all swaps can be counted: a quotient of hard counts, samples that are alike."""
    return (
        metric.class_ratio is not None
        and metric.average is None
        and are_hard_counts(evaluation, metric)
        and Strata.of(evaluation.units) is None
    )


def exact_p_values(
    evaluation: Evaluation,
    metric: Metric,
    model_a: IntArray,
    model_b: IntArray,
    *,
    alternative: Alternative = "two-sided",
    n_jobs: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """p-values of all swaps of each pair's outputs, and the smallest that there can be.

    Parameters
    ----------
    evaluation : Evaluation
        The test set.
    metric : Metric
        One for which `is_exact`.
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is greater than b.
    n_jobs : int, optional
        As in `map_blocks`.

    Returns
    -------
    p_values, floor : ndarray of shape (n_pairs, n_values)
        NaN where a model has no value.
    """
    counts = pair_counts(evaluation, model_a, model_b, per_class=metric.per_class)
    grids = Grids.of(metric, counts, evaluation.predictions.n_classes)
    values = grids.all_p_values(alternative, n_jobs)
    shape = (len(model_a), -1)
    sides = 2.0 if alternative == "two-sided" else 1.0
    floor = np.minimum(1.0, sides * 0.5 ** grids.discordant.sum(axis=1))
    floor = np.maximum(floor, np.finfo(float).tiny)
    return values.reshape(shape), floor.reshape(shape)


@dataclass(frozen=True)
class Grids:
    """The statistic of each hypothesis as a function of two binomial numbers.

    With x and y the surplus of hits and of false alarms that come to the first model,
    ``t = (p x + q y) / sqrt(U - 2 delta W + delta^2 V)`` and ``delta = (e x + f y) / D``.
    """

    metric: Metric
    n_classes: int
    discordant: IntArray
    observed: FloatArray
    both: FloatArray
    members: FloatArray
    slope: FloatArray
    imbalance: FloatArray
    cross: FloatArray
    within: FloatArray
    common: FloatArray

    @classmethod
    def of(cls, metric: Metric, counts: PairCounts, n_classes: int) -> Grids:
        flat = [
            x.reshape(-1, 2) for x in (counts.both, counts.neither, counts.only_a, counts.only_b)
        ]
        both, neither, only_a, only_b = flat
        numerator, denominator = unit_parts(metric, n_classes)
        discordant = only_a + only_b
        times = np.stack([2 * both + discordant, 2 * neither + discordant], axis=-1)
        total = [(times * part).sum(axis=(1, 2)) for part in (numerator, denominator)]
        bottom = np.where(total[1] == 0, 1.0, total[1])
        residual = numerator - (total[0] / bottom)[:, None, None] * denominator
        difference, middle = residual[..., 0] - residual[..., 1], residual.sum(axis=-1)
        imbalance = (denominator[:, 0] - denominator[:, 1]) / bottom[:, None]
        fixed = both * residual[..., 0] ** 2 + neither * residual[..., 1] ** 2
        return cls(
            metric,
            n_classes,
            discordant.astype(np.intp),
            only_a - only_b,
            both,
            both + neither + discordant,
            difference,
            imbalance,
            difference * middle,
            (discordant * difference**2).sum(axis=1),
            (4 * fixed + discordant * middle**2).sum(axis=1),
        )

    def chunks(self) -> Iterator[slice]:
        """Hypotheses whose grids fit into the processor's cache together."""
        cells = np.cumsum(self._sizes.prod(axis=1))
        start = 0
        while start < len(cells):
            before = cells[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(cells, before + _CELLS, side="right")))
            yield slice(start, stop)
            start = stop

    def all_p_values(self, alternative: Alternative, n_jobs: int | None) -> FloatArray:
        """p-values of all hypotheses: of large grids line by line, of others cell by cell."""
        values = np.empty(len(self.discordant))
        large = self._is_large & (alternative == "two-sided")
        if large.any():
            values[large] = self._part(large).mass_of_lines(n_jobs)
        if not large.all():
            rest = self._part(~large)
            values[~large] = np.concatenate([rest.p_values(s, alternative) for s in rest.chunks()])
        return values

    def mass_of_lines(self, n_jobs: int | None) -> FloatArray:
        """Two-sided p-values of large grids."""
        (p, q), (e, f), (c, d) = (part.T for part in (self.slope, self.imbalance, self.cross))
        t = np.abs(self._statistic(self.observed, np.arange(len(self.observed))))
        t = np.maximum(t - TIE_TOLERANCE * np.maximum(1.0, t), 0.0)
        s, v = t**2, self.common
        conics = Conics(
            p**2 + s * e * (2 * c - v * e), 2 * (p * q + s * (e * d + f * c - v * e * f)),
            q**2 + s * f * (2 * d - v * f), s * self.within, self.discordant, self._low,
        )  # fmt: skip
        # What the grid was cut off of counts as extreme.
        found = np.clip(conics.mass(n_jobs) + 1e-18, np.finfo(float).tiny, 1.0)
        return np.where(t == 0, 1.0, found)

    @cached_property
    def _is_large(self) -> BoolArray:
        """Whether all cells but few are looked at, and none is special; see `_put_special`."""
        reach = (self.discordant - 2 * self._low).sum(axis=1)
        usual = (self._least > reach) & ~self._alone & (self.discordant > 0).all(axis=1)
        finite = np.isfinite(self._statistic(self.observed, np.arange(len(self.observed))))
        return np.asarray(usual & finite & (self._low > 0).all(axis=1))

    def _part(self, chosen: BoolArray) -> Grids:
        """Some of the hypotheses."""
        arrays = {
            each.name: getattr(self, each.name)[chosen]
            for each in fields(self)
            if each.name not in ("metric", "n_classes")
        }
        return replace(self, **arrays)

    def p_values(self, some: slice, alternative: Alternative) -> FloatArray:
        """Mass of the swaps that are as extreme as what was observed."""
        low, sizes = self._low[some], self._sizes[some]
        n_cells = sizes.prod(axis=1)
        first = np.r_[0, np.cumsum(n_cells)[:-1]]
        which = np.repeat(np.arange(len(sizes)), n_cells)
        place = np.arange(n_cells.sum()) - first[which]
        drawn = np.stack(np.divmod(place, sizes[which, 1]), axis=1) + low[which]
        discordant = self.discordant[some]
        surplus = (2 * drawn - discordant[which]).astype(np.float64)
        statistic = self._statistic(surplus, np.arange(some.start, some.stop)[which])
        observed = self._statistic(self.observed[some], np.arange(some.start, some.stop))
        extreme = as_extreme(statistic, observed[which], alternative)
        mass = binomial_mass(drawn[:, 0], discordant[which, 0])
        mass *= binomial_mass(drawn[:, 1], discordant[which, 1])
        total = np.add.reduceat(mass, first)
        found = np.add.reduceat(np.where(extreme, mass, 0.0), first)
        # What the grid was cut off of counts as extreme.
        cut = (low > 0).any(axis=1)
        found = found + np.where(cut, np.maximum(1 - total, 1e-18), 0.0)
        found = np.clip(found, np.finfo(float).tiny, 1.0)
        return np.where(np.isnan(observed), np.nan, found)

    def tables(self, alternative: Alternative) -> tuple[FloatArray, IntArray]:
        """p-values of every cell of every grid in one row, and where each grid begins."""
        first = np.r_[0, np.cumsum(self._sizes.prod(axis=1))]
        out = np.empty(first[-1])
        for alike in self._alike():
            low, size, n = (part[alike[0]] for part in (self._low, self._sizes, self.discordant))
            drawn = np.stack(np.divmod(np.arange(size.prod()), size[1]), axis=1) + low
            surplus = np.tile((2 * drawn - n).astype(np.float64), (len(alike), 1))
            statistic = self._statistic(surplus, np.repeat(alike, len(drawn)))
            mass = half_binomial(int(n[0]))[drawn[:, 0]] * half_binomial(int(n[1]))[drawn[:, 1]]
            masses = tail_masses(statistic.reshape(len(alike), -1), mass, alternative)
            out[first[alike][:, None] + np.arange(len(drawn))] = masses
        return out, first[:-1]

    def _alike(self) -> Iterator[IntArray]:
        """Hypotheses whose grids are the same and fit into the processor's cache together."""
        _, kind = np.unique(self.discordant, axis=0, return_inverse=True)
        kind = kind.ravel()  # numpy 2.0.0 gives it two axes
        order = np.argsort(kind, kind="stable")
        for some in np.split(order, np.flatnonzero(np.diff(kind[order])) + 1):
            step = max(1, _CELLS // int(self._sizes[some[0]].prod()))
            yield from (some[start : start + step] for start in range(0, len(some), step))

    def undefined(self) -> BoolArray:
        """Where a model has no value."""
        return np.isnan(self._statistic(self.observed, np.arange(len(self.observed))))

    def cells(self, drawn: FloatArray) -> IntArray:
        """Place of drawn numbers (n_hypotheses, 2, n_resamples) within each grid."""
        drawn = drawn - self._low[..., None]
        if self._low.any():
            drawn = np.clip(drawn, 0, self._sizes[..., None] - 1)
        # Counts of samples are whole, and so are their products.
        place: IntArray = (drawn[:, 0] * self._sizes[:, 1, None] + drawn[:, 1]).astype(np.intp)
        return place

    @cached_property
    def _low(self) -> IntArray:
        """Smallest number of each kind that is looked at; all of them where there is one kind."""
        m = self.discordant
        reach = np.ceil(_DEVIATIONS * np.sqrt(m) / 2)
        cut = np.maximum(np.floor(m / 2 - reach), 0).astype(np.intp)
        return np.where((m > 0).all(axis=1, keepdims=True), cut, 0)

    @cached_property
    def _sizes(self) -> IntArray:
        return self.discordant - 2 * self._low + 1

    @cached_property
    def _steepness(self) -> FloatArray:
        return np.asarray(np.abs(self.slope).sum(axis=1))

    @cached_property
    def _least(self) -> FloatArray:
        """Surplus with which one of the models never predicts the class."""
        return np.asarray(2 * self.both.sum(axis=1) + self.discordant.sum(axis=1))

    @cached_property
    def _alone(self) -> BoolArray:
        return np.asarray((self.members == 0).any(axis=1))

    def _statistic(self, surplus: FloatArray, which: IntArray) -> FloatArray:
        """Studentized difference; NaN where a model has no value, infinite if by convention."""
        hits, alarms = surplus[:, 0], surplus[:, 1]
        top, delta, cross = (
            part[which, 0] * hits + part[which, 1] * alarms
            for part in (self.slope, self.imbalance, self.cross)
        )
        square = self.within[which] - 2 * delta * cross + delta**2 * self.common[which]
        top[np.abs(top) <= 1e-12 * self._steepness[which]] = 0.0
        out = np.divide(top, np.sqrt(np.abs(square)), out=np.zeros_like(top), where=top != 0)
        if self.metric.per_class:
            self._put_special(out, surplus, which)
        return out

    def _put_special(self, out: FloatArray, surplus: FloatArray, which: IntArray) -> None:
        """Ask the metric itself where a model never predicts the class, or there is only one."""
        never = np.abs(surplus.sum(axis=1)) == self._least[which]
        special = np.flatnonzero(never | self._alone[which])
        if not len(special):
            return
        which, surplus = which[special], surplus[special]
        members, shared = self.members[which], self.both[which] + self.discordant[which] / 2
        values = []
        for sign in (1, -1):
            said = shared + sign * surplus / 2
            predicted = said.sum(axis=1)
            parts = (
                np.stack([said[:, 0], np.zeros(len(said))], axis=1),
                np.stack([predicted, members.sum(axis=1) - predicted], axis=1),
                members,
            )
            values.append(self.metric.value(*parts)[:, 0])
        difference = values[0] - values[1]
        balance = (self.imbalance[which] * surplus).sum(axis=1)
        usual = np.abs(balance) < 1 - 1e-12
        by_convention = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
        found = np.where(usual, out[special], by_convention)
        out[special] = np.where(np.isnan(difference), np.nan, found)


def as_extreme(statistic: FloatArray, observed: FloatArray, alternative: Alternative) -> BoolArray:
    """Whether studentized differences are as extreme as the observed; without a value they are."""
    if alternative == "two-sided":
        return ~(np.abs(statistic) < least_extreme(observed))
    if alternative == "greater":
        return ~(statistic < observed - _tolerance(observed))
    return ~(statistic > observed + _tolerance(observed))


def least_extreme(observed: FloatArray) -> FloatArray:
    """Size of a statistic from which it is as extreme as the observed, on either side."""
    return np.abs(observed) - _tolerance(observed)


def _tolerance(observed: FloatArray) -> FloatArray:
    return TIE_TOLERANCE * np.maximum(1.0, np.where(np.isfinite(observed), np.abs(observed), 1.0))


def unit_parts(metric: Metric, n_classes: int) -> tuple[FloatArray, FloatArray]:
    """Numerator and denominator of a sample, of shape (2, 2).

    Rows: a member of the class, another; columns: predicted as the class, not. Of all samples
    alike: right, wrong.
    """
    ratio = metric.class_ratio
    assert ratio is not None  # noqa: S101  `is_exact` asks for it
    if metric.is_of_samples:
        both = zip(*ratio.of_sample(max(n_classes, 2)), strict=True)
        parts = [[[right, wrong], [wrong, right]] for right, wrong in both]
    else:
        parts = [[[tp, fn], [fp, tn]] for tp, fn, fp, tn in (ratio.numerator, ratio.denominator)]
    return np.array(parts[0], dtype=np.float64), np.array(parts[1], dtype=np.float64)
