"""Types of arrays, the bytes that arrays may take, and results that are computed once."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

AnyArray = NDArray[Any]
BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Found = TypeVar("Found")

# Each computation takes as many rows, resamples or pairs at once as fit into one of these three
# sizes. They affect speed and memory only; sizes that affect rounding are defined where used.
# Arrays that one thread reads repeatedly, so that they stay in its processor's cache.
CACHE_BYTES = 2**20
# Statistics, totals and replicates that are computed in one pass.
PASS_BYTES = 96 * 2**20
# Stored results; also the free memory that is assumed where the system does not report it.
HELD_BYTES = 4 * 2**30

# Whole numbers below are exact in single precision.
EXACT_COUNTS = 2.0**24

# Rows that are read, drawn and summed together: draws, and the rounding of sums, depend on it.
ROW_BLOCK = 65_536


def once(kept: dict[Hashable, Any], key: Hashable, find: Callable[[], Found]) -> Found:
    """Return `find()`, called only if its result is not yet kept."""
    if key not in kept:
        kept[key] = find()
    found: Found = kept[key]
    return found


def joint(columns: Sequence[AnyArray]) -> IntArray:
    """Return a code for each combination of entries, in their order and in a small type."""
    code: AnyArray = np.zeros((), np.uint8)
    n_codes = 1
    for column in columns:
        base = int(column.max()) + 1
        if n_codes * base > 2**62:
            code = np.unique(code, return_inverse=True)[1].reshape(code.shape)
            n_codes = int(code.max()) + 1
        n_codes *= base
        small = np.min_scalar_type(n_codes)
        code = code.astype(small) * base + column.astype(small)
    return code


def mass_edges(values: FloatArray, n_bins: int, weight: FloatArray | None = None) -> FloatArray:
    """Compute the inner edges of bins of equal weight; a value on an edge is in the upper bin.

    Examples
    --------
    >>> mass_edges(np.array([0.1, 0.2, 0.3, 0.4]), 2).tolist()
    [0.3]
    """
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(np.ones(len(values)) if weight is None else weight[order])
    places = np.searchsorted(n_bins * mass, np.arange(1, n_bins) * mass[-1], side="right")
    return values[order][places]
