"""Units, the rows of the statistics: samples, clusters, or groups of identical samples."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.sizes import n_items, n_seen, run_counts, seen_runs, times_repeated
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


def n_runs(predictions: TestSet) -> int:
    """Return the largest number of runs of a model; 1 if none are named."""
    if predictions.runs is None:
        return 1
    return max(run_counts(predictions))


def has_several_runs(predictions: TestSet) -> bool:
    """True if items have several runs, which themselves are not drawn as clusters."""
    sums = predictions.access.sums
    if sums is not None and sums.several_runs:
        return True
    clustered = predictions.groups is not None
    return clustered and n_runs(predictions) > 1 and not each_its_cluster(predictions)


def written_size(test_sets: Collection[TestSet]) -> str:
    """Write the number of samples; of items too where these have several rows each."""
    if not all(map(are_items, test_sets)):
        called, *others = {each.access.source.called for each in test_sets}
        size = f"{sum(map(n_seen, test_sets)):,} {'samples' if others else called}"
        if others or called not in ("labels", "answers"):
            return size
        asked = sum(len(np.unique(np.asarray(each.access.items))) for each in test_sets)
        return f"{size} of {asked:,} items"
    return f"{sum(map(n_items, test_sets)):,} items x {seen_runs(test_sets)} runs"


def counted(predictions: TestSet) -> tuple[int, str]:
    """Return the number of what a larger test set has more of, and its name.

    They are samples; of several runs the items, each of which more would be seen in all runs.
    """
    if are_items(predictions):
        return n_items(predictions), "items"
    return n_seen(predictions), predictions.access.source.called


def are_items(predictions: TestSet) -> bool:
    """True for items of several runs, with their rows in memory."""
    return "rows" in predictions.access.abilities and has_several_runs(predictions)


def first_runs(predictions: TestSet) -> tuple[str, ...]:
    """Return up to two runs of clusters; none if the runs themselves are drawn."""
    if predictions.runs is None or predictions.groups is None or each_its_cluster(predictions):
        return ()
    return tuple(map(str, np.unique(predictions.runs)[:2]))


def each_its_cluster(predictions: TestSet) -> bool:
    """True if the runs themselves are drawn."""
    runs = np.unique(np.asarray(predictions.runs), return_inverse=True)[1]
    pairs = np.unique(np.stack([predictions.access.unit_of, runs], axis=1), axis=0)
    return all(len(np.unique(column)) == len(pairs) for column in pairs.T)


def check_runs(predictions: TestSet) -> None:
    """Refuse runs of unknown items: they would count as independent samples."""
    access = predictions.access
    if predictions.groups is None and (n := n_runs(predictions)) > 1:
        raise ValueError(
            f"`runs` names {n:,} runs, but no column identifies the rows of one item, so that "
            f"{len(predictions):,} rows would count as independent samples. Give the items as "
            "`groups` (--groups COLUMN), or as `ids` that repeat from run to run (--id COLUMN); "
            "where each row is a separate item, leave `runs` (--read run) out."
        )
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
