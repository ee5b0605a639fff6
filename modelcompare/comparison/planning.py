"""Plan what a scan answers block by block, what stands in for the rest, and what is read whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from modelcompare.data.test_set import TestSet
from modelcompare.engine.areas import has_bins
from modelcompare.engine.labels import distinct_rows
from modelcompare.engine.memory import free_memory
from modelcompare.intervals import METHODS
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.calibration import calibration_formula
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.significance import TESTS
from modelcompare.sources.rows import import_pyarrow
from modelcompare.sources.scanned import ScannedPredictions
from modelcompare.words import IntervalMethod, ZeroDivision

# Share of the free memory that the rows of a scan may take.
_SHARE = 1 / 4
# What stands in for the defaults, which need more than sums.
_METHOD_INSTEAD: dict[IntervalMethod, IntervalMethod] = {"auto": "normal"}
_TEST_INSTEAD = {"studentized-permutation": "wald"}


def serve(
    predictions: TestSet,
    metrics: MetricLike | Sequence[MetricLike] | None,
    *,
    method: IntervalMethod = "normal",
    test: str = "wald",
    zero_division: ZeroDivision = math.nan,
) -> tuple[TestSet, IntervalMethod, str, bool]:
    """Decide how a question about predictions is answered.

    Predictions in memory answer every question. So does a scan if only true and predicted classes
    matter, of which there are few distinct combinations. Of sums by blocks of rows there are the
    intervals and tests that need totals and influences; the defaults need more, so that normal
    intervals and Wald's test take their place. What cannot be had by blocks is read whole, where it
    fits into a quarter of the free memory; where it does not, the ROC AUC is had from bins.

    Returns
    -------
    predictions, method, test
        Of the answer.
    draws : bool
        Whether resamples are worth their cost where nothing needs them.

    Raises
    ------
    ValueError
        If it can neither be had by blocks nor be read whole.
    """
    if not isinstance(predictions, ScannedPredictions):
        if TESTS[test].reads not in predictions.abilities:
            predictions.refuse(f"test {test!r}")
        return predictions, method, test, True
    chosen = resolve_metrics(metrics, predictions, zero_division=zero_division)
    unserved = [metric for metric in chosen if not metric.is_additive]
    may_collapse = not unserved and _of_sums(test)
    if may_collapse and distinct_rows(chosen, predictions, required=False) is not None:
        return predictions, method, test, True
    if not unserved and METHODS[method].reads == TESTS[test].reads == "sums":
        return predictions, method, test, (method, test) != ("normal", "wald")
    if predictions.n_bytes <= _SHARE * free_memory():
        return predictions.load(), method, test, True
    _refuse([m.name for m in unserved if not has_bins(m, predictions.head)], method, test)
    method, test = _instead(method, chosen), _TEST_INSTEAD.get(test, test)
    return predictions, method, test, (method, test) != ("normal", "wald")


def _of_sums(test: str) -> bool:
    return TESTS[test].reads == "sums" or test in _TEST_INSTEAD


def _instead(method: IntervalMethod, metrics: Sequence[AnyMetric]) -> IntervalMethod:
    """Name what stands in for a method; calibration errors have an interval of totals alone.

    Raises
    ------
    ValueError
        If there are metrics of both kinds.
    """
    errors = [metric.name for metric in metrics if calibration_formula(metric)]
    if method != "auto" or len(errors) == len(metrics):
        return method
    if errors:
        raise ValueError(
            f"{', '.join(errors)} has an interval of its own, and by blocks of rows the other "
            f"metrics have normal ones; ask for it alone, e.g. metrics={errors[0]!r}."
        )
    return _METHOD_INSTEAD[method]


def _refuse(unserved: Sequence[str], method: IntervalMethod, test: str) -> None:
    """Name what can neither be had by blocks nor be stood in for, and what can."""
    wrong = f"{', '.join(unserved)} needs all samples at once" if unserved else ""
    methods = sorted((m for m in METHODS if METHODS[m].reads == "sums"), key=_is_no_stand_in)
    tests = sorted((t for t in TESTS if TESTS[t].reads == "sums"), key=_is_no_stand_in)
    options = f"method={', '.join(methods)} and test={', '.join(tests)}"
    if method not in (*methods, *_METHOD_INSTEAD):
        wrong = f"method={method!r} needs all samples at once"
    if not _of_sums(test):
        wrong = f"test {test!r} needs all samples at once"
    if wrong:
        raise ValueError(
            f"{wrong}, and they are too many to be read into memory by themselves. By blocks of "
            f"rows there are metrics that are sums, {options}; .load() reads all there is."
        )


def _is_no_stand_in(name: str) -> bool:
    return name not in (*_METHOD_INSTEAD.values(), *_TEST_INSTEAD.values())


def is_large(path: Path) -> bool:
    """Return whether the rows of a Parquet file would take more of the free memory than they may.

    Texts take about eight times what numbers take.
    """
    import_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError):
        return False
    with file:
        texts = sum(not pa.types.is_primitive(kind) for kind in file.schema_arrow.types)
        width = 8 * (len(file.schema_arrow) + 7 * texts)
        return file.metadata.num_rows * width > _SHARE * free_memory()
