"""Studentized differences of quotients after swaps: all pairs from five sums of each model.

See `significance.studentized` for the statistic. With the residuals ``r = N - F D`` and the first
model's share ``s = D_a / (D_a + D_b)`` of the denominators, the score ``N_a - F D_a`` and the sum
of squares of ``(1 - s) r_a - s r_b`` are both what they are of times ``D_a D_b / (D_a + D_b)``, so
that nothing is divided by what may be 0. The squares follow from the first model's sums of ``N^2``,
``N D`` and ``D^2`` and from what no swap changes. Of a stratified design they are centred within
strata, which needs N and D of each stratum, too.

The squares hardly vary while s is near one half, so single-precision scores and bounds of s decide
nearly all swaps of many pairs; the few between are evaluated exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.engine.exchange import Exchange
from modelcompare.significance.exact import as_extreme, least_extreme
from modelcompare.significance.extreme import n_true
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.moved import Moved
from modelcompare.significance.swaps.ratios import Ratio, studentized
from modelcompare.significance.swaps.sums import ROUNDING, SwappedSums
from modelcompare.words import Alternative

# Sums of each model: N, D, N^2, N D and D^2.
N_SUMS = 5
# Bounds that leave more open than this share do not pay; they do where the ends are as near.
_MOST_OPEN = 0.25
_NEAR = 0.5
# Bounds are wider by this than their formulas, and scores by eight roundings to single precision.
_SLACK = 1e-9
_SINGLE = 2.0**-21
# Sizes whose products single precision holds, and what is lost of those below its smallest.
_LARGEST, _TINY = 1e15, 1e-30


@dataclass(frozen=True)
class _Fixed:
    """Numbers of pairs and values that no swap changes, in arrays of one shape.

    Parameters
    ----------
    pooled : ndarray
        Pooled value F.
    bottom : ndarray
        Sum of the two denominators.
    own, shared : ndarray
        Sums of ``r_a^2 + r_b^2`` and of ``2 r_a r_b``.
    score, share, square : ndarray
        The first model's score, share and sum of ``r_a^2`` as they are.
    """

    pooled: FloatArray
    bottom: FloatArray
    own: FloatArray
    shared: FloatArray
    score: FloatArray
    share: FloatArray
    square: FloatArray

    def at(self, *places: IntArray) -> _Fixed:
        """Those of some pairs, or of single pairs in single values."""
        index: Any = places if len(places) == 1 else (*places, 0)
        return _Fixed(*(getattr(self, each.name)[index] for each in fields(self)))

    def shares(self, growth: FloatArray) -> FloatArray:
        """The first model's part of the denominators after they grow."""
        return self.share + growth / np.where(self.bottom == 0, 1.0, self.bottom)

    def bounds(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Numbers between which the squares are while shares are.

        With ``e = share - 1/2`` they are ``(own - shared) / 4 + e (own - 2 F) + e^2 (own +
        shared)``, and F, the first model's part of own, is from 0 to own.
        """
        apart = np.maximum(np.abs(low - 0.5), np.abs(high - 0.5))
        reach = (apart + _SLACK) * self.own + apart**2 * (self.own + self.shared)
        middle = (self.own - self.shared) / 4
        # Of residuals that are all 0 rounding leaves sums of either sign.
        return np.maximum(middle - reach, 0.0), np.maximum(middle + reach, 0.0)

    def nothing(self, size: float) -> FloatArray:
        """Squared scores that are rounding: of residuals, and of N and F D where those are 0."""
        return ROUNDING**2 * np.maximum(size * self.own / 4, (self.pooled * self.bottom) ** 2)


class SwappedQuotients(SwappedSums):
    """Studentized differences of metrics with a `ratio` and no `average`."""

    def of_pairs(self, pairs: IntArray, moved: Moved) -> FloatArray:
        fixed, gains = self._fixed.at(pairs), self.exchange(pairs)
        change = [gains.combined(np.subtract, part, part) for part in moved.sums[-N_SUMS:]]
        share = fixed.shares(change[1])
        usual = self._all_usual(pairs, *(_ends(part) for part in change[:2]))
        between = None if self.strata is None else self._between(self.strata, pairs, moved, share)
        out = self._statistic(fixed, share, change, between)
        if not usual:
            empty = np.abs(share - 0.5) >= 0.5 - ROUNDING
            _put_conventions(out, self.differences(pairs, moved), empty)
        return out

    def extreme_of_pairs(self, pairs: IntArray, moved: Moved, alternative: Alternative) -> IntArray:
        """Count extreme statistics; squares are summed only where bounds of them leave it open."""
        many = len(self.model_a) >= len(self.evaluation.models) and self.strata is None
        if many and alternative == "two-sided" and np.isfinite(self.observed[pairs]).all():
            found = self._extreme_by_bounds(pairs, moved)
            if found is not None:
                return found
        return super().extreme_of_pairs(pairs, moved, alternative)

    def _statistic(
        self,
        fixed: _Fixed,
        share: FloatArray,
        change: list[FloatArray],
        between: FloatArray | None = None,
    ) -> FloatArray:
        """Score over error, from how the five sums of the first model change."""
        top, bottom, square, cross, below = change
        score = fixed.score + top
        score -= fixed.pooled * bottom
        square = fixed.square + square
        square -= 2 * fixed.pooled * cross
        square += fixed.pooled**2 * below
        square *= 1 - 2 * share
        square += share * (share * (fixed.own + fixed.shared) - fixed.shared)
        if between is not None:
            square -= between
            square[square <= ROUNDING * fixed.own] = 0.0
        score[score * score <= fixed.nothing(self.units.size)] = 0.0
        return studentized(score, square, self.units.size, centred=between is not None)

    def _all_usual(self, pairs: IntArray, *ends: tuple[FloatArray, FloatArray]) -> bool:
        """True if no swap leaves a model a numerator or a denominator of 0."""
        a, b = self.model_a[pairs], self.model_b[pairs]
        for total, (low, high) in zip(self._quotient_totals, ends, strict=True):
            tiny = ROUNDING * np.abs(total[a] + total[b])[..., None]
            least = (total[a][..., None] + low, total[b][..., None] - high)
            if not all((each > tiny).all() for each in least):
                return False
        return True

    # -- bounds ---------------------------------------------------------------------------------

    def _extreme_by_bounds(self, pairs: IntArray, moved: Moved) -> IntArray | None:
        """Two-sided counts from bounds of the squares; None where these tell too little."""
        fixed, gains = self._fixed.at(pairs), self.exchange(pairs)
        factor, (tops, bottoms) = fixed.pooled, moved.sums[-N_SUMS : 2 - N_SUMS]
        sizes = [_size(gains, part) for part in (tops, bottoms)]
        size = sizes[0] + np.abs(factor) * sizes[1] + np.abs(fixed.score)
        if not (size < _LARGEST).all():
            return None
        score, below = (gains.combined(np.subtract, *_single(x)) for x in (tops, bottoms))
        spans = []
        for numbers, each in zip((score, below), sizes, strict=True):
            low, high = _ends(numbers)
            spans.append((low - _SINGLE * each, high + _SINGLE * each))
        if not self._all_usual(pairs, *spans):
            return None
        observed = self.observed[pairs]
        low, high = self._thresholds(fixed, observed[..., None], *map(fixed.shares, spans[1]))
        if (low < _NEAR * high).mean() > _MOST_OPEN:
            return None
        below *= factor.astype(np.float32)
        score -= below
        score += fixed.score.astype(np.float32)
        error = _SINGLE * size + _TINY

        def is_extreme(places: tuple[IntArray, ...]) -> BoolArray:
            pair, value, mask = places
            a, b, own = self.model_a[pairs[pair]], self.model_b[pairs[pair]], fixed.at(pair, value)
            change = [x[b, value, mask] - x[a, value, mask] for x in moved.sums[-N_SUMS:]]
            found = self._statistic(own, own.shares(change[1]), change)
            return as_extreme(found, observed[pair, value], "two-sided")

        return _count_sieved(np.abs(score, out=score), low - error, high + error, is_extreme)

    def _thresholds(
        self, fixed: _Fixed, observed: FloatArray, *shares: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Sizes of a score below which it is not as extreme as observed, and from which it is."""
        extreme, size = least_extreme(observed), self.units.size
        low, high = (extreme * np.sqrt(bound) for bound in fixed.bounds(*shares))
        high = np.maximum(high, 2 * np.sqrt(fixed.nothing(size)))
        # The statistic is at most the root of the number of units.
        high[extreme**2 >= (1 - _SLACK) * size] = np.inf
        return np.where(extreme > 0, low, -np.inf), np.where(extreme > 0, high, -np.inf)

    # -- sums -----------------------------------------------------------------------------------

    @cached_property
    def ratios(self) -> list[Ratio]:
        """Metrics of the same numerators and denominators together."""
        return Ratio.each(
            self.metrics, self.numbers, self.totals, self.units, len(self.evaluation.models),
            self.strata,
        )  # fmt: skip

    def products(self) -> list[Callable[[], FloatArray]]:
        every = slice(None)
        return [
            partial(ratio.product, kind, every, every)
            for ratio in self.ratios
            for kind in ("nn", "nd", "dd")
        ]

    def arranged(self, sums: list[FloatArray]) -> list[FloatArray]:
        """Sums of the statistics, and then N, D, N^2, N D and D^2 of all metrics side by side."""
        n_linear, found = len(self.linear), []
        linear = {statistic: sums[place] for statistic, place in self.linear.items()}
        for place, ratio in enumerate(self.ratios):
            first = n_linear + 3 * place
            found.append([*ratio.grown(linear), *sums[first : first + 3]])
        return [*sums[:n_linear], *(self._by_metric(parts) for parts in zip(*found, strict=True))]

    def _by_metric(self, of_ratios: tuple[AnyArray, ...], axis: int = 1) -> FloatArray:
        """Numbers of the values, in the order of the metrics."""
        if len(self.metrics) == len(of_ratios) == 1:
            return np.asarray(of_ratios[0])
        found = {
            metric.name: numbers
            for ratio, numbers in zip(self.ratios, of_ratios, strict=True)
            for metric in ratio.metrics
        }
        return np.concatenate([found[metric.name] for metric in self.metrics], axis=axis)

    @cached_property
    def _quotient_totals(self) -> list[FloatArray]:
        """Totals of numerators and denominators, each (n_models, n_values)."""
        totals = zip(*(ratio.of_totals for ratio in self.ratios), strict=True)
        return [self._by_metric(parts) for parts in totals]

    @cached_property
    def _fixed(self) -> _Fixed:
        """Numbers that no swap changes, each of shape (n_pairs, n_values, 1)."""
        a, b = self.model_a, self.model_b
        pooled = self._by_metric(tuple(ratio.pooled[a, b] for ratio in self.ratios))
        top, bottom = self._quotient_totals
        first, second, shared = (
            self._by_metric(tuple(self._residuals(ratio, *both) for ratio in self.ratios))
            for both in ((a, a), (b, b), (a, b))
        )
        both = bottom[a] + bottom[b]
        share = bottom[a] / np.where(both == 0, 1.0, both)
        score = top[a] - pooled * bottom[a]
        numbers = pooled, both, first + second, 2 * shared, score, share, first
        return _Fixed(*(part[..., None] for part in numbers))

    def _residuals(self, ratio: Ratio, first: IntArray, second: IntArray) -> FloatArray:
        pooled = ratio.pooled[self.model_a, self.model_b]
        classes = range(ratio.n_values)
        return np.stack([ratio.residuals(first, second, pooled, k, k) for k in classes], axis=1)

    def _between(
        self, strata: Strata, pairs: IntArray, moved: Moved, share: FloatArray
    ) -> FloatArray:
        """Squares that the means of the strata take off."""
        a, b, gains = self.model_a[pairs], self.model_b[pairs], self.exchange(pairs)
        pooled = self._fixed.pooled[pairs]
        out = np.zeros_like(share)
        for stratum in range(len(strata.size)):
            sums = {s: moved.in_strata[place][stratum] for s, place in self.linear.items()}
            grown = zip(*(ratio.grown(sums) for ratio in self.ratios), strict=True)
            n, d = (self._by_metric(parts) for parts in grown)
            top, bottom = (part[stratum] for part in self._totals_in_strata)
            own = gains.combined(np.subtract, n, n) - pooled * gains.combined(np.subtract, d, d)
            own += top[a][..., None] - pooled * bottom[a][..., None]
            both = (top[a] + top[b])[..., None] - pooled * (bottom[a] + bottom[b])[..., None]
            out += strata.centre[stratum] * (own - share * both) ** 2
        return out

    @cached_property
    def _totals_in_strata(self) -> list[FloatArray]:
        """Totals of numerators and denominators, each (n_strata, n_models, n_values)."""
        parts = zip(*(ratio.in_strata() for ratio in self.ratios), strict=True)
        return [self._by_metric(each, axis=2) for each in parts]

    def differing(self, rows: slice) -> Iterator[FloatArray]:
        for parts in zip(*(ratio.of_units for ratio in self.ratios), strict=True):
            yield self._by_metric(tuple(part[rows] for part in parts), axis=2)


def _ends(numbers: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Smallest and largest number along the last axis."""
    return numbers.min(axis=-1, keepdims=True), numbers.max(axis=-1, keepdims=True)


def _single(numbers: FloatArray) -> tuple[AnyArray, AnyArray]:
    narrow = numbers.astype(np.float32)
    return narrow, narrow


def _size(gains: Exchange, numbers: FloatArray) -> FloatArray:
    """Largest sizes of two models' numbers together: they may cancel."""
    size = np.abs(numbers).max(axis=-1, keepdims=True)
    return np.asarray(size[gains.stays] + size[gains.comes])


def _count_sieved(
    numbers: AnyArray,
    low: FloatArray,
    high: FloatArray,
    is_extreme: Callable[[tuple[IntArray, ...]], BoolArray],
) -> IntArray | None:
    """Count the extreme numbers of each row; None where many are left between the bounds.

    `numbers` are of shape (..., n_masks); from `high` on they are extreme, below `low` they are
    not, and of those between it is asked.
    """
    # Numbers are not made wide to be compared: the ends are made narrow, and further apart.
    with np.errstate(over="ignore"):
        not_shown = numbers < np.nextafter(high.astype(np.float32), np.float32(np.inf))
        between = not_shown > (numbers < np.nextafter(low.astype(np.float32), np.float32(-np.inf)))
    asked = np.flatnonzero(between)
    if len(asked) > _MOST_OPEN * numbers.size:
        return None
    found: IntArray = numbers.shape[-1] - n_true(not_shown, axis=-1)
    places = np.unravel_index(asked, numbers.shape)
    extreme = is_extreme(places)
    np.add.at(found, tuple(axis[extreme] for axis in places[:-1]), 1)
    return found


def _put_conventions(statistic: FloatArray, difference: FloatArray, empty: BoolArray) -> None:
    """Put NaN where a model has no value, and an infinite one where a convention gives it."""
    instead = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    np.copyto(statistic, instead, where=empty)
    np.copyto(statistic, np.nan, where=np.isnan(difference))
