"""The weights: how often each sample counts in each resample.

Draws are organised in fixed logical blocks of `RESAMPLE_BLOCK` resamples and `ROW_BLOCK` rows,
each with a child of the seed of its own: the same seed gives the same numbers whatever the number
of jobs, the memory at hand or the order in which blocks are drawn. Above `ROW_BLOCK` rows a
multinomial draw first decides how many samples fall into each row block, then which: still an
exact multinomial, by blocks that need not know each other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from modelcompare.arrays import CACHE_BYTES, AnyArray, FloatArray, IntArray
from modelcompare.resampling.draws import (
    HIGHEST_RATE,
    RESAMPLE_BLOCK,
    Draw,
    EquallyLikely,
    PoissonCounts,
    dirichlet,
    multinomial,
    narrowed,
    poisson,
    shared_out,
)
from modelcompare.resampling.seeds import BOOTSTRAP, MASKS, STRATUM, stream
from modelcompare.words import Scheme

ROW_BLOCK = 65_536
# Strata of fewer units are drawn as Rao & Wu (1988) do.
SMALL_STRATUM = 30


@dataclass(frozen=True)
class Units:
    """Sampling units: samples, whole clusters of samples, or distinct rows of the statistics.

    `multiplicity` says how many equal samples a distinct row stands for, 1 if not given; `strata`
    the stratum of each unit, of which every resample keeps the number of samples; `rescaled`
    whether a resample may weigh units by fractions, as small strata need it.
    """

    n_units: int
    multiplicity: IntArray | None = None
    strata: IntArray | None = None
    rescaled: bool = True

    @property
    def size(self) -> int:
        """Number of units drawn in a full resample."""
        return self.n_units if self.multiplicity is None else int(self.multiplicity.sum())

    def row_blocks(self) -> list[slice]:
        """Rows of each logical block."""
        starts = range(0, self.n_units, ROW_BLOCK)
        return [slice(start, min(start + ROW_BLOCK, self.n_units)) for start in starts]

    def counts(self, rows: slice | IntArray = slice(None)) -> IntArray:
        """Number of samples behind each unit, or behind some."""
        if self.multiplicity is None:
            places = range(*rows.indices(self.n_units)) if isinstance(rows, slice) else rows
            return np.ones(len(places), dtype=np.intp)
        return self.multiplicity[rows]


@dataclass(frozen=True)
class Weights(ABC):
    """Weights of units in resamples, in logical blocks of resamples.

    Parameters
    ----------
    units : Units
        What a weight belongs to.
    n_resamples : int
        Number of resamples.
    """

    units: Units
    n_resamples: int

    @property
    def whole(self) -> bool:
        """True if all weights are whole numbers, and drawn as such."""
        return True

    @property
    def _per_block(self) -> int:
        return RESAMPLE_BLOCK

    @property
    def n_blocks(self) -> int:
        """Number of blocks of resamples."""
        return -(-self.n_resamples // self._per_block)

    def rows(self, block: int) -> slice:
        """Resamples of a block."""
        start = block * self._per_block
        return slice(start, min(start + self._per_block, self.n_resamples))

    def block_size(self, block: int) -> int:
        """Number of resamples in a block."""
        rows = self.rows(block)
        return rows.stop - rows.start

    @abstractmethod
    def narrow(self, block: int, row_block: int) -> AnyArray:
        """Weights (block_size, rows of the row block) of one block, in narrow integers if whole."""

    def draw(self, block: int, row_block: int) -> FloatArray:
        """Weights of one block in double precision."""
        return self.narrow(block, row_block).astype(np.float64, copy=False)

    def draw_all(self, block: int) -> FloatArray:
        """Weights of one block of resamples for all units."""
        drawn = [self.draw(block, j) for j in range(len(self.units.row_blocks()))]
        return drawn[0] if len(drawn) == 1 else np.hstack(drawn)

    def blocks(self) -> Iterator[FloatArray]:
        """Weights of all units, block by block of resamples."""
        return map(self.draw_all, range(self.n_blocks))

    def parts(self, block: int, *, counts: bool = False) -> Iterator[AnyArray]:
        """Yield the rows of `draw_all`, some at a time; in narrow integers if `counts`."""
        drawn = self.draw_all(block)
        yield narrowed(drawn) if counts else drawn


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
        return self.scheme != "bayesian" and not any(map(self._is_rescaled, self._strata))

    def parts(self, block: int, *, counts: bool = False) -> Iterator[AnyArray]:
        # Weights of all units, of one resample at least.
        step = max(1, 8 * CACHE_BYTES // (self.units.n_units * (1 if counts else 8)))
        blocks = range(len(self.units.row_blocks()))
        for drawn in zip(
            *(self._drawn(block, j, step, counts=counts) for j in blocks), strict=True
        ):
            yield drawn[0] if len(drawn) == 1 else np.hstack(drawn)

    def narrow(self, block: int, row_block: int) -> AnyArray:
        return next(self._drawn(block, row_block, RESAMPLE_BLOCK, counts=self.whole))

    def _drawn(self, block: int, row_block: int, step: int, *, counts: bool) -> Iterator[AnyArray]:
        """Weights of so many resamples of a block after others, for the rows of a row block."""
        rows = self.units.row_blocks()[row_block]
        available = self.units.counts(rows)
        if self.units.strata is None:
            yield from self._of_stratum(block, row_block, available, step, counts, stratum=-1)
            return
        strata = self.units.strata[rows]
        members = {stratum: strata == stratum for stratum in np.unique(strata).tolist()}
        streams = [
            self._of_stratum(block, row_block, available[here], step, counts, stratum=stratum)
            for stratum, here in members.items()
        ]
        for drawn in zip(*streams, strict=True):
            weights = np.empty((len(drawn[0]), len(available)), np.result_type(*drawn))
            for here, part in zip(members.values(), drawn, strict=True):
                weights[:, here] = part
            yield weights

    def _of_stratum(
        self,
        block: int,
        row_block: int,
        available: IntArray,
        step: int,
        counts: bool,
        *,
        stratum: int,
    ) -> Iterator[AnyArray]:
        sizes = self._sizes(block, row_block, stratum)
        draw = self._draw((block, row_block, stratum + 1), available, sizes)
        n = self._stratum_available(stratum)
        for start in range(0, len(sizes), step):
            drawn = draw(sizes[start : start + step])
            if self._is_rescaled(stratum):
                drawn = drawn * (n / (n - 1))
            yield narrowed(drawn) if counts else drawn.astype(np.float64, copy=False)

    def _draw(self, key: tuple[int, int, int], available: IntArray, sizes: FloatArray) -> Draw:
        """Give what draws the weights of a stratum's units in one row block."""
        generator = _generator(self.seed, BOOTSTRAP, *key)
        if self.scheme == "bayesian":
            return partial(dirichlet, generator, available)
        alike = self.units.multiplicity is None
        if self.scheme == "poisson":
            stratum = key[-1] - 1
            rate = self._stratum_size(stratum) / self._stratum_available(stratum)
            if not alike or rate > HIGHEST_RATE:
                return partial(poisson, generator, (rate * available).astype(np.float64))
            return PoissonCounts(
                generator, _generator(self.seed, BOOTSTRAP, *key, 1), rate, len(available)
            )
        if not alike:
            return partial(multinomial, generator, available / available.sum())
        return EquallyLikely(generator, len(available), int(sizes.sum()))

    def _sizes(self, block: int, row_block: int, stratum: int) -> FloatArray:
        """Size of each resample within one row block of a stratum."""
        n_resamples, size = self.block_size(block), self._stratum_size(stratum)
        size -= self._is_rescaled(stratum)
        blocks = self._row_block_table[stratum + 1]
        if np.count_nonzero(blocks) == 1:
            return np.full(n_resamples, float(size))
        if (block, stratum) not in self._block_sizes:
            generator = _generator(self.seed, STRATUM, block, stratum + 1)
            if self.scheme == "bayesian":
                drawn: AnyArray = np.zeros((n_resamples, len(blocks)))
                drawn[:, blocks > 0] = size * generator.dirichlet(blocks[blocks > 0], n_resamples)
            else:
                drawn = generator.multinomial(size, blocks / blocks.sum(), n_resamples)
            self._block_sizes[block, stratum] = drawn
        return self._block_sizes[block, stratum][:, row_block].astype(np.float64)

    @cached_property
    def _block_sizes(self) -> dict[tuple[int, int], AnyArray]:
        """Sizes within all row blocks, by block of resamples and stratum.

        Drawn once: anew for each row block it would cost the square of their number.
        """
        return {}

    @cached_property
    def _row_block_table(self) -> IntArray:
        """Samples of each stratum in each row block; row 0 counts all strata together."""
        units, strata = self.units, self.units.strata
        if strata is None:
            table = np.array([[units.counts(rows).sum() for rows in units.row_blocks()]])
        else:
            n_strata = int(strata.max()) + 1
            found = [
                np.bincount(strata[rows], units.counts(rows), n_strata)
                for rows in units.row_blocks()
            ]
            table = np.array(found).T.astype(np.intp)
        return np.vstack([table.sum(axis=0), table])

    @property
    def _strata(self) -> range:
        return range(0 if self.units.strata is None else int(self.units.strata.max()) + 1)

    def _is_rescaled(self, stratum: int) -> bool:
        """True if one unit less is drawn than there are, and all weigh more."""
        rescales = self.units.rescaled and self.scheme == "multinomial" and self.size is None
        in_strata = self.units.strata is not None
        return rescales and in_strata and 1 < self._stratum_available(stratum) < SMALL_STRATUM

    def _stratum_available(self, stratum: int) -> int:
        return int(self._row_block_table[stratum + 1].sum())

    def _stratum_size(self, stratum: int) -> int:
        if self.size is None:
            return self._stratum_available(stratum)
        strata = self._strata or range(1)
        counts = np.array([self._stratum_available(place) for place in strata])
        return int(shared_out(self.size, counts)[stratum])


