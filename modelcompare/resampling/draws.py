"""Random counts, subsets, groups and numbers.

A `Draw` is a function of the sizes of resamples that returns a row of weights for each. Rows are
the same whether it is called once for all sizes or several times. Whole counts have eight bits if
they fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from functools import lru_cache

import numpy as np
from scipy import sparse

from modelcompare.arrays import CACHE_BYTES, AnyArray, FloatArray, IntArray
from modelcompare.resampling.seeds import SUBSAMPLE, child_seed, stream

Draw = Callable[[FloatArray], AnyArray]

RESAMPLE_BLOCK = 128

# Poisson counts of a higher rate may reach the value that marks undecided counts.
HIGHEST_RATE = 64.0
_UNDECIDED = 255
# Counts with this mean exceed 255 with probability 1e-136.
_NARROW_MEAN = 32


def narrowed(counts: AnyArray) -> AnyArray:
    """Return counts in 8 bits if they fit, else in 32."""
    if counts.dtype == np.uint8:
        return counts
    fits = counts.size == 0 or counts.max() <= np.iinfo(np.uint8).max
    return counts.astype(np.uint8 if fits else np.int32)


def equally_likely(generator: np.random.Generator, n_units: int, sizes: FloatArray) -> AnyArray:
    """Draw multinomial counts of equally likely units."""
    whole = sizes.astype(np.intp)
    most = int(whole.max(initial=0))
    out = np.empty((len(sizes), n_units), np.uint8 if most <= _NARROW_MEAN * n_units else np.int32)
    # Many draws may be of few units. At a byte a count, threads seldom wait for the interpreter.
    at_once = max(1, CACHE_BYTES // max(n_units, most))
    for start in range(0, len(sizes), at_once):
        _count_draws(generator, out[start : start + at_once], whole[start : start + at_once])
    return out


def _count_draws(generator: np.random.Generator, rows: AnyArray, sizes: IntArray) -> None:
    """Fill rows (n_resamples, n_units) with counts; the sizes are the numbers of draws."""
    ends = np.cumsum([0, *sizes])
    kind = np.int32 if ends[-1] < 2**31 else np.int64
    drawn = generator.integers(0, rows.shape[1], ends[-1], kind)
    # Other threads draw meanwhile; `numpy.bincount` locks the interpreter.
    counts = (np.ones(len(drawn), rows.dtype), drawn, ends.astype(kind))
    sparse.csr_array(counts, shape=rows.shape).toarray(out=rows)


def poisson_of_one_rate(
    generator: np.random.Generator, more: np.random.Generator, rate: float, n_units: int,
    sizes: FloatArray,
) -> AnyArray:  # fmt: skip
    """Draw independent Poisson counts of one rate, with probabilities exact to 2^-64.

    16 random bits determine all but a few of a thousand counts; those take 48 more, from a separate
    generator, so that counts do not depend on how many are drawn together.
    """
    if rate == 0:
        return np.zeros((len(sizes), n_units), np.uint8)
    passed, decided = _poisson_steps(rate)
    out = np.empty((len(sizes), n_units), np.uint8)
    # The table of decided counts, of 64 KiB, should stay in the cache with their bits.
    at_once, n_words = max(1, CACHE_BYTES // (64 * n_units)), -(-n_units // 4)
    for start in range(0, len(out), at_once):
        rows = out[start : start + at_once]
        words = generator.bit_generator.random_raw(len(rows) * n_words).reshape(-1, n_words)
        # The lowest bits of a word come first, on every machine.
        bits = words.astype("<u8", copy=False).view("<u2")[:, :n_units]
        decided.take(bits, out=rows, mode="clip")
        undecided = np.nonzero(rows == _UNDECIDED)
        first = bits[undecided].astype(np.uint64) << np.uint64(48)
        further = more.bit_generator.random_raw(len(first)) >> np.uint64(16)
        rows[undecided] = np.searchsorted(passed, first | further, side="right")
    return out


@lru_cache(maxsize=16)
def _poisson_steps(rate: float) -> tuple[AnyArray, AnyArray]:
    """Return thresholds of a uniform 64-bit number between counts; counts by its first 16 bits."""
    with localcontext(prec=60):
        term = total = Decimal(-rate).exp()
        steps = [min(int(total * 2**64), 2**64 - 1)]
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
    """Draw independent Poisson counts, each with its own rate."""
    return generator.poisson(rates, (len(sizes), len(rates)))


def multinomial(generator: np.random.Generator, shares: FloatArray, sizes: FloatArray) -> AnyArray:
    """Draw multinomial counts of units with unequal shares."""
    return generator.multinomial(sizes.astype(np.intp), shares)


def dirichlet(generator: np.random.Generator, counts: IntArray, sizes: FloatArray) -> AnyArray:
    """Draw Dirichlet weights with given sums."""
    raw = generator.standard_gamma(counts, (len(sizes), len(counts)))
    return raw * (sizes / raw.sum(axis=1))[:, None]


def _blocks(
    n_resamples: int, seed: np.random.SeedSequence, purpose: int
) -> Iterator[tuple[np.random.Generator, int]]:
    """Yield the generator and the size of each logical block of resamples."""
    for block, start in enumerate(range(0, n_resamples, RESAMPLE_BLOCK)):
        generator = np.random.default_rng(child_seed(seed, block, purpose))
        yield generator, min(RESAMPLE_BLOCK, n_resamples - start)


def deals(
    n_samples: int, size: int, n_resamples: int, seed: np.random.SeedSequence
) -> Iterator[FloatArray]:
    """Draw subsets of `size` samples (1) from all (0), in blocks (block_size, n_samples)."""
    for generator, n_rows in _blocks(n_resamples, seed, 1):
        weights = np.zeros((n_rows, n_samples))
        for row in weights:
            row[generator.permutation(n_samples)[:size]] = 1.0
        yield weights


def deals_of_kinds(
    count: IntArray, size: int, n_resamples: int, seed: np.random.SeedSequence
) -> Iterator[FloatArray]:
    """Draw subsets of samples of few kinds: the number of each kind, (block_size, n_kinds)."""
    for generator, n_rows in _blocks(n_resamples, seed, 1):
        drawn = generator.multivariate_hypergeometric(count, size, size=n_rows, method="marginals")
        yield drawn.astype(np.float64)


def deals_of_few(
    n_samples: int, size: int, n_resamples: int, seed: np.random.SeedSequence
) -> Iterator[IntArray]:
    """Draw small subsets: the samples in them, of shape (block_size, size)."""
    for generator, n_rows in _blocks(n_resamples, seed, 1):
        hand = np.empty((n_rows, size), dtype=np.intp)
        for row in hand:
            row[:] = generator.choice(n_samples, size, replace=False, shuffle=False)
        yield hand


def subsample(
    n_samples: int, size: int, seed: np.random.SeedSequence, *, index: int = 0,
    strata: IntArray | None = None,
) -> IntArray:  # fmt: skip
    """Draw `size` of `n_samples` rows without replacement, in ascending order.

    Each `index` is another subsample of the same seed, drawn by a separate child. The proportions
    of `strata`, of shape (n_samples,), are kept by largest remainders.
    """
    generator = np.random.default_rng(stream(seed, SUBSAMPLE, size, index))
    if strata is None:
        return np.sort(generator.choice(n_samples, size, replace=False))
    sizes = shared_out(size, np.bincount(strata))
    chosen = [
        generator.choice(np.flatnonzero(strata == stratum), sizes[stratum], replace=False)
        for stratum in range(len(sizes))
    ]
    return np.sort(np.concatenate(chosen))


def shared_out(size: int, counts: IntArray) -> IntArray:
    """Divide `size` in proportion to the counts, by largest remainders."""
    exact = size * counts / counts.sum()
    sizes = np.floor(exact).astype(np.intp)
    order = np.argsort(sizes - exact, kind="stable")
    sizes[order[: size - int(sizes.sum())]] += 1
    return sizes


def standard_normal(seed: np.random.SeedSequence, shape: tuple[int, ...]) -> FloatArray:
    """Draw independent standard normal numbers."""
    return np.random.default_rng(seed).standard_normal(shape)


def events(
    probabilities: FloatArray, n_resamples: int, seed: np.random.SeedSequence
) -> Iterator[FloatArray]:
    """Draw events of these probabilities, block by block.

    Yields
    ------
    ndarray of shape (block_size, n_samples)
        1 where the event of a sample occurs.
    """
    for generator, n_rows in _blocks(n_resamples, seed, 2):
        shape = (n_rows, len(probabilities))
        yield (generator.random(shape) < probabilities).astype(np.float64)


def unequal_draws(
    shares: FloatArray, n_resamples: int, seed: np.random.SeedSequence
) -> Iterator[FloatArray]:
    """Draw as many units as given, each with its share of the population, block by block."""
    for generator, n_rows in _blocks(n_resamples, seed, 3):
        drawn = generator.multinomial(len(shares), shares, n_rows)
        yield drawn.astype(np.float64)


def random_groups(n_units: int, n_groups: int) -> IntArray:
    """Return a random group of each unit, of nearly equal sizes, the same on every call."""
    if n_groups == n_units:
        return np.arange(n_units)
    generator = np.random.default_rng(np.random.SeedSequence([n_units, n_groups]))
    return generator.permutation(np.arange(n_units) % n_groups)
