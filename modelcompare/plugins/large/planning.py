"""Choose between reading a scan block by block, with suitable methods, and loading it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from modelcompare.comparison.planning import Served, Settings
from modelcompare.data.test_set import TestSet
from modelcompare.engine.areas import has_bins
from modelcompare.engine.labels import distinct_rows, labels_of_blocks
from modelcompare.engine.memory import free_memory
from modelcompare.intervals import METHODS
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.plugins.large.blocks import import_pyarrow
from modelcompare.plugins.large.clusters import by_cluster
from modelcompare.plugins.large.scanned import ScannedPredictions
from modelcompare.significance import TESTS
from modelcompare.words import IntervalMethod

# Share of the free memory that the rows of a scan may take.
SHARE = 1 / 4
# A file of labels with so many rows is counted where it is, many times faster than it is read.
COUNTED_FROM = 1_000_000
_SWAPS = "studentized-permutation"
# Interval and test that replace the defaults, which need more than sums.
_INSTEAD = ("normal", "wald")
# Interval methods and tests of scans that need no resamples.
_DRAWN_BY_NONE = [_INSTEAD, ("normal", _SWAPS)]


def serve_blocks(
    predictions: ScannedPredictions,
    metrics: MetricLike | Sequence[MetricLike] | None,
    settings: Settings,
) -> Served:
    """Choose the predictions, interval method and test to compute with.

    A scan supports every method if only true and predicted classes matter, which have few distinct
    combinations. Sums over blocks of rows support the intervals and
    tests that need totals and influences, and swaps of groups of rows; the default interval needs
    more, so normal ones replace it, and Wald's test replaces swaps of the ROC AUC, or of labels
    with many distinct rows. If blocks are not sufficient, the scan is loaded, provided that it fits
    into a quarter of the free memory; otherwise the ROC AUC is computed from bins.

    Returns
    -------
    predictions, method, test
        Predictions, interval method and test to use.
    draws : bool
        Whether to draw resamples even if no method needs them.

    Raises
    ------
    ValueError
        If the scan can neither be used block by block nor be loaded.
    """
    access = predictions.access
    method, test = settings.method, settings.test
    chosen = resolve_metrics(metrics, predictions, zero_division=settings.zero_division)
    unserved = [metric for metric in chosen if not metric.is_additive]
    by_rows = access.head.groups is None and not unserved
    may_collapse = by_rows and TESTS[test].reads == "sums"
    if may_collapse and distinct_rows(chosen, predictions, required=False) is not None:
        return predictions, method, test, True
    by_blocks = METHODS[method].reads == TESTS[test].reads == "sums"
    if by_rows and by_blocks and (test != _SWAPS or _swap(chosen, predictions)):
        return predictions, method, test, (method, test) not in _DRAWN_BY_NONE
    if access.n_bytes <= SHARE * free_memory():
        return predictions.load(), method, test, True
    if access.head.groups is not None:
        _refuse([metric.name for metric in unserved], "normal", "wald")
        return by_cluster(predictions, chosen), method, test, True
    _refuse([m.name for m in unserved if not has_bins(m, access)], method, test)
    method = _interval_by_blocks(method, chosen)
    if test == _SWAPS and (unserved or not _swap(chosen, predictions)):
        test = "wald"
    return predictions, method, test, (method, test) not in _DRAWN_BY_NONE


def _swap(metrics: Sequence[AnyMetric], predictions: TestSet) -> bool:
    """Return whether the swaps of blocks are those of memory: those of labels need few rows."""
    hard = [metric for metric in metrics if metric.kind.coded]
    return not hard or predictions.access.weighted or labels_of_blocks(predictions) is not None


def _interval_by_blocks(method: IntervalMethod, metrics: Sequence[AnyMetric]) -> IntervalMethod:
    """Return the interval method by blocks; calibration errors have one that needs only totals.

    Raises
    ------
    ValueError
        If there are calibration errors and other metrics.
    """
    errors = [metric.name for metric in metrics if metric.intervals]
    if method != "auto" or len(errors) == len(metrics):
        return method
    if errors:
        raise ValueError(
            f"{', '.join(errors)} needs another interval than the other metrics, which by blocks "
            f"of rows have normal ones; ask for it alone, e.g. metrics={errors[0]!r}."
        )
    return "normal"


def _refuse(unserved: Sequence[str], method: IntervalMethod, test: str) -> None:
    """Raise if metric, method or test need all samples, and name those that do not."""
    wrong = f"{', '.join(unserved)} needs all samples at once" if unserved else ""
    methods = sorted((m for m in METHODS if METHODS[m].reads == "sums"), key=_is_no_stand_in)
    tests = sorted((t for t in TESTS if TESTS[t].reads == "sums"), key=_is_no_stand_in)
    options = f"method={', '.join(methods)} and test={', '.join(tests)}"
    if method not in (*methods, "auto"):
        wrong = f"method={method!r} needs all samples at once"
    if TESTS[test].reads != "sums":
        wrong = f"test {test!r} needs all samples at once"
    if wrong:
        raise ValueError(
            f"{wrong}, and they are too many to be read into memory by themselves. By blocks of "
            f"rows there are metrics that are sums, {options}; .load() reads all there is."
        )


def _is_no_stand_in(name: str) -> bool:
    return name not in _INSTEAD


def is_large(path: Path) -> bool:
    """Return whether the rows of a Parquet file exceed a quarter of the free memory.

    A text takes about eight times the memory of a number.
    """
    n_rows, width = _size(path)
    return n_rows * width > SHARE * free_memory()


def is_long(path: Path) -> bool:
    """Return whether a Parquet file has so many rows that they are counted if all are labels."""
    return _size(path)[0] >= COUNTED_FROM


def _size(path: Path) -> tuple[int, int]:
    """Return the number of rows of a Parquet file, and the bytes of each; 0 of other files."""
    import_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError):
        return 0, 0
    with file:
        texts = sum(not pa.types.is_primitive(kind) for kind in file.schema_arrow.types)
        return file.metadata.num_rows, 8 * (len(file.schema_arrow) + 7 * texts)
