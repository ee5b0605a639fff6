"""Sum predictions, block by block, to a sketch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.sizes import repeats, seen_runs
from modelcompare.data.sums import EVERY_MODEL, Numbers
from modelcompare.data.test_set import TestSet
from modelcompare.engine.parallel import as_they_come
from modelcompare.engine.partition import partition_of
from modelcompare.engine.units import cluster_sums
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes, Statistic
from modelcompare.metrics.classes import without_classes
from modelcompare.metrics.counts import SUPPORT
from modelcompare.metrics.registry import MetricLike
from modelcompare.metrics.scoring import COUNT
from modelcompare.plugins.large.about import About, Summed
from modelcompare.plugins.large.hashing import bucket_of
from modelcompare.plugins.large.sketches import Sketch, check_summed
from modelcompare.plugins.large.words import BUCKETS, SALT, check_buckets
from modelcompare.plugs import first
from modelcompare.readers import read_predictions
from modelcompare.words import check_test_set, check_text

# Numbers of one statistic and model that are summed at once; the rounding depends on it.
_MOST_NUMBERS = 2**24


@checked(buckets=check_buckets, salt=check_text)
def sketch(
    source: Any, metrics: MetricLike | Sequence[MetricLike] | None = None, *,
    buckets: int = BUCKETS, salt: str = SALT,
) -> Sketch:  # fmt: skip
    """Sum predictions by a hash of their items, so that they need not be read again.

    A sketch has the statistics of the metrics, summed in each of a number of buckets. `compare`,
    `bootstrap`, `paired_test`, `decide` and `gate` take it instead of predictions, at a cost that
    does not depend on the number of samples; sketches of different samples are added
    (``monday + tuesday``, ``sum(sketches)``). All models' values are exact.

    The standard error is less precise: it is estimated from the independent buckets instead of all
    samples, so that its own relative error is about 1 / sqrt(2 * buckets), 2.2 % for 1,024 buckets,
    and intervals are that much too wide or too narrow, by chance. Buckets are resampled like
    clusters, so intervals are those of clusters ("t").

    Parameters
    ----------
    source : Predictions, iterable of Predictions, or what `read_predictions` reads
        A test set, which `scan_predictions` may read block by block; consecutive blocks of it; or
        files or a frame, read whole.
    metrics : str or metric, or sequence of these, optional
        Metrics that are sums over samples; the sketch is then also for other metrics of the same
        statistics. By default those of `compare`.
    buckets : int
        Number of buckets.
    salt : str
        Hashed before the items' names. Sketches with the same salt can be added.

    Returns
    -------
    Sketch

    Raises
    ------
    ValueError
        If a metric is no sum over samples, or depends on the test set as a whole (bins of equal
        mass, correlations); if strata are more than 65,536 / `buckets`, or of clusters.

    Notes
    -----
    The bucket is determined by `groups`, so that clusters stay whole, or else by `ids`, or else by
    the number of the row. If the same items recur in other samples (another day's answers to one
    prompt), ids that name the item keep them together, in and between sketches. The same samples
    must not be in two sketches that are added.

    Strata have separate buckets, whose resamples keep the number of samples in each stratum;
    sketches match strata by name. An item that recurs must always be in the same stratum.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> mc.io.sketch(preds, ["accuracy", "f1_macro"])
    Sketch: 9,824 samples in 1,024 buckets, 3 classes, 4 models (hypothesis_only, ...)
      for accuracy, f1_macro
    >>> halves = [preds.subset(range(5000)), preds.subset(range(5000, 9824))]
    >>> merged = sum(mc.io.sketch(half, ["accuracy", "f1_macro"]) for half in halves)
    >>> result = mc.decide(merged, "bow_pair", "naive_bayes", "accuracy", margin=0.005)
    >>> result.answer
    'shown otherwise'
    """

    def one(named: tuple[TestSet, AnyArray]) -> Sketch:
        block, names = named
        return block_sums(block, bucket_of(names, buckets, salt), metrics, buckets, salt)

    total: Sketch | None = None
    for found in as_they_come(one, _blocks(source)):
        total = found if total is None else total._with_block(found)
    if total is None:
        raise ValueError("`source` has no predictions to sketch.")
    return total


def _blocks(source: Any) -> Iterator[tuple[TestSet, AnyArray]]:
    """Yield blocks of rows, and what to hash: their clusters, names, or numbers."""
    n_before = 0
    for test_set in _test_sets(source):
        check_test_set("source", test_set, "blocks")
        # Rows that repeat samples are refused.
        partition_of(test_set.access.head)
        _check_repeats(test_set)
        for block, ids in test_set.access.named_blocks():
            names = ids if block.groups is None else block.groups
            rows = np.arange(n_before, n_before + len(block))
            yield block, rows if names is None else names
            n_before += len(block)


def _check_repeats(test_set: TestSet) -> None:
    """Refuse rows that repeat results of runs."""
    if repeats(test_set):
        raise ValueError(
            f"the models have different numbers of runs ({seen_runs([test_set])}), so that rows "
            "repeat results, and a sketch would count them several times; sketch as many runs of "
            "each model, or compare the predictions themselves."
        )


def _test_sets(source: Any) -> Iterable[TestSet]:
    """Return the test sets of a source: itself, its items, or predictions read from it."""
    if isinstance(source, TestSet):
        return [source]
    if hasattr(source, "blocks"):
        found: Iterable[TestSet] = source.blocks()
        return found
    listed = isinstance(source, list | tuple) and source and isinstance(source[0], TestSet)
    return source if listed or isinstance(source, Iterator) else [read_predictions(source)]


def block_sums(
    block: TestSet, bucket: IntArray, metrics: Any, buckets: int, salt: str = SALT
) -> Sketch:
    """Return the sketch of predictions in memory, of which each sample is in a given bucket."""
    access = block.access
    plain, _ = without_classes(metrics, block)
    chosen = [_require_additive(metric) for metric in resolve_metrics(plain, block)]
    always = (COUNT,) if block.labels is None else (COUNT, SUPPORT)
    parts = first("summed", block) or ()
    check_summed(chosen, parts)
    statistics = dict.fromkeys([*always, *(s for metric in chosen for s in metric.statistics)])
    strata, stratum = _strata(block)
    about = About(
        salt=salt, models=block.models,
        kinds=tuple(kind.name for kind in access.kinds.values()),
        labels=None if block.labels is None else tuple(block.labels.tolist()),
        positive=access.positive,
        metrics=tuple(metric.name for metric in chosen),
        statistics=(), binary=_binary_scores(chosen), strata=strata,
        soft_truth=access.true_distribution is not None, runs=parts,
        weighted=block.sample_weight is not None, missing_mass=access.missing_mass,
        score_names=access.scores.names or access.scores.beside,
        greater_is_better=access.scores.declared,
        bounds=access.scores.bounds, name=block.name,
    )  # fmt: skip
    unit, n_units = bucket + buckets * stratum, about.n_units(buckets)
    numbers = _sum_statistics(block, statistics, unit, n_units)
    about = replace(about, statistics=_describe_statistics(statistics, numbers, block))
    return Sketch(about, np.bincount(unit, minlength=n_units), numbers)


def _strata(block: TestSet) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of the strata as sorted texts, and the number of each sample's."""
    if block.strata is None:
        return (), np.zeros(len(block), dtype=np.intp)
    if block.groups is not None:
        raise ValueError(
            "a sketch cannot have strata of clusters: nothing would notice a cluster that is in "
            "two strata in different blocks or parts. Leave strata (--read strata) out, or "
            "compare the predictions themselves."
        )
    found, number = np.unique(block.strata, return_inverse=True)
    if found.dtype.kind not in "iu" and any(type(name) is not str for name in found.tolist()):
        raise TypeError(
            "strata of a sketch must be texts or whole numbers to have the same names in others, "
            f"got {found[0]!r}; write them as texts."
        )
    names, place = np.unique(found.astype(str), return_inverse=True)
    return tuple(names.tolist()), place[number]


