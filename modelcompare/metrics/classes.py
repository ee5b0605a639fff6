"""A class beside the name of a metric: ``f1[fraud]``, also ``f1:fraud``.

Several classes beside an average, ``f1_micro[-O]``, are part of its name (`metrics.subsets`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from modelcompare.data.positive import naming, positive_for
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.planning import positive_note
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.metrics.subsets import class_code, names_subset, split_class

# One value: a metric, or a metric per class with the class.
ValueLike: TypeAlias = MetricLike | tuple[MetricLike, Any]


def without_classes(
    metrics: MetricLike | Sequence[MetricLike] | None, predictions: TestSet
) -> tuple[Any, dict[str, list[Any]]]:
    """Take the classes off the names of metrics.

    Parameters
    ----------
    metrics : str, metric, callable, or sequence of these, optional
        As in `compare`.
    predictions : TestSet
        Its classes, and its scores, whose names may look like a metric of a class.

    Returns
    -------
    metrics : str, metric, callable, or sequence of these, optional
        Each metric once.
    classes : dict of str to list
        Labels of the metrics that are asked for in some classes only.

    Raises
    ------
    ValueError
        If there is no such class, or the metric has no value per class, or is asked for in all
        classes too.
    """
    one = isinstance(metrics, str)
    every: Any = [metrics] if one else metrics
    if not isinstance(every, list | tuple):
        return metrics, {}
    plain: list[Any] = []
    classes: dict[str, list[Any]] = {}
    sums = predictions.access.sums
    summed = () if sums is None else sums.metrics
    for given in every:
        name, text = split_class(given) if isinstance(given, str) else (given, None)
        if text is None or given in (*predictions.access.scores.names, *summed):
            plain.append(given)
            continue
        (metric,) = resolve_metrics([name], predictions)
        if not metric.per_class and names_subset(text):
            plain.append(given)
            continue
        if not metric.per_class or predictions.labels is None:
            remedy = f"leave {text!r} out"
            known = np.asarray(predictions.labels).astype(str)
            if positive_note(metric, predictions) and text in known:
                remedy += f" and pass {naming(text)}"
            raise ValueError(f"{given}: {metric.name} has no value per class; {remedy}.")
        label = predictions.labels.tolist()[class_code(given, text, predictions)]
        if metric.name not in classes:
            plain.append(name)
        classes.setdefault(metric.name, []).append(label)
    for name in (name for name in classes if plain.count(name) > 1):
        raise ValueError(f"{name} is of all classes, also of those named in brackets; drop either.")
    return (plain[0] if one else plain), classes


def one_value(value: ValueLike, predictions: TestSet) -> tuple[MetricLike, Any]:
    """Return the metric of one value, and its class: by the metric's name, or beside it in a pair.

    Raises
    ------
    TypeError
        If a pair is none of a metric and a class.
    ValueError
        If both name a class, there is no such class, or the metric has no value per class.
    """
    if isinstance(value, tuple) and len(value) != 2:
        raise TypeError(f"`metric` must be a metric, or a pair (metric, class), got {value!r}.")
    metric, label = value if isinstance(value, tuple) else (value, None)
    plain, classes = without_classes(metric, predictions)
    if not classes:
        return metric, predictions.access.class_named(label)
    if label is not None:
        raise ValueError(f"{metric} names a class already; leave the class {label!r} out.")
    ((found,),) = classes.values()
    return plain, found


def resolved_value(value: ValueLike, predictions: TestSet) -> tuple[AnyMetric, Any]:
    """Return one value as a metric and its class: of two classes the positive by default.

    Raises
    ------
    ValueError
        If the metric is per class and no class is named, or the other way round.
    """
    plain, of_class = one_value(value, predictions)
    (found,) = resolve_metrics([plain], predictions)
    if not found.per_class:
        if of_class is not None:
            raise ValueError(f"{found.name} has no value per class; leave the class out.")
        return found, None
    known = [] if predictions.labels is None else predictions.labels.tolist()
    if of_class is None and len(known) == 2:
        return found, positive_for(f"metric {found.name!r} is per class", predictions)
    code = class_code(f"{found.name} of one class", of_class, predictions)
    return found, known[code]
