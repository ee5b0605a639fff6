"""Running sums of weights over samples in order, for all resamples at once.

A block of weights is read sample by sample, each with its row of resamples: a step adds two long
rows, whereas a running sum along one resample would wait for each addition. Sums do not depend on
the number of resamples that are summed together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray

# Maximum number of samples in a part: their 8-bit weights sum to 16 bits.
_LONGEST_PART = 256
# Samples read at once: their arrays fit into the processor's last cache, and a step over them takes
# longer than a switch of threads.
_SLAB, _SLAB_OF_FLOATS = 2048, 1024


def by_sample(weights: AnyArray) -> AnyArray:
    """Transpose weights (n_resamples, n_samples) to contiguous (n_samples, n_resamples)."""
    return np.ascontiguousarray(weights.T)


def added(rows: AnyArray) -> AnyArray:
    """Sum over rows, in an order of additions that is independent of the number of columns."""
    while len(rows) > 1:
        half = len(rows) // 2
        last = rows[2 * half :]
        rows = rows[:half] + rows[half : 2 * half]
        if len(last):
            rows[0] += last[0]
    return rows[0]


def total(rows: AnyArray, times: AnyArray | None = None) -> FloatArray:
    """Sum over rows, or their products; whole numbers exactly, and so in any order."""
    if rows.dtype.kind == "f":
        return added(rows if times is None else rows * times)
    if times is not None:
        return np.einsum("ij,ij->j", rows, times).astype(np.float64)
    return rows.sum(axis=0, dtype=np.uint32 if rows.dtype == np.uint8 else np.int64)


def summed(weights: AnyArray, samples: IntArray | None = None) -> FloatArray:
    """Sum the weights of some samples, or of all, in each resample."""
    out = np.zeros(weights.shape[1])
    for some in slabs(len(weights) if samples is None else len(samples)):
        out += total(weights[some if samples is None else samples[some]])
    return out


def slabs(n_samples: int, *, floats: bool = False) -> Iterator[slice]:
    """Return slices of samples, smaller ones if floats are computed from them."""
    step = _SLAB_OF_FLOATS if floats else _SLAB
    return (slice(start, start + step) for start in range(0, n_samples, step))


@dataclass(frozen=True)
class Running:
    """Running sums over samples in a given order.

    Attributes
    ----------
    samples : ndarray of int
        The samples: the first of each part, the second of each part, and so on.
    at : ndarray of int of shape (n_samples + 1,)
        Row of the sums that contains the weight of the first 0, 1, ... samples.
    length : int
        Samples in a part.
    """

    samples: IntArray
    at: IntArray
    length: int

    @classmethod
    def over(cls, order: IntArray) -> Running:
        """Arrange the samples in parts; the last is padded with samples that are not read."""
        n = len(order)
        length = min(math.isqrt(n) + 1, _LONGEST_PART)
        n_parts = -(-n // length)
        samples = np.resize(order, (n_parts, length)).T.ravel()
        places = np.arange(n)
        at = np.r_[0, 1 + places % length * n_parts + places // length]
        return cls(samples, at, length)

    def sums(self, weights: AnyArray) -> AnyArray:
        """Compute running sums of weights (n_samples, n_resamples), exact for whole weights.

        Their type is wide enough for twice a sum.
        """
        narrow = weights.dtype == np.uint8
        dtype = np.uint16 if narrow else np.int64 if weights.dtype.kind in "iu" else np.float64
        out = np.zeros((1 + len(self.samples), weights.shape[1]), dtype)
        if not len(self.samples):
            return out
        steps = out[1:].reshape(self.length, -1, weights.shape[1])
        steps[:] = weights.take(self.samples, axis=0).reshape(steps.shape)
        for place in range(1, self.length):
            steps[place] += steps[place - 1]
        before = steps[-1].astype(np.uint64 if narrow else dtype)
        for place in range(1, len(before)):
            before[place] += before[place - 1]
        if narrow and before[-1].max() >= 2**15:
            out = out.astype(np.uint32 if before[-1].max() < 2**31 else np.uint64)
            steps = out[1:].reshape(steps.shape)
        steps[:, 1:] += before[:-1].astype(out.dtype, copy=False)
        return out


@dataclass(frozen=True)
class Groups:
    """Samples in ascending order of a value, in groups of equal ones.

    Attributes
    ----------
    order : ndarray of int of shape (n_samples,)
        The samples in ascending order.
    starts : ndarray of int of shape (n_groups + 1,)
        Number of samples before each group, and of all samples.
    """

    order: IntArray
    starts: IntArray

    @classmethod
    def of(cls, values: FloatArray) -> Groups:
        """Sort the samples."""
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        return cls(order, np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1], True]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def codes(self) -> IntArray:
        """Group of each sample."""
        out = np.empty_like(self.order)
        out[self.order] = np.repeat(np.arange(len(self)), np.diff(self.starts))
        return out

    @cached_property
    def running(self) -> Running:
        """Running sums in ascending order."""
        return Running.over(self.order)

    @cached_property
    def rows(self) -> IntArray:
        """Rows of the running sums before each group, and after all."""
        return self.running.at[self.starts]


@dataclass(frozen=True)
class Below:
    """Weight of the samples below some samples, the readers.

    Attributes
    ----------
    adders, readers : ndarray of int
        Samples, the adders in order.
    below, up_to : ndarray of int of shape (n_readers,)
        Number of adders below each reader, and number of adders that are not above it.
    start : ndarray of int of shape (n_readers,), optional
        Number of adders before those that count for a reader, ascending; 0 if not given.
    """

    adders: IntArray
    readers: IntArray
    below: IntArray
    up_to: IntArray
    start: IntArray | None = None

    @classmethod
    def of(
        cls, order: IntArray, key: AnyArray, reads: BoolArray, least: AnyArray | None = None
    ) -> Below:
        """Return the order in which some samples, the readers, read the others.

        Parameters
        ----------
        order : ndarray of int
            Samples in ascending order of `key`.
        key, reads : ndarray of shape (n_samples,)
            Key of the order, and mask of the readers.
        least : ndarray of shape (n_samples,), optional
            Smallest key that counts for a reader.
        """
        reading = reads[order]
        adders, readers = np.compress(~reading, order), np.compress(reading, order)
        keys, own = key[adders], key[readers]
        start = None if least is None else np.searchsorted(keys, least[readers])
        up_to = np.searchsorted(keys, own, side="right")
        return cls(adders, readers, np.searchsorted(keys, own), up_to, start)

    def of_each(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Sum the weight below each reader, and of readers above each adder, ties half.

        For one vector of weights.
        """
        own, n_adders = weights[self.readers], len(self.adders)
        cumulated = np.r_[0.0, np.cumsum(weights[self.adders])]
        below = (cumulated[self.below] + cumulated[self.up_to]) / 2
        # A reader counts fully for adders before `below`, half between `below` and `up_to`.
        over = sum(np.bincount(at, own, n_adders + 1) for at in (self.below, self.up_to))
        counting = 2 * own.sum()
        if self.start is not None:
            below -= cumulated[self.start]
            counting = 2 * np.cumsum(np.bincount(self.start, own, n_adders + 1))[:n_adders]
        return below, (counting - np.cumsum(over)[:n_adders]) / 2

    def read(self, weights: AnyArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return three sums over weights (n_samples, n_resamples), each of shape (n_resamples,).

        Each reader's weight times the weight below it, ties half; the weights of the readers; the
        weights of the adders after the last start.
        """
        sums, at = self._running.sums(weights), self._running.at
        # If no reader ties with an adder, both sums are the same.
        ends = [self.below, self.up_to] if (self.below != self.up_to).any() else [self.below]
        times = 2 // len(ends)
        wide = sums.dtype if sums.dtype.kind in "if" else np.uint64
        if sums.dtype == np.uint16:
            # Sums are below 2^15 then, and readers' weights seldom above 32.
            most = int(weights.max(initial=0)) * len(ends) * 2**15 * _SLAB
            wide = np.dtype(np.uint32 if most <= 2**32 else np.uint64)
        read, readers = np.zeros((2, weights.shape[1]))
        for rows in slabs(len(self.readers)):
            own = weights.take(self.readers[rows], axis=0)
            seen = sums.take(at[self.below[rows]], axis=0)
            for end in ends[1:]:
                seen += sums.take(at[end[rows]], axis=0)
            if self.start is not None:
                seen -= len(ends) * sums.take(at[self.start[rows]], axis=0)
            readers += total(own)
            read += total(own.astype(wide, copy=False), seen.astype(wide, copy=False))
        adders = sums[at[-1]]
        if self.start is not None and len(self.start):
            adders = adders - sums[at[self.start[-1]]]
        return read * times / 2, readers, adders.astype(np.float64)

    @cached_property
    def _running(self) -> Running:
        return Running.over(self.adders)


def partners(parts: Iterable[Below], weights: FloatArray) -> FloatArray:
    """Sum the weights of the samples with which each is a pair of some comparisons, ties half."""
    own = np.zeros(len(weights))
    for below in parts:
        read, added_to = below.of_each(weights)
        own[below.readers] += read
        own[below.adders] += added_to
    return own
