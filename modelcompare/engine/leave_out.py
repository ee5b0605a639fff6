"""Leave-one-out totals, and leave-one-out values without a closed form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.resampling.draws import RESAMPLE_BLOCK, random_groups

# Maximum number of evaluations per model and metric for influence functions.
MAX_EVALUATIONS = 1000


def without(total: FloatArray, part: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Subtract a part from totals, with exactly 0 where rounding would hide a 0 / 0."""
    left: FloatArray = np.subtract(total, part, out=out)
    left[np.abs(left) <= 1e-12 * np.abs(total)] = 0.0
    return left


def leave_out(evaluate: Callable[[AnyArray], FloatArray], n_units: int) -> FloatArray:
    """Compute values without each unit, of shape (n_units, n_values).

    Above `MAX_EVALUATIONS` units random groups are left out (delete-group jackknife). Each of the g
    members of a group gets 1 / sqrt(g) of the group's influence, so that sums of squares, and
    standard errors, are those of the groups.

    Parameters
    ----------
    evaluate : callable
        Values, of shape (n_resamples, ...), under whole weights (n_resamples, n_units).
    n_units : int
        Number of units.
    """
    group = random_groups(n_units, min(n_units, MAX_EVALUATIONS))
    sizes = np.bincount(group)
    parts = []
    for start in range(0, len(sizes), RESAMPLE_BLOCK):
        chosen = np.arange(start, min(start + RESAMPLE_BLOCK, len(sizes)))
        # In eight bits, contiguous by unit: order metrics read them several times faster.
        weights = (group[:, None] != chosen).astype(np.uint8).T
        parts.append(evaluate(weights).reshape(len(chosen), -1))
    left = np.vstack(parts)
    if len(sizes) == n_units:
        return left[group]
    estimate = evaluate(np.ones((1, n_units), np.uint8)).reshape(1, -1)
    share = (n_units - sizes) / ((n_units - 1) * np.sqrt(sizes))
    return (estimate - (estimate - left) * share[:, None])[group]
