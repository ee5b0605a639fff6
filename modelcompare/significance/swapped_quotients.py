"""Studentized differences of quotients after swaps: all pairs from five sums of each model.

See `significance.studentized` for the statistic. Its error after any swap needs the sums of
``N^2``, ``N D`` and ``D^2`` over each model's own samples, beside its numerator and denominator;
what two models have in common is the same after every swap. Of a stratified design the squares are
centred within strata, which needs N and D of each stratum, too. Metrics of the same statistics
share their sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from modelcompare.arrays import PASS_BYTES, BoolArray, FloatArray, IntArray
from modelcompare.engine.halves import Exchange, Halves, Places
from modelcompare.engine.parallel import on_threads, work
from modelcompare.metrics.base import Metric
from modelcompare.significance.exact import as_extreme, least_extreme
from modelcompare.significance.invariants import Invariants, span_of
from modelcompare.significance.sieve import SLACK, Scores, Span, count_sieved
from modelcompare.significance.square_terms import N_WEIGHTS, SquareTerms
from modelcompare.significance.strata import Strata
from modelcompare.significance.swapped_sums import ROUNDING, SwappedSums, after
from modelcompare.words import Alternative

Quotients = tuple[FloatArray, FloatArray]

# Numbers of one block of units that stay in the processor's cache.
_CACHED_NUMBERS = 2**19
# Bounds that leave more open than this share do not pay; they do where the ends are as near.
_MOST_OPEN = 0.25
_NEAR = 0.5
# What a pair's error is made of: N, D, N^2, N D and D^2.
N_SUMS = 5


class SwappedQuotients(SwappedSums):
    """Studentized differences of metrics with a `ratio` and no `average`."""

    def of_pairs(self, halves: Sequence[Halves], pairs: IntArray) -> FloatArray:
        there = Exchange.of(self.model_a[pairs], self.model_b[pairs])
        score, share, *squares = (half.after(there) for half in halves[:N_SUMS])
        fixed = self._invariants.of(pairs)
        usual = fixed.all_usual(span_of(score), span_of(share))
        score -= fixed.pooled * share
        share /= np.where(fixed.bottom == 0, 1.0, fixed.bottom)
        square = fixed.squares(share, *squares)
        shares = share.transpose(2, 0, 1)
        if self.strata is not None:
            sums = after(halves[N_SUMS : N_SUMS + 2], there)
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
            found = self._extreme_by_bounds(halves[:N_SUMS], pairs)
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

    def products(self, parts: list[FloatArray], rows: slice) -> list[Any]:
        asked = self._terms.products
        quotients = {m: self._quotient_of(self.metrics[m], parts) for m, _ in asked}
        return [self._times(quotients[m], quotients[m], place, rows) for m, place in asked]

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

    def _quotient(self, parts: Sequence[FloatArray]) -> Quotients:
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

    def _quotients(self, parts: Sequence[FloatArray]) -> list[Quotients]:
        """Numerator and denominator of each metric, each (n_rows, n_models or 1, width)."""
        return [self._quotient_of(metric, parts) for metric in self.metrics]

    def _quotient_of(self, metric: Metric, parts: Sequence[FloatArray]) -> Quotients:
        top, bottom = _parts_of_quotient(metric, self.parts_of(metric, parts))
        width = max(top.shape[-1], bottom.shape[-1])
        return (
            np.broadcast_to(top, (*top.shape[:-1], width)),
            np.broadcast_to(bottom, (*bottom.shape[:-1], width)),
        )

    def _times(self, one: Quotients, other: Quotients, place: int, rows: slice) -> FloatArray:
        """N N', (N D' + D N') / 2 or D D' of two models in a metric, as strata weigh them."""
        first, second = _factors(*one, place)
        product = first * _factors(*other, place)[1]
        if place == 1 and one is not other:
            product = (product + _factors(*other, place)[0] * second) / 2
        if self.strata is not None:
            product *= self.strata.scale[rows][:, None, None]
        return product

    @property
    def _terms(self) -> SquareTerms:
        """What N^2, N D and D^2 are combinations of."""
        return self._terms_and_whether_crosswise[0]

    @cached_property
    def _terms_and_whether_crosswise(self) -> tuple[SquareTerms, bool]:
        n_metrics = len(self.metrics)
        mix = np.random.default_rng(0).random((2, len(self.evaluation.models)))

        def of_rows(start: int) -> list[FloatArray]:
            rows = chunks[start]
            parts = self.parts(rows)
            quotients = self._quotients(parts)
            mixed = [self._quotients([_mixed(part, one) for part in parts]) for one in mix]
            products = [
                self._times(one, other, place, rows)
                for one, other in zip(quotients + mixed[0], quotients + mixed[1], strict=True)
                for place in range(3)
            ]
            linear = [*parts, *(part for both in quotients for part in both)]
            weights = np.random.default_rng(start).random((N_WEIGHTS, len(parts[0])))
            return [_weighted(weights, part) for part in (*linear, *products)]

        chunks = [*self._row_chunks(_CACHED_NUMBERS)]
        found = on_threads(of_rows, range(len(chunks)), numbers=4 * _CACHED_NUMBERS)
        sums = [np.sum(each, axis=0) for each in zip(*found, strict=True)]
        linear, products = sums[: -6 * n_metrics], sums[-6 * n_metrics :]
        by_metric = [products[i : i + 3] for i in range(0, len(products), 3)]
        terms = SquareTerms.of(linear, by_metric[:n_metrics])
        (u, v), (all_u, all_v) = mix, mix.sum(axis=1)
        means = [(_mixed(part, u) * all_v + _mixed(part, v) * all_u) / 2 for part in linear]
        return terms, terms.hold_crosswise(means, by_metric[n_metrics:])

    @cached_property
    def _invariants(self) -> Invariants:
        """What no swap changes, each of shape (n_pairs, n_values, 1)."""
        a, b = self.model_a, self.model_b
        n, d = (part[0] for part in self.arranged(self.total[None])[:2])
        top, bottom = n[a] + n[b], d[a] + d[b]
        pooled = np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)
        grams = [np.concatenate(each) for each in zip(*self._grams(), strict=True)]

        def product(i: IntArray, j: IntArray) -> FloatArray:
            of_tops, crossed, of_bottoms = (gram[:, i, j].T for gram in grams)
            return of_tops - 2 * pooled * crossed + pooled**2 * of_bottoms

        own, shared = product(a, a) + product(b, b), 2 * product(a, b)
        return Invariants(*(part[..., None] for part in (pooled, bottom, own, shared)))

    def _grams(self) -> list[list[FloatArray]]:
        """Sums of N N', (N D' + D N') / 2 and D D' of all models, for each metric.

        Of shape (n_values, n_models, n_models) each.
        """
        terms, crosswise = self._terms_and_whether_crosswise
        if not crosswise:
            every = [(metric, place) for metric in range(len(self.metrics)) for place in range(3)]
            grams = self._summed_grams(every)
            return [grams[i : i + 3] for i in range(0, len(grams), 3)]
        parts = self.groups(self.total[None])[: len(self._statistics_used)]
        linear = [*parts, *(part for both in self._quotients(parts) for part in both)]
        n_models = len(self.evaluation.models)
        totals = [np.broadcast_to(part[0].T, (part.shape[2], n_models)) for part in linear]
        means = [(total[:, :, None] + total[:, None, :]) / 2 for total in totals]
        return terms.sums([*means, *self._summed_grams(terms.products)])

    def _summed_grams(self, asked: Sequence[tuple[int, int]]) -> list[FloatArray]:
        """Those of some metrics and places, added up over the units."""
        counts = self.evaluation.units.counts().astype(np.float64)
        if self.strata is not None:
            counts *= self.strata.scale
        n_models = len(self.evaluation.models)
        widths: list[int] = []
        totals: list[FloatArray] = []
        for rows in self._row_chunks(PASS_BYTES // 8):
            parts, times = self.parts(rows), counts[rows]
            factors = [_factors(*self._quotient_of(self.metrics[m], parts), p) for m, p in asked]
            widths = [first.shape[2] for first, _ in factors]
            by_value = [
                (first[..., value], second[..., value])
                for first, second in factors
                for value in range(first.shape[2])
            ]

            def of_value(
                place: int, by_value: Sequence[Quotients] = by_value, times: FloatArray = times
            ) -> FloatArray:
                return _gram(*by_value[place], times, n_models)

            numbers = work(n_models * len(times), n_models)
            grams = on_threads(of_value, range(len(by_value)), numbers=numbers)
            totals = [x + y for x, y in zip(totals, grams, strict=True)] if totals else grams
        every = iter(totals)
        return [np.stack([next(every) for _ in range(width)]) for width in widths]

    @property
    def _n_columns(self) -> int:
        return self.evaluation.columns(slice(None), self.metrics)[-1].stop

    def _row_chunks(self, n_numbers: int) -> Iterator[slice]:
        """Units whose statistics are so many numbers at most."""
        n_units = self.evaluation.units.n_units
        step = max(1, n_numbers // self._n_columns)
        for start in range(0, n_units, step):
            yield slice(start, min(start + step, n_units))


def _factors(n: FloatArray, d: FloatArray, place: int) -> Quotients:
    """What is multiplied of one model and of another: N and N', N and D', or D and D'."""
    return (d if place == 2 else n), (n if place == 0 else d)


