"""Numerators and denominators of a metric, and what follows for its swaps without draws."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.metrics.base import fraction_of
from modelcompare.metrics.counts import SOFT_COUNTS
from modelcompare.metrics.quotient import divide
from modelcompare.significance.exact import unit_parts
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.kinds import kinds_of_units
from modelcompare.significance.swaps.laws import Law, Moves
from modelcompare.significance.swaps.powers import Tails, Units, smooth_tails, tails_of
from modelcompare.significance.swaps.shares import sums_of_ratio
from modelcompare.significance.swaps.sums import Formula, Steepness, Steps


class Fractions(Formula):
    """Numerators N and denominators D of a quotient, of each class or of all.

    The statistics after a swap are those of `significance.swaps.ratio`.
    """

    @cached_property
    def of_units(self) -> tuple[FloatArray, FloatArray]:
        """N and D of the units, each (n_units, n_models, n_values)."""
        return self._of_rows(slice(None))

    def _of_rows(self, rows: slice) -> tuple[FloatArray, FloatArray]:
        return self._of_all_models([self.swaps.numbers[s][rows] for s in self.metric.statistics])

    @cached_property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """Totals of N and D, each (n_models, n_values)."""
        parts = [self.swaps.totals[s][None] for s in self.metric.statistics]
        top, bottom = self._of_all_models(parts)
        if self.centre:
            # Sums of centred numbers lose no digits.
            top = np.tensordot(self.swaps.units.counts(), self.of_units[0], 1)[None]
        return top[0], bottom[0]

    @cached_property
    def centre(self) -> float:
        """The mean score nearest to 0 of any unit and model; 0 for other metrics.

        Numerators are centred at it: a constant added to all scores adds nothing to a difference,
        but squares of large numbers lose digits.
        """
        if not self.metric.is_mean:
            return 0.0
        units = [self.swaps.numbers[s][:] for s in self.metric.statistics]
        means = divide(*fraction_of(self.metric, *units))
        return float(np.clip(0.0, np.nanmin(means), np.nanmax(means)))

    @cached_property
    def pooled(self) -> FloatArray:
        """Quotients of two models' sums together, of shape (n_pairs, n_values)."""
        a, b, (top, bottom) = self.swaps.model_a, self.swaps.model_b, self.totals
        return divide(top[a] + top[b], bottom[a] + bottom[b], 0.0)

    def differ(self, rows: slice, pairs: IntArray) -> BoolArray:
        a, b = self.swaps.model_a[pairs], self.swaps.model_b[pairs]
        top, bottom = self._of_rows(rows)
        return np.asarray((top[:, a] != top[:, b]) | (bottom[:, a] != bottom[:, b]))

    @cached_property
    def weight(self) -> FloatArray:
        """Weight of each unit's squares."""
        strata = self.swaps.strata
        return np.ones(self.swaps.units.n_units) if strata is None else strata.scale

    def _of(self, parts: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Return N and D of statistics, with an axis of values at the end."""
        top, bottom = fraction_of(self.metric, *parts)
        if self.centre:
            top = top - self.centre * bottom
        if not self.metric.per_class:
            return top[..., None], bottom[..., None]
        return top, bottom

    def _of_all_models(self, parts: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        top, bottom = np.broadcast_arrays(*self._of(parts))
        shape = top.shape[0], len(self.swaps.evaluation.models), top.shape[2]
        return np.broadcast_to(top, shape), np.broadcast_to(bottom, shape)

    # -- without draws --------------------------------------------------------------------------

    def by_kind(self, pair: int, value: int) -> tuple[Steps, Steepness]:
        swaps, residual = self.swaps, np.array([1.0, -float(self.pooled[pair, value])])
        models = int(swaps.model_a[pair]), int(swaps.model_b[pair])
        both = [np.stack([part[value, m] for part in self._by_value], axis=1) for m in models]
        every, strata = slice(0, swaps.units.n_units), Strata.of(swaps.units)
        kinds = kinds_of_units(swaps.units, strata, every, both, None, with_fixed=False)
        return lambda: [kinds], lambda: np.asarray(kinds.u @ residual)

    def tails(self, t: FloatArray) -> Tails:
        swaps, total = self.swaps, self.totals[1]
        counts, pairs = swaps.units.counts().astype(np.float64), (swaps.model_a, swaps.model_b)
        found = []
        for value, pooled in enumerate(self.pooled.T):
            if self._is_of_shares:
                parts = unit_parts(self.metric, total.shape[1])
                sums, ties = sums_of_ratio(swaps.shares_of(value), parts, pooled)
                both = total[pairs[0], value] + total[pairs[1], value]
                found.append(tails_of(sums, ties, both, None, t[:, value]))
                continue
            n, d = (part[value] for part in self._by_value)
            units = Units(n, d, counts, self.weight, total[:, value], swaps.strata)
            found.append(smooth_tails(units, pairs, pooled, t[:, value]))
        return Tails(*(np.stack(part, axis=1) for part in zip(*found, strict=True)))

    @cached_property
    def _is_of_shares(self) -> bool:
        """True for ratios of probabilities of classes, of samples that each stand for themselves.

        Their hits are the probabilities of the members of a class.
        """
        swaps, ratio = self.swaps, self.metric.class_ratio
        of_counts = self.metric.statistics == SOFT_COUNTS and self.metric.per_class
        if not of_counts or ratio is None or swaps.strata is not None or swaps.joined.joined:
            return False
        hits, predicted, support = (swaps.numbers[statistic] for statistic in SOFT_COUNTS)
        alone = (swaps.units.counts() == 1).all() and np.isin(support, (0.0, 1.0)).all()
        return bool(alone and (hits == predicted * support).all())

    def laws(self, pair: int) -> list[Law | None]:
        a, b = int(self.swaps.model_a[pair]), int(self.swaps.model_b[pair])
        counts, strata = self.swaps.units.counts().astype(np.float64), self.swaps.strata
        codes = None if strata is None else strata.codes
        found: list[Law | None] = []
        for value, pooled in enumerate(self.pooled[pair]):
            top, bottom = (part[value] for part in self._by_value)
            (x, y), e = (top[m] - pooled * bottom[m] for m in (a, b)), bottom[a] - bottom[b]
            u, v, e = (part[:, None] for part in (x - y, x + y, e))
            units = Moves(u, v, e, counts, codes)
            total = self.totals[1][[a, b], value].sum(keepdims=True)
            weights = 1 / np.where(total == 0, 1.0, total)
            square = (counts * self.weight) @ v**2
            found.append(Law.of([units], weights, total, square, strata))
        return found

    @cached_property
    def _by_value(self) -> tuple[FloatArray, FloatArray]:
        """N and D of the units, each (n_values, n_models, n_units)."""
        top, bottom = (np.ascontiguousarray(part.T.swapaxes(0, 1)) for part in self.of_units)
        return top.swapaxes(0, 1), bottom.swapaxes(0, 1)
