"""Says where too few samples or clusters decide about a value."""

from __future__ import annotations

import warnings

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals import FEW, Interval
from modelcompare.metrics import AnyMetric, SparseDataWarning
from modelcompare.words import value_name

# Classes that one warning names.
_NAMED = 3


def warn_of_sparse_data(evaluation: Evaluation, scores: Interval) -> None:
    """Name the metrics, and the classes, that fewer than ten samples or clusters decide about."""
    for told in sparse_values(evaluation, scores):
        warnings.warn(told, SparseDataWarning, stacklevel=3)


def sparse_values(evaluation: Evaluation, scores: Interval) -> list[str]:
    """The same in sentences, one for each metric."""
    if scores.n_informative is None:
        return []
    least = np.where(np.isnan(scores.low), np.inf, scores.n_informative).min(axis=0)
    return [*filter(None, (_told(evaluation, metric, least) for metric in evaluation.metrics))]


def _told(evaluation: Evaluation, metric: AnyMetric, least: FloatArray) -> str:
    """What to say of one metric, the values that know least first; empty if all know enough."""
    where = evaluation.metric_slice(metric.name)
    keys, sizes = evaluation.keys[where], least[where]
    few = [place for place in np.argsort(sizes, kind="stable") if sizes[place] < FEW]
    if not few:
        return ""
    clustered = evaluation.predictions.groups is not None
    clusters = "clusters" if evaluation.predictions.sums is None else "buckets"
    unit = clusters if clustered else "samples"
    of = f" effective {unit} of {evaluation.units.size:,}" if clustered else f" {unit}"
    named = [
        f"{value_name(metric.name, keys[place].label)}: {sizes[place]:.3g}{of}"
        for place in few[:_NAMED]
    ]
    if len(few) > _NAMED:
        named.append(f"and {len(few) - _NAMED:,} more")
    return (
        f"{'; '.join(named)}. Fewer than {FEW} {unit} say so little that intervals are wide and "
        "differences hard to show."
    )
