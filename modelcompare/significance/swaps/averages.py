"""Studentized differences of averages over few classes after swaps.

With the pooled quotients ``F_k = (N_ak + N_bk) / (D_ak + D_bk)``, which no swap changes, and
``x_k = N_k - F_k D_k``, unit i adds ``d_i = g (x_ai - x_bi) + h (x_ai + x_bi)`` to the difference;
g and h are mean and half difference of the two models' slopes, the classes' weights over their
denominators ``D_k``, of the swapped data. So

    sum d^2 = g' U g + h' V h + 2 g' W h,

where no swap changes U and V, sums of products of ``x_a - x_b`` and of ``x_a + x_b``. Of W, the
sums of products of one with the other, the symmetric part is what the sums of ``x_k x_l`` of the
first model exceed those of the second by: it comes from the sums of ``N N'``, ``N D'`` and ``D D'``
of each model. Only the other part's K (K - 1) / 2 numbers, sums of ``x_ak x_bl - x_al x_bk``, are
each pair's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import combinations

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.kinds import class_slopes
from modelcompare.significance.swaps.moved import Moved
from modelcompare.significance.swaps.ratios import Ratio, studentized
from modelcompare.significance.swaps.sums import ROUNDING, SwappedSums

# Averages over more classes have more products than samples that a swap changes.
MOST_CLASSES = 8
# Numbers of pairs' own columns that are kept between blocks of masks.
_KEPT_NUMBERS = 2**24

Classes = tuple[int, int]


class SwappedAverages(SwappedSums):
    """Studentized differences of one average over few classes under given swaps."""

    @staticmethod
    def applies(evaluation: Evaluation, metric: Metric) -> bool:
        """True for an average over few classes."""
        few = evaluation.predictions.n_classes <= MOST_CLASSES
        return metric.ratio is not None and metric.average is not None and few

    @property
    def metric(self) -> Metric:
        """The average."""
        (metric,) = self.metrics
        return metric

    @cached_property
    def ratio(self) -> Ratio:
        """Numerators and denominators of the classes."""
        (ratio,) = Ratio.each(
            self.metrics, self.numbers, self.totals, self.units, len(self.evaluation.models),
            self.strata,
        )  # fmt: skip
        return ratio

    def of_pairs(self, pairs: IntArray, moved: Moved) -> FloatArray:
        shape = self.ratio.n_values, len(pairs), moved.n_masks
        u, v = (
            np.broadcast_to(np.moveaxis(class_slopes(self.metric, side), -1, 0), shape)
            for side in self.sides(self.metric, pairs, moved)
        )
        square = self._squares(u, v, pairs, moved)
        if self.strata is not None:
            centred = square - self._between(self.strata, u, v, pairs, moved)
            square = np.where(centred <= ROUNDING * square, 0.0, centred)
        difference = self.differences(pairs, moved)
        size = self.units.size
        return studentized(difference, square[:, None], size, centred=self.strata is not None)

    def _squares(self, u: FloatArray, v: FloatArray, pairs: IntArray, moved: Moved) -> FloatArray:
        """Sums of squares (n_pairs, n_masks) at slopes (n_classes, n_pairs, n_masks)."""
        a, b, gains = self.model_a[pairs], self.model_b[pairs], self.exchange(pairs)
        pooled, ratio = self.ratio.pooled[a, b], self.ratio
        first = len(self.linear)
        change = [gains.combined(np.subtract, sums, sums)[:, 0] for sums in moved.sums[first:]]
        if len(moved.own):
            signed = moved.own.reshape(len(self.model_a), -1, moved.n_masks)[pairs]
        else:
            signed = moved.times(self._crossed(pairs)).reshape(len(pairs), -1, moved.n_masks)
        equal, unequal, square = (u + v) / 2, (u - v) / 2, np.zeros(u.shape[1:])
        for place, (k, m) in enumerate(self._classes):
            f, g = pooled[:, [k]], pooled[:, [m]]
            nn, nd, dn, dd = (change[self._places[key]] for key in _keys(k, m))
            grown = nn - g * nd - f * dn + f * g * dd
            own, others, one, other = (
                ratio.residuals(*models, pooled, k, m)[:, None]
                for models in ((a, a), (b, b), (a, b), (b, a))
            )
            apart = self._apart[pairs, k, m][:, None]
            together = 2 * (own + others) - apart
            surplus = own - others + 2 * grown
            found = equal[k] * equal[m] * apart + unequal[k] * unequal[m] * together
            found += surplus * (equal[k] * unequal[m] + equal[m] * unequal[k])
            if k != m:
                odd = one - other - 2 * signed[:, place - ratio.n_values]
                found += odd * (equal[k] * unequal[m] - equal[m] * unequal[k])
                found *= 2
            square += found
        return square

    @cached_property
    def _apart(self) -> FloatArray:
        """Sums (n_pairs, n_classes, n_classes) of products of ``x_a - x_b``.

        Sums of each model's products cancel where models are nearly alike.
        """
        (top, bottom), n_classes = self.ratio.of_units, self.ratio.n_values
        weight = (self.ratio.weight * self.units.counts())[:, None]
        out = np.empty((len(self.model_a), n_classes, n_classes))
        for place, (a, b) in enumerate(zip(self.model_a, self.model_b, strict=True)):
            apart = top[:, a] - top[:, b]
            apart -= self.ratio.pooled[a, b] * (bottom[:, a] - bottom[:, b])
            out[place] = (apart * weight).T @ apart
        return out

    def products(self) -> list[Callable[[], FloatArray]]:
        return [partial(self._product, *key) for key in self._places]

    def _product(self, kind: str, k: int, m: int) -> FloatArray:
        return self.ratio.product(kind, k, m)[..., None]

    @cached_property
    def _classes(self) -> list[Classes]:
        """Classes with themselves, and pairs of classes."""
        n_classes = self.ratio.n_values
        return [*((k, k) for k in range(n_classes)), *combinations(range(n_classes), 2)]

    @cached_property
    def _places(self) -> dict[tuple[str, int, int], int]:
        """Place of each product ``N_k N_l``, ``N_k D_l`` or ``D_k D_l`` among the blocks."""
        keys = dict.fromkeys(key for both in self._classes for key in _keys(*both))
        return {key: place for place, key in enumerate(keys)}

    @property
    def own(self) -> FloatArray:
        """Columns of all pairs, where there is room for them."""
        n_crossed = len(self._classes) - self.ratio.n_values
        if self.units.n_units * len(self.model_a) * n_crossed > _KEPT_NUMBERS:
            return super().own
        return self._crossed(np.arange(len(self.model_a)))

    def _crossed(self, pairs: IntArray) -> FloatArray:
        """``x_ak x_bl - x_al x_bk`` of some pairs, (n_units, n_pairs * n_crossed)."""
        a, b, (top, bottom) = self.model_a[pairs], self.model_b[pairs], self.ratio.of_units
        pooled = self.ratio.pooled[a, b]
        x, y = (top[:, m] - pooled * bottom[:, m] for m in (a, b))
        mixed = self._classes[self.ratio.n_values :]
        out = np.empty((len(pairs), len(mixed), len(top)))
        for place, (k, m) in enumerate(mixed):
            out[:, place] = (x[..., k] * y[..., m] - x[..., m] * y[..., k]).T
        if self.strata is not None:
            out *= self.ratio.weight
        return out.reshape(-1, len(top)).T

    def _between(
        self, strata: Strata, u: FloatArray, v: FloatArray, pairs: IntArray, moved: Moved
    ) -> FloatArray:
        """Squares (n_pairs, n_masks) that the means of the strata take off."""
        a, b, gains = self.model_a[pairs], self.model_b[pairs], self.exchange(pairs)
        pooled, out = self.ratio.pooled[a, b][..., None], np.zeros(u.shape[1:])
        u, v = np.moveaxis(u, 0, 1), np.moveaxis(v, 0, 1)
        for stratum in range(len(strata.size)):
            sums = {s: moved.in_strata[place][stratum] for s, place in self.linear.items()}
            n, d = (gains.combined(np.subtract, x, x) for x in self.ratio.grown(sums))
            x, y = (
                top[models][..., None] - pooled * bottom[models][..., None]
                for top, bottom in [[part[stratum] for part in self._totals_in_strata]]
                for models in (a, b)
            )
            grown = n - pooled * d
            mean = (u * (x + grown) - v * (y - grown)).sum(axis=1)
            out += strata.centre[stratum] * mean**2
        return out

    @cached_property
    def _totals_in_strata(self) -> list[FloatArray]:
        return self.ratio.in_strata()

    def differing(self, rows: slice) -> Iterator[FloatArray]:
        for part in self.ratio.of_units:
            for k in range(part.shape[2]):
                yield part[rows][..., [k]]


def _keys(k: int, m: int) -> list[tuple[str, int, int]]:
    """Products of N and D of two classes: N N', N D', D N' and D D'."""
    return [("nn", k, m), ("nd", k, m), ("nd", m, k), ("dd", k, m)]
