"""Weights: the number of times that each sample counts in each resample.

Draws are organised in fixed logical blocks of `RESAMPLE_BLOCK` resamples and `ROW_BLOCK` rows,
each with its own child of the seed: the same seed gives the same numbers for any number
of jobs, the memory at hand or the order in which blocks are drawn. Above `ROW_BLOCK` rows a
multinomial draw first decides how many samples fall into each row block, then which: still an
exact multinomial, by independent blocks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Self

import numpy as np

from modelcompare.arrays import CACHE_BYTES, ROW_BLOCK, AnyArray, FloatArray, IntArray
from modelcompare.resampling.draws import (
    HIGHEST_RATE,
    RESAMPLE_BLOCK,
    Draw,
    dirichlet,
    equally_likely,
    multinomial,
    narrowed,
    poisson,
    poisson_of_one_rate,
    shared_out,
)
from modelcompare.resampling.seeds import BOOTSTRAP, MASKS, STRATUM, stream
from modelcompare.words import Scheme

# Strata of fewer units are drawn as Rao & Wu (1988) do.
SMALL_STRATUM = 30


@dataclass(frozen=True)
class Units:
    """Sampling units: samples, whole clusters of samples, or distinct rows of the statistics.

    `multiplicity` is the number of identical samples in a distinct row, 1 if not given; `strata` is
    the stratum of each unit, whose number of samples every resample keeps; `rescaled` is whether a
    resample may have fractional weights, which small strata need. `sizes` are the samples in each
    unit, if units are buckets, whose sizes are random while those of strata are not.
    """

    n_units: int
    multiplicity: IntArray | None = None
    strata: IntArray | None = None
    rescaled: bool = True
    sizes: FloatArray | None = None

    @property
    def size(self) -> int:
        """Number of units drawn in a full resample."""
        return self.n_units if self.multiplicity is None else int(self.multiplicity.sum())

    def row_blocks(self) -> list[slice]:
        """Rows of each logical block."""
        starts = range(0, self.n_units, ROW_BLOCK)
        return [slice(start, min(start + ROW_BLOCK, self.n_units)) for start in starts]

    def counts(self, rows: slice | IntArray = slice(None)) -> IntArray:
        """Number of samples in each unit, or in some."""
        if self.multiplicity is None:
            places = range(*rows.indices(self.n_units)) if isinstance(rows, slice) else rows
            return np.ones(len(places), dtype=np.intp)
        return self.multiplicity[rows]


@dataclass(frozen=True)
class Weights(ABC):
    """Weights of units in resamples, in blocks of one or more logical blocks of resamples.

    Parameters
    ----------
    units : Units
        Units that are weighted.
    n_resamples : int
        Number of resamples.
    n_joined : int
        Number of logical blocks in a block: several are processed together if units are few.
    """

    units: Units
    n_resamples: int
    n_joined: int = field(default=1, kw_only=True)

    def joined(self, n_joined: int) -> Self:
        """Return the same weights in larger blocks."""
        return replace(self, n_joined=n_joined)

    @property
    def whole(self) -> bool:
        """True if all weights are drawn as whole numbers."""
        return True

    @property
    def n_blocks(self) -> int:
        """Number of blocks of resamples."""
        return -(-self.n_resamples // (self.n_joined * RESAMPLE_BLOCK))

    def rows(self, block: int) -> slice:
        """Return the resamples of a block."""
        size = self.n_joined * RESAMPLE_BLOCK
        return slice(block * size, min((block + 1) * size, self.n_resamples))

    def block_size(self, block: int) -> int:
        """Return the number of resamples in a block."""
        rows = self.rows(block)
        return rows.stop - rows.start

    def narrow(self, block: int, row_block: int) -> AnyArray:
        """Draw weights of one block, (block_size, n_rows), in narrow integers if whole."""
        drawn = [self._narrow(resamples, row_block) for resamples in self._logical(block)]
        return drawn[0] if len(drawn) == 1 else np.concatenate(drawn)

    def draw(self, block: int, row_block: int) -> FloatArray:
        """Draw weights of one block in double precision."""
        return self.narrow(block, row_block).astype(np.float64, copy=False)

    def draw_all(self, block: int) -> FloatArray:
        """Draw weights of one block of resamples for all units."""
        drawn = [self.draw(block, j) for j in range(len(self.units.row_blocks()))]
        return drawn[0] if len(drawn) == 1 else np.hstack(drawn)

    def blocks(self) -> Iterator[FloatArray]:
        """Yield weights of all units, block by block of resamples."""
        return map(self.draw_all, range(self.n_blocks))

    def parts(self, block: int, *, counts: bool = False) -> Iterator[AnyArray]:
        """Yield the rows of `draw_all`, some at a time; in narrow integers if `counts`."""
        drawn = self.draw_all(block)
        yield narrowed(drawn) if counts else drawn

    def _logical(self, block: int) -> list[slice]:
        """Return the resamples of each logical block of a block."""
        rows = self.rows(block)
        starts = range(rows.start, rows.stop, RESAMPLE_BLOCK)
        return [slice(start, min(start + RESAMPLE_BLOCK, rows.stop)) for start in starts]

    @abstractmethod
    def _narrow(self, resamples: slice, row_block: int) -> AnyArray:
        """Draw weights of one logical block."""


@dataclass(frozen=True)
class BootstrapWeights(Weights):
    """Weights of the units in each bootstrap resample.

    Multinomial counts (Efron 1979), independent Poisson(1) counts, or Dirichlet weights (Rubin
    1981), of all units or of `size` (m out of n). Multinomial counts of n_h of the n_h units of a
    stratum vary by (n_h - 1) / n_h of what they should, half for two units: of fewer than
    `SMALL_STRATUM`, n_h - 1 are drawn and weigh n_h / (n_h - 1) each (Rao & Wu 1988).
    """

    seed: np.random.SeedSequence
    scheme: Scheme = "multinomial"
    size: int | None = None

    @property
    def whole(self) -> bool:
        if self.scheme == "bayesian" or self.units.sizes is not None:
            return False
        return all(times == 1 for *_, times in self._strata.values())

    def parts(self, block: int, *, counts: bool = False) -> Iterator[AnyArray]:
        # Weights of all units, for at least one resample.
        step = max(1, 8 * CACHE_BYTES // (self.units.n_units * (1 if counts else 8)))
        row_blocks = range(len(self.units.row_blocks()))
        for resamples in self._logical(block):
            for drawn in zip(
                *(self._drawn(resamples, j, step, counts=counts) for j in row_blocks), strict=True
            ):
                yield drawn[0] if len(drawn) == 1 else np.hstack(drawn)

    def _narrow(self, resamples: slice, row_block: int) -> AnyArray:
        return next(self._drawn(resamples, row_block, RESAMPLE_BLOCK, counts=self.whole))

    def _drawn(
        self, resamples: slice, row_block: int, step: int, *, counts: bool
    ) -> Iterator[AnyArray]:
        """Yield weights of `step` resamples at a time, for the rows of a row block."""
        rows = self.units.row_blocks()[row_block]
        available = self.units.counts(rows)
        if self.units.strata is None:
            yield from self._of_stratum(-1, available, resamples, row_block, step, counts=counts)
            return
        strata, sizes = self.units.strata[rows], self.units.sizes
        members = {stratum: strata == stratum for stratum in np.unique(strata).tolist()}
        streams = [
            self._of_stratum(stratum, available[here], resamples, row_block, step, counts=counts)
            for stratum, here in members.items()
        ]
        for drawn in zip(*streams, strict=True):
            weights = np.empty((len(drawn[0]), len(available)), np.result_type(*drawn))
            for here, part in zip(members.values(), drawn, strict=True):
                weights[:, here] = part if sizes is None else _calibrated(part, sizes[here])
            yield weights

    def _of_stratum(
        self, number: int, available: IntArray, resamples: slice, row_block: int, step: int, *,
        counts: bool,
    ) -> Iterator[AnyArray]:  # fmt: skip
        sizes, times = self._sizes(number, resamples)[:, row_block], self._strata[number][-1]
        draw = self._draw(number, resamples, row_block, available)
        for start in range(0, len(sizes), step):
            drawn = draw(sizes[start : start + step])
            if times != 1:
                drawn = drawn * times
            yield narrowed(drawn) if counts else drawn.astype(np.float64, copy=False)

    def _draw(self, number: int, resamples: slice, row_block: int, available: IntArray) -> Draw:
        """Return the function that draws the weights of a stratum's units in one row block."""
        key = (resamples.start // RESAMPLE_BLOCK, row_block, number + 1)
        generator = _generator(self.seed, BOOTSTRAP, *key)
        if self.scheme == "bayesian":
            return partial(dirichlet, generator, available)
        equally_likely_units = self.units.multiplicity is None
        if self.scheme == "poisson":
            in_row_blocks, size, _ = self._strata[number]
            rate = size / int(in_row_blocks.sum())
            if not equally_likely_units or rate > HIGHEST_RATE:
                return partial(poisson, generator, (rate * available).astype(np.float64))
            more = _generator(self.seed, BOOTSTRAP, *key, 1)
            return partial(poisson_of_one_rate, generator, more, rate, len(available))
        if not equally_likely_units:
            return partial(multinomial, generator, available / available.sum())
        return partial(equally_likely, generator, len(available))

    def _sizes(self, number: int, resamples: slice) -> FloatArray:
        """Draw the size of each resample of a stratum by row block, (n_resamples, n_row_blocks).

        Drawn once: drawing for each row block would cost the square of their number.
        """
        if (number, resamples.start) in self._sizes_drawn:
            return self._sizes_drawn[number, resamples.start]
        (blocks, size, _), n_resamples = self._strata[number], resamples.stop - resamples.start
        out, here = np.zeros((n_resamples, len(blocks))), np.flatnonzero(blocks)
        if len(here) == 1:
            out[:, here] = size
            return out
        generator = _generator(self.seed, STRATUM, resamples.start // RESAMPLE_BLOCK, number + 1)
        if self.scheme == "bayesian":
            out[:, here] = size * generator.dirichlet(blocks[here], n_resamples)
        else:
            out[:] = generator.multinomial(size, blocks / blocks.sum(), n_resamples)
        self._sizes_drawn[number, resamples.start] = out
        return out

    @cached_property
    def _sizes_drawn(self) -> dict[tuple[int, int], FloatArray]:
        return {}

    @cached_property
    def _strata(self) -> dict[int, tuple[IntArray, int, float]]:
        """Units of each stratum in each row block, number drawn, and weight of a unit drawn.

        Number -1 is all units, without strata.
        """
        units, strata, first = self.units, self.units.strata, 0
        if strata is None:
            table = np.array([[units.counts(rows).sum() for rows in units.row_blocks()]])
            first = -1
        else:
            n_strata = int(strata.max()) + 1
            table = np.array([
                np.bincount(strata[rows], units.counts(rows), n_strata)
                for rows in units.row_blocks()
            ]).T.astype(np.intp)  # fmt: skip
        available = table.sum(axis=1)
        sizes = available if self.size is None else shared_out(self.size, available)
        rescales = units.rescaled and self.scheme == "multinomial" and self.size is None
        found = {}
        for number, (n, size) in enumerate(zip(available.tolist(), sizes.tolist(), strict=True)):
            small = rescales and strata is not None and 1 < n < SMALL_STRATUM
            times = n / (n - 1) if small else 1.0
            found[first + number] = table[number], size - small, times
        return found


@dataclass(frozen=True)
class SwapMasks(Weights):
    """Masks of the units that swap two models' outputs in each permutation.

    A mask is 0 or 1, each with probability 1/2; for distinct rows it is the number of the identical
    samples that swap. With `movable` units the masks are not random but all swaps of these units,
    once each: 2 to the power of their number.
    """

    seed: np.random.SeedSequence
    movable: IntArray | None = None

    @property
    def every(self) -> AnyArray:
        """All swaps of the movable units, (n_resamples, n_movable); the first changes nothing."""
        assert self.movable is not None  # noqa: S101  asked for where units are named
        return np.arange(self.n_resamples)[:, None] >> np.arange(len(self.movable)) & 1

    def _narrow(self, resamples: slice, row_block: int) -> AnyArray:
        rows, n_masks = self.units.row_blocks()[row_block], resamples.stop - resamples.start
        if self.movable is not None:
            weights = np.zeros((n_masks, self.units.n_units), np.uint8)
            weights[:, self.movable] = self.every[resamples]
            return weights[:, rows]
        generator = _generator(self.seed, MASKS, resamples.start // RESAMPLE_BLOCK, row_block)
        shape = (n_masks, rows.stop - rows.start)
        if self.units.multiplicity is not None:
            return generator.binomial(self.units.multiplicity[rows], 0.5, shape)
        n_bytes = -(-shape[0] * shape[1] // 8)
        bits = np.unpackbits(np.frombuffer(generator.bytes(n_bytes), np.uint8))
        return bits[: shape[0] * shape[1]].reshape(shape)


@dataclass(frozen=True)
class GivenWeights(Weights):
    """Given weights, of shape (n_resamples, n_units)."""

    weights: FloatArray

    @classmethod
    def of(cls, units: Units, weights: FloatArray) -> GivenWeights:
        """Return given weights (n_resamples, n_units)."""
        return cls(units, len(weights), weights)

    @classmethod
    def everything(cls, units: Units) -> GivenWeights:
        """Return every unit as often as it occurs, as one resample."""
        if units.multiplicity is None:
            # One number represents those of all units.
            return cls.of(units, np.broadcast_to(1.0, (1, units.n_units)))
        return cls.of(units, units.counts().astype(np.float64)[None])

    @property
    def whole(self) -> bool:
        return False

    def _narrow(self, resamples: slice, row_block: int) -> AnyArray:
        return self.weights[resamples, self.units.row_blocks()[row_block]]


def _calibrated(weights: FloatArray, sizes: FloatArray) -> FloatArray:
    """Scale the weights of a stratum's units, whose samples then are as many as in the stratum."""
    drawn = weights @ sizes
    return weights * (sizes.sum() / np.where(drawn > 0, drawn, 1.0))[:, None]


def _generator(seed: np.random.SeedSequence, purpose: int, *key: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(stream(seed, purpose, *key)))
