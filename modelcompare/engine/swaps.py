"""Differences of pairs of models whose outputs are swapped for some samples.

For a mask Z the swapped totals of a pair are ``total_a - Z @ S_a + Z @ S_b`` and the mirror image:
``Z @ S`` is computed once for each model and serves all of its pairs. Numbers lie in the order
(model, class, mask), so that formulas go through all masks of a pair and class at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.statistics import PASS_BYTES
from modelcompare.engine.weights import Weights
from modelcompare.metrics.base import Metric, Statistic
from modelcompare.metrics.quotient import Quotient

# Totals of one block of pairs: few enough for the processor's last cache, and so many that threads
# seldom wait for the interpreter between two steps.
_CACHED_NUMBERS = 2**21


@dataclass(frozen=True)
class Swaps:
    """Differences of pairs of models after random swaps of their outputs.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units; sum metrics only.
    masks : SwapMasks
        Units that swap.
    """

    evaluation: Evaluation
    masks: Weights

    def __post_init__(self) -> None:
        _require_sums(self.evaluation)

    def passes(self, n_jobs: int | None = None) -> Iterator[SwappedTotals]:
        """Totals under some blocks of masks after others, as many as fit into memory at once."""
        total = self.evaluation.grand_total(slice(None))
        step = max(1, PASS_BYTES // (4 * 8 * self.masks.block_size(0) * len(total)))
        for start in range(0, self.masks.n_blocks, step):
            blocks = range(start, min(start + step, self.masks.n_blocks))
            found = self.evaluation.totals(self.masks, blocks=blocks, n_jobs=n_jobs)
            moved = np.concatenate([sums.T for sums in found], axis=1)
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

    def differences(
        self, model_a: IntArray, model_b: IntArray
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Differences a - b of pairs of models, (n_masks, n_pairs, n_values), metric by metric."""
        others = []
        there, back = Exchange.of(model_a, model_b), Exchange.of(model_b, model_a)
        for metric, ratio in self._ratios:
            found = None if ratio is None else ratio.differences(there, back)
            if found is None:
                others.append(metric)
            else:
                yield self.evaluation.metric_slice(metric.name), masks_first(found)
        if others:
            first, second = self._totals(there), self._totals(back)
            yield from self.evaluation.differences_of(first, second, others)

    def _totals(self, swap: Exchange) -> dict[Statistic, FloatArray]:
        """Totals of models after swaps with others."""
        found = {}
        for column in self.evaluation.columns(slice(None)):
            kept, moved = (_masks_last(column.of(sums.T)) for sums in (self.kept, self.moved))
            shared = column.statistic.shared
            total = (kept + moved)[..., :1] if shared else swap.totals(kept, moved)
            found[column.statistic] = masks_first(total)
        return found

    @cached_property
    def _ratios(self) -> list[tuple[Metric, SwappedRatio | None]]:
        """Each metric's quotient; None where its value is no plain one."""
        columns = self.evaluation.columns(slice(None))
        kept, moved = (
            {column.statistic: column.of(sums.T) for column in columns}
            for sums in (self.kept, self.moved)
        )
        sums = [metric for metric in self.evaluation.metrics if isinstance(metric, Metric)]
        return [(metric, SwappedRatio.of(metric, kept, moved)) for metric in sums]


