"""Studentized differences of averages over many classes after swaps, soft scores and all.

The d_i of `significance.studentized` are ``s_i u_i g + v_i h``: u and v are differences and sums of
the two models' residuals, a number for each class, and the slopes g and h are mean and half
difference of the two models', which change with every swap. Products of a matrix of samples and
classes with the slopes of each swap take long where classes are many. Around the slopes c of the
pooled totals, which no swap changes, ``g = c (1 + eta)`` and ``h = -c epsilon``; with
``delta_i = u_i c`` the sum of squares is

    (1 + lead)^2 sum delta^2 - 2 (1 + lead) epsilon C + epsilon G epsilon

where lead is eta A over the sum of delta^2, the part of eta along delta, and A and G are sums over
samples that no swap changes. Only C, the sum of ``s_i delta_i`` times v_i c, depends on the swap's
signs: one product in single precision. What it leaves out of eta, itself the square of the share by
which one model predicts a class more often than the other, is what varies between samples. The
numerator is the difference itself. Being one function of every swapped data set, the test is as
exact as with the squares in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from modelcompare.arrays import PASS_BYTES, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.halves import Halves
from modelcompare.engine.parallel import map_blocks
from modelcompare.engine.weights import Weights
from modelcompare.metrics.base import Metric
from modelcompare.significance.pair_forms import class_slopes, quotient_parts
from modelcompare.significance.swap_statistic import Result
from modelcompare.significance.swapped_sums import SwappedSums

# Numbers of samples, classes and pairs beyond which no product of each pair is formed.
_MOST_NUMBERS = 2**26
# Of fewer samples that move a drawn swap may be the data themselves, and rounding would tell.
_DOUBLE = 64


@dataclass(frozen=True)
class _Expansion:
    """What no swap of a pair changes.

    Parameters
    ----------
    slope : ndarray of shape (n_classes,)
        Slopes at the pooled totals.
    moves : ndarray of int
        Units whose outputs differ.
    columns : ndarray of shape (n_moves, n_classes)
        ``delta_i v_i c``.
    square : float
        Sum of ``delta^2``.
    along, alike : ndarray
        A and G.
    """

    slope: FloatArray
    moves: IntArray
    columns: Any
    square: float
    along: FloatArray
    alike: FloatArray

    @classmethod
    def of(cls, slope: FloatArray, first: Any, second: Any) -> _Expansion:
        """Expand around a slope; residuals (n_units, n_classes) of both models."""
        shares = slope.astype(np.float32)
        u, v = (first - second) * shares, (first + second) * shares
        delta = u.sum(axis=1)
        moves = np.flatnonzero(u.any(axis=1))
        columns = delta[moves, None] * v[moves]
        if len(moves) < _DOUBLE:
            columns = columns.astype(np.float64)
        along, alike = (np.asarray(x, dtype=np.float64) for x in (u.T @ delta, v.T @ v))
        return cls(slope, moves, columns, float(along.sum()), along, alike)

    @cached_property
    def total(self) -> FloatArray:
        """C as it is."""
        total: FloatArray = self.columns.sum(axis=0, dtype=np.float64)
        return total

    def crossed(self, swapped: Any) -> FloatArray:
        """C after swaps, masks (n_resamples, n_units), of shape (n_classes, n_resamples)."""
        if len(self.moves) < swapped.shape[1]:
            swapped = swapped[:, self.moves]
        sums = self.columns.T @ swapped.astype(self.columns.dtype, copy=False).T
        crossed: FloatArray = self.total[:, None] - 2.0 * sums
        return crossed

    def squares(self, crossed: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
        """Sums of squares (n_resamples,) at two models' slopes (n_classes, n_resamples)."""
        there = self.slope != 0
        scale = np.divide(0.5, self.slope, out=np.zeros_like(self.slope), where=there)[:, None]
        eta, epsilon = (first + second) * scale, (second - first) * scale
        lead = (self.along @ eta - self.along[there].sum()) / (self.square or 1.0)
        square = (1 + lead) ** 2 * self.square
        square -= 2 * (1 + lead) * np.einsum("ij,ij->j", crossed, epsilon)
        return square + np.einsum("ij,ij->j", self.alike @ epsilon, epsilon)


