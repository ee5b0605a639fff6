"""Types of arrays, for annotations, and the bytes that arrays may take."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

AnyArray = NDArray[Any]
BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Each computation takes as many rows, resamples or pairs at once as one of these three leaves room
# for. They decide over speed and memory; what decides how sums round stands where it is used.
# Arrays that one thread works on again and again stay in its processor's cache.
CACHE_BYTES = 2**20
# Statistics, totals and replicates that are made in one pass.
PASS_BYTES = 96 * 2**20
# Results that are kept; also the memory of a machine that does not say how much it has.
HELD_BYTES = 4 * 2**30

# Whole numbers below are exact in single precision.
EXACT_COUNTS = 2.0**24

# Rows that are read, drawn and summed together: draws, and how sums round, depend on it.
ROW_BLOCK = 65_536
