"""Statistics of pairs of models from sums of each model's numbers over the units that swap.

With a mask Z of 0 and 1 a model's sums after a swap are ``total_a + Z @ (S_b - S_a)``: one product
of the masks with each model's columns, less those of the first model, is enough for all of its
pairs. Some pairs have numbers of more than one model, which need a separate product.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from modelcompare.arrays import CACHE_BYTES, AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.joined import steps
from modelcompare.engine.pairs import differences, strips_of
from modelcompare.metrics.base import Metric, Statistic
from modelcompare.metrics.counts import SOFT_COUNTS
from modelcompare.significance.strata import Strata
from modelcompare.significance.swaps.bounds import Places
from modelcompare.significance.swaps.columns import Block, ModelColumns
from modelcompare.significance.swaps.kinds import Kinds
from modelcompare.significance.swaps.laws import Law
from modelcompare.significance.swaps.powers import Tails
from modelcompare.significance.swaps.shares import Shares
from modelcompare.significance.swaps.statistic import (
    ROUNDING,
    Asked,
    Counts,
    Swapped,
    UnitSwaps,
    count_extreme,
)

Sides = dict[Statistic, FloatArray]
Steepness = Callable[[], FloatArray]
# Units by kind, some at a time, from the first on at each call.
Steps = Callable[[], Iterable[Kinds]]


class Formula(ABC):
    """Statistics of one metric from sums over the units that swap.

    Parameters
    ----------
    swaps : SwappedSums
        The sums.
    metric : Metric
        One of its metrics.
    """

    studentized = True

    def __init__(self, swaps: SwappedSums, metric: Metric) -> None:
        self.metric = metric
        self.belongs_to(swaps)

    def belongs_to(self, swaps: SwappedSums) -> None:
        """Refer to the sums weakly: in a cycle with their formulas they would not be freed."""
        self.swaps: SwappedSums = weakref.proxy(swaps)

    def __getstate__(self) -> dict[str, Any]:
        # Weak references cannot be sent to another process; the sums set them again.
        return {name: value for name, value in vars(self).items() if name != "swaps"}

    @abstractmethod
    def statistics(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        """Return statistics (n_pairs, n_values, n_masks) of some pairs."""

    def differ(self, rows: slice, pairs: IntArray) -> BoolArray:
        """Return where two models' outputs differ, of shape (n_rows, n_pairs, n_values or 1)."""
        a, b = self.swaps.model_a[pairs], self.swaps.model_b[pairs]
        numbers = [self.swaps.numbers[statistic][rows] for statistic in self.swaps.linear]
        differ = [(part[:, a] != part[:, b]).any(axis=2) for part in numbers]
        return np.any(differ, axis=0)[..., None]

    def counts(
        self, pairs: IntArray, swapped: Swapped, observed: FloatArray, asked: Asked
    ) -> Counts:
        """Count extreme swaps, as `SwapStatistic.counts`, with the pairs' observed statistics."""
        found = (self.statistics(some, swapped) for some in self.swaps.few(pairs, swapped))
        return count_extreme(found, observed, asked)

    def laws(self, pair: int) -> Sequence[Law | None]:  # noqa: ARG002
        """Return the law of each value's statistic of a pair, if there are any; None without."""
        return ()

    def tails(self, t: FloatArray) -> Tails:
        """Return tails beyond sizes of t (n_pairs, n_values), of all pairs together."""
        return Tails.unknown(t.shape)

    def by_kind(self, pair: int, value: int) -> tuple[Steps, Steepness] | None:  # noqa: ARG002
        """Return a pair's units by kind, and what a sign of each adds to the difference."""
        return None

    def products(self) -> list[tuple[int, Block]]:
        """Return width and maker of the blocks whose sums are needed besides the statistics."""
        return []


