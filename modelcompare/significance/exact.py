"""The studentized swap test of one class: all swaps are counted, none is drawn.

For a quotient of one class's counts (precision, recall, F-beta, Jaccard, specificity) and
independent samples of weight 1, a swap of two models' outputs matters for two types of samples
only: hits of exactly one model, and false alarms of exactly one model. The numbers of each that the
first model receives are independent and binomial, and the statistic is a function of the two, so
the p-value over all swaps is a sum over their grid. For accuracy there is one such number, and the
test is McNemar's. Swaps that equal the data count half (mid-p), and in full where models differ on
more than nine tenths of the samples of a type.

The statistic is that of `significance.studentized`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from modelcompare.arrays import CACHE_BYTES, BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.metrics.base import Metric
from modelcompare.metrics.counts import COUNTS
from modelcompare.significance.binomial import conic_mass, half_binomial, tail_masses
from modelcompare.significance.extreme import least_extreme, tail_share, ties_count_half
from modelcompare.significance.strata import Strata
from modelcompare.words import Alternative

# Binomial numbers further from their mean than this many standard deviations have a mass of 2e-19.
_DEVIATIONS = 9.0


def are_hard_counts(evaluation: Evaluation, metric: Metric) -> bool:
    """Return True for a metric of counts of hard labels, of samples of equal weight."""
    p = evaluation.predictions
    return (
        metric.statistics == COUNTS
        and evaluation.labelled is not None
        and p.groups is None
        and not p.access.weighted
    )


def is_exact(evaluation: Evaluation, metric: Metric) -> bool:
    """Return True if all swaps can be counted: a quotient of hard counts, equal samples."""
    return (
        metric.class_ratio is not None
        and metric.average is None
        and are_hard_counts(evaluation, metric)
        and Strata.of(evaluation.units) is None
    )


class Grids:
    """The statistic of each hypothesis as a function of two binomial numbers.

    A hypothesis is a value of a pair of models, value after value and pair after pair. With x and y
    the surplus of hits and of false alarms that come to the first model,
    ``t = (p x + q y) / sqrt(U - 2 delta W + delta^2 V)`` and ``delta = (e x + f y) / D``. A cell of
    a hypothesis' grid is a pair of numbers.

    Parameters
    ----------
    evaluation : Evaluation
        The test set.
    metric : Metric
        One for which `is_exact`.
    pairs : tuple of two ndarrays of int of shape (n_pairs,)
        Positions of the models of each pair.
    """

    def __init__(self, evaluation: Evaluation, metric: Metric, pairs: Pairs) -> None:
        assert evaluation.labelled is not None  # noqa: S101  `is_exact` asks for it
        self.metric, self.pairs, labels = metric, pairs, evaluation.labelled
        # A metric of right answers has one class: the samples that a model got right.
        self.labels = labels if metric.per_class else labels.right_or_wrong
        self.first_class = 0 if metric.per_class else 1
        cells = evaluation.once(
            ("pair cells", metric.per_class, *(side.tobytes() for side in pairs)),
            lambda: self.labels.pair_cells(*pairs),
        )
        # Members of the class, and others.
        cells = cells[:, self.first_class :, ::-1].reshape(-1, 2, 2, 2)
        both, neither = cells[..., 1, 1], cells[..., 0, 0]
        self.only_a, only_b = cells[..., 1, 0], cells[..., 0, 1]
        numerator, denominator = unit_parts(metric, evaluation.access.n_classes)
        discordant = self.only_a + only_b
        times = np.stack([2 * both + discordant, 2 * neither + discordant], axis=-1)
        total = [(times * part).sum(axis=(1, 2)) for part in (numerator, denominator)]
        bottom = np.where(total[1] == 0, 1.0, total[1])
        residual = numerator - (total[0] / bottom)[:, None, None] * denominator
        middle = residual.sum(axis=-1)
        fixed = both * residual[..., 0] ** 2 + neither * residual[..., 1] ** 2
        self.both, self.members = both, both + neither + discordant
        self.discordant = discordant.astype(np.intp)
        self.alone = (self.members == 0).any(axis=1)
        # Surplus with which one of the models never predicts the class.
        self.most = (2 * both + discordant).sum(axis=1)
        # p and q, e and f over D, the coefficients of W, V and U, and |p| + |q|.
        self.slope = residual[..., 0] - residual[..., 1]
        self.imbalance = (denominator[:, 0] - denominator[:, 1]) / bottom[:, None]
        self.cross = self.slope * middle
        self.steepness = np.abs(self.slope).sum(axis=1)
        self.common = (4 * fixed + discordant * middle**2).sum(axis=1)
        self.within = (discordant * self.slope**2).sum(axis=1)

    @cached_property
    def half(self) -> BoolArray:
        """True for hypotheses whose ties count half.

        Models agree on at least a tenth of the samples of each kind on whose number they differ.
        """
        few = ties_count_half(self.discordant, self.members) | (self.slope == 0)
        return np.asarray(few.all(axis=1))

    # -- p-values -------------------------------------------------------------------------------

    def p_values(self, alternative: Alternative = "two-sided") -> FloatArray:
        """Return the share of all swaps as extreme as the data; NaN if a model has no value.

        Grids are summed line by line, those of one number or with special cells cell by cell.
        """
        out = np.empty(len(self.discordant))
        usual = self.is_usual & (alternative == "two-sided")
        lines, cells = np.flatnonzero(usual), np.flatnonzero(~usual)
        if len(lines):
            out[lines] = self.mass_of_lines(lines)
        if len(cells):
            out[cells] = self.mass_of_cells(cells, alternative)
        return out

    def mass_of_lines(self, some: IntArray) -> FloatArray:
        """Return two-sided p-values of some hypotheses whose grids have no special cells."""
        (p, q), (e, f), (c, d) = (part[some].T for part in (self.slope, self.imbalance, self.cross))
        observed, v, mass = np.abs(self.observed[some]), self.common[some], np.zeros(len(some))
        least = np.maximum(least_extreme(observed, "two-sided"), 0.0)
        # Ties are between the two; where they count in full both are the lower one.
        upper = np.where(self.half[some], 2 * observed - least, least)
        for t in (least, upper):
            s = t**2
            mass += conic_mass(
                p**2 + s * e * (2 * c - v * e), 2 * (p * q + s * (e * d + f * c - v * e * f)),
                q**2 + s * f * (2 * d - v * f), s * self.within[some],
                self.discordant[some], self._low[some],
            ) / 2  # fmt: skip
        # Cells outside the truncated grid count as extreme.
        found = np.clip(mass + 1e-18, np.finfo(float).tiny, 1.0)
        return np.where(least == 0, 1.0, found)

    def mass_of_cells(self, chosen: IntArray, alternative: Alternative) -> FloatArray:
        """Return p-values of some hypotheses: the mass of the swaps as extreme as the data."""
        out = np.empty(len(self.discordant))
        for some, statistic, mass in self._equal_grids(chosen):
            # Cells outside the truncated grid count as extreme.
            rest = max(1 - mass.sum(), 1e-18) if self._low[some[0]].any() else 0.0
            for half in (True, False):
                here = some[self.half[some] == half]
                found = statistic[self.half[some] == half]
                observed = self.observed[here, None]
                out[here] = tail_share(found, observed, alternative, half=half) @ mass + rest
        found = np.clip(out[chosen], np.finfo(float).tiny, 1.0)
        if alternative == "two-sided":
            found = np.where(self.observed[chosen] == 0, 1.0, found)
        return np.where(np.isnan(self.observed[chosen]), np.nan, found)

    # -- tables of p-values ---------------------------------------------------------------------

    def table(self) -> FloatArray:
        """Return two-sided p-values of every cell of every grid, grid after grid."""
        out = np.empty(self._first[-1])
        for some, statistic, mass in self._equal_grids(np.arange(len(self.discordant))):
            out[self._first[some, None] + np.arange(len(mass))] = tail_masses(
                statistic, mass, self.half[some]
            )
        return out

    def places(self, drawn: FloatArray) -> IntArray:
        """Return places in `table` of drawn numbers (n_hypotheses, 2, n_resamples)."""
        drawn = drawn - self._low[..., None]
        if self._low.any():
            drawn = np.clip(drawn, 0, self._sizes[..., None] - 1)
        # Counts of samples are whole, and so are their products.
        place: IntArray = (drawn[:, 0] * self._sizes[:, 1, None] + drawn[:, 1]).astype(np.intp)
        place += self._first[:-1, None]
        return place

    # -- cells ----------------------------------------------------------------------------------

    def _equal_grids(self, chosen: IntArray) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Yield some hypotheses of equal grids, their statistics (n_some, n_cells) and the mass.

        They fit into the processor's cache together.
        """
        _, kind = np.unique(self.discordant[chosen], axis=0, return_inverse=True)
        kind = kind.ravel()  # numpy 2.0.0 gives it two axes
        order = np.argsort(kind, kind="stable")
        for equal in np.split(chosen[order], np.flatnonzero(np.diff(kind[order])) + 1):
            discordant = self.discordant[equal[0]]
            drawn = np.indices(self._sizes[equal[0]]).reshape(2, -1).T + self._low[equal[0]]
            hits, alarms = map(half_binomial, discordant.tolist())
            mass, surplus = hits[drawn[:, 0]] * alarms[drawn[:, 1]], 2.0 * drawn - discordant
            step = max(1, CACHE_BYTES // 8 // len(mass))
            for start in range(0, len(equal), step):
                some = equal[start : start + step]
                each = np.tile(surplus, (len(some), 1)), np.repeat(some, len(mass))
                yield some, self._statistic(*each).reshape(len(some), -1), mass

    @cached_property
    def _low(self) -> IntArray:
        """Smallest number of each kind that is considered; 0 if there is only one kind."""
        m = self.discordant
        reach = np.ceil(_DEVIATIONS * np.sqrt(m) / 2)
        low = np.maximum(np.floor(m / 2 - reach), 0).astype(np.intp)
        return np.where((m > 0).all(axis=1, keepdims=True), low, 0)

    @cached_property
    def _sizes(self) -> IntArray:
        return self.discordant - 2 * self._low + 1

    @cached_property
    def _first(self) -> IntArray:
        """Places in `table` where the cells of each hypothesis begin and end."""
        return np.r_[0, np.cumsum(self._sizes.prod(axis=1))]

    @cached_property
    def is_usual(self) -> BoolArray:
        """True for grids of two numbers without special cells; see `_put_special`."""
        reach = (self.discordant - 2 * self._low).sum(axis=1)
        usual = (self.most > reach) & ~self.alone & (self.discordant > 0).all(axis=1)
        return np.asarray(usual & np.isfinite(self.observed))

    # -- statistics -----------------------------------------------------------------------------

    @cached_property
    def observed(self) -> FloatArray:
        """Observed statistic of each hypothesis; NaN where a model has no value."""
        return self._statistic(2 * self.only_a - self.discordant, np.arange(len(self.only_a)))

    def _statistic(self, surplus: FloatArray, which: IntArray) -> FloatArray:
        """Return studentized differences; NaN without a value, infinite by convention."""
        hits, alarms = surplus[:, 0], surplus[:, 1]
        top, delta, cross = (
            part[which, 0] * hits + part[which, 1] * alarms
            for part in (self.slope, self.imbalance, self.cross)
        )
        square = self.within[which] - 2 * delta * cross + delta**2 * self.common[which]
        top[np.abs(top) <= 1e-12 * self.steepness[which]] = 0.0
        out = np.divide(top, np.sqrt(np.abs(square)), out=np.zeros_like(top), where=top != 0)
        if self.metric.per_class:
            self._put_special(out, surplus, which)
        return out

    def _put_special(self, out: FloatArray, surplus: FloatArray, which: IntArray) -> None:
        """Evaluate the metric where a model never predicts the class, or there is only one."""
        never = np.abs(surplus.sum(axis=1)) == self.most[which]
        special = np.flatnonzero(never | self.alone[which])
        if not len(special):
            return
        which, surplus = which[special], surplus[special]
        members, shared = self.members[which], self.both[which] + self.discordant[which] / 2
        values = []
        for sign in (1, -1):
            given = shared + sign * surplus / 2
            predicted = given.sum(axis=1)
            parts = (
                np.stack([given[:, 0], np.zeros(len(given))], axis=1),
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


def unit_parts(metric: Metric, n_classes: int) -> tuple[FloatArray, FloatArray]:
    """Return numerator and denominator of a sample, each of shape (2, 2).

    Rows: a member of the class, another; columns: predicted as the class, not. For metrics of all
    samples: right, wrong.
    """
    ratio = metric.class_ratio
    assert ratio is not None  # noqa: S101  `is_exact` asks for it
    if metric.is_of_samples:
        both = zip(*ratio.of_sample(max(n_classes, 2)), strict=True)
        parts = [[[right, wrong], [wrong, right]] for right, wrong in both]
    else:
        parts = [[[tp, fn], [fp, tn]] for tp, fn, fp, tn in (ratio.numerator, ratio.denominator)]
    return np.array(parts[0], dtype=np.float64), np.array(parts[1], dtype=np.float64)
