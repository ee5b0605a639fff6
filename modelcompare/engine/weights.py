"""What the engine needs of a source of weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from modelcompare.arrays import CACHE_BYTES, AnyArray, FloatArray
from modelcompare.resampling.weights import Units


class Weights(Protocol):
    """What the engine needs of a source of weights (`resampling.BootstrapWeights`, ...)."""

    @property
    def n_resamples(self) -> int: ...
    @property
    def n_blocks(self) -> int: ...
    @property
    def whole(self) -> bool: ...
    def rows(self, block: int) -> slice: ...
    def block_size(self, block: int) -> int: ...
    def draw(self, block: int, row_block: int) -> FloatArray: ...
    def narrow(self, block: int, row_block: int) -> AnyArray: ...
    def draw_all(self, block: int) -> FloatArray: ...
    def parts(self, block: int, *, counts: bool = False) -> Iterator[AnyArray]: ...


@dataclass(frozen=True)
class Everything:
    """Every unit as often as it occurs, as one resample."""

    units: Units
    n_resamples: int = 1
    n_blocks: int = 1
    whole: bool = False

    def rows(self, block: int) -> slice:
        return slice(block, min(block + 1, 1))

    def block_size(self, block: int) -> int:  # noqa: ARG002
        return 1

    def draw(self, block: int, row_block: int) -> FloatArray:  # noqa: ARG002
        return self._counts(self.units.row_blocks()[row_block])

    def narrow(self, block: int, row_block: int) -> AnyArray:
        return self.draw(block, row_block)

    def draw_all(self, block: int) -> FloatArray:  # noqa: ARG002
        return self._counts(slice(None))

    def parts(self, block: int, *, counts: bool = False) -> Iterator[AnyArray]:
        drawn = self.draw_all(block)
        yield drawn.astype(np.int32) if counts else drawn

    def _counts(self, rows: slice) -> FloatArray:
        return self.units.counts(rows).astype(np.float64)[None, :]


@dataclass(frozen=True)
class GivenWeights:
    """Weights that are there already, as one source of weights."""

    weights: FloatArray
    units: Units

    @property
    def n_resamples(self) -> int:
        return len(self.weights)

    @property
    def n_blocks(self) -> int:
        return 1

    @property
    def whole(self) -> bool:
        return False

    def rows(self, block: int) -> slice:
        return slice(0, len(self.weights)) if block == 0 else slice(0, 0)

    def block_size(self, block: int) -> int:
        return len(self.weights[self.rows(block)])

    def draw(self, block: int, row_block: int) -> FloatArray:
        return self.weights[self.rows(block), self.units.row_blocks()[row_block]]

    def narrow(self, block: int, row_block: int) -> AnyArray:
        return self.draw(block, row_block)

    def draw_all(self, block: int) -> FloatArray:
        return self.weights[self.rows(block)]

    def parts(self, block: int, *, counts: bool = False) -> Iterator[AnyArray]:
        drawn = self.draw_all(block)
        yield drawn.astype(np.int32) if counts else drawn


@dataclass(frozen=True)
class JoinedBlocks:
    """Several blocks of a source of weights as one, so that few units are gone through at once."""

    weights: Weights
    n_joined: int

    @property
    def n_resamples(self) -> int:
        return self.weights.n_resamples

    @property
    def n_blocks(self) -> int:
        return -(-self.weights.n_blocks // self.n_joined)

    @property
    def whole(self) -> bool:
        return self.weights.whole

    def rows(self, block: int) -> slice:
        joined = self._blocks(block)
        return slice(self.weights.rows(joined[0]).start, self.weights.rows(joined[-1]).stop)

    def block_size(self, block: int) -> int:
        rows = self.rows(block)
        return rows.stop - rows.start

    def draw(self, block: int, row_block: int) -> FloatArray:
        return np.concatenate([self.weights.draw(b, row_block) for b in self._blocks(block)])

    def narrow(self, block: int, row_block: int) -> AnyArray:
        return np.concatenate([self.weights.narrow(b, row_block) for b in self._blocks(block)])

    def draw_all(self, block: int) -> FloatArray:
        return np.concatenate([self.weights.draw_all(b) for b in self._blocks(block)])

    def parts(self, block: int, *, counts: bool = False) -> Iterator[AnyArray]:
        for part in self._blocks(block):
            yield from self.weights.parts(part, counts=counts)

    def _blocks(self, block: int) -> range:
        start = block * self.n_joined
        return range(start, min(start + self.n_joined, self.weights.n_blocks))


def joined(weights: Weights, width: int) -> Weights:
    """The same weights in blocks that are not too small; `width` numbers belong to a resample."""
    n_joined = CACHE_BYTES // (8 * max(1, width * weights.block_size(0)))
    return JoinedBlocks(weights, n_joined) if n_joined > 1 else weights