class SwappedSums(UnitSwaps):
    """A statistic of pairs of models after swaps, from sums over the units that swap.

    Parameters
    ----------
    evaluation, metrics, pairs, drawn
        As in `UnitSwaps`; sum metrics.
    formula : callable
        Formula of a metric.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        metrics: Sequence[Metric],
        pairs: Pairs,
        *,
        formula: Callable[[SwappedSums, Metric], Formula],
        drawn: bool = False,
    ) -> None:
        metrics = [evaluation.valued(metric) for metric in metrics]
        super().__init__(evaluation, metrics, pairs, drawn=drawn)
        self.numbers = self.joined.numbers(metrics)
        self.formulas = [formula(self, metric) for metric in metrics]

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        for formula in self.formulas:
            formula.belongs_to(self)

    @cached_property
    def strata(self) -> Strata | None:
        """Strata of the units, where anything is centred in them."""
        studentized = any(formula.studentized for formula in self.formulas)
        return Strata.of(self.units) if studentized else None

    def of_pairs(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        found = [formula.statistics(pairs, swapped) for formula in self.formulas]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)

    def counts_of(self, pairs: IntArray, asked: Asked, swapped: Swapped) -> Counts:
        observed = np.split(self.observed[pairs], np.cumsum(self.widths)[:-1], axis=1)
        parts = [
            formula.counts(pairs, swapped, own, asked)
            for formula, own in zip(self.formulas, observed, strict=True)
        ]
        extreme, steps = zip(*parts, strict=True)
        # A single metric steps down.
        return np.concatenate(extreme, axis=1), steps[-1]

    def differ(self, rows: slice, pairs: IntArray) -> BoolArray:
        """Return where two models' outputs differ, of shape (n_rows, n_pairs, n_values)."""
        return np.concatenate([each.differ(rows, pairs) for each in self.formulas], axis=2)

    @property
    def widths(self) -> list[int]:
        """Numbers of values of the metrics."""
        places = [self.evaluation.metric_slice(metric.name) for metric in self.metrics]
        return [place.stop - place.start for place in places]

    # -- sums -----------------------------------------------------------------------------------

    @cached_property
    def linear(self) -> dict[Statistic, int]:
        """Places of the statistics in which models differ, among the blocks."""
        unlike = [s for s, numbers in self.numbers.items() if numbers.shape[1] > 1]
        return {statistic: place for place, statistic in enumerate(unlike)}

    @cached_property
    def columns(self) -> ModelColumns:
        """Blocks of numbers of the models."""
        widths, blocks = zip(*self._blocks, strict=True)
        n_models, counts = len(self.evaluation.models), self.units.counts()
        return ModelColumns.of(blocks, [*widths], n_models, counts)

    @cached_property
    def _blocks(self) -> list[tuple[int, Block]]:
        """Width and maker of each block."""
        linear: list[tuple[int, Block]] = [
            (self.numbers[statistic].shape[2], self.numbers[statistic].__getitem__)
            for statistic in self.linear
        ]
        return linear + [block for formula in self.formulas for block in formula.products()]

    @cached_property
    def products(self) -> dict[Formula, slice]:
        """Places among the blocks of each formula's products."""
        places, start = {}, len(self.linear)
        for formula in self.formulas:
            stop = start + len(formula.products())
            places[formula], start = slice(start, stop), stop
        return places

    def shares_of(self, value: int) -> tuple[Shares, Shares]:
        """Return sums over the members of a class, and over others, which its ratios share."""
        if value not in self._shares:
            _, predicted, support = (self.numbers[s][:, :, value].T for s in SOFT_COUNTS)
            pairs, member = (self.model_a, self.model_b), support[0] == 1
            of_members, of_others = (Shares.of(predicted[:, i], pairs) for i in (member, ~member))
            self._shares[value] = of_members, of_others
        return self._shares[value]

    @cached_property
    def _shares(self) -> dict[int, tuple[Shares, Shares]]:
        return {}

    @property
    def n_columns(self) -> int:
        """Number of columns that a mask is multiplied by."""
        return self.columns.n_columns

    @cached_property
    def totals(self) -> Sides:
        """Totals of the statistics, each (n_models or 1, width)."""
        every = self._summed(self.units.counts().astype(np.float64)[None])
        return {statistic: part[0] for statistic, part in every.items()}

    @cached_property
    def totals_in_strata(self) -> Sides:
        """Totals of the statistics in each stratum, each (n_strata, n_models or 1, width)."""
        assert self.strata is not None  # noqa: S101  asked for in strata
        counts = self.units.counts().astype(np.float64)
        return self._summed(self.strata.members.multiply(counts).tocsr())

    def _summed(self, weights: Any) -> Sides:
        """Return sums under weights (n_sums, n_units) of the units, dense or sparse."""
        found = {}
        for statistic, numbers in self.numbers.items():
            rows = ((at, numbers[at]) for at in steps(numbers))
            sums = sum(weights[:, at] @ part.reshape(len(part), -1) for at, part in rows)
            found[statistic] = sums.reshape(-1, *numbers.shape[1:])
        return found

    def sum_up(self, swapped: Swapped) -> None:
        if swapped.is_nothing:
            # Columns are arranged for swaps alone.
            shapes = [(len(self.evaluation.models), w, swapped.n_masks) for w, _ in self._blocks]
            swapped.sums = [np.zeros(shape) for shape in shapes]
            if self.strata is not None:
                n_strata, linear = len(self.strata.size), shapes[: len(self.linear)]
                swapped.in_strata = [np.zeros((n_strata, *shape)) for shape in linear]
            return
        swapped.sums = self.columns.sums(swapped)
        if self.strata is None:
            return
        codes, units = self.strata.codes[swapped.units], np.arange(self.units.n_units)
        by_stratum = []
        for stratum in range(len(self.strata.size)):
            here = np.flatnonzero(codes == stratum)
            draw = partial(np.take, swapped.masks, here, axis=1)
            inside = Swapped(draw, swapped.n_masks, units[swapped.units][here])
            by_stratum.append(self.columns.sums(inside)[: len(self.linear)])
        swapped.in_strata = [np.stack(part) for part in zip(*by_stratum, strict=True)]

    def sum_up_pair(self, pair: int, swapped: Swapped) -> None:
        """Compute the sums over some units of one pair's models alone."""
        a, b, masks = self.model_a[pair], self.model_b[pair], swapped.masks.T
        units = np.arange(self.units.n_units)[swapped.units]
        further = [block for formula in self.formulas for _, block in formula.products()]
        linear = [self.numbers[statistic].__getitem__ for statistic in self.linear]

        def sums(numbers: FloatArray, chosen: slice | BoolArray) -> FloatArray:
            out = np.zeros((*numbers.shape[1:], swapped.n_masks))
            out[b] = (numbers[chosen, b] - numbers[chosen, a]).T @ masks[chosen]
            return out

        blocks = [
            np.concatenate([block(slice(unit, unit + 1)) for unit in units.tolist()])
            for block in (*linear, *further)
        ]
        swapped.sums = [sums(numbers, slice(None)) for numbers in blocks]
        if self.strata is not None:
            of_units = self.strata.codes[units]
            swapped.in_strata = [
                np.stack([sums(numbers, of_units == h) for h in range(len(self.strata.size))])
                for numbers in blocks[: len(linear)]
            ]

    # -- pairs ----------------------------------------------------------------------------------

    def gained(self, where: Places, sums: AnyArray) -> AnyArray:
        """Return gains of the first models in all models' sums, (n_pairs, width, n_masks)."""
        first, second = self.model_a[where.pairs], self.model_b[where.pairs]
        if isinstance(where.masks, slice):
            return differences(strips_of(second, first), sums)
        rest = where.values, where.masks
        return np.asarray(sums[second, *rest] - sums[first, *rest])[..., None]

    def both(self, metric: Metric, where: Places, swapped: Swapped) -> tuple[Sides, Sides]:
        """Return totals (n_pairs or 1, n_masks or 1, width) of each statistic in both models."""
        return self.sides(metric, where, swapped.sums, self.totals)

    def sides(
        self, metric: Metric, where: Places, sums: Sequence[FloatArray], totals: Sides
    ) -> tuple[Sides, Sides]:
        """Return totals after swaps, as `both`, from sums over the units that swap and totals."""
        a, b = self.model_a[where.pairs], self.model_b[where.pairs]
        first, second = {}, {}
        for statistic in metric.statistics:
            total = totals[statistic]
            if statistic in self.linear:
                growth = self.gained(where, sums[self.linear[statistic]])
                tiny = ROUNDING * (np.abs(total[a]) + np.abs(total[b]))
                grown = _cleared(total[a][..., None] + growth, tiny)
                shrunk = _cleared(np.subtract(total[b][..., None], growth, out=growth), tiny)
                first[statistic], second[statistic] = (
                    np.moveaxis(part, 1, -1) for part in (grown, shrunk)
                )
            else:
                first[statistic] = second[statistic] = total[:, None]
        return first, second

    def values(self, metric: Metric, sides: Sides) -> FloatArray:
        """Return values (n_pairs, n_values, n_masks) of one side's totals."""
        found = metric.value(*(sides[s] for s in metric.statistics))
        return np.moveaxis(found, -1, 1) if metric.per_class else found[:, None]

    # -- units that a swap changes ---------------------------------------------------------------

    def movable(self, enough: int) -> tuple[IntArray, list[IntArray | None]]:
        count = np.zeros(self.observed.shape, dtype=np.intp)
        multiplicity = self.units.counts()
        width = max(part.shape[2] for part in self.numbers.values())
        step = max(1, CACHE_BYTES // (8 * len(count) * width))
        for start in range(0, self.units.n_units, step):
            rows = slice(start, min(start + step, self.units.n_units))
            some = np.flatnonzero((count < enough).any(axis=1))
            if not len(some):
                break
            count[some] += np.tensordot(multiplicity[rows], self.differ(rows, some), 1)
        few = [
            self.moving(pair) if (found < enough).all() else None
            for pair, found in enumerate(count)
        ]
        return count, [None if units is None or len(units) >= enough else units for units in few]

    def moving(self, pair: int) -> IntArray:
        differ = self.differ(slice(0, self.units.n_units), np.array([pair])).any(axis=(1, 2))
        return np.repeat(np.flatnonzero(differ), self.units.counts()[differ])


def _cleared(totals: FloatArray, tiny: FloatArray) -> FloatArray:
    """Return totals (..., n_masks), 0 where they cancel except for rounding."""
    if (totals.min(axis=-1) <= tiny).any():
        totals[np.abs(totals) <= tiny[..., None]] = 0.0
    return totals
