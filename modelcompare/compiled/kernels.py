"""The compiled loops themselves. Importing this module imports numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from modelcompare.arrays import AnyArray, IntArray


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first use, and store the machine code if there is a writable folder."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # Neither the package's folder nor the user's cache is writable.
        return numba.njit(nogil=True)(function)


@_compiled
def count(state: AnyArray, size: int, counts: AnyArray) -> int:
    """Count which of equally likely units are drawn, as ``Generator.integers`` of an SFC64 draws.

    Returns the sum of the counts: less than `size` if one overflowed to 0.

    `state` contains the four words of the generator [1]_, whether half a word is left, and that
    half; it is advanced. A draw is the upper half of 32 bits times the number of units; bits whose
    lower half is below a threshold are skipped, so that all units are equally likely [2]_.

    References
    ----------
    .. [1] Doty-Humphrey, PractRand 0.95, sfc64, https://pracrand.sourceforge.net
    .. [2] Lemire (2019), ACM Transactions on Modeling and Computer Simulation 29, article 3.
    """
    n_units = np.uint64(len(counts))
    low, bits = np.uint64(0xFFFFFFFF), np.uint64(32)
    threshold = np.uint64(1 << 32) % n_units
    a, b, c, step, has_half, half = state
    missing = size
    if missing and has_half:
        has_half = np.uint64(0)
        product = half * n_units
        if product & low >= threshold:
            counts[product >> bits] += 1
            missing -= 1
    while missing:
        fresh = a + b + step
        step += np.uint64(1)
        a = b ^ (b >> np.uint64(11))
        b = c + (c << np.uint64(3))
        c = ((c << np.uint64(24)) | (c >> np.uint64(40))) + fresh
        product = (fresh & low) * n_units
        if product & low >= threshold:
            counts[product >> bits] += 1
            missing -= 1
        half = fresh >> bits
        if not missing:
            has_half = np.uint64(1)
            break
        product = half * n_units
        if product & low >= threshold:
            counts[product >> bits] += 1
            missing -= 1
    state[0], state[1], state[2], state[3], state[4], state[5] = a, b, c, step, has_half, half
    total = 0
    for unit in range(len(counts)):
        total += counts[unit]
    return total


@_compiled
def sweep(weights: AnyArray, samples: IntArray, roles: AnyArray, sums: AnyArray) -> None:
    """Pass through samples in order, for all resamples at once.

    A sample of role 3 adds its weight to the running sum; one of role 1 or 2 reads it, once or
    twice; role 0 restarts it. Rows of `sums`: weight times what was read, weight of the readers,
    once or twice as well, and the running sum at the end.
    """
    n_resamples = weights.shape[1]
    running = np.zeros(n_resamples, np.uint32)
    readers = np.zeros(n_resamples, np.uint32)
    read = np.zeros(n_resamples, np.uint64)
    for place in range(len(samples)):
        role = roles[place]
        row = weights[samples[place]]
        if role == 3:
            for j in range(n_resamples):
                running[j] += row[j]
        elif role == 0:
            running[:] = 0
        else:
            times = np.uint32(role)
            for j in range(n_resamples):
                own = times * np.uint32(row[j])
                readers[j] += own
                read[j] += np.uint64(own) * np.uint64(running[j])
    sums[0], sums[1], sums[2] = read, readers, running