def _gram(first: FloatArray, second: FloatArray, counts: FloatArray, n_models: int) -> FloatArray:
    """Sums of (F S' + S F') / 2 of all models, from numbers (n_rows, n_models or 1)."""
    weighted = first if (counts == 1).all() else first * counts[:, None]
    found = weighted.T @ second
    return np.broadcast_to((found + found.T) / 2, (n_models, n_models))


def _put_conventions(statistic: FloatArray, difference: FloatArray, empty: BoolArray) -> None:
    """Put NaN where a model has no value, and an infinite one where a convention gives it."""
    instead = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    np.copyto(statistic, instead, where=empty)
    np.copyto(statistic, np.nan, where=np.isnan(difference))


def _parts_of_quotient(metric: Metric, parts: Sequence[FloatArray]) -> Quotients:
    """Numerator and denominator, with an axis of values."""
    if metric.ratio is None:
        raise ValueError(f"{metric.name} names no quotient.")
    top, bottom = metric.ratio(*parts)
    return (top, bottom) if metric.per_class else (top[..., None], bottom[..., None])


def _mixed(part: FloatArray, weights: FloatArray) -> FloatArray:
    """Numbers (n, 1, width) of a mixture of models, from all models' or what they share."""
    if part.shape[1] == 1:
        return part * weights.sum()
    return np.einsum("rmw,m->rw", part, weights)[:, None]


def _weighted(weights: FloatArray, numbers: FloatArray) -> FloatArray:
    """Sums (n_weights, ...) of numbers (n_rows, ...) under each weighting."""
    sums = weights @ numbers.reshape(len(numbers), -1)
    return sums.reshape(len(weights), *numbers.shape[1:])