def _require_additive(metric: AnyMetric) -> Metric:
    """Refuse a metric that is not a sum over samples."""
    if isinstance(metric, Metric) and metric.is_additive:
        return metric
    why = "depends on the test set as a whole" if isinstance(metric, Metric) else "is no sum"
    raise ValueError(
        f"metric {metric.name!r} {why}, so parts of one cannot be added up in a sketch; leave it "
        "out here, and compare by it on the predictions themselves."
    )


def _sum_statistics(
    block: TestSet, statistics: Iterable[Statistic], bucket: IntArray, buckets: int
) -> Numbers:
    """Sum each statistic of each model by bucket."""
    numbers: dict[tuple[str, str], FloatArray] = {}
    step = _rows_at_once(block, statistics)
    for start in range(0, len(block), step):
        whole = step >= len(block)
        part = block if whole else block.subset(np.arange(start, min(start + step, len(block))))
        here, weight = bucket[start : start + step], part.sample_weight
        for model in block.models:
            outcomes = Outcomes.of(part, model)
            for statistic in statistics:
                if not (statistic.shared and model != block.models[0]):
                    key = (statistic.name, EVERY_MODEL if statistic.shared else model)
                    sums = _bucket_sums(statistic, outcomes, here, buckets, weight)
                    numbers[key] = numbers.get(key, 0.0) + sums
    return numbers


def _bucket_sums(
    statistic: Statistic, outcomes: Outcomes, bucket: IntArray, buckets: int,
    weight: FloatArray | None,
) -> FloatArray:  # fmt: skip
    """Sum a statistic by bucket, of shape (n_buckets, n_columns)."""
    entries = None if statistic.entries is None else statistic.entries(outcomes)
    if entries is None:
        return cluster_sums(statistic.compute(outcomes), bucket, buckets, weight)
    places, numbers = entries
    width = outcomes.n_classes**statistic.class_axes
    numbers = numbers if weight is None else numbers * weight
    sums = np.bincount(bucket * width + places, numbers, buckets * width)
    return sums.reshape(buckets, width).astype(np.float64, copy=False)


def _binary_scores(metrics: Iterable[Metric]) -> tuple[str, ...]:
    """Return the statistics of scores that are all 0 or 1."""
    return tuple(
        metric.statistics[0].name for metric in metrics if metric.kind.scored and metric.proportion
    )


def _describe_statistics(
    statistics: Iterable[Statistic], numbers: Numbers, block: TestSet
) -> tuple[Summed, ...]:
    """Describe the statistics: names, axes, and numbers per cell of classes."""
    first = block.models[0]
    return tuple(
        Summed(
            each.name, each.shared, each.class_axes,
            numbers[each.name, EVERY_MODEL if each.shared else first].shape[1]
            // max(1, block.access.n_classes) ** each.class_axes,
        )
        for each in statistics
    )  # fmt: skip


def _rows_at_once(block: TestSet, statistics: Iterable[Statistic]) -> int:
    """Return a number of rows whose statistics stay small in memory."""
    axes = max(statistic.class_axes for statistic in statistics)
    return max(1, _MOST_NUMBERS // max(1, block.access.n_classes) ** axes)
