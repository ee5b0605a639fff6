"""A table of all named metrics."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from modelcompare.arguments import checked
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.named import METRICS
from modelcompare.metrics.planning import check_served
from modelcompare.metrics.registry import register_others
from modelcompare.metrics.terms import plain_term, terms_of
from modelcompare.words import check_text, giving


@checked(predictions=giving("sums"))
def list_metrics(predictions: TestSet | None = None, *, search: str = "") -> pd.DataFrame:
    """Return a table of all named metrics, or of those that some predictions can have.

    Parameters
    ----------
    predictions : Predictions, optional
        Restrict the table to the metrics that every model of these predictions can be compared by.
    search : str
        Restrict it to metrics with these words in their names, other names or definitions.

    Returns
    -------
    DataFrame
        One row per metric: `metric` (its name), `summary` (one sentence), `needs` (the output that
        a model must give), `greater_is_better`, `lowest` and `highest` (its bounds), `per_class`
        (True for one value per class) and `soft_twin` (the name of its probabilistic counterpart,
        missing where there is none).

    Examples
    --------
    >>> import modelcompare as mc
    >>> table = mc.list_metrics().set_index("metric")
    >>> table.loc["f1_macro", ["needs", "soft_twin"]].tolist()
    ['labels', 'cf1_macro']
    >>> mc.list_metrics(search="false alarm")["metric"].tolist()
    ['fpr']
    >>> values = mc.Predictions([0.5, 1.5], {"m": [1.0, 2.5]})
    >>> mc.list_metrics(values)["metric"].tolist()[:3]
    ['mse', 'rmse', 'mae']
    """
    check_text("search", search)
    register_others()
    found = [
        metric
        for metric in searched(METRICS.values(), search)
        if predictions is None or _served(metric, predictions.access.sample)
    ]
    columns = {
        "metric": [metric.name for metric in found],
        "summary": [metric.summary for metric in found],
        "needs": [metric.needs for metric in found],
        "greater_is_better": [metric.greater_is_better for metric in found],
        "lowest": [metric.bounds[0] for metric in found],
        "highest": [metric.bounds[1] for metric in found],
        "per_class": [metric.per_class for metric in found],
        "soft_twin": [None if metric.soft is None else metric.soft.name for metric in found],
    }
    return pd.DataFrame(columns)


def _served(metric: AnyMetric, predictions: TestSet) -> bool:
    try:
        check_served(metric, predictions)
    except ValueError:
        return False
    return True


def searched(metrics: Iterable[AnyMetric], words: str) -> list[AnyMetric]:
    """Return the metrics that a term leads to, then those with all of some words, in order.

    Examples
    --------
    >>> [metric.name for metric in searched(METRICS.values(), "Youden")]
    ['informedness', 'cinformedness']
    """
    sought, called, named, described = plain_term(words), [], [], []
    for metric in metrics:
        names = [plain_term(metric.name), *terms_of(metric.name)]
        if sought in names:
            called.append(metric)
        elif any(sought in name for name in names):
            named.append(metric)
        elif all(word in plain_term(metric.summary) for word in sought.split()):
            described.append(metric)
    return [*called, *named, *described]
