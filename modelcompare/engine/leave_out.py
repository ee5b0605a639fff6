"""Leave-one-out totals, and values where no closed form gives them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.resampling.draws import RESAMPLE_BLOCK, random_groups

# Evaluations per model and metric that influence functions may cost.
MAX_EVALUATIONS = 1000


def without(total: FloatArray, part: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Totals without a part; what cancels in exact arithmetic is 0, or 0 / 0 would be a value."""
    left: FloatArray = np.subtract(total, part, out=out)
    left[np.abs(left) <= 1e-12 * np.abs(total)] = 0.0
    return left


def leave_out(evaluate: Callable[[AnyArray], FloatArray], n_units: int) -> FloatArray:
    """Values without each unit in turn, of shape (n_units, n_values).

    Above `MAX_EVALUATIONS` units whole random groups are left out (delete-group jackknife). A
    group's influence is shared among its g members as 1 / sqrt(g) of it to each, so that sums of
    squares, and with them standard errors, are those of the groups.

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
        # In eight bits, unit after unit: order metrics read them several times faster.
        weights = (group[:, None] != chosen).astype(np.uint8).T
        parts.append(evaluate(weights).reshape(len(chosen), -1))
    left = np.vstack(parts)
    if len(sizes) == n_units:
        return left[group]
    estimate = evaluate(np.ones((1, n_units), np.uint8)).reshape(1, -1)
    share = (n_units - sizes) / ((n_units - 1) * np.sqrt(sizes))
    return (estimate - (estimate - left) * share[:, None])[group]
