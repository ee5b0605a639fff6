"""Studentized differences of quotients after swaps: all pairs from five sums of each model.

See `significance.studentized` for the statistic. Its error after any swap needs the sums of
``N^2``, ``N D`` and ``D^2`` over each model's own samples, beside its numerator and denominator;
what two models have in common is the same after every swap. Of a stratified design the squares are
centred within strata, which needs N and D of each stratum, too. Metrics of the same statistics
share their sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.engine.halves import Exchange, Halves, Places
from modelcompare.engine.parallel import WORTH_A_THREAD, on_threads, work
from modelcompare.metrics.base import Metric
from modelcompare.significance.exact import as_extreme, least_extreme
from modelcompare.significance.invariants import Invariants, span_of
from modelcompare.significance.sieve import SLACK, Scores, Span, count_sieved
from modelcompare.significance.square_terms import N_WEIGHTS, SquareTerms
from modelcompare.significance.strata import Strata
from modelcompare.significance.swapped_sums import ROUNDING, SwappedSums, after
from modelcompare.words import Alternative

# Numbers of one block of units that stay in the processor's cache.
_CACHED_NUMBERS = 2**19
# Bounds that leave more open than this share do not pay; they do where the ends are as near.
_MOST_OPEN = 0.25
_NEAR = 0.5
# What a pair's error is made of: N, D, N^2, N D and D^2.
_N_SUMS = 5


class SwappedQuotients(SwappedSums):
    """Studentized differences of metrics with a `ratio` and no `average`."""

    def of_pairs(self, halves: Sequence[Halves], pairs: IntArray) -> FloatArray:
        there = Exchange.of(self.model_a[pairs], self.model_b[pairs])
        score, share, *squares = (half.after(there) for half in halves[:_N_SUMS])
        fixed = self._invariants.of(pairs)
        usual = fixed.all_usual(span_of(score), span_of(share))
        score -= fixed.pooled * share
        share /= np.where(fixed.bottom == 0, 1.0, fixed.bottom)
        square = fixed.squares(share, *squares)
        shares = share.transpose(2, 0, 1)
        if self.strata is not None:
            sums = after(halves[_N_SUMS : _N_SUMS + 2], there)
            between = self._between(self.strata, sums, fixed.pooled[..., 0], shares, pairs)
            square -= between.transpose(1, 2, 0)
            square[square <= ROUNDING * fixed.own] = 0.0
        out = self._studentized(score, square, fixed).transpose(2, 0, 1)
        if not usual:
            empty = np.abs(shares - 0.5) >= 0.5 - ROUNDING
            by_convention = self.differences(halves[-len(self._statistics_used) :], pairs)
            _put_conventions(out, by_convention, empty)
        return out

    def extreme_of_pairs(
        self, halves: Sequence[Halves], pairs: IntArray, alternative: Alternative
    ) -> IntArray:
        """The same count; squares are summed only where bounds of them leave it open."""
        observed = self.observed[pairs]
        if alternative == "two-sided" and self.strata is None and np.isfinite(observed).all():
            found = self._extreme_by_bounds(halves[:_N_SUMS], pairs)
            if found is not None:
                return found
        return super().extreme_of_pairs(halves, pairs, alternative)

    def _extreme_by_bounds(self, halves: Sequence[Halves], pairs: IntArray) -> IntArray | None:
        """Two-sided counts from bounds of the squares; None where these tell too little."""
        there = Exchange.of(self.model_a[pairs], self.model_b[pairs])
        fixed, observed = self._invariants.of(pairs), self.observed[pairs]
        scores = Scores.of(halves[0], halves[1], there, fixed.pooled, tight=True)
        if scores is None or not fixed.all_usual(scores.top, scores.bottom):
            return None
        low, high = self._thresholds(scores.bottom, observed[..., None], fixed)
        if (low < _NEAR * high).mean() > _MOST_OPEN:
            return None

        def is_extreme(places: Places) -> BoolArray:
            pair, value, _ = places
            score, share, *squares = (half.at(there, places) for half in halves)
            own = fixed.at(pair, value)
            score -= own.pooled * share
            share /= own.bottom
            statistic = self._studentized(score, own.squares(share, *squares), own)
            return as_extreme(statistic, observed[pair, value], "two-sided")

        size = np.abs(scores.numbers, out=scores.numbers)
        return count_sieved(
            size, low - scores.error, high + scores.error, is_extreme, most=_MOST_OPEN
        )

    def _studentized(self, score: FloatArray, square: FloatArray, fixed: Invariants) -> FloatArray:
        """Score over error, in place of the score.

        Both are what they are of times ``share (1 - share) bottom``, which the quotient does not
        show.
        """
        size = self.evaluation.units.size
        least = score * score
        nothing = least <= fixed.nothing(size)
        least /= size
        # No sum of squares is below the square of the sum over their number; with one that is
        # centred the statistic stays finite, and the order of its sizes as it is.
        if self.strata is None:
            np.maximum(square, least, out=square)
        else:
            square += least
        np.sqrt(square, out=square)
        with np.errstate(divide="ignore", invalid="ignore"):
            score /= square
        if nothing.any():
            score[nothing] = 0.0
        return score

    def _thresholds(self, denominators: Span, observed: FloatArray, fixed: Invariants) -> Span:
        """Sizes of a score below which it is not as extreme as observed, and from which it is.

        Two-sided; between them squares tell.
        """
        units = self.evaluation.units.size
        extreme = least_extreme(observed)
        low, high = fixed.bounds(denominators)
        low, high = extreme * np.sqrt(low), extreme * np.sqrt(high)
        high = np.maximum(high, 2 * np.sqrt(fixed.nothing(units)))
        # The statistic is at most the root of the number of units.
        high[extreme**2 >= (1 - SLACK) * units] = np.inf
        return np.where(extreme > 0, low, -np.inf), np.where(extreme > 0, high, -np.inf)

    def arranged(self, sums: FloatArray) -> list[FloatArray]:
        """N, D, N^2, N D and D^2; of a stratified design N and D by stratum; the statistics."""
        groups, n_parts = self.groups(sums), len(self._statistics_used)
        parts, n_products = groups[:n_parts], len(self._terms.products)
        quotients = self._quotients(parts)
        sources = [*parts, *(x for both in quotients for x in both)]
        sources += groups[n_parts : n_parts + n_products]
        squares = self._terms.sums(sources)
        of_metrics = [[*q, *s] for q, s in zip(quotients, squares, strict=True)]
        five = [self._side_by_side(of_all) for of_all in zip(*of_metrics, strict=True)]
        return [*five, *groups[n_parts + n_products :], *parts]

    def products(self, parts: list[FloatArray], rows: slice) -> list[FloatArray]:
        asked = self._terms.products
        quotients = {m: self._quotient_of(self.metrics[m], parts) for m, _ in asked}
        return [self._square(quotients[m], place, rows) for m, place in asked]

    def stratified(self, parts: list[FloatArray]) -> Sequence[FloatArray]:
        return self._quotient(parts)

    def _between(
        self,
        strata: Strata,
        sums: list[FloatArray],
        pooled: FloatArray,
        share: FloatArray,
        pairs: IntArray,
    ) -> FloatArray:
        """What the means of the strata take off the squares."""
        n, d = (part.reshape(*part.shape[:2], -1, share.shape[-1]) for part in sums)
        first = len(self._statistics_used) + len(self._terms.products)
        both = [
            (part[0, self.model_a[pairs]] + part[0, self.model_b[pairs]]).reshape(n.shape[1:])
            for part in self.groups(self.total[None])[first : first + 2]
        ]
        own, all_of_them = n - pooled[:, None] * d, both[0] - pooled[:, None] * both[1]
        inside = own - share[:, :, None] * all_of_them
        return np.einsum("h,rphv->rpv", strata.centre, inside**2)

    def differing(self, parts: list[FloatArray]) -> Sequence[FloatArray]:
        return self._quotient(parts)

    def _quotient(self, parts: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Numerators and denominators, each (n_rows, n_models, n_values)."""
        tops, bottoms = zip(*self._quotients(parts), strict=True)
        return self._side_by_side(tops), self._side_by_side(bottoms)

    def _side_by_side(self, of_metrics: Sequence[FloatArray]) -> FloatArray:
        """One array (n_rows, n_models, n_values) of all metrics'."""
        n_rows, n_models = len(of_metrics[0]), len(self.evaluation.models)
        widths = [part.shape[-1] for part in of_metrics]
        out = np.empty((n_models, sum(widths), n_rows)).transpose(2, 0, 1)
        ends = np.cumsum(widths)
        for part, width, end in zip(of_metrics, widths, ends.tolist(), strict=True):
            out[..., end - width : end] = part
        return out

    def _quotients(self, parts: Sequence[FloatArray]) -> list[tuple[FloatArray, FloatArray]]:
        """Numerator and denominator of each metric, each (n_rows, n_models or 1, width)."""
        return [self._quotient_of(metric, parts) for metric in self.metrics]

    def _quotient_of(
        self, metric: Metric, parts: Sequence[FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        top, bottom = _parts_of_quotient(metric, self.parts_of(metric, parts))
        width = max(top.shape[-1], bottom.shape[-1])
        return (
            np.broadcast_to(top, (*top.shape[:-1], width)),
            np.broadcast_to(bottom, (*bottom.shape[:-1], width)),
        )

    def _square(
        self, quotient: tuple[FloatArray, FloatArray], place: int, rows: slice
    ) -> FloatArray:
        """N^2, N D or D^2 of a metric, as strata weigh them."""
        n, d = quotient
        square = (d if place == 2 else n) * (n if place == 0 else d)
        if self.strata is not None:
            square *= self.strata.scale[rows][:, None, None]
        return square

    @cached_property
    def _terms(self) -> SquareTerms:
        """What N^2, N D and D^2 are combinations of."""

        def of_rows(start: int) -> list[FloatArray]:
            rows = chunks[start]
            parts = self.parts(rows)
            quotients = self._quotients(parts)
            both = [part for each in quotients for part in each]
            squares = [self._square(each, place, rows) for each in quotients for place in range(3)]
            weights = np.random.default_rng(start).random((N_WEIGHTS, len(parts[0])))
            return [_weighted(weights, part) for part in (*parts, *both, *squares)]

        chunks = [*self._row_chunks()]
        found = on_threads(of_rows, range(len(chunks)), numbers=4 * _CACHED_NUMBERS)
        sums = [np.sum(each, axis=0) for each in zip(*found, strict=True)]
        first = len(sums) - 3 * len(self.metrics)
        squares = sums[first:]
        return SquareTerms.of(sums[:first], [squares[i : i + 3] for i in range(0, len(squares), 3)])

    @cached_property
    def _invariants(self) -> Invariants:
        """What no swap changes, each of shape (n_pairs, n_values, 1)."""
        a, b = self.model_a, self.model_b
        n, d = (part[0] for part in self.arranged(self.total[None])[:2])
        top, bottom = n[a] + n[b], d[a] + d[b]
        pooled = np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)
        gram = self._gram

        def product(i: IntArray, j: IntArray) -> FloatArray:
            cross = gram[1][:, i, j] + gram[1][:, j, i]
            return gram[0][:, i, j].T - pooled * cross.T + pooled**2 * gram[2][:, i, j].T

        own, shared = product(a, a) + product(b, b), 2 * product(a, b)
        return Invariants(*(part[..., None] for part in (pooled, bottom, own, shared)))

    @property
    def _gram(self) -> FloatArray:
        """Sums of N N', N D' and D D' of all models, of shape (3, n_values, n_models, n_models)."""
        counts = self.evaluation.units.counts().astype(np.float64)
        if self.strata is not None:
            counts *= self.strata.scale
        out = np.zeros((3, 0, 0, 0))
        for rows in self._row_chunks():
            n, d = (
                np.ascontiguousarray(part.transpose(2, 1, 0))
                for part in self._quotient(self.parts(rows))
            )
            n_values, n_models, _ = n.shape
            if not out.size:
                out = np.zeros((3, n_values, n_models, n_models))
            _add_grams(out, n, d, counts[rows])
        return out

    @property
    def _n_columns(self) -> int:
        return self.evaluation.columns(slice(None), self.metrics)[-1].stop

    def _row_chunks(self) -> Iterator[slice]:
        n_units = self.evaluation.units.n_units
        step = max(1, _CACHED_NUMBERS // self._n_columns)
        for start in range(0, n_units, step):
            yield slice(start, min(start + step, n_units))


def _add_grams(out: FloatArray, n: FloatArray, d: FloatArray, counts: FloatArray) -> None:
    """Add the sums of some rows; N and D are of shape (n_values, n_models, n_rows)."""
    of_a_value = work(n[0].size, n.shape[1])
    step = math.ceil(WORTH_A_THREAD / of_a_value)

    def of_values(start: int) -> None:
        some = slice(start, start + step)
        tops, bottoms = n[some], d[some]
        weighted = tops * counts
        out[0, some] += weighted @ tops.mT
        out[1, some] += weighted @ bottoms.mT
        out[2, some] += (bottoms * counts) @ bottoms.mT

    on_threads(of_values, range(0, len(n), step), numbers=step * of_a_value)


def _put_conventions(statistic: FloatArray, difference: FloatArray, empty: BoolArray) -> None:
    """Put NaN where a model has no value, and an infinite one where a convention gives it."""
    instead = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    np.copyto(statistic, instead, where=empty)
    np.copyto(statistic, np.nan, where=np.isnan(difference))


def _parts_of_quotient(
    metric: Metric, parts: Sequence[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Numerator and denominator, with an axis of values."""
    if metric.ratio is None:
        raise ValueError(f"{metric.name} names no quotient.")
    top, bottom = metric.ratio(*parts)
    return (top, bottom) if metric.per_class else (top[..., None], bottom[..., None])


def _weighted(weights: FloatArray, numbers: FloatArray) -> FloatArray:
    """Sums (n_weights, ...) of numbers (n_rows, ...) under each weighting."""
    sums = weights @ numbers.reshape(len(numbers), -1)
    return sums.reshape(len(weights), *numbers.shape[1:])