class SwappedAverages(SwappedSums):
    """Studentized differences of an average over classes, of any scores."""

    @property
    def _metric(self) -> Metric:
        (metric,) = self.metrics
        return metric

    @staticmethod
    def applies(evaluation: Evaluation, metric: Metric) -> bool:
        """Whether a metric is an average and not too large; strata are not centred here."""
        p = evaluation.predictions
        n_models, units = len(p.models), evaluation.units
        numbers = units.n_units * p.n_classes * max(1, n_models * (n_models - 1) // 2)
        return (
            metric.average is not None
            and units.strata is None
            and len(units.row_blocks()) == 1
            and numbers <= _MOST_NUMBERS
        )

    def reduced(
        self,
        masks: Weights,
        reduce: Callable[[FloatArray], Result],
        pairs: IntArray,
        n_jobs: int | None,
    ) -> list[Result]:
        out: list[Result] = []
        for blocks in self._passes(masks):
            moved = self._sums(masks, blocks, n_jobs)
            found = [np.empty((len(sums), len(pairs), 1)) for sums in moved]
            for places in np.array_split(np.arange(len(pairs)), self._n_chunks(len(pairs))):
                self._fill(found, masks, blocks, moved, pairs, places, n_jobs)
            out += [reduce(statistics) for statistics in found]
        return out

    def of_pairs(self, halves: Sequence[Halves], pairs: IntArray) -> FloatArray:
        """Statistics where nothing moves, for `observed`."""
        found = []
        for pair in pairs:
            own = self._expansion(int(pair))
            found.append(self._of_pair(int(pair), own, halves, own.total[:, None]))
        return np.stack(found, axis=1)[:, :, None]

    def enumerated_of(
        self, pairs: IntArray, bits: FloatArray, units: IntArray
    ) -> Iterator[tuple[int, FloatArray]]:
        swapped = np.zeros((len(bits), self.evaluation.units.n_units))
        swapped[:, units] = bits
        halves = self.halves(self._only_matrix[units].weighted(bits))
        for pair in pairs.tolist():
            own = self._expansion(pair)
            yield pair, self._of_pair(pair, own, halves, own.crossed(swapped))[:, None]

    def differing(self, parts: list[FloatArray]) -> Sequence[FloatArray]:
        numerator, denominator = self._quotient(parts)
        differ = [np.broadcast_to(x, numerator.shape) for x in (numerator, denominator)]
        return [x[..., [j]] for x in differ for j in range(x.shape[2])]

    def _statistics_of(self, rows: slice) -> FloatArray:
        # Few are asked for: those of all units need not be in memory.
        return self.evaluation.statistics(rows=rows, metrics=self.metrics)

    def _fill(
        self,
        found: list[FloatArray],
        masks: Weights,
        blocks: Sequence[int],
        moved: list[FloatArray],
        pairs: IntArray,
        places: IntArray,
        n_jobs: int | None,
    ) -> None:
        """Put the statistics of some pairs where they belong."""
        expansions = [self._expansion(int(pairs[place])) for place in places]

        def one(block: int) -> FloatArray:
            swapped = masks.draw_all(blocks[block]).astype(np.float32)
            halves = self.halves(moved[block])
            columns = [
                self._of_pair(int(pairs[place]), own, halves, own.crossed(swapped))
                for place, own in zip(places, expansions, strict=True)
            ]
            return np.stack(columns, axis=1)

        numbers = masks.block_size(0) * self.evaluation.units.n_units * len(places)
        done = map_blocks(one, range(len(blocks)), n_jobs, numbers=numbers)
        for block, columns in enumerate(done):
            found[block][:, places, 0] = columns

    def _of_pair(
        self, pair: int, own: _Expansion, halves: Sequence[Halves], crossed: FloatArray
    ) -> FloatArray:
        """Statistics (n_resamples,) of one pair."""
        a, b = self.model_a[pair], self.model_b[pair]
        sides = self._exchanged(halves, a, b), self._exchanged(halves, b, a)
        square = own.squares(crossed, *(class_slopes(self._metric, side).T for side in sides))
        values = [self._metric.value(*side) for side in sides]
        difference = values[0] - values[1]
        difference[np.abs(difference) <= 1e-13 * (np.abs(values[0]) + np.abs(values[1]))] = 0.0
        square = np.maximum(square, difference**2 / self.evaluation.units.size)
        return np.divide(
            difference, np.sqrt(square), out=np.zeros_like(difference), where=difference != 0
        )

    def _exchanged(self, halves: Sequence[Halves], stays: int, comes: int) -> list[FloatArray]:
        """Totals (n_resamples or 1, n_classes) of a model whose swapped outputs are another's."""
        return [
            total[:, 0] if each.shared else (each.kept[stays] + each.moved[comes]).T
            for each, total in zip(halves, self._total_groups, strict=True)
        ]

    def _n_chunks(self, n_pairs: int) -> int:
        """Of pairs whose columns fit into memory at once."""
        numbers = self.evaluation.units.n_units * self.evaluation.predictions.n_classes
        return min(n_pairs, -(-n_pairs * 2 * numbers // PASS_BYTES))

    def _expansion(self, pair: int) -> _Expansion:
        found = self._kept.get(pair)
        if found is None:
            found = self._expanded(int(self.model_a[pair]), int(self.model_b[pair]))
            if self._n_chunks(len(self.model_a)) == 1:
                self._kept[pair] = found
        return found

    @cached_property
    def _kept(self) -> dict[int, _Expansion]:
        """Expansions, where those of all pairs fit into memory."""
        return {}

    def _expanded(self, a: int, b: int) -> _Expansion:
        totals = [part[0, [min(m, part.shape[1] - 1) for m in (a, b)]].mean(axis=0)
                  for part in self._total_groups]  # fmt: skip
        numerator, denominator = quotient_parts(self._metric, totals)
        pooled = np.divide(
            numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0
        ).astype(np.float32)
        (n_a, d_a), (n_b, d_b) = self._quotients(a), self._quotients(b)
        slope = class_slopes(self._metric, [part[None] for part in totals])[0]
        return _Expansion.of(slope, n_a - pooled * d_a, n_b - pooled * d_b)

    @cached_property
    def _total_groups(self) -> list[FloatArray]:
        """Totals as they are, each (1, n_models or 1, n_classes)."""
        return self.groups(self.total[None])

    def _quotients(self, model: int) -> tuple[Any, Any]:
        """Numerators and denominators of a model's units, each (n_units, n_classes)."""
        found = self._kept_quotients.get(model)
        if found is None:
            found = self._formed_quotients(model)
            if len(self.evaluation.models) * found[0].nbytes <= PASS_BYTES:
                self._kept_quotients[model] = found
        return found

    @cached_property
    def _kept_quotients(self) -> dict[int, tuple[Any, Any]]:
        """Numerators and denominators, where those of all models fit into memory."""
        return {}

    def _formed_quotients(self, model: int) -> tuple[Any, Any]:
        alone = slice(model, model + 1)
        numbers = self.evaluation.statistics(alone, metrics=self.metrics)
        columns = self.evaluation.columns(alone, self.metrics)
        found = {column.statistic: column.of(numbers)[:, 0] for column in columns}
        own = [found[statistic] for statistic in self._metric.statistics]
        numerator, denominator = quotient_parts(self._metric, own)
        return numerator.astype(np.float32, order="C"), denominator.astype(np.float32, order="C")

    def _quotient(self, parts: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
        return quotient_parts(self._metric, parts)
