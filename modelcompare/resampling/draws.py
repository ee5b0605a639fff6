"""What draws the weights of resample after resample: functions of the resamples' sizes.

Each gives one row for each size, and the same rows whether it is asked for all of them at once or
for some after others. Whole counts come in eight bits where they fit.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import lru_cache
from types import ModuleType

import numpy as np
from scipy import sparse

from modelcompare.arrays import CACHE_BYTES, AnyArray, FloatArray, IntArray
from modelcompare.compiled import kernels_for

Draw = Callable[[FloatArray], AnyArray]

# Poisson counts of a higher rate may reach the mark of those that are not decided yet.
HIGHEST_RATE = 64.0
_UNDECIDED = 255
# Of counts with this mean none is above 255, but for a share of 1e-136.
_NARROW_MEAN = 32


def narrowed(counts: AnyArray) -> AnyArray:
    """Counts in 8 bits where they fit, else in 32."""
    if counts.dtype == np.uint8:
        return counts
    fits = counts.size == 0 or counts.max() <= np.iinfo(np.uint8).max
    return counts.astype(np.uint8 if fits else np.int32)


class EquallyLikely:
    """Multinomial counts of equally likely units, with the numbers of ``generator.integers``.

    Compiled loops draw the same ones, from where the generator stands.
    """

    def __init__(self, generator: np.random.Generator, n_units: int, n_draws: int) -> None:
        self._generator, self._n_units = generator, n_units
        self._kernels = kernels_for(n_draws)
        if self._kernels:
            words = generator.bit_generator.state["state"]["state"]
            # No half of a word is left over from an earlier draw.
            self._state = np.append(words, np.zeros(2, np.uint64))

    def __call__(self, sizes: FloatArray) -> AnyArray:
        if self._kernels and len(sizes):
            return np.stack([self._compiled(self._kernels, int(size)) for size in sizes])
        whole = sizes.astype(np.intp)
        most = int(whole.max(initial=0))
        narrow = most <= _NARROW_MEAN * self._n_units
        out = np.empty((len(sizes), self._n_units), np.uint8 if narrow else np.int32)
        # Many may be drawn of few. At a byte a count, threads seldom wait for the interpreter.
        at_once = max(1, CACHE_BYTES // max(self._n_units, most))
        for start in range(0, len(sizes), at_once):
            self._fill(out[start : start + at_once], whole[start : start + at_once])
        return out

    def _fill(self, rows: AnyArray, sizes: IntArray) -> None:
        ends = np.cumsum([0, *sizes])
        kind = np.int32 if ends[-1] < 2**31 else np.int64
        drawn = self._generator.integers(0, self._n_units, ends[-1], kind)
        # Other threads draw meanwhile; `numpy.bincount` holds the interpreter.
        counts = (np.ones(len(drawn), rows.dtype), drawn, ends.astype(kind))
        sparse.csr_array(counts, shape=rows.shape).toarray(out=rows)

    def _compiled(self, kernels: ModuleType, size: int) -> AnyArray:
        before, counts = self._state.copy(), np.zeros(self._n_units, np.uint8)
        if kernels.count(self._state, size, counts) == size:
            return counts
        wide = np.zeros(self._n_units, np.int32)
        kernels.count(before, size, wide)
        return wide


class PoissonCounts:
    """Independent Poisson counts of one rate, with probabilities exact to 2^-64.

    16 random bits decide all but some of a thousand counts; those take 48 more, from a generator
    of their own, so that no count depends on how many are drawn at once.
    """

    def __init__(
        self, generator: np.random.Generator, more: np.random.Generator, rate: float, n_units: int
    ) -> None:
        self._bits, self._more = generator.bit_generator, more.bit_generator
        self._passed, self._decided = _poisson_steps(rate)
        self._n_units = n_units

    def __call__(self, sizes: FloatArray) -> AnyArray:
        out = np.empty((len(sizes), self._n_units), np.uint8)
        # The table of decided counts, of 64 KiB, is to stay in the cache beside their bits.
        at_once = max(1, CACHE_BYTES // (64 * self._n_units))
        for start in range(0, len(sizes), at_once):
            self._fill(out[start : start + at_once])
        return out

    def _fill(self, rows: AnyArray) -> None:
        n_rows, n_units = rows.shape
        n_words = -(-n_units // 4)
        words = self._bits.random_raw(n_rows * n_words).reshape(n_rows, n_words)
        # The lowest bits of a word come first, on every machine.
        bits = words.astype("<u8", copy=False).view("<u2")[:, :n_units]
        self._decided.take(bits, out=rows, mode="clip")
        undecided = np.nonzero(rows == _UNDECIDED)
        first = bits[undecided].astype(np.uint64) << np.uint64(48)
        more = self._more.random_raw(len(first)) >> np.uint64(16)
        rows[undecided] = np.searchsorted(self._passed, first | more, side="right")


@lru_cache(maxsize=16)
def _poisson_steps(rate: float) -> tuple[AnyArray, AnyArray]:
    """Where a uniform 64-bit number passes from one count to the next; counts by its first 16."""
    with localcontext(prec=60):
        term = total = Decimal(-rate).exp()
        steps = [int(total * 2**64)]
        while len(steps) <= rate or term * 2**64 > 1:
            term *= Decimal(rate) / len(steps)
            total += term
            steps.append(min(int(total * 2**64), 2**64 - 1))
    passed = np.array(steps, np.uint64)
    least = np.arange(2**16, dtype=np.uint64) << np.uint64(48)
    low, high = (
        np.searchsorted(passed, ends, side="right")
        for ends in (least, least + np.uint64(2**48 - 1))
    )
    return passed, np.where(low == high, low, _UNDECIDED).astype(np.uint8)


def poisson(generator: np.random.Generator, rates: FloatArray, sizes: FloatArray) -> AnyArray:
    """Independent Poisson counts of rates of their own."""
    return generator.poisson(rates, (len(sizes), len(rates)))


def multinomial(generator: np.random.Generator, shares: FloatArray, sizes: FloatArray) -> AnyArray:
    """Multinomial counts of units with shares of their own."""
    return generator.multinomial(sizes.astype(np.intp), shares)


def dirichlet(generator: np.random.Generator, counts: IntArray, sizes: FloatArray) -> AnyArray:
    """Dirichlet weights with the sum that is asked for."""
    raw = generator.standard_gamma(counts, (len(sizes), len(counts)))
    return raw * (sizes / raw.sum(axis=1))[:, None]
