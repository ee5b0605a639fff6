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

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.engine.swaps import Exchange
from modelcompare.metrics.base import Metric
from modelcompare.significance.square_terms import N_WEIGHTS, SquareTerms
from modelcompare.significance.strata import Strata
from modelcompare.significance.swapped_sums import ROUNDING, SwappedSums

# Numbers of one block of units that stay in the processor's cache.
_CACHED_NUMBERS = 2**19
# What a pair's error is made of: N, D, N^2, N D and D^2.
_N_SUMS = 5


class SwappedQuotients(SwappedSums):
    """Studentized differences of metrics with a `ratio` and no `average`."""

    def of_pairs(
        self, kept: list[FloatArray], moved: list[FloatArray], pairs: IntArray
    ) -> FloatArray:
        a, b = self.model_a[pairs], self.model_b[pairs]
        pooled, bottom, own, shared = (part[pairs][..., None] for part in self._invariants)
        size = self.evaluation.units.size
        there = Exchange.of(a, b)
        # Of shape (n_pairs, n_values, n_resamples), and worked on in place.
        score, share, square, cross, below = (
            there.totals(k.transpose(1, 2, 0), m.transpose(1, 2, 0))
            for k, m in zip(kept[:_N_SUMS], moved[:_N_SUMS], strict=True)
        )
        usual = self._all_usual(score, share, pooled, bottom)
        # Score and error are half of what they are of, which their quotient does not show.
        score -= pooled * share
        share /= np.where(bottom == 0, 1.0, bottom)
        cross *= -2 * pooled
        below *= pooled**2
        square += cross
        square += below
        # (1 - share)^2 first + share^2 (own - first) - share (1 - share) shared
        np.multiply(share, own + shared, out=cross)
        cross -= shared
        cross *= share
        np.multiply(share, -2, out=below)
        below += 1
        square *= below
        square += cross
        if self.strata is not None:
            sums = self.after(kept[_N_SUMS : _N_SUMS + 2], moved[_N_SUMS : _N_SUMS + 2], a, b)
            shares = share.transpose(2, 0, 1)
            between = self._between(self.strata, sums, pooled[..., 0], shares, pairs)
            square -= between.transpose(1, 2, 0)
            square[square <= ROUNDING * own] = 0.0
        least = np.multiply(score, score, out=cross)
        # What rounding leaves: of residuals, and of N and F0 D where all residuals are 0.
        nothing = least <= ROUNDING**2 * np.maximum(size * own / 4, (pooled * bottom) ** 2)
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
        out = score.transpose(2, 0, 1)
        if not usual:
            empty = np.abs(share.transpose(2, 0, 1) - 0.5) >= 0.5 - ROUNDING
            difference = self._difference(kept, moved, pairs)
            _by_convention(out, difference, empty)
        return out

    def _difference(
        self, kept: list[FloatArray], moved: list[FloatArray], pairs: IntArray
    ) -> FloatArray:
        """Differences of the values, where their conventions have a say."""
        n_parts = len(self._statistics_used)
        kept, moved = kept[-n_parts:], moved[-n_parts:]
        a, b = self.model_a[pairs], self.model_b[pairs]
        return self.values(self.after(kept, moved, a, b)) - self.values(
            self.after(kept, moved, b, a)
        )

    @staticmethod
    def _all_usual(
        numerator: FloatArray, denominator: FloatArray, pooled: FloatArray, bottom: FloatArray
    ) -> bool:
        """Whether every swap leaves both models a numerator and a denominator that are not 0."""
        tiny = ROUNDING * bottom[..., 0]
        for part, total in ((denominator, bottom), (numerator, pooled * bottom)):
            low, high = part.min(axis=-1), part.max(axis=-1)
            if not ((low > tiny).all() and (high < total[..., 0] - tiny).all()):
                return False
        return True

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
        quotients = self._quotients(parts)
        return [self._square(quotients[m], place, rows) for m, place in self._terms.products]

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
        found = []
        for metric in self.metrics:
            top, bottom = _parts_of_quotient(metric, self.parts_of(metric, parts))
            width = max(top.shape[-1], bottom.shape[-1])
            found.append((
                np.broadcast_to(top, (*top.shape[:-1], width)),
                np.broadcast_to(bottom, (*bottom.shape[:-1], width)),
            ))  # fmt: skip
        return found

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
        generator = np.random.default_rng(0)
        sums: list[FloatArray] = []
        for rows in self._row_chunks():
            parts = self.parts(rows)
            quotients = self._quotients(parts)
            both = [part for each in quotients for part in each]
            squares = [self._square(each, place, rows) for each in quotients for place in range(3)]
            weights = generator.random((N_WEIGHTS, len(parts[0])))
            found = [_weighted(weights, part) for part in (*parts, *both, *squares)]
            sums = [x + y for x, y in zip(sums, found, strict=True)] if sums else found
        first = len(sums) - 3 * len(self.metrics)
        squares = sums[first:]
        return SquareTerms.of(sums[:first], [squares[i : i + 3] for i in range(0, len(squares), 3)])

    @cached_property
    def _invariants(self) -> tuple[FloatArray, ...]:
        """What no swap changes, each of shape (n_pairs, n_values).

        Pooled value, sum of the denominators, and the sums of ``r_a^2 + r_b^2`` and of
        ``2 r_a r_b``, where r is the residual N - F0 D.
        """
        a, b = self.model_a, self.model_b
        n, d = (part[0] for part in self.arranged(self.total[None])[:2])
        top, bottom = n[a] + n[b], d[a] + d[b]
        pooled = np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)
        gram = self._gram

        def product(i: IntArray, j: IntArray) -> FloatArray:
            cross = gram[1][:, i, j] + gram[1][:, j, i]
            return gram[0][:, i, j].T - pooled * cross.T + pooled**2 * gram[2][:, i, j].T

        return pooled, bottom, product(a, a) + product(b, b), 2 * product(a, b)

    @property
    def _gram(self) -> FloatArray:
        """Sums of N N', N D' and D D' of all models, of shape (3, n_values, n_models, n_models)."""
        out: FloatArray | None = None
        counts = self.evaluation.units.counts().astype(np.float64)
        if self.strata is not None:
            counts *= self.strata.scale
        for rows in self._row_chunks():
            n, d = (
                np.ascontiguousarray(part.transpose(2, 1, 0))
                for part in self._quotient(self.parts(rows))
            )
            weighted = n * counts[rows], d * counts[rows]
            products = (weighted[0] @ n.mT, weighted[0] @ d.mT, weighted[1] @ d.mT)
            out = np.stack(products) + (0.0 if out is None else out)
        return np.zeros((3, 0, 0, 0)) if out is None else out

    def _row_chunks(self) -> Iterator[slice]:
        n_units = self.evaluation.units.n_units
        n_columns = self.evaluation.columns(slice(None), self.metrics)[-1].stop
        step = max(1, _CACHED_NUMBERS // n_columns)
        for start in range(0, n_units, step):
            yield slice(start, min(start + step, n_units))


def _by_convention(statistic: FloatArray, difference: FloatArray, empty: BoolArray) -> None:
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
