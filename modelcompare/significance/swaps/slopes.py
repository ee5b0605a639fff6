"""Slopes of two models' values after swaps, the sums of squares that follow, and who has them.

See `significance.swaps.forms`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import Metric
from modelcompare.significance.exact import are_hard_counts

# More columns than this take too long to differentiate one by one.
MOST_SLOPES = 100
# Averages of soft scores are studentized if all pairs have no more products of two classes.
_MOST_PRODUCTS = 2**23


def forms_apply(evaluation: Evaluation, metric: Metric) -> bool:
    """Return True for a metric with one value and slopes at moderate cost."""
    if metric.per_class or not metric.smooth:
        return False
    if metric.average is None:
        columns = evaluation.columns(slice(None), [metric])
        return sum(column.width for column in columns) <= MOST_SLOPES
    p, n_models = evaluation.predictions, len(evaluation.models)
    products = p.access.n_classes**2 * max(1, n_models * (n_models - 1) // 2)
    return products <= _MOST_PRODUCTS or are_hard_counts(evaluation, metric)


class Slopes(NamedTuple):
    """Differences of values after swaps, slopes, and parts of the sums of squares.

    Parameters
    ----------
    difference, scale : ndarray of shape (n_pairs, n_masks)
        Differences of both values, and sums of their sizes.
    equal, unequal : ndarray of shape (n_pairs, n_slopes, n_masks)
        Means, and half differences, of both models' slopes: g and h.
    apart, together : ndarray of shape (n_pairs, n_masks)
        X and Y.
    rest : ndarray of shape (n_pairs, n_masks)
        What else is added to the squares.
    """

    difference: FloatArray
    scale: FloatArray
    equal: FloatArray
    unequal: FloatArray
    apart: FloatArray
    together: FloatArray
    rest: FloatArray


def side_by_side(parts: Sequence[FloatArray], shape: tuple[int, int]) -> FloatArray:
    """Return parts (n_pairs or 1, n_masks or 1, width) as one, (n_pairs, widths, n_masks)."""
    wide = [np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts]
    return np.swapaxes(wide[0] if len(wide) == 1 else np.concatenate(wide, axis=-1), 1, 2)