@dataclass(frozen=True)
class SwapMasks(Weights):
    """Masks of the units that swap two models' outputs in each random permutation.

    A mask holds 0 or 1, each with probability 1/2; for distinct rows it holds how many of the
    equal samples swap.
    """

    seed: np.random.SeedSequence

    def narrow(self, block: int, row_block: int) -> AnyArray:
        rows = self.units.row_blocks()[row_block]
        generator = _generator(self.seed, MASKS, block, row_block)
        shape = (self.block_size(block), rows.stop - rows.start)
        if self.units.multiplicity is not None:
            return generator.binomial(self.units.multiplicity[rows], 0.5, shape)
        n_bytes = -(-shape[0] * shape[1] // 8)
        bits = np.unpackbits(np.frombuffer(generator.bytes(n_bytes), np.uint8))
        return bits[: shape[0] * shape[1]].reshape(shape)


@dataclass(frozen=True)
class AllSwaps(Weights):
    """Every way of swapping the `movable` units, once each: 2 to the power of their number."""

    movable: IntArray

    def narrow(self, block: int, row_block: int) -> AnyArray:
        rows = self.units.row_blocks()[row_block]
        here = self.rows(block)
        weights = np.zeros((self.block_size(block), self.units.n_units))
        bits = np.arange(here.start, here.stop)[:, None] >> np.arange(len(self.movable))
        weights[:, self.movable] = bits & 1
        return weights[:, rows]


@dataclass(frozen=True)
class GivenWeights(Weights):
    """Weights that are there already: in one block, or in as many as are drawn."""

    weights: FloatArray
    in_blocks: bool = False

    @classmethod
    def of(cls, units: Units, weights: FloatArray, *, in_blocks: bool = False) -> GivenWeights:
        """Weights (n_resamples, n_units)."""
        return cls(units, len(weights), weights, in_blocks)

    @classmethod
    def everything(cls, units: Units) -> GivenWeights:
        """Every unit as often as it occurs, as one resample."""
        if units.multiplicity is None:
            # One number stands for those of all units, however many there are.
            return cls.of(units, np.broadcast_to(1.0, (1, units.n_units)))
        return cls.of(units, units.counts().astype(np.float64)[None])

    @property
    def whole(self) -> bool:
        return False

    @property
    def _per_block(self) -> int:
        return RESAMPLE_BLOCK if self.in_blocks else max(1, self.n_resamples)

    def narrow(self, block: int, row_block: int) -> AnyArray:
        return self.weights[self.rows(block), self.units.row_blocks()[row_block]]


@dataclass(frozen=True)
class JoinedBlocks(Weights):
    """Several blocks of weights as one, so that few units are gone through at once."""

    weights: Weights
    n_joined: int

    @property
    def whole(self) -> bool:
        return self.weights.whole

    @property
    def _per_block(self) -> int:
        return self.n_joined * self.weights._per_block

    def narrow(self, block: int, row_block: int) -> AnyArray:
        return np.concatenate([self.weights.narrow(b, row_block) for b in self._blocks(block)])

    def parts(self, block: int, *, counts: bool = False) -> Iterator[AnyArray]:
        for part in self._blocks(block):
            yield from self.weights.parts(part, counts=counts)

    def _blocks(self, block: int) -> range:
        start = block * self.n_joined
        return range(start, min(start + self.n_joined, self.weights.n_blocks))


def joined(weights: Weights, width: int) -> Weights:
    """Join blocks of weights that are too small; `width` numbers belong to a resample."""
    n_joined = CACHE_BYTES // (8 * max(1, width * weights.block_size(0)))
    if n_joined < 2 or weights.n_blocks < 2:
        return weights
    return JoinedBlocks(weights.units, weights.n_resamples, weights, n_joined)


def _generator(seed: np.random.SeedSequence, purpose: int, *key: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(stream(seed, purpose, *key)))
