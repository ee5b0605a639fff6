"""Numerators and denominators of a metric, and the sum of squares of its studentized difference.

See `significance.studentized` for the statistic. With the pooled quotients
``F_k = (N_ak + N_bk) / (D_ak + D_bk)``, which no swap changes, and ``x_k = N_k - F_k D_k``, a unit
adds ``d = g (x_a - x_b) + h (x_a + x_b)`` to the difference; g and h are mean and half difference
of the two models' slopes, the classes' weights over their denominators, of the swapped data. So

    sum d^2 = g' U g + h' V h + 2 g' W h,

where no swap changes U and V, sums of products of ``x_a - x_b`` and of ``x_a + x_b``. Of W, the
sums of products of one with the other, the symmetric part is what the sums of ``x_k x_l`` of the
first model exceed those of the second by: it comes from the sums of ``N N'``, ``N D'`` and ``D D'``
of each model. Only the other part's K (K - 1) / 2 numbers, sums of ``x_ak x_bl - x_al x_bk``, are
each pair's own.

Of a single quotient there is one class. Difference and slopes are both multiplied by
``D_a D_b / (D_a + D_b)``, so that nothing is divided by what may be 0: the difference becomes
``N_a - F D_a``, g is 1 / 2 and h is 1 / 2 less the first model's share of the denominators.

Of a stratified design squares are centred within strata, which needs N and D of each stratum, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.metrics.base import Metric
from modelcompare.metrics.quotient import divide
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.statistic import ROUNDING, Swapped, studentized
from modelcompare.significance.swaps.sums import SwappedSums


class Ratio:
    """Numerators N and denominators D of one metric, and the squares that follow.

    Terms are pairs of values k and l whose products are summed: each value with itself and, of an
    average, each class with each.

    Parameters
    ----------
    swaps : SwappedSums
        Statistic of pairs.
    metric : Metric
        One of its metrics.
    """

    def __init__(self, swaps: SwappedSums, metric: Metric) -> None:
        self.swaps, self.metric, self.single = swaps, metric, metric.average is None
        # Products N N', N D', D N' and D D' of a term, each once.
        self.kinds = ("nn", "nd", "dd") if self.single else ("nn", "nd", "dn", "dd")

    # -- numerators and denominators ------------------------------------------------------------

    @cached_property
    def of_units(self) -> tuple[FloatArray, FloatArray]:
        """N and D of the units, each (n_units, n_models, n_values)."""
        return self._of_rows(slice(None))

    def of_model(self, model: int) -> tuple[FloatArray, FloatArray]:
        """N and D of the units of one model, each (n_units, n_values)."""
        numbers = [self.swaps.numbers[s] for s in self.metric.statistics]
        # Of what all models share, such as the support, there is one.
        top, bottom = np.broadcast_arrays(
            *self._of([part[:, min(model, part.shape[1] - 1)] for part in numbers])
        )
        return top, bottom

    def _of_rows(self, rows: slice) -> tuple[FloatArray, FloatArray]:
        return self._of_all_models([self.swaps.numbers[s][rows] for s in self.metric.statistics])

    @cached_property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """Totals of N and D, each (n_models, n_values)."""
        parts = [self.swaps.totals[s][None] for s in self.metric.statistics]
        top, bottom = self._of_all_models(parts)
        return top[0], bottom[0]

    @cached_property
    def pooled(self) -> FloatArray:
        """Quotients of two models' sums together, of shape (n_pairs, n_values)."""
        a, b, (top, bottom) = self.swaps.model_a, self.swaps.model_b, self.totals
        return divide(top[a] + top[b], bottom[a] + bottom[b], 0.0)

    def differ(self, rows: slice, pairs: IntArray) -> BoolArray:
        """Tell where two models' N or D differ, of shape (n_rows, n_pairs, n_values)."""
        a, b = self.swaps.model_a[pairs], self.swaps.model_b[pairs]
        top, bottom = self._of_rows(rows)
        differ = (top[:, a] != top[:, b]) | (bottom[:, a] != bottom[:, b])
        return differ if self.single else differ.any(axis=2, keepdims=True)

    def _of(self, parts: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """N and D of statistics, with an axis of values at the end."""
        assert self.metric.ratio is not None  # noqa: S101  `applies` asks for it
        top, bottom = self.metric.ratio(*parts)
        if self.single and not self.metric.per_class:
            return top[..., None], bottom[..., None]
        return top, bottom

    def _of_all_models(self, parts: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        top, bottom = np.broadcast_arrays(*self._of(parts))
        shape = top.shape[0], len(self.swaps.evaluation.models), top.shape[2]
        return np.broadcast_to(top, shape), np.broadcast_to(bottom, shape)

    def grown(self, sums: Sequence[FloatArray]) -> list[FloatArray]:
        """Growth of N and D (n_models, n_values, n_masks) by sums of the statistics' blocks."""
        linear, totals = self.swaps.linear, self.swaps.totals
        parts = [
            np.moveaxis(sums[linear[s]], 1, -1) if s in linear else np.zeros_like(totals[s][None])
            for s in self.metric.statistics
        ]
        shape = len(sums[0]), self.totals[0].shape[1], sums[0].shape[2]
        return [np.broadcast_to(np.moveaxis(part, -1, 1), shape) for part in self._of(parts)]

    def _gained(self, pairs: IntArray, sums: Sequence[FloatArray]) -> list[FloatArray]:
        """Gains of the first models, (n_pairs, ..., n_masks), from sums of all models."""
        gains = self.swaps.exchange(pairs)
        return [gains.combined(np.subtract, part, part) for part in sums]

    # -- products of terms ----------------------------------------------------------------------

    @cached_property
    def terms(self) -> tuple[IntArray, IntArray]:
        """Values k and l of each term."""
        n_values = self.totals[0].shape[1]
        if self.single:
            return np.arange(n_values), np.arange(n_values)
        first, second = np.triu_indices(n_values)
        return first, second

    @cached_property
    def mixed(self) -> IntArray:
        """Terms of two classes."""
        return np.flatnonzero(self.terms[0] != self.terms[1])

    def product(self, kind: str) -> FloatArray:
        """Products (n_units, n_models, n_terms) of a unit's own numbers, as squares weigh them."""
        first, second = self._factors(kind)
        if not self.single:
            first, second = first[..., self.terms[0]], second[..., self.terms[1]]
        out: FloatArray = first * second
        if self.swaps.strata is not None:
            out *= self._weight[:, None, None]
        return out

    def crossed(self, pairs: IntArray) -> FloatArray:
        """``x_ak x_bl - x_al x_bk`` of some pairs and all mixed terms, (n_own, n_units)."""
        k, m = (part[self.mixed] for part in self.terms)
        out = np.empty((len(pairs), len(self.mixed), self.swaps.units.n_units))
        for place, pair in enumerate(pairs.tolist()):
            x, y = (self.residuals(pair, model).T for model in self._models(pair))
            out[place] = x[k] * y[m] - x[m] * y[k]
        out *= self._weight
        return out.reshape(-1, out.shape[2])

    def residuals(self, pair: int, model: int) -> FloatArray:
        """``x = N - F D`` of a model of a pair, of shape (n_units, n_values)."""
        top, bottom = self.of_units
        x: FloatArray = top[:, model] - self.pooled[pair] * bottom[:, model]
        return x

    def _models(self, pair: int) -> tuple[int, int]:
        return int(self.swaps.model_a[pair]), int(self.swaps.model_b[pair])

    @cached_property
    def _weight(self) -> FloatArray:
        """Weight of each unit's squares."""
        strata = self.swaps.strata
        return np.ones(self.swaps.units.n_units) if strata is None else strata.scale

    def _factors(self, kind: str) -> tuple[FloatArray, FloatArray]:
        numbers = dict(zip("nd", self.of_units, strict=True))
        return numbers[kind[0]], numbers[kind[1]]

    # -- what no swap changes -------------------------------------------------------------------

    @cached_property
    def _factor(self) -> tuple[FloatArray, FloatArray]:
        """Pooled quotients F_k and F_l of terms, each (n_pairs, n_terms, 1)."""
        k, m = self.terms
        return self.pooled[:, k, None], self.pooled[:, m, None]

    @cached_property
    def _fixed(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """U, V and the parts of W as they are, each (n_pairs, n_terms, 1)."""
        a, b = self.swaps.model_a, self.swaps.model_b
        own, other, one, two = (self._shared(*m) for m in ((a, a), (b, b), (a, b), (b, a)))
        apart = own + other - one - two if self.single else self._apart
        return apart, 2 * (own + other) - apart, own - other, one - two

    def _shared(self, first: IntArray, second: IntArray) -> FloatArray:
        """Sums (n_pairs, n_terms, 1) of ``x_k`` of one model times ``x_l`` of another."""
        nn, nd, dd = (self._grams[kind][first, second, :, None] for kind in ("nn", "nd", "dd"))
        # Of one value times itself D N' is N D' of the other model.
        kind, *models = ("nd", second, first) if self.single else ("dn", first, second)
        dn = self._grams[kind][*models, :, None]
        f, g = self._factor
        return np.asarray(nn - g * nd - f * dn + f * g * dd)

    @cached_property
    def _grams(self) -> dict[str, FloatArray]:
        """Sums (n_models, n_models, n_terms) of a number of one model times one of another."""
        weight, found = (self._weight * self.swaps.units.counts())[:, None], {}
        for kind in self.kinds:
            first, second = self._factors(kind)
            products = [
                (first[..., k] * weight).T @ second[..., m]
                for k, m in zip(*self.terms, strict=True)
            ]
            found[kind] = np.stack(products, axis=-1)
        return found

    @cached_property
    def _apart(self) -> FloatArray:
        """U from differences of residuals: sums of each model's cancel where these are near."""
        k, m = self.terms
        weight = (self._weight * self.swaps.units.counts())[:, None]
        out = np.empty((len(self.pooled), len(k), 1))
        for pair in range(len(out)):
            a, b = self._models(pair)
            x = self.residuals(pair, a) - self.residuals(pair, b)
            out[pair, :, 0] = ((x * weight).T @ x)[k, m]
        return out

    # -- statistics -----------------------------------------------------------------------------

    def statistics(
        self,
        pairs: IntArray,
        swapped: Swapped,
        grown: Sequence[FloatArray],
        products: Sequence[FloatArray],
    ) -> FloatArray:
        """Return statistics (n_pairs, n_values, n_masks) from growth of N and D and of products."""
        empty = None
        if self.single:
            score, equal, unequal, empty = self._of_quotients(pairs, grown)
        else:
            score, equal, unequal = self._of_average(pairs, swapped)
        square = self._squares(pairs, swapped, products, equal, unequal)
        strata, size = self.swaps.strata, self.swaps.units.size
        if strata is not None:
            whole, between = square, self._between(strata, pairs, swapped, equal, unequal)
            square = np.where(whole - between <= ROUNDING * whole, 0.0, whole - between)
        out = studentized(score, square, size, centred=strata is not None)
        if empty is not None:
            # A model without a value has a difference of infinite size, if by convention.
            difference = self.swaps.differences(self.metric, self.swaps.both(pairs, swapped))
            instead = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
            np.copyto(out, instead, where=empty)
            np.copyto(out, np.nan, where=np.isnan(difference))
        return out

    def _of_quotients(
        self, pairs: IntArray, grown: Sequence[FloatArray]
    ) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray | None]:
        """Score, g, h, and where a model's denominator is 0, if any may be."""
        a, b = self.swaps.model_a[pairs], self.swaps.model_b[pairs]
        (top, bottom), pooled = self.totals, self.pooled[pairs, :, None]
        n_own, d_own = top[a][..., None], bottom[a][..., None]
        n_all, d_all = n_own + top[b][..., None], d_own + bottom[b][..., None]
        score, d_grown = self._gained(pairs, grown)
        usual = _inside(n_own, n_all, score) and _inside(d_own, d_all, d_grown)
        score -= pooled * d_grown
        score += n_own - pooled * d_own
        scale = np.where(d_all == 0, 1.0, d_all)
        unequal = d_grown
        unequal *= -1 / scale
        unequal += 0.5 - d_own / scale
        apart, together, _, _ = (part[pairs] for part in self._fixed)
        # What rounding leaves: of residuals, and of N and F D where those are 0.
        least = np.maximum(self.swaps.units.size * (apart + together) / 8, (pooled * d_all) ** 2)
        score[score * score <= ROUNDING**2 * least] = 0.0
        empty = None if usual else np.abs(unequal) >= 0.5 - ROUNDING
        return score, np.full((1, 1, 1), 0.5), unequal, empty

    def _of_average(
        self, pairs: IntArray, swapped: Swapped
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Difference, g and h (n_pairs, n_classes, n_masks)."""
        both = self.swaps.both(pairs, swapped)
        u, v = (self.swaps.slopes(self.metric, sides) for sides in both)
        difference = self.swaps.differences(self.metric, both)
        return difference, (u + v) / 2, (u - v) / 2

    def _squares(
        self,
        pairs: IntArray,
        swapped: Swapped,
        products: Sequence[FloatArray],
        equal: FloatArray,
        unequal: FloatArray,
    ) -> FloatArray:
        """Sums of squares (n_pairs, n_values, n_masks), of an average in one value."""
        change = self._gained(pairs, products)
        f, g = (part[pairs] for part in self._factor)
        apart, together, even, odd = (part[pairs] for part in self._fixed)
        surplus, below = change[0], change[-1]
        below *= f * g
        surplus += below
        for cross, factor in zip(change[1:-1], (2 * f,) if self.single else (g, f), strict=True):
            cross *= factor
            surplus -= cross
        surplus *= 2
        surplus += even
        if self.single:
            square = together * unequal
            square += surplus
            square *= unequal
            square += apart / 4
            return square
        k, m = self.terms
        one, other = equal[:, k] * unequal[:, m], equal[:, m] * unequal[:, k]
        square = equal[:, k] * equal[:, m] * apart + unequal[:, k] * unequal[:, m] * together
        square += surplus * (one + other)
        twice = self.mixed
        signed = odd[:, twice] - 2 * self.swaps.own_sums(pairs, swapped)
        square[:, twice] += signed * (one - other)[:, twice]
        square[:, twice] *= 2
        return square.sum(axis=1, keepdims=True)

    def _between(
        self,
        strata: Strata,
        pairs: IntArray,
        swapped: Swapped,
        equal: FloatArray,
        unequal: FloatArray,
    ) -> FloatArray:
        """Squares (n_pairs, n_values, n_masks) that the means of the strata take off."""
        a, b = self.swaps.model_a[pairs], self.swaps.model_b[pairs]
        pooled, out = self.pooled[pairs, :, None], np.zeros(())
        for stratum, centre in enumerate(strata.centre.tolist()):
            sums = self.grown([part[stratum] for part in swapped.in_strata])
            n, d = self._gained(pairs, sums)
            grown, (top, bottom) = n - pooled * d, (part[stratum] for part in self._in_strata)
            x, y = ((top[m] - self.pooled[pairs] * bottom[m])[..., None] for m in (a, b))
            mean = (equal + unequal) * (x + grown) - (equal - unequal) * (y - grown)
            if not self.single:
                mean = mean.sum(axis=1, keepdims=True)
            out = out + centre * mean**2
        return out

    @cached_property
    def _in_strata(self) -> list[FloatArray]:
        """Totals of N and D in each stratum, each (n_strata, n_models, n_values)."""
        strata, counts = self.swaps.strata, self.swaps.units.counts().astype(np.float64)
        assert strata is not None  # noqa: S101  asked for in strata
        members = strata.members(strata.codes) * counts
        return [
            (members @ part.reshape(len(part), -1)).reshape(-1, *part.shape[1:])
            for part in self.of_units
        ]


def _inside(own: FloatArray, total: FloatArray, grown: FloatArray) -> bool:
    """True if no swap leaves a model a sum of 0."""
    tiny = ROUNDING * np.abs(total)
    low, high = grown.min(axis=-1, keepdims=True), grown.max(axis=-1, keepdims=True)
    return bool((own + low > tiny).all() and (total - own - high > tiny).all())
