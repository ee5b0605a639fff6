"""An evaluation whose samples are read block by block: the same numbers in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.labels import Labels
from modelcompare.engine.parallel import no_bar, progress_bar
from modelcompare.engine.statistics import COLLAPSE_AT
from modelcompare.engine.units import collapsible
from modelcompare.metrics.base import AnyMetric
from modelcompare.resampling.weights import ROW_BLOCK, BootstrapWeights, SwapMasks, Weights
from modelcompare.sources.areas import BinnedArea, BinnedAreas, binned
from modelcompare.sources.checkpoints import Checkpoint
from modelcompare.sources.scanned import ScannedPredictions

# Blocks whose distinct rows are put together at once.
_AT_ONCE = 64


def distinct_rows(
    scan: ScannedPredictions, metrics: Sequence[AnyMetric], *, required: bool
) -> Labels | None:
    """Distinct combinations of the true class and all models' predicted classes.

    None where metrics look at more than these, or where there are more of them than a small share
    of the rows, unless they are required.
    """
    if not collapsible(metrics, scan.head, required=required):
        return None
    most = len(scan) if required else int(COLLAPSE_AT * len(scan))
    return scan.kept(("distinct", required), lambda: _few(scan, most))


def _few(scan: ScannedPredictions, most: int) -> Labels | None:
    """The distinct rows, where they are no more than so many."""
    counted = scan.counted()
    if counted is not None:
        rows, times = counted
        return _joined([replace(Labels.of_each(rows), multiplicity=times)])
    held: list[Labels] = []
    for block in scan.blocks():
        held.append(Labels.distinct(block))
        if len(held) > _AT_ONCE:
            held = [_joined(held)]
            if held[0].n_rows > most:
                return None
    found = _joined(held)
    return found if found.n_rows <= most else None


def _joined(parts: Sequence[Labels]) -> Labels:
    """The distinct rows of several parts, sorted as those of a whole are."""
    rows = np.concatenate([np.stack([part.codes, *part.predicted], axis=1) for part in parts])
    found, place = np.unique(rows, axis=0, return_inverse=True)
    times = np.concatenate([part.multiplicity for part in parts])
    multiplicity = np.bincount(place.ravel(), times).astype(np.intp)
    codes, *predicted = found.T
    return Labels(codes, predicted, parts[0].n_classes, multiplicity)


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
    ) -> None:
        metrics = [binned(metric, predictions.head) for metric in metrics]
        whole = [m.name for m in metrics if not (m.is_additive or isinstance(m, BinnedArea))]
        if whole:
            raise ValueError(
                f"{', '.join(whole)} cannot be had block by block, as it needs all samples at once "
                "and not sums over them; read everything into memory with .load(), or leave it out."
            )
        self._window = _Window(predictions)
        self._bar = no_bar()
        super().__init__(predictions, metrics, collapse=collapse)

    def replicates(
        self, weights: Weights, *, n_jobs: int | None = None, progress: bool = False
    ) -> FloatArray:
        if self.collapsed:
            return super().replicates(weights, n_jobs=n_jobs, progress=progress)
        n_rows = len(self._passes(weights)) * self.units.n_units
        with progress_bar(n_rows, progress, unit=" rows") as self._bar:
            return super().replicates(weights, n_jobs=n_jobs)

    @property
    def largest_weight(self) -> float:
        if not self.predictions.weighted:
            return 1.0
        weights = (block.sample_weight for block in self.predictions.blocks())
        largest = (float(weight.max()) for weight in weights if weight is not None)
        return self.predictions.kept("largest weight", lambda: max(largest))

    def of_metrics(self, metrics: Sequence[AnyMetric]) -> ScannedEvaluation:
        return ScannedEvaluation(self.predictions, metrics, collapse=self.collapsed)

    def _fill_others(
        self,
        out: FloatArray,
        weights: Weights,
        n_jobs: int | None,
        *,
        progress: bool = False,  # noqa: ARG002  the bar counts rows
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

    def _running_totals(
        self,
        weights: Weights,
        models: slice,
        blocks: Sequence[int],
        n_jobs: int | None,
        totals: Sequence[FloatArray] = (),
        start: int = 0,
    ) -> Iterator[list[FloatArray]]:
        checkpoint = self._checkpoint(weights, models, blocks)
        start, totals = (start, totals) if checkpoint is None else checkpoint.load()
        if totals:
            yield [*totals]
        rows = self.units.row_blocks()
        self._bar.update(sum(each.stop - each.start for each in rows[:start]))
        running = super()._running_totals(weights, models, blocks, n_jobs, totals, start)
        for done, totals in enumerate(running, start + 1):
            if checkpoint is not None:
                checkpoint.save(done, totals, last=done == len(rows))
            self._bar.update(rows[done - 1].stop - rows[done - 1].start)
            yield totals

    def _checkpoint(
        self, weights: Weights, models: slice, blocks: Sequence[int]
    ) -> Checkpoint | None:
        """Where the totals under drawn weights are kept, if they are; one pass is soon done."""
        folder = self.predictions.checkpoint
        drawn_by_seed = isinstance(weights, BootstrapWeights | SwapMasks)
        if folder is None or self.collapsed or not drawn_by_seed:
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

    def _distinct(self, strata: AnyArray | None, *, required: bool) -> Labels | None:  # noqa: ARG002
        return distinct_rows(self.predictions, self.metrics, required=required)

    def _part(self, rows: slice) -> tuple[TestSet, slice]:
        first, last, _ = rows.indices(self.units.n_units)
        block, start = divmod(first, ROW_BLOCK)
        if start + last - first > ROW_BLOCK:
            self.predictions.refuse("the statistics of all rows")
        return self._window.at(block), slice(start, start + last - first)

    def _everyone(self, model: str) -> None:  # noqa: ARG002
        return None


class _Window:
    """The block that was asked for last, and the way to the next."""

    def __init__(self, predictions: ScannedPredictions) -> None:
        self._predictions = predictions
        self._place = 0
        self._block: Predictions = predictions.head
        self._next: Iterator[Predictions] = iter(())

    def at(self, place: int) -> TestSet:
        """The block of a number; reading starts anew where it is not the next."""
        if place == 0:
            return self._predictions.head
        if place != self._place:
            if place != self._place + 1 or self._place == 0:
                self._next = self._predictions.blocks(place)
            self._block, self._place = next(self._next), place
        return self._block
