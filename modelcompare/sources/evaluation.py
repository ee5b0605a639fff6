"""An evaluation whose samples are read block by block: the same numbers in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from modelcompare.arrays import FloatArray
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import TestSet
from modelcompare.engine.checkpoints import Checkpoint
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import AnyMetric
from modelcompare.resampling.weights import ROW_BLOCK, BootstrapWeights, Weights
from modelcompare.sources.areas import BinnedArea, BinnedAreas, binned
from modelcompare.sources.scanned import ScannedPredictions


def evaluate(
    predictions: TestSet, metrics: Sequence[AnyMetric], *, collapse: bool | None = None
) -> Evaluation:
    """An evaluation of predictions, wherever they are; arguments are those of `Evaluation`."""
    if isinstance(predictions, ScannedPredictions):
        return ScannedEvaluation(predictions, metrics, collapse=collapse)
    return Evaluation(predictions, metrics, collapse=collapse)


class ScannedEvaluation(Evaluation):
    """All metrics of all models of a scan; see `Evaluation`.

    Row blocks are read in their order, as often as totals, influences or distinct rows are asked
    for, and one of them is in memory at a time.
    """

    predictions: ScannedPredictions

    def __init__(
        self,
        predictions: ScannedPredictions,
        metrics: Sequence[AnyMetric],
        *,
        collapse: bool | None = None,
        stratify: bool = True,
    ) -> None:
        metrics = [binned(metric, predictions.head) for metric in metrics]
        whole = [m.name for m in metrics if not (m.is_additive or isinstance(m, BinnedArea))]
        if whole:
            raise ValueError(
                f"{', '.join(whole)} cannot be had block by block, as it needs all samples at once "
                "and not sums over them; read everything into memory with .load(), or leave it out."
            )
        # The block that was read last, behind its number; those to come, by that of the first.
        self._block = 0, predictions.head
        self._ahead: dict[int, Iterator[Predictions]] = {}
        super().__init__(predictions, metrics, collapse=collapse, stratify=stratify)

    def __getstate__(self) -> dict[str, Any]:
        # What is being read does not pickle; a copy reads for itself.
        return self.__dict__ | {"_block": (0, self.predictions.head), "_ahead": {}}

    def _part(self, rows: slice) -> tuple[Predictions, slice]:
        first, last, _ = rows.indices(len(self.predictions))
        number, start = divmod(first, ROW_BLOCK)
        if start + last - first > ROW_BLOCK:
            self.predictions.refuse("the statistics of all rows")
        here = slice(start, start + last - first)
        if number == 0:
            return self.predictions.head, here
        known, block = self._block
        if number != known:
            # Reading starts anew where it is not the next, or where the next was not to be had.
            ahead = self._ahead.pop(number, None) or self.predictions.blocks(number)
            block = next(ahead)
            self._block, self._ahead = (number, block), {number + 1: ahead}
        return block, here

    def _fill_others(
        self,
        out: FloatArray,
        weights: Weights,
        n_jobs: int | None,
        *,
        progress: bool = False,  # noqa: ARG002  sums are nearly always beside it, and have a bar
    ) -> None:
        for metric in self.metrics:
            if isinstance(metric, BinnedArea):
                where = self.metric_slice(metric.name)
                for rows, areas in self._areas.values(weights, n_jobs):
                    out[rows, :, where] = areas[..., None]

    def _leave_out(self, metric: AnyMetric, model: str, rows: slice) -> FloatArray:  # noqa: ARG002
        part, here = self._part(rows)
        return self._areas.left_out(part, model, here)

    @cached_property
    def _areas(self) -> BinnedAreas:
        return BinnedAreas(self.predictions, self.units)

    def _checkpoint(
        self, weights: Weights, models: slice, blocks: Sequence[int]
    ) -> Checkpoint | None:
        """Return the checkpoint of totals under drawn weights; one pass needs none."""
        folder = self.predictions.checkpoint
        if folder is None or self.collapsed or not isinstance(weights, BootstrapWeights):
            return None
        drawn = {
            name: getattr(weights, name, None) for name in ("n_resamples", "scheme", "size", "seed")
        }
        summed = [(column.statistic.name, column.width) for column in self.columns(models)]
        run = {
            "weights": type(weights).__name__, **drawn, "blocks": [*blocks], "sums": summed,
            "models": self.models[models], **self.predictions.reading,
        }  # fmt: skip
        return Checkpoint.of(folder, self.predictions.rows.fingerprint(), run)
