"""Numerators and denominators of a metric, and sums of squares of its studentized difference.

See `significance.studentized` for the statistic. With the pooled quotient
``F = (N_a + N_b) / (D_a + D_b)``, which no swap changes, and ``x = N - F D``, a unit adds
``d = g (x_a - x_b) + h (x_a + x_b)`` to the difference. Difference and slopes are both multiplied
by ``D_a D_b / (D_a + D_b)``, so that nothing is divided by 0: the difference becomes
``N_a - F D_a``, g is 1 / 2 and h is 1 / 2 less the first model's share of the denominators. So

    sum d^2 = g^2 U + h^2 V + 2 g h W,

where no swap changes U and V, sums of squares of ``x_a - x_b`` and of ``x_a + x_b``. W, the sum of
products of one with the other, is the surplus of the sum of the first model's ``x^2`` over the
second's: it comes from the sums of ``N^2``, ``N D`` and ``D^2`` of each model.

In a stratified design squares are centred within strata, which needs N and D of each stratum, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.engine.pairs import difference_of
from modelcompare.significance.extreme import as_extreme, least_extreme, size_of
from modelcompare.significance.swaps.bounds import (
    LARGEST,
    Growth,
    Places,
    count_above,
    edges,
    rounding,
)
from modelcompare.significance.swaps.columns import Block
from modelcompare.significance.swaps.fractions import Fractions
from modelcompare.significance.swaps.statistic import (
    NOTHING,
    ROUNDING,
    Asked,
    Counts,
    Swapped,
    studentized,
)
from modelcompare.words import Alternative

# Margin of bounds for rounding.
SLACK = 1e-9
# If bounds leave more than this share of statistics undecided, all are evaluated.
_MOST_UNDECIDED = 1 / 16


class Quotient(Fractions):
    """Studentized differences of a quotient N / D, of each class or of all."""

    # Products N N, N D and D D, each once.
    kinds: tuple[str, ...] = ("nn", "nd", "dd")

    def grown(self, swapped: Swapped) -> tuple[Growth, Growth]:
        """Return the growth of N and D by swaps, computed once for each block of masks."""
        if self not in swapped.grown:
            top, bottom = self._grown(swapped.sums)
            swapped.grown[self] = Growth(top), Growth(bottom)
        return swapped.grown[self]

    def _grown(self, sums: Sequence[FloatArray]) -> list[FloatArray]:
        """Return the growth of N and D (n_models, n_values, n_masks) from sums of blocks."""
        linear, totals = self.swaps.linear, self.swaps.totals
        parts = [
            np.moveaxis(sums[linear[s]], 1, -1) if s in linear else np.zeros_like(totals[s][None])
            for s in self.metric.statistics
        ]
        shape = len(sums[0]), self.totals[0].shape[1], sums[0].shape[2]
        return [np.broadcast_to(np.moveaxis(part, -1, 1), shape) for part in self._of(parts)]

    # -- products -------------------------------------------------------------------------------

    def products(self) -> list[tuple[int, Block]]:
        n_values = self.totals[0].shape[1]
        return [(n_values, partial(self._product, kind)) for kind in self.kinds]

    def _product(self, kind: str, rows: slice) -> FloatArray:
        """Return products (n_rows, n_models, n_values) of numbers, weighted as squares are."""
        numbers = dict(zip("nd", self.of_units, strict=True))
        out: FloatArray = numbers[kind[0]][rows] * numbers[kind[1]][rows]
        if self.swaps.strata is not None:
            out *= self.weight[rows, None, None]
        return out

    @cached_property
    def _grams(self) -> dict[str, FloatArray]:
        """Sums (n_models, n_models, n_values) of a number of one model times one of another."""
        root = np.sqrt(self.weight * self.swaps.units.counts())[:, None]
        numbers = {
            name: [np.multiply(part[..., k], root, order="C") for k in range(part.shape[2])]
            for name, part in zip("nd", self.of_units, strict=True)
        }
        found = {}
        for kind in self.kinds:
            first, second = (numbers[name] for name in kind)
            products = [one.T @ other for one, other in zip(first, second, strict=True)]
            found[kind] = np.stack(products, axis=-1)
        return found

    # -- squares --------------------------------------------------------------------------------

    @cached_property
    def squares(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Observed U, V and W, each (n_pairs, n_values, 1)."""
        a, b = self.swaps.model_a, self.swaps.model_b
        own, other, one, two = (self._shared(*m) for m in ((a, a), (b, b), (a, b), (b, a)))
        apart = own + other - (one + two)
        return apart, 2 * (own + other) - apart, own - other

    def surplus(self, where: Places, swapped: Swapped) -> FloatArray:
        """Return sums of squares of residuals of first models less those of second models."""
        products = swapped.sums[self.swaps.products[self]]
        surplus, cross, below = (self.swaps.gained(where, part) for part in products)
        pooled = where.of(self.pooled[..., None])
        below *= pooled * pooled
        surplus += below
        cross *= 2 * pooled
        surplus -= cross
        surplus *= 2
        surplus += where.of(self.squares[2])
        return surplus

    def _shared(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return sums (n_pairs, n_values, 1) of x of one model times x of another."""
        nn, nd, dd = (self._grams[kind][first, second, :, None] for kind in self.kinds)
        dn, pooled = self._grams["nd"][second, first, :, None], self.pooled[..., None]
        return np.asarray(nn - pooled * nd - pooled * dn + pooled * pooled * dd)

    # -- strata ---------------------------------------------------------------------------------

    def within(
        self, square: FloatArray, pairs: IntArray, swapped: Swapped, unequal: FloatArray
    ) -> FloatArray:
        """Return squares centred within strata; `unequal` is h."""
        strata, swaps = self.swaps.strata, self.swaps
        if strata is None:
            return square
        parts = [swaps.totals_in_strata[s] for s in self.metric.statistics]
        totals, between = self._of_all_models(parts), np.zeros(())
        for stratum, centre in enumerate(strata.centre.tolist()):
            sums = self._grown([part[stratum] for part in swapped.in_strata])
            n, d = (swaps.gained(Places(pairs), part) for part in sums)
            pooled = self.pooled[pairs]
            grown = n - pooled[..., None] * d
            top, bottom = (part[stratum] for part in totals)
            x, y = (
                (top[m] - pooled * bottom[m])[..., None]
                for m in (swaps.model_a[pairs], swaps.model_b[pairs])
            )
            mean = (0.5 + unequal) * (x + grown) - (0.5 - unequal) * (y - grown)
            between = between + centre * mean**2
        return np.where(square - between <= ROUNDING * square, 0.0, square - between)

    # -- statistics -----------------------------------------------------------------------------

    def statistics(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        out, unequal = self._at(Places(pairs), swapped)
        if not self._reach(pairs, swapped)[2]:
            # A model without a value has a difference by convention.
            both = self.swaps.both(self.metric, Places(pairs), swapped)
            difference = difference_of(*(self.swaps.values(self.metric, sides) for sides in both))
            empty = np.abs(unequal) >= 0.5 - ROUNDING
            np.copyto(out, self._by_convention(difference, pairs), where=empty)
            np.copyto(out, np.nan, where=np.isnan(difference))
        return out

    def counts(
        self, pairs: IntArray, swapped: Swapped, observed: FloatArray, asked: Asked
    ) -> Counts:
        limits, alternative = None, asked.alternative
        if asked.rising is None and alternative is not None and asked.ties:
            limits = self._limits(pairs, swapped, observed, alternative)
        if limits is None or alternative is None:
            return super().counts(pairs, swapped, observed, asked)
        (low, high, open_pairs), (start, factor) = limits, self._single
        top, bottom = self.grown(swapped)
        count, undecided = np.zeros(observed.shape, dtype=np.intp), []
        for some in self.swaps.few(open_pairs, swapped):
            chosen = pairs[some]
            score = self.swaps.gained(Places(chosen), top.single)
            if bottom.size.any():
                divided = self.swaps.gained(Places(chosen), bottom.single)
                divided *= factor[chosen]
                score -= divided
            score += start[chosen]
            found, places = count_above(size_of(score, alternative), low[some], high[some])
            if places.pairs.size > _MOST_UNDECIDED * score.size:
                found, _ = super().counts(chosen, swapped, observed[some], asked)
            else:
                undecided.append(places._replace(pairs=some[places.pairs]))
            count[some] = found
        if undecided:
            pair, value, mask = map(np.concatenate, zip(*undecided, strict=True))
            statistics, _ = self._at(Places(pairs[pair], value, mask), swapped)
            extreme = as_extreme(statistics[:, 0], observed[pair, value], alternative)
            np.add.at(count, (pair[extreme], value[extreme]), 1)
        return count, NOTHING

    def _limits(
        self, pairs: IntArray, swapped: Swapped, observed: FloatArray, alternative: Alternative
    ) -> tuple[AnyArray, AnyArray, IntArray] | None:
        """Return edges of scores, and pairs with any score above; None if a sum may be 0."""
        if self.swaps.strata is not None:
            return None
        (apart, reach, usual), (top, bottom) = self._reach(pairs, swapped), self.grown(swapped)
        start, factor = (part.take(pairs, axis=0) for part in self._single)
        size = 2 * (top.size + np.abs(factor) * bottom.size) + np.abs(start)
        if not usual or not (size < LARGEST).all():
            return None
        least = least_extreme(observed, alternative)[..., None]
        error = rounding(size) + self._nothing.take(pairs, axis=0)
        low, high = edges(self._divisor(pairs, apart), least, error, alternative)
        return low, high, np.flatnonzero(~(reach < low).all(axis=(1, 2)))

    @cached_property
    def _single(self) -> tuple[AnyArray, AnyArray]:
        """Observed scores, and F, in single precision."""
        n_own, d_own, _, _, pooled = self._fixed
        return (n_own - pooled * d_own).astype(np.float32), pooled.astype(np.float32)

    def _at(self, where: Places, swapped: Swapped) -> tuple[FloatArray, FloatArray]:
        """Return statistics, for any denominators, and h."""
        score, unequal = self._score(where, swapped)
        apart, together, _ = map(where.of, self.squares)
        score[np.abs(score) <= where.of(self._nothing)] = 0.0
        square = together * unequal
        square += self.surplus(where, swapped)
        square *= unequal
        square += apart / 4
        strata = self.swaps.strata
        if strata is not None:
            square = self.within(square, where.pairs, swapped, unequal)
        size = self.swaps.units.size
        return studentized(score, square, size, centred=strata is not None), unequal

    def _divisor(self, pairs: IntArray, apart: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return bounds of the divisors, from the distance of shares from one half.

        With h it is ``U / 4 + h (A - B) + h^2 V``, and the sums A and B of the two models' squares
        are together (U + V) / 2: near shares of one half it hardly varies.
        """
        unlike, together = (part.take(pairs, axis=0) for part in self.squares[:2])
        reach = (apart + SLACK) * ((unlike + together) / 2 + apart * together)
        ends = (np.sqrt(np.maximum(unlike / 4 + sign * reach, 0.0)) for sign in (-1, 1))
        low, high = ends
        return low, high

    def _by_convention(self, difference: FloatArray, pairs: IntArray) -> FloatArray:  # noqa: ARG002
        """Return statistics of models without a denominator, infinite unless both agree."""
        return np.where(difference == 0, 0.0, np.copysign(np.inf, difference))

    def _score(self, where: Places, swapped: Swapped) -> tuple[FloatArray, FloatArray]:
        """Return the score ``N - F D`` of the first model, and h."""
        n_own, d_own, _, d_all, pooled = map(where.of, self._fixed)
        score, unequal = (self.swaps.gained(where, part.sums) for part in self.grown(swapped))
        score -= pooled * unequal
        score += n_own - pooled * d_own
        scale = np.where(d_all == 0, 1.0, d_all)
        unequal *= -1 / scale
        unequal += 0.5 - d_own / scale
        return score, unequal

    def _reach(self, pairs: IntArray, swapped: Swapped) -> tuple[FloatArray, FloatArray, bool]:
        """Bound how far from one half first models' shares of D are, and how far from 0 scores.

        Both (n_pairs, n_values, 1); the last result is True if no swap leaves a model a sum of 0.
        """
        n_own, d_own, n_all, d_all, pooled = (part.take(pairs, axis=0) for part in self._fixed)
        models = self.swaps.model_a[pairs], self.swaps.model_b[pairs]
        (n_low, n_high), (d_low, d_high) = (part.span(*models) for part in self.grown(swapped))
        with np.errstate(divide="ignore", invalid="ignore"):
            n_apart, d_apart = (
                np.maximum(0.5 - (own + low) / total, (own + high) / total - 0.5)
                for own, low, high, total in (
                    (n_own, n_low, n_high, n_all), (d_own, d_low, d_high, d_all),
                )
            )  # fmt: skip
        middle = n_own + (n_low + n_high) / 2 - pooled * (d_own + (d_low + d_high) / 2)
        reach = np.abs(middle) + (n_high - n_low + np.abs(pooled) * (d_high - d_low)) / 2
        return d_apart, reach, bool((np.maximum(n_apart, d_apart) < 0.5 - ROUNDING).all())

    @cached_property
    def _nothing(self) -> FloatArray:
        """Sizes of rounding errors of scores: of residuals, and of N and F D if those are 0."""
        (apart, together, _), (*_, d_all, pooled) = self.squares, self._fixed
        least = self.swaps.units.size * (apart + together) / 8
        return ROUNDING * np.sqrt(np.maximum(least, (pooled * d_all) ** 2))

    @cached_property
    def _fixed(self) -> tuple[FloatArray, ...]:
        """First models' N and D, both models' N and D, and F, each (n_pairs, n_values, 1)."""
        a, b, (top, bottom) = self.swaps.model_a, self.swaps.model_b, self.totals
        found = top[a], bottom[a], top[a] + top[b], bottom[a] + bottom[b], self.pooled
        return tuple(part[..., None] for part in found)
