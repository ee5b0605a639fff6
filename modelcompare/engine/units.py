"""Units, the rows of the statistics: samples, clusters, or groups of identical samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.sizes import times_repeated
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.base import AnyMetric, CallableMetric
from modelcompare.resampling.weights import Units


def sample_units(
    n_samples: int, unit_of: IntArray | None, strata: AnyArray | None, metrics: Sequence[AnyMetric]
) -> Units:
    """Return the units of a test set whose samples, or clusters of samples, are drawn."""
    # A function without a parameter for weights needs whole counts.
    rescaled = all(m.takes_sample_weight for m in metrics if isinstance(m, CallableMetric))
    codes = None if strata is None else np.unique(strata, return_inverse=True)[1]
    if unit_of is None:
        return Units(n_samples, strata=codes, rescaled=rescaled)
    n_units = int(unit_of.max()) + 1
    if codes is not None:
        by_unit = np.empty(n_units, dtype=np.intp)
        by_unit[unit_of] = codes
        codes = by_unit
    return Units(n_units, strata=codes, rescaled=rescaled)


def check_repeats(predictions: TestSet) -> None:
    """Refuse rows that repeat samples: they would count as independent ones."""
    access = predictions.access
    if "rows" not in access.abilities or not access.plain or predictions.ids is not None:
        return
    truth = None if access.n_classes else predictions.y_true
    if truth is None or truth.ndim > 1 or truth.dtype.kind not in "iuf":
        return
    if (times := times_repeated(truth)) > 1:
        raise ValueError(
            f"each value of `y_true` is in {times:,} rows, or a multiple of that, as where the "
            f"same samples were tested several times: {len(predictions):,} rows would count as "
            "independent samples. Give the samples as `groups` (--groups COLUMN), or as `ids` with "
            "the `runs` in which they repeat; where each row is a separate sample, give `ids` that "
            "differ."
        )


def check_units(units: Units, *, clustered: bool) -> None:
    """Refuse a single cluster, or strata of one sample or cluster each."""
    if units.size < 2:
        raise ValueError(
            "`groups` has one cluster, so the variation between clusters is unknown; give "
            "more clusters, or, if its samples are independent, leave `groups` out (--groups id "
            "where a log names its own clusters)."
        )
    what = "cluster" if clustered else "sample"
    if units.strata is not None and np.bincount(units.strata, units.counts()).max() < 2:
        raise ValueError(
            f"every stratum has one {what}, so nothing varies within them; merge strata, or "
            "leave `strata` out."
        )


def cluster_sums(
    numbers: FloatArray, unit_of: IntArray, n_units: int, weight: FloatArray | None
) -> FloatArray:
    """Sum the weighted numbers of each cluster's samples, of shape (n_units, n_columns)."""
    from scipy.sparse import csc_array

    n = len(unit_of)
    weights = np.ones(n) if weight is None else weight
    sums: FloatArray = csc_array((weights, unit_of, np.arange(n + 1)), shape=(n_units, n)) @ numbers
    return sums
