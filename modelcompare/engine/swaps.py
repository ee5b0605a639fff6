"""Totals of two models whose outputs are swapped for some samples.

For a mask Z the swapped totals of a pair are ``total_a - Z @ S_a + Z @ S_b`` and the mirror image:
``Z @ S`` is computed once for each model and serves all of its pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.statistics import PASS_BYTES
from modelcompare.engine.weights import Everything, Weights
from modelcompare.metrics.base import Metric

# Totals of one block of pairs that stay in the processor's cache.
_CACHED_NUMBERS = 32_768


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

    @cached_property
    def total(self) -> FloatArray:
        """Totals over the whole test set."""
        return self.evaluation.totals(Everything(self.evaluation.units))[0]

    def passes(self) -> Iterator[range]:
        """Blocks of resamples whose totals fit into memory at once."""
        block_bytes = 8 * self.masks.block_size(0) * len(self.total[0])
        step = max(1, PASS_BYTES // (2 * block_bytes))
        for start in range(0, self.masks.n_blocks, step):
            yield range(start, min(start + step, self.masks.n_blocks))

    def moved(self, blocks: Sequence[int], n_jobs: int | None = None) -> list[FloatArray]:
        """Totals over the units that swap, for each of some blocks of resamples."""
        return self.evaluation.totals(self.masks, blocks=blocks, n_jobs=n_jobs)

    def differences(
        self, moved: FloatArray, model_a: IntArray, model_b: IntArray
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Differences a - b in one block of resamples, some pairs at a time.

        Parameters
        ----------
        moved : ndarray of shape (block_size, n_columns)
            One block of `moved`.
        model_a, model_b : ndarray of int of shape (n_pairs,)
            Positions of the models of each pair.

        Yields
        ------
        pairs : slice
            Which pairs.
        differences : ndarray of shape (block_size, n_pairs_in_slice, n_values)
        """
        evaluation = self.evaluation
        kept = self.total - moved
        width = max(1, moved.shape[1] // len(evaluation.models))
        step = max(1, _CACHED_NUMBERS // (len(moved) * width))
        for start in range(0, len(model_a), step):
            pairs = slice(start, min(start + step, len(model_a)))
            a, b = model_a[pairs], model_b[pairs]
            value_a = evaluation.values_of_swapped(kept, moved, a, b)
            value_b = evaluation.values_of_swapped(kept, moved, b, a)
            yield pairs, value_a - value_b


def _require_sums(evaluation: Evaluation) -> None:
    others = [metric.name for metric in evaluation.metrics if not isinstance(metric, Metric)]
    if others:
        raise ValueError(
            f"swapped totals exist for metrics that are sums only, not for {', '.join(others)}."
        )
