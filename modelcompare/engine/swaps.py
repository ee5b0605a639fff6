"""Differences of pairs of models whose outputs are swapped for some samples.

For a mask Z the swapped totals of a pair are ``total_a - Z @ S_a + Z @ S_b`` and the mirror image:
``Z @ S`` is computed once for each model and serves all of its pairs. Numbers lie in the order
(model, class, mask), so that formulas go through all masks of a pair and class at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.statistics import PASS_BYTES
from modelcompare.engine.weights import Weights
from modelcompare.metrics.base import Metric

# Totals of one block of pairs that stay in the processor's cache.
_CACHED_NUMBERS = 2**17


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
        """Pairs whose totals stay in the processor's cache."""
        of_a_pair = self.moved.size // len(self.evaluation.models)
        return max(1, _CACHED_NUMBERS // max(1, of_a_pair))

    def differences(
        self, model_a: IntArray, model_b: IntArray
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Differences a - b of pairs of models, (n_masks, n_pairs, n_values), metric by metric."""
        first, second = {}, {}
        for column in self.evaluation.columns(slice(None)):
            kept, moved = (column.of(sums.T).transpose(1, 2, 0) for sums in (self.kept, self.moved))
            if column.statistic.shared:
                x = y = (kept + moved)[..., :1]
            else:
                x = taken_over(kept, moved, model_a, model_b)
                y = taken_over(kept, moved, model_b, model_a)
            first[column.statistic], second[column.statistic] = masks_first(x), masks_first(y)
        return self.evaluation.differences_of(first, second)


def taken_over(kept: FloatArray, moved: FloatArray, stays: IntArray, comes: IntArray) -> FloatArray:
    """Totals of models whose swapped outputs are replaced by other models'.

    Parameters
    ----------
    kept, moved : ndarray of shape (n_models, width, n_masks)
        Totals over the units that keep their outputs, and over those that swap.
    stays, comes : ndarray of int of shape (n_pairs,)
        Models whose outputs stay, and models whose outputs come in.

    Returns
    -------
    ndarray of shape (n_pairs, width, n_masks)
    """
    out = np.empty((len(stays), *kept.shape[1:]))
    # One model beside several that follow each other needs no copies of any.
    along, across = np.diff(stays), np.diff(comes)
    kind = np.where((along == 0) & (across == 1), 1, np.where((along == 1) & (across == 0), 2, 0))
    ends = np.flatnonzero((kind == 0) | np.diff(kind, prepend=kind[:1]).astype(bool)) + 1
    for start, stop in pairwise([0, *ends.tolist(), len(stays)]):
        first, second = int(stays[start]), int(comes[start])
        n, same = stop - start, stop - start == 1 or kind[start] == 1
        own = kept[first] if same else kept[first : first + n]
        other = moved[second : second + n] if same else moved[second]
        np.add(own, other, out=out[start:stop])
    return out


def masks_first(numbers: FloatArray) -> FloatArray:
    """View of numbers (n_pairs, width, n_masks) as (n_masks, n_pairs, width)."""
    return numbers.transpose(2, 0, 1)


def _require_sums(evaluation: Evaluation) -> None:
    others = [metric.name for metric in evaluation.metrics if not isinstance(metric, Metric)]
    if others:
        raise ValueError(
            f"swapped totals exist for metrics that are sums only, not for {', '.join(others)}."
        )
