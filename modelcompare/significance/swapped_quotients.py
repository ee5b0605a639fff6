"""Studentized differences of quotients after swaps: all pairs from five sums of each model.

See `significance.studentized` for the statistic. Its error after any swap needs the sums of
``N^2``, ``N D`` and ``D^2`` over each model's own samples, beside its numerator and denominator;
what two models have in common is the same after every swap. Of a stratified design the squares are
centred within strata, which needs N and D of each stratum, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.engine.statistics import PASS_BYTES
from modelcompare.significance.swapped_sums import ROUNDING, SwappedSums, growing


class SwappedQuotients(SwappedSums):
    """Studentized differences of a metric with a `ratio` and no `average`."""

    def of_pairs(
        self, kept: list[FloatArray], moved: list[FloatArray], pairs: IntArray
    ) -> FloatArray:
        a, b = self.model_a[pairs], self.model_b[pairs]
        pooled, bottom, own, shared = (part[pairs] for part in self._invariants)
        sums = self.after(kept, moved, a, b)
        numerator, denominator = self._quotient(sums)
        # Score and error are half of what they are of, which their quotient does not show.
        score = numerator - pooled * denominator
        share = denominator / np.where(bottom == 0, 1.0, bottom)
        first = self._own_square(numerator, denominator, sums, pooled)
        # (1 - share)^2 first + share^2 (own - first) - share (1 - share) shared
        square = first * (1 - 2 * share) + share * (share * (own + shared) - shared)
        if self.strata is not None:
            square = np.maximum(square - self._between(sums[-2:], pooled, share, pairs), 0.0)
            np.copyto(square, 0.0, where=square <= ROUNDING * own)
        size = self.evaluation.units.size
        rounding = ROUNDING * np.sqrt(size * np.maximum(own, 0.0)) / 2
        np.copyto(score, 0.0, where=np.abs(score) <= rounding)
        least = score * score / size
        # No sum of squares is below the square of the sum over their number; with one that is
        # centred the statistic stays finite, and the order of its sizes as it is.
        square = np.maximum(square, least) if self.strata is None else square + least
        with np.errstate(invalid="ignore"):
            out = score / np.sqrt(square)
        np.copyto(out, 0.0, where=score == 0)
        if not self._all_usual(numerator, share, pooled, bottom):
            empty = np.abs(share - 0.5) >= 0.5 - ROUNDING
            difference = self.values(sums) - self.values(self.after(kept, moved, b, a))
            _by_convention(out, difference, empty)
        return out

    @staticmethod
    def _all_usual(
        numerator: FloatArray, share: FloatArray, pooled: FloatArray, bottom: FloatArray
    ) -> bool:
        """Whether every swap leaves both models a numerator and a denominator that are not 0."""
        tiny = ROUNDING * bottom
        shares = share.min() > ROUNDING and share.max() < 1 - ROUNDING
        low, high = numerator.min(axis=0), numerator.max(axis=0)
        return bool(shares and (low > tiny).all() and (high < pooled * bottom - tiny).all())

    def products(self, parts: list[FloatArray], rows: slice) -> list[FloatArray]:
        found = self._powers(parts, rows)[2:]
        return [found[place] for place in self._needed]

    def stratified(self, parts: list[FloatArray]) -> Sequence[FloatArray]:
        return self._quotient(parts)

    def _between(
        self, sums: list[FloatArray], pooled: FloatArray, share: FloatArray, pairs: IntArray
    ) -> FloatArray:
        """What the means of the strata take off the squares."""
        if self.strata is None:
            return np.zeros_like(share)
        n, d = (part.reshape(*part.shape[:2], -1, share.shape[-1]) for part in sums)
        both = [
            (part[0, self.model_a[pairs]] + part[0, self.model_b[pairs]]).reshape(n.shape[1:])
            for part in self.groups(self.total[None])[-2:]
        ]
        own, all_of_them = n - pooled[:, None] * d, both[0] - pooled[:, None] * both[1]
        inside = own - share[:, :, None] * all_of_them
        return np.einsum("h,rphv->rpv", self.strata.centre, inside**2)

    def differing(self, parts: list[FloatArray]) -> Sequence[FloatArray]:
        return self._quotient(parts)

    def _quotient(self, parts: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Numerators and denominators, each (n_rows, n_models, n_values)."""
        if self.metric.ratio is None:
            raise ValueError(f"{self.metric.name} names no quotient.")
        parts = parts[: len(self.metric.statistics)]
        found = self.metric.ratio(*parts)
        if not self.metric.per_class:
            found = (found[0][..., None], found[1][..., None])
        width = max(part.shape[-1] for part in found)
        shape = (len(parts[0]), max(part.shape[1] for part in parts), width)
        return np.broadcast_to(found[0], shape), np.broadcast_to(found[1], shape)

    def _own_square(
        self,
        numerator: FloatArray,
        denominator: FloatArray,
        sums: list[FloatArray],
        pooled: FloatArray,
    ) -> FloatArray:
        """Sum of the squares of N - F0 D over what the first model has, from the sums at hand."""
        first_product = len(self.metric.statistics)
        products = sums[first_product : first_product + len(self._needed)]
        known = {0: numerator, 1: denominator}
        known |= {2 + place: found for place, found in zip(self._needed, products, strict=True)}
        of_nn, of_nd, of_dd = self._combination
        out: FloatArray | None = None
        for place, found in known.items():
            part = found * (of_nn[place] - 2 * pooled * of_nd[place] + pooled**2 * of_dd[place])
            out = part if out is None else np.add(out, part, out=out)
        return numerator if out is None else out

    @property
    def _needed(self) -> tuple[int, ...]:
        """Which of N^2, N D and D^2 are no combinations of the other sums."""
        return tuple(place for place in range(3) if self._combination[place, 2 + place] == 1)

    @cached_property
    def _combination(self) -> FloatArray:
        """N^2, N D, D^2 as combinations of N, D and one another, of shape (3, 5).

        With counts of 0 and 1 all are combinations of N and D, for soft counts N D is.
        """
        kept, out = [0, 1], np.zeros((3, 5))
        blocks = list(growing(self.evaluation.units.n_units))
        for place in (0, 2, 1):
            first, *_ = blocks
            weights = _dependence(self._powers(self.parts(first), first), kept, 2 + place)
            if all(
                _fits(self._powers(self.parts(rows), rows), kept, 2 + place, weights)
                for rows in blocks
            ):
                out[place, kept] = weights
            else:
                kept.append(2 + place)
                out[place, 2 + place] = 1.0
        return out

    def _powers(self, parts: list[FloatArray], rows: slice) -> list[FloatArray]:
        """N, D and N^2, N D, D^2, these as strata weigh them."""
        n, d = self._quotient(parts)
        squares = [n * n, n * d, d * d]
        if self.strata is not None:
            squares = [x * self.strata.scale[rows][:, None, None] for x in squares]
        return [n, d, *squares]

    @cached_property
    def _invariants(self) -> tuple[FloatArray, ...]:
        """What no swap changes, each of shape (n_pairs, n_values).

        Pooled value, sum of the denominators, and the sums of ``r_a^2 + r_b^2`` and of
        ``2 r_a r_b``, where r is the residual N - F0 D.
        """
        a, b = self.model_a, self.model_b
        n, d = (part[0] for part in self._quotient(self.groups(self.total[None])))
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
        step = max(1, PASS_BYTES // (16 * len(self.total)))
        for start in range(0, n_units, step):
            yield slice(start, min(start + step, n_units))


def _by_convention(statistic: FloatArray, difference: FloatArray, empty: BoolArray) -> None:
    """Put NaN where a model has no value, and an infinite one where a convention gives it."""
    instead = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    np.copyto(statistic, instead, where=empty)
    np.copyto(statistic, np.nan, where=np.isnan(difference))


def _dependence(columns: list[FloatArray], kept: list[int], target: int) -> FloatArray:
    """Weights by which the kept columns come closest to another."""
    design = np.column_stack([columns[place].ravel() for place in kept])
    found = np.linalg.lstsq(design, columns[target].ravel(), rcond=None)[0]
    return np.round(found, 9)


def _fits(columns: list[FloatArray], kept: list[int], target: int, weights: FloatArray) -> bool:
    found = sum(w * columns[place] for w, place in zip(weights, kept, strict=True))
    return bool(np.allclose(found, columns[target], rtol=1e-12, atol=0.0))