@dataclass(frozen=True)
class SwappedRatio:
    """A quotient whose numerator and denominator are linear: each is added up model by model.

    Parameters
    ----------
    top_kept, top_moved : ndarray of shape (n_models, width, n_masks)
        Numerators over the units that keep their outputs, and over those that swap.
    bottom_kept, bottom_moved : ndarray of shape (n_models or 1, width, n_masks)
        Denominators; of one model where they are the same for all.
    defined : ndarray of bool of shape (n_models, n_models)
        Whether a model has a value after any of the swaps with another.
    """

    top_kept: FloatArray
    top_moved: FloatArray
    bottom_kept: FloatArray
    bottom_moved: FloatArray
    defined: BoolArray

    @classmethod
    def of(
        cls,
        metric: Metric,
        kept: dict[Statistic, FloatArray],
        moved: dict[Statistic, FloatArray],
    ) -> SwappedRatio | None:
        """From totals (n_masks, n_models or 1, width); None of what is no plain quotient."""
        if metric.ratio is None or metric.average is not None:
            return None
        value = metric.value
        if not isinstance(value, Quotient):
            return None
        without = value.without if value.zero_division == "paper" else None
        if without is not None and not metric.per_class:
            return None
        totals = [[sums[s] for s in metric.statistics] for sums in (kept, moved)]
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
            np.ascontiguousarray(_masks_last(top)), np.ascontiguousarray(_masks_last(top_moved)),
            _masks_last(bottom), _masks_last(bottom_moved), _defined(*least, without=without),
        )  # fmt: skip

    def differences(self, there: Exchange, back: Exchange) -> FloatArray | None:
        """Differences (n_pairs, width, n_masks); None where some may be undefined."""
        if not all(self.defined[swap.stays, swap.comes].all() for swap in (there, back)):
            return None
        if len(self.bottom_kept) < len(self.top_kept):
            return there.totals(*self._apart)
        found = self._values(there)
        found -= self._values(back)
        return found

    def _values(self, swap: Exchange) -> FloatArray:
        values = swap.totals(self.top_kept, self.top_moved)
        values /= swap.totals(self.bottom_kept, self.bottom_moved)
        return values

    @cached_property
    def _apart(self) -> tuple[FloatArray, FloatArray]:
        """What each model adds to a difference, and takes off one, over a common denominator."""
        apart = (self.top_kept - self.top_moved) / (self.bottom_kept + self.bottom_moved)
        return apart, -apart


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
    out = np.empty((len(kept[0]), len(kept[0])), dtype=bool)
    for model, found in enumerate(out):
        bottom, *totals = (own[model] + other for own, other in zip(kept, moved, strict=True))
        found[:] = (bottom > 0).all(axis=-1)
        if without is not None:
            found &= ~without(*totals).any(axis=-1)
    return out


@dataclass(frozen=True)
class Exchange:
    """Models whose swapped outputs are replaced by other models'.

    Attributes
    ----------
    stays, comes : ndarray of int of shape (n_pairs,)
        Models whose outputs stay, and models whose outputs come in.
    runs : list of (slice, slice, slice)
        Pairs that follow each other with one of the two models unchanged, and their models: one
        model beside several that follow each other needs no copies of any.
    """

    stays: IntArray
    comes: IntArray
    runs: list[tuple[slice, slice, slice]]

    @classmethod
    def of(cls, stays: IntArray, comes: IntArray) -> Exchange:
        """Find the runs."""
        along, across = np.diff(stays), np.diff(comes)
        kind = np.where(
            (along == 0) & (across == 1), 1, np.where((along == 1) & (across == 0), 2, 0)
        )
        before = np.concatenate([kind[:1], kind[:-1]])
        ends = np.flatnonzero((kind == 0) | ((before != 0) & (kind != before))) + 1
        runs = [
            (
                slice(start, stop),
                slice(int(stays[start]), int(stays[stop - 1]) + 1),
                slice(int(comes[start]), int(comes[stop - 1]) + 1),
            )
            for start, stop in pairwise([0, *ends.tolist(), len(stays)])
        ]
        return cls(stays, comes, runs)

    def totals(self, kept: FloatArray, moved: FloatArray) -> FloatArray:
        """Totals (n_pairs, width, n_masks) from each model's, (n_models, width, n_masks).

        `kept` are those over the units that keep their outputs, `moved` over those that swap.
        """
        out = np.empty((len(self.stays), *kept.shape[1:]))
        for pairs, own, other in self.runs:
            np.add(kept[own], moved[other], out=out[pairs])
        return out


def masks_first(numbers: FloatArray) -> FloatArray:
    """View of numbers (n_pairs, width, n_masks) as (n_masks, n_pairs, width)."""
    return numbers.transpose(2, 0, 1)


def _masks_last(numbers: FloatArray) -> FloatArray:
    """View of numbers (n_masks, n_models, width) as (n_models, width, n_masks)."""
    return numbers.transpose(1, 2, 0)


def _require_sums(evaluation: Evaluation) -> None:
    others = [metric.name for metric in evaluation.metrics if not isinstance(metric, Metric)]
    if others:
        raise ValueError(
            f"swapped totals exist for metrics that are sums only, not for {', '.join(others)}."
        )
