"""Studentized differences of averages and other smooth metrics after swaps.

A sample adds ``d_i = g_a x_ia - g_b x_ib`` to a difference: x are its statistics and g the slopes
of each model's value at its totals. With ``u = x_a - x_b``, ``v = x_a + x_b`` and the sign s of a
swap, ``d_i = s_i u_i g + v_i h`` for the mean g and half the difference h of the slopes. Of an
average over classes x are the residuals ``N_k - F_k D_k`` around the pooled quotients, as in
`significance.studentized`; of any other metric they are the statistics themselves.

Of the sum of squares, ``X = sum (u g)^2`` and ``Y = sum (v h)^2`` follow from sums that no swap
changes; only ``2 sum s (u g) (v h)`` depends on the samples that swap, and its size is at most
``2 sqrt(X Y)``, a few percent of X for models that predict a class about equally often. So most
swaps are decided by the two models' totals, which all pairs share, and the squares in full are
computed for the others: about one in a hundred. The counts are those of computing all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial

import numpy as np

from modelcompare.arrays import CACHE_BYTES, PASS_BYTES, BoolArray, FloatArray, IntArray
from modelcompare.intervals.averages import class_slopes
from modelcompare.metrics.base import Metric, fraction_of
from modelcompare.metrics.quotient import Quotient, divide, numerical_slopes
from modelcompare.significance.exact import are_hard_counts
from modelcompare.significance.extreme import (
    Rising,
    as_extreme,
    decide,
    deciding,
    least_extreme,
    n_rising,
    n_true,
    size_of,
)
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.bounds import Places
from modelcompare.significance.swaps.kinds import (
    Kinds,
    Matrix,
    cross_products,
    grams,
    kinds_of_labels,
    kinds_of_units,
    products,
    single_cross_products,
    squares_along,
)
from modelcompare.significance.swaps.laws import Law, Moves
from modelcompare.significance.swaps.outcomes import are_few
from modelcompare.significance.swaps.slopes import Slopes, side_by_side
from modelcompare.significance.swaps.statistic import (
    NOTHING,
    ROUNDING,
    Asked,
    Counts,
    Swapped,
    studentized,
)
from modelcompare.significance.swaps.sums import Formula, Sides, Steepness, Steps, SwappedSums
from modelcompare.words import Alternative

# Margins of bounds for rounding: of squares and slopes, and of differences.
_OF_SQUARES, _OF_DIFFERENCES = 1e-6, 1e-11
# Pairs of labels whose kinds are multiplied by the same masks.
_AT_ONCE = 16
# Swaps whose bounds of all pairs are kept at once, even if pairs or classes are very many.
_LEAST_MASKS = 32
# If bounds leave more than this share of swaps undecided, all are evaluated.
_MOST_UNDECIDED = 1 / 16


class Form(Formula):
    """Studentized differences of one value of a metric that `forms_apply` to."""

    def __init__(self, swaps: SwappedSums, metric: Metric) -> None:
        super().__init__(swaps, metric)
        self._squares: dict[int, list[Matrix]] = {}
        self._observed: dict[int, tuple[FloatArray, FloatArray]] = {}
        self._kept: dict[int, list[Kinds]] = {}
        self._laws: dict[int, Law | None] = {}
        self._fractions: dict[int, tuple[FloatArray, FloatArray]] = {}
        self._room = PASS_BYTES / 8

    def statistics(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        return self._at(Places(pairs), swapped)

    def _singly(self, pairs: IntArray, masks: IntArray, swapped: Swapped) -> FloatArray:
        """Return statistics (n_places,) of pairs, each under one mask."""
        found = [
            self._at(Places(pairs[some], masks=masks[some]), swapped).ravel()
            for some in self.swaps.few(np.arange(len(pairs)), swapped, 1)
        ]
        return np.concatenate([np.empty(0), *found])

    def _at(self, where: Places, swapped: Swapped) -> FloatArray:
        """Return statistics (n_pairs, 1, n_masks); of single masks (n_places, 1, 1)."""
        at = self._slopes(where, swapped)
        square = at.apart + at.together + at.rest + 2 * self._crossed(where, swapped, at)
        if self.swaps.strata is not None:
            square[square <= ROUNDING * at.apart] = 0.0
        without, size = np.isnan(at.difference), self.swaps.units.size
        found = studentized(at.difference, square, size, centred=self.swaps.strata is not None)
        return np.where(without, np.nan, found)[:, None]

    def _crossed(self, where: Places, swapped: Swapped, at: Slopes) -> FloatArray:
        """Return the sums (n_pairs, n_masks) of products that swaps change."""
        pairs = where.pairs
        if swapped.is_nothing and len(self._steps) > 1:
            return np.array([self._observed[pair][0][2:] for pair in pairs.tolist()])
        if swapped.is_nothing:
            return products([self._grams(pair)[2] for pair in pairs.tolist()], at.equal, at.unequal)
        if not isinstance(where.masks, slice):
            return single_cross_products(self._kinds, where, swapped, at.equal, at.unequal)
        out, at_once = np.empty(at.apart.shape), _AT_ONCE if self._labelled else 1
        for start in range(0, len(pairs), at_once):
            some = slice(start, start + at_once)
            kinds = [self._kinds(pair) for pair in pairs[some].tolist()]
            out[some] = cross_products(kinds, swapped, at.equal[some], at.unequal[some])
        return out

    def counts(
        self, pairs: IntArray, swapped: Swapped, observed: FloatArray, asked: Asked
    ) -> Counts:
        alternative, rising, ties = asked
        if not ties:
            return super().counts(pairs, swapped, observed, asked)
        steps = NOTHING if rising is None else np.zeros(len(rising[0]), dtype=np.intp)
        extreme, undecided = np.empty((2, len(pairs), swapped.n_masks), dtype=bool)
        for part, masks in self._parts(pairs, swapped):
            low, high = np.empty((2, len(pairs), part.n_masks))
            for some in self.swaps.few(np.arange(len(pairs)), part):
                low[some], high[some] = self._bounds(pairs[some], part, alternative or "two-sided")
            if alternative is not None:
                least = least_extreme(observed, alternative)
                extreme[:, masks], undecided[:, masks] = decide(low, high, least)
            if rising is not None:
                steps += n_rising(self._sharpened(pairs, low, high, rising, part), rising)
        if alternative is None:
            return NOTHING, steps
        count = [
            self._counted(
                pairs[some], swapped, observed[some], alternative, extreme[some], undecided[some]
            )
            for some in self.swaps.few(np.arange(len(pairs)), swapped)
        ]
        return np.concatenate(count), steps

    def _counted(
        self, pairs: IntArray, swapped: Swapped, observed: FloatArray, alternative: Alternative,
        extreme: BoolArray, undecided: BoolArray,
    ) -> IntArray:  # fmt: skip
        """Count the masks as extreme as the data, with squares in full where bounds leave it."""
        if undecided.mean() > _MOST_UNDECIDED:
            found = self.statistics(pairs, swapped)
            return n_true(as_extreme(found, observed[..., None], alternative), axis=2)
        place, mask = np.nonzero(undecided)
        found = self._singly(pairs[place], mask, swapped)
        more = place[as_extreme(found, observed[place, 0], alternative)]
        return (n_true(extreme, axis=1) + np.bincount(more, minlength=len(pairs)))[:, None]

    def _bounds(
        self, pairs: IntArray, swapped: Swapped, alternative: Alternative
    ) -> tuple[FloatArray, FloatArray]:
        """Return bounds of the sizes of statistics, each (n_pairs, n_masks).

        They are infinite where a statistic is undefined, or without any spread.
        """
        at, centred = self._slopes(Places(pairs), swapped), self.swaps.strata is not None
        x, y = np.sqrt(at.apart), np.sqrt(at.together)
        smallest, roots = at.difference**2 / self.swaps.units.size, []
        for sum_of_both, slack in ((x - y, 1 - _OF_SQUARES), (x + y, 1 + _OF_SQUARES)):
            square = np.maximum(sum_of_both**2 * slack + at.rest, 0.0)
            square = square + smallest if centred else np.maximum(square, smallest)
            roots.append(np.sqrt(square))
        known = (x * (1 - _OF_SQUARES) > y) & ~np.isnan(at.difference)
        size, margin = size_of(at.difference, alternative), _OF_DIFFERENCES * at.scale
        # The size of a difference in the other direction is negative: either root may be the bound.
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = (
                of_both(*((size + error) / root for root in roots))
                for of_both, error in ((np.minimum, -margin), (np.maximum, margin))
            )
        return np.where(known, low, -np.inf), np.where(known, high, np.inf)

    def _parts(self, pairs: IntArray, swapped: Swapped) -> Iterator[tuple[Swapped, slice]]:
        """Yield some swaps, whose bounds of all pairs are kept at once, and their places."""
        widest = max(len(pairs), *(part.shape[1] for part in swapped.sums))
        step = max(_LEAST_MASKS, CACHE_BYTES // (4 * widest))
        for start in range(0, swapped.n_masks, step):
            chosen = np.zeros(swapped.n_masks, dtype=bool)
            chosen[start : start + step] = True
            yield swapped.only(chosen), slice(start, start + step)

    def _sharpened(
        self, pairs: IntArray, low: FloatArray, high: FloatArray, rising: Rising, part: Swapped
    ) -> FloatArray:
        """Return lower bounds of sizes (n_pairs, n_masks), exact where they decide a step."""
        step, mask = np.nonzero(deciding(low, high, rising))
        place = rising[0][step]
        low[place, mask] = np.abs(self._singly(pairs[place], mask, part))
        return low

    def laws(self, pair: int) -> list[Law | None]:
        of_steps = self._observed.get(pair)
        squares = self._grams(pair)[1].diagonal() if of_steps is None else of_steps[1]
        made = pair in self._laws
        return [self._laws.pop(pair) if made else self._law(pair, self._kinds(pair), squares)]

    def _law(self, pair: int, kinds: Iterable[Kinds], diagonal: FloatArray) -> Law | None:
        metric, totals = self.metric, [part[pair] for part in self._of_both]
        # Sums of labels are close to a lattice, and apart where strata are or kinds are few.
        if metric.average is None or (self._labelled and self.swaps.strata is not None):
            return None
        if isinstance(kinds, list) and are_few(kinds[0].size):
            return None
        bottom = np.broadcast_to(fraction_of(metric, *totals)[1], self._pooled[pair].shape)
        steps = (Moves(some.u, some.v, some.bottom, some.size, some.stratum) for some in kinds)
        return Law.of(steps, class_slopes(metric, *totals), bottom, diagonal, self.swaps.strata)

    def by_kind(self, pair: int, value: int) -> tuple[Steps, Steepness]:  # noqa: ARG002
        return partial(self._kinds, pair), partial(self._steepness, pair)

    def _steepness(self, pair: int) -> FloatArray:
        both = [part[[pair], None] / 2 for part in self._of_both]
        sides = dict(zip(self.metric.statistics, both, strict=True))
        (slope,) = self._of_side(sides, np.array([pair]), (1, 1))
        return np.concatenate([np.asarray(kinds.u @ slope[:, 0]) for kinds in self._kinds(pair)])

    # -- slopes ---------------------------------------------------------------------------------

    def _slopes(self, where: Places, swapped: Swapped) -> Slopes:
        pairs, swaps = where.pairs, self.swaps
        both = swaps.both(self.metric, where, swapped)
        first, second = (swaps.values(self.metric, sides)[:, 0] for sides in both)
        scale, difference = np.abs(first) + np.abs(second), np.asarray(first - second)
        difference[np.abs(difference) <= 1e-13 * scale] = 0.0
        shape = len(pairs), swapped.n_masks if isinstance(where.masks, slice) else 1
        slope = [self._of_side(sides, pairs, shape) for sides in both]
        equal, unequal = (slope[0] + slope[1]) / 2, (slope[0] - slope[1]) / 2
        squares = self._squared(pairs, swapped, (equal, unequal))
        apart, together = (np.maximum(part, 0.0) for part in squares)
        rest = np.zeros(shape)
        if swaps.strata is not None:
            rest -= self._between(where, swapped, slope)
        elif self.metric.average is None:
            # The rest of the difference, which the samples' d do not explain, is spread over them.
            lack = self._along(slope, both, pairs)
            rest += (difference**2 - lack**2) / swaps.units.size
        difference = np.broadcast_to(difference, shape).copy()
        return Slopes(difference, scale, equal, unequal, apart, together, rest)

    def _squared(
        self, pairs: IntArray, swapped: Swapped, sides: tuple[FloatArray, FloatArray]
    ) -> Sequence[FloatArray]:
        """Return X and Y, each (n_pairs, n_masks)."""
        if not swapped.is_nothing or len(self._steps) == 1:
            grams_of = zip(*(self._grams(pair)[:2] for pair in pairs.tolist()), strict=True)
            return [products(of, h, h) for of, h in zip(grams_of, sides, strict=True)]
        for pair, *along in zip(pairs.tolist(), *sides, strict=True):
            steps = (self._kinds_of(pair, rows, with_fixed=True) for rows in self._steps)
            self._observed[pair] = squares_along(steps, *along)
        found = np.array([self._observed[pair][0] for pair in pairs.tolist()])
        return found[:, :1], found[:, 1:2]

    def _of_side(self, sides: Sides, pairs: IntArray, shape: tuple[int, int]) -> FloatArray:
        """Return slopes (n_pairs, n_slopes, n_masks) at one side's totals."""
        metric, parts = self.metric, [sides[s] for s in self.metric.statistics]
        if metric.average is not None:
            found = [class_slopes(metric, *parts)]
        elif isinstance(metric.value, Quotient) and metric.value.gradient is not None:
            found = [*metric.value.slopes(*parts)]
        else:
            edges = np.cumsum([part.shape[-1] for part in parts])[:-1]
            scale = np.hstack(self._of_both)[pairs]
            return numerical_slopes(
                lambda t: metric.value(*np.split(np.swapaxes(t, -1, -2), edges, axis=-1)),
                side_by_side(parts, shape), scale,
            )  # fmt: skip
        return side_by_side(found, shape)

    def _along(
        self, slope: Sequence[FloatArray], both: Sequence[Sides], pairs: IntArray
    ) -> FloatArray:
        """Return the difference (n_pairs, n_masks) of both sides' numbers times their slopes."""
        pooled, (n_pairs, _, n_masks) = self._pooled[pairs, None], slope[0].shape
        first, second = (
            np.einsum("ijk,ijk->ik", g, side_by_side([x], (n_pairs, n_masks)))
            for g, x in zip(slope, (self._numbers(sides, pooled) for sides in both), strict=True)
        )
        return np.asarray(first - second)

    def _between(self, where: Places, swapped: Swapped, slope: Sequence[FloatArray]) -> FloatArray:
        """Return what centring within strata subtracts from the squares, (n_pairs, n_masks)."""
        swaps, found = self.swaps, np.zeros(slope[0][:, 0].shape)
        assert swaps.strata is not None  # noqa: S101  asked for in strata
        for stratum, centre in enumerate(swaps.strata.centre.tolist()):
            totals = {s: part[stratum] for s, part in swaps.totals_in_strata.items()}
            sums = [part[stratum] for part in swapped.in_strata]
            both = swaps.sides(self.metric, where, sums, totals)
            found += centre * self._along(slope, both, where.pairs) ** 2
        return found

    # -- numbers of a pair ----------------------------------------------------------------------

    def _numbers(self, parts: Sides, pooled: FloatArray) -> FloatArray:
        """Return x of statistics (..., width)."""
        found = [parts[s] for s in self.metric.statistics]
        if self.metric.average is not None:
            top, bottom = fraction_of(self.metric, *found)
            return np.asarray(top - pooled * bottom)
        shape = np.broadcast_shapes(*(part.shape[:-1] for part in found))
        wide = [np.broadcast_to(part, (*shape, part.shape[-1])) for part in found]
        return np.concatenate(wide, axis=-1)

    @cached_property
    def _pooled(self) -> FloatArray:
        """Quotients of two models' sums together, (n_pairs, n_classes); 0 if not an average."""
        if self.metric.average is None:
            return np.zeros((len(self.swaps.model_a), 1))
        return divide(*fraction_of(self.metric, *self._of_both), 0.0)

    @cached_property
    def _of_both(self) -> list[FloatArray]:
        """Sums of both models' totals, each (n_pairs, width)."""
        totals = (self.swaps.totals[s] for s in self.metric.statistics)
        models = self.swaps.model_a, self.swaps.model_b
        return [
            np.sum([total[np.minimum(model, len(total) - 1)] for model in models], axis=0)
            for total in totals
        ]

    def _grams(self, pair: int) -> list[Matrix]:
        """Return the sums of products of u and v of a pair."""
        if pair not in self._squares:
            every = (self._kinds_of(pair, rows, with_fixed=True) for rows in self._steps)
            kinds = [self._keep(pair, *every)] if len(self._steps) == 1 else every
            self._squares[pair] = grams(kinds)
            # The law of many units, grouped into few kinds, takes hardly any memory.
            laws, room = self._laws, PASS_BYTES / 4
            if isinstance(kinds, list) and 2 * len(laws) * kinds[0].size.nbytes < room:
                laws[pair] = self._law(pair, kinds, self._squares[pair][1].diagonal())
        return self._squares[pair]

    def _kinds(self, pair: int) -> Iterable[Kinds]:
        """Return a pair's grouped units, which are kept while there is room."""
        if pair in self._kept:
            return self._kept[pair]
        if len(self._steps) > 1:
            return map(partial(self._kinds_of, pair), self._steps)
        return [self._keep(pair, self._kinds_of(pair, self._steps[0]))]

    def _keep(self, pair: int, kinds: Kinds) -> Kinds:
        """Keep a pair's grouped units while there is room."""
        if kinds.n_bytes <= self._room:
            self._kept[pair] = [kinds]
            self._room -= kinds.n_bytes
        return kinds

    @cached_property
    def _labelled(self) -> bool:
        joined = self.swaps.joined
        return are_hard_counts(joined.evaluation, self.metric) and not joined.joined

    @cached_property
    def _steps(self) -> list[slice]:
        """Units whose numbers are computed together: all, of labels."""
        n_units, width = self.swaps.units.n_units, sum(part.shape[1] for part in self._of_both)
        step = n_units if self._labelled else max(1, PASS_BYTES // (8 * 8 * width))
        return [slice(at, min(at + step, n_units)) for at in range(0, n_units, step)]

    def _kinds_of(self, pair: int, rows: slice, *, with_fixed: bool = False) -> Kinds:
        swaps, metric, pooled = self.swaps, self.metric, self._pooled[pair]
        models = int(swaps.model_a[pair]), int(swaps.model_b[pair])
        if self._labelled:
            joined = swaps.joined.evaluation
            return kinds_of_labels(joined, metric, models, pooled, with_fixed=with_fixed)
        bottoms = None
        if metric.average is None:
            both = [self._numbers(self._of_model(m, rows), pooled) for m in models]
        else:
            tops, bottoms = zip(*(self._fraction(m, rows) for m in models), strict=True)
            both = [top - pooled * bottom for top, bottom in zip(tops, bottoms, strict=True)]
        strata = Strata.of(swaps.units)
        return kinds_of_units(swaps.units, strata, rows, both, bottoms, with_fixed=with_fixed)

    def _of_model(self, model: int, rows: slice) -> Sides:
        numbers = {s: self.swaps.numbers[s] for s in self.metric.statistics}
        return {s: x[rows, min(model, x.shape[1] - 1)] for s, x in numbers.items()}

    def _fraction(self, model: int, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Return numerators and denominators of a model's units, kept for its pairs if small."""
        if model in self._fractions:
            return self._fractions[model]
        found = fraction_of(self.metric, *self._of_model(model, rows).values())
        if len(self._steps) == 1 and len(self._fractions) * found[0].nbytes < PASS_BYTES / 16:
            self._fractions[model] = found
        return found
