"""Differences of pairs of models whose outputs are swapped for some samples.

For a mask Z the swapped totals of a pair are ``total_a - Z @ S_a + Z @ S_b`` and the mirror image:
``Z @ S`` is computed once for each model and serves all of its pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import PASS_BYTES, BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.halves import Exchange, Halves, Places, masks_first
from modelcompare.engine.weights import Weights
from modelcompare.metrics.base import Metric, Statistic
from modelcompare.metrics.quotient import Quotient

# Totals of one block of pairs: few enough for the processor's last cache, and so many that threads
# seldom wait for the interpreter between two steps.
_CACHED_NUMBERS = 2**22


@dataclass(frozen=True)
class Swaps:
    """Differences of pairs of models after random swaps of their outputs.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units; metrics that are no sums are left out.
    masks : SwapMasks
        Units that swap.
    """

    evaluation: Evaluation
    masks: Weights

    def passes(self, n_jobs: int | None = None) -> Iterator[SwappedTotals]:
        """Totals under some blocks of masks after others, as many as fit into memory at once."""
        n_columns = self.evaluation.columns(slice(None))[-1].stop
        step = max(1, PASS_BYTES // (4 * 8 * self.masks.block_size(0) * n_columns))
        for start in range(0, self.masks.n_blocks, step):
            blocks = range(start, min(start + step, self.masks.n_blocks))
            found = self.evaluation.totals(self.masks, blocks=blocks, n_jobs=n_jobs)
            moved = np.concatenate([sums.T for sums in found], axis=1)
            total = self.evaluation.grand_total(slice(None))
            yield SwappedTotals(self.evaluation, total[:, None] - moved, moved)


@dataclass(frozen=True)
class SwappedTotals:
    """Totals over the units that keep their outputs, and over those that swap.

    Parameters
    ----------
    evaluation : Evaluation
        Models and metrics.
    kept, moved : ndarray of shape (n_columns, n_masks)
        The totals.
    """

    evaluation: Evaluation
    kept: FloatArray
    moved: FloatArray

    @property
    def pairs_at_once(self) -> int:
        """Pairs that are worked on together."""
        of_a_pair = self.moved.size // len(self.evaluation.models)
        return max(1, _CACHED_NUMBERS // max(1, of_a_pair))

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics that are sums."""
        return [metric for metric in self.evaluation.metrics if isinstance(metric, Metric)]

    def quotients(self, there: Exchange, back: Exchange) -> list[QuotientHalves]:
        """Metrics that are quotients and defined for all these pairs after every swap."""
        chosen: dict[bool, list[str]] = {}
        for name, ratio in self._ratios.items():
            if all(ratio.defined[swap.stays, swap.comes].all() for swap in (there, back)):
                chosen.setdefault(ratio.bottom.shared, []).append(name)
        return [self._side_by_side(tuple(names)) for names in chosen.values()]

    def differences(
        self, there: Exchange, back: Exchange, metrics: Sequence[Metric]
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Differences a - b of pairs of models, (n_masks, n_pairs, n_values), metric by metric."""
        if metrics:
            first, second = self._totals(there), self._totals(back)
            yield from self.evaluation.differences_of(first, second, metrics)

    def _totals(self, swap: Exchange) -> dict[Statistic, FloatArray]:
        """Totals of models after swaps with others."""
        return {
            statistic: masks_first(
                (both.kept + both.moved)[..., :1] if statistic.shared else both.after(swap)
            )
            for statistic, both in self._halves.items()
        }

    @cached_property
    def _halves(self) -> dict[Statistic, Halves]:
        columns = self.evaluation.columns(slice(None))
        return {c.statistic: Halves.of(c.of(self.kept.T), c.of(self.moved.T)) for c in columns}

    @cached_property
    def _ratios(self) -> dict[str, SwappedRatio]:
        """The quotient of each metric that is a plain one."""
        found = {m.name: SwappedRatio.of(m, self._halves) for m in self.metrics}
        return {name: ratio for name, ratio in found.items() if ratio is not None}

    def _side_by_side(self, names: tuple[str, ...]) -> QuotientHalves:
        if names not in self._together:
            ratios = [self._ratios[name] for name in names]
            places = [self.evaluation.metric_slice(name) for name in names]
            top, bottom = (
                Halves.side_by_side([getattr(ratio, part) for ratio in ratios])
                for part in ("top", "bottom")
            )
            self._together[names] = QuotientHalves(names, np.r_[tuple(places)], top, bottom)
        return self._together[names]

    @cached_property
    def _together(self) -> dict[tuple[str, ...], QuotientHalves]:
        return {}


@dataclass(frozen=True)
class QuotientHalves:
    """Quotients of some metrics side by side.

    Parameters
    ----------
    names : tuple of str
        The metrics.
    values : ndarray of int
        Places of their values.
    top, bottom : Halves
        Numerators and denominators.
    """

    names: tuple[str, ...]
    values: IntArray
    top: Halves
    bottom: Halves

    def differences_at(self, there: Exchange, back: Exchange, places: Places) -> FloatArray:
        """The differences at some places: of pairs, values and masks."""
        first, second = (
            self.top.at(swap, places) / self.bottom.at(swap, places) for swap in (there, back)
        )
        return first - second


@dataclass(frozen=True)
class SwappedRatio:
    """A quotient whose numerator and denominator are linear: each is added up model by model.

    Parameters
    ----------
    top, bottom : Halves
        Numerators and denominators.
    defined : ndarray of bool of shape (n_models, n_models)
        Whether a model has a value after any of the swaps with another.
    """

    top: Halves
    bottom: Halves
    defined: BoolArray

    @classmethod
    def of(cls, metric: Metric, halves: dict[Statistic, Halves]) -> SwappedRatio | None:
        """From the totals of statistics; None of what is no plain quotient."""
        if metric.ratio is None or metric.average is not None:
            return None
        value = metric.value
        if not isinstance(value, Quotient):
            return None
        without = value.without if value.zero_division == "paper" else None
        if without is not None and not metric.per_class:
            return None
        totals = [
            [masks_first(getattr(halves[s], half)) for s in metric.statistics]
            for half in ("kept", "moved")
        ]
        parts = [metric.ratio(*each) for each in totals]
        if not metric.per_class:
            parts = [(top[..., None], bottom[..., None]) for top, bottom in parts]
        (top, bottom), (top_moved, bottom_moved) = parts
        shape = top.shape[1:]
        if shape[0] == 1:
            return None
        least = [
            [
                np.broadcast_to(each.min(axis=0), shape)
                for each in (below, *(part if without else ()))
            ]
            for part, below in zip(totals, (bottom, bottom_moved), strict=True)
        ]
        return cls(
            Halves.of(top, top_moved), Halves.of(bottom, bottom_moved),
            _defined(*least, without=without),
        )  # fmt: skip


def _defined(
    kept: list[FloatArray],
    moved: list[FloatArray],
    *,
    without: Callable[..., BoolArray] | None,
) -> BoolArray:
    """Pairs of models for which no mask leaves a denominator of 0 or totals without a value.

    From the smallest denominator, and total, under any mask, each of shape (n_models, width): a
    model's own, and what comes in from others.
    """
    n_models, width = kept[0].shape
    out = np.empty((n_models, n_models), dtype=bool)
    step = max(1, _CACHED_NUMBERS // (n_models * width))
    for start in range(0, n_models, step):
        some = slice(start, start + step)
        bottom, *totals = (own[some, None] + other for own, other in zip(kept, moved, strict=True))
        out[some] = (bottom > 0).all(axis=-1)
        if without is not None:
            out[some] &= ~without(*totals).any(axis=-1)
    return out
