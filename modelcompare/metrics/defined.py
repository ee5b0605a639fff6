"""Samples of which a resample must contain one, for a value to be defined on it.

`BaseMetric.defined_by` yields masks of shape (n_samples,): a resample that contains a sample of
each has a value. Of k units among n, a resample of n contains none with a probability below
exp(-k), so where each mask is of many units no resample lacks a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.metrics.outcomes import Outcomes

DefinedBy: TypeAlias = Callable[[Outcomes], Iterator[BoolArray]]
# Square of a distance, over that of the largest number of a sample, that is lost in rounding.
_LOST = 1e-12


def any_sample(outcomes: Outcomes) -> Iterator[BoolArray]:
    """Defined where there is a sample."""
    yield np.ones(len(outcomes), dtype=np.bool_)


def every_class(outcomes: Outcomes) -> Iterator[BoolArray]:
    """Defined where every class occurs in the truth; not known of soft labels."""
    soft = outcomes.true_distribution is not None
    for code in range(outcomes.n_classes):
        yield (outcomes.true_codes == code) & (not soft)


def truth_varies(outcomes: Outcomes) -> Iterator[BoolArray]:
    """Defined where the true values differ by more than rounding."""
    yield from _two_sides(outcomes.true_values)


def both_vary(outcomes: Outcomes) -> Iterator[BoolArray]:
    """Defined where the true values, and the outputs, differ by more than rounding."""
    yield from _two_sides(outcomes.true_values)
    yield from _two_sides(outcomes.values)


def _two_sides(values: FloatArray) -> Iterator[BoolArray]:
    """Yield the low and the high values; nothing is known of values that lie too close."""
    low, high = np.quantile(values, [0.4, 0.6], method="inverted_cdf")
    if low == high:
        # One value is that of many samples: the others lie on one of its sides.
        above, below = values > low, values < low
        others = above if np.count_nonzero(above) > np.count_nonzero(below) else below
        sides = others, ~others
        if not others.any():
            yield others
            return
    else:
        sides = values <= low, values >= high
    gap = max(values[one].min() - values[other].max() for one, other in (sides, sides[::-1]))
    apart = gap**2 > _LOST * len(values) * float(np.abs(values).max()) ** 2
    yield from (side & apart for side in sides)
