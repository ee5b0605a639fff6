"""Checks of metrics against a test set, and ranges of scores."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray
from modelcompare.data.alone import refuse_pseudo_values
from modelcompare.data.checks import warn_of_data
from modelcompare.data.kinds import Kind
from modelcompare.data.positive import positive_for
from modelcompare.data.scores import Scores
from modelcompare.data.test_set import Access, TestSet
from modelcompare.directions import known_direction
from modelcompare.escape import terminal
from modelcompare.metrics.base import AnyMetric, Metric, OrderMetric, Outcomes
from modelcompare.metrics.quantiles import percentile_of
from modelcompare.plugs import load
from modelcompare.words import label_name


def check_served(metric: AnyMetric, predictions: TestSet) -> None:
    """Refuse a metric if a model, or `y_true`, does not have the data that it needs."""
    access = predictions.access
    access.check_metric(metric)
    if _of_positive(metric, predictions.kind, access.n_classes):
        positive_for(f"{metric.name} depends on the positive class", predictions)
    of_two = isinstance(metric, OrderMetric) and metric.serves_values and access.n_classes == 2
    hint = (
        "; raw scores of two classes are for roc_auc and average_precision, for other metrics give "
        "labels or probabilities"
    )
    beside = _is_beside(metric, access)
    for model, kind in access.kinds.items():
        if not (beside or kind.serves(metric.needs) or (of_two and kind.real)):
            of_classes = kind.real and metric.kind.has_classes
            raise ValueError(
                f"metric {metric.name!r} needs {metric.needs}, but model {model!r} gave "
                f"{kind}{hint if of_classes else _way(metric)}."
            )
    if metric.kind.scored and metric.stem != "mean_score":
        refuse_pseudo_values(access, f"metric {metric.name!r}")
    if check := predictions.kind.check_metric:
        load(check)(metric, predictions.kind)
    if metric.of_items:
        _check_answers(metric, access)
    truth = predictions.y_true
    if metric.kind.real and truth is not None and truth.dtype.kind == "O":
        raise ValueError(
            f"metric {metric.name!r} needs true values, but `y_true` holds texts{hint}."
        )


# How outputs of a kind are given, for those who gave labels.
_WAYS = {
    "probabilities": "give those of all classes, a column for each (b:x, b:y in a file, shape "
    "(n_samples, n_classes) in Python), or of two classes that of the positive one",
    "values": "numbers are read as values with kind='values' (--kind values)",
}


def _way(metric: AnyMetric) -> str:
    way = _WAYS.get(metric.needs)
    return f"; {way}" if way else ""


def _is_beside(metric: AnyMetric, access: Access[Any]) -> bool:
    """Return whether a metric is of scores beside the outputs."""
    names = access.scores.beside
    found = bool(names) and metric.kind.scored and name_of_score(metric, access.scores) in names
    for each in access.attachments.values() if found else ():
        each.check_beside(metric.name)
    return found


def warn_of_order(metric: AnyMetric, labels: AnyArray | None) -> None:
    """Warn of the order of classes whose names are texts, where a metric depends on it.

    Classes that are not sorted have the order that was given.
    """
    if labels is None or labels.dtype.kind != "O" or len(labels) == 2:
        return
    if not metric.stem.endswith("weighted_kappa"):
        return
    if [*labels] == sorted(labels, key=str):
        order = " < ".join(map(str, labels))
        warn_of_data(
            f"{metric.name} takes the classes in this order: {order}. If their ranks differ, give "
            "all in order as `labels` (--read labels=...).",
        )


def positive_note(metric: AnyMetric, predictions: TestSet) -> tuple[str, ...]:
    """Return a note on the positive one of two classes, if the metric depends on which it is.

    Raw scores are high for it.
    """
    access = predictions.access
    if access.positive is None or not _of_positive(metric, predictions.kind, access.n_classes):
        return ()
    named = label_name(access.positive)
    return (terminal(f"The positive class of {metric.name} is {named}."),)


def _of_positive(metric: AnyMetric, kind: Kind, n_classes: int) -> bool:
    """Return whether a metric depends on which of two classes is the positive one."""
    if n_classes != 2 or not kind.exclusive or not isinstance(metric, OrderMetric):
        return False
    return metric.of_positive or (metric.serves_values and kind.real)


def _check_answers(metric: AnyMetric, access: Access[Any]) -> None:
    """Refuse a metric of repeated answers without items, or of several scores."""
    names = access.scores.names
    if access.items is None:
        raise ValueError(
            f"metric {metric.name!r} is of several answers to each item, and no column names the "
            "items; give `groups` (--groups COLUMN), or `runs` and `ids` that repeat from run to "
            "run (--read run=COLUMN --id COLUMN)."
        )
    if len(names) > 1:
        raise ValueError(
            f"metric {metric.name!r} is of one score, and there are {', '.join(names)}; read one, "
            f"with columns={{'score': {names[0]!r}}} (--read score={names[0]})."
        )


# Measures between 0 and 1, by their names in ir-measures, trec_eval and the SQuAD script.
_SHARES = re.compile(
    r"(ndcg|ndcg_cut|ap|map|map_cut|rr|mrr|recip_rank|p|precision|r|rprec|recall|success|err|"
    r"judged|hits|hit_rate|acc|accuracy|em|exact_match|f1)([@_]\d+)?",
    re.IGNORECASE,
)


def of_classes(metric: AnyMetric, n_classes: int) -> AnyMetric:
    """Return the metric with its range; the Brier score of two classes is halved."""
    halved = metric.name == "brier_score" and n_classes == 2
    return replace(metric, bounds=(0.0, 1.0)) if halved else metric


def given_score(metric: Metric | OrderMetric, predictions: TestSet) -> Metric | OrderMetric:
    """Return the mean, or a percentile, of scores with their direction and range."""
    scores = predictions.access.scores
    name = name_of_score(metric, scores)
    better, known = scores.direction(name)
    passes = metric.of_items and math.isfinite(metric.bounds[0])
    if passes and better is False:
        raise ValueError(
            f"metric {metric.name!r} counts answers with a score of 1 as passes, but low scores "
            "are good here; give 1 to right answers."
        )
    if metric.of_items and not passes:
        better = known_direction(name or metric.name, better)
    if metric.of_items and better is False and metric.factory is not None:
        metric = metric.factory.made(highest=False)
    if not passes:
        metric = replace(metric, greater_is_better=better, direction_from=known)
    declared = scores.bounds_of(name)
    if isinstance(metric, Metric) and declared in (None, (0.0, 1.0)):
        metric = _with_range(metric, name, predictions)
    return metric if declared is None else replace(metric, bounds=declared)


def name_of_score(metric: AnyMetric, scores: Scores) -> str | None:
    """Return the name of the score that a metric is of, or of the only score; else None."""
    names = scores.names or scores.beside
    if metric.name in names:
        return metric.name
    score, _ = percentile_of(metric.name, names) or (None, None)
    return score or (names[0] if len(names) == 1 else None)


def _with_range(metric: Metric, name: str | None, predictions: TestSet) -> Metric:
    """Return a mean of scores with its range; of scores that are all 0 or 1 it is a proportion.

    A measure that is known by its name has the range 0 to 1, if its scores are within it.
    """
    access = predictions.access
    of_scores = "rows" in access.abilities and predictions.kind.scored
    sums = access.sums
    summed = () if sums is None else sums.binary
    binary = metric.statistics[0].name in summed or (
        of_scores and _hold(metric, predictions, lambda x: np.isin(x, (0.0, 1.0)))
    )
    known = of_scores and _SHARES.fullmatch(name or "") is not None
    within = binary or (known and _hold(metric, predictions, _is_share))
    proportion = binary and not metric.of_items
    return replace(metric, proportion=proportion, bounds=(0.0, 1.0)) if within else metric


def loss_of_failure(metric: AnyMetric) -> float:
    """Return what a wrong answer that was not seen is assumed to cost in a mean loss.

    Of probabilities, of which the true class has 0.37: 1 nat, or 0.4 of a squared distance; 0 for
    other metrics.
    """
    mean = isinstance(metric, Metric) and metric.is_mean
    if not mean or not metric.kind.distribution or metric.greater_is_better:
        return 0.0
    return 1.0 if math.isinf(metric.bounds[1]) else (1 - math.exp(-1)) ** 2


def range_of_samples(metric: AnyMetric, predictions: TestSet) -> tuple[float, float]:
    """Return the range of the numbers that a metric averages.

    Scores between 0 and 1 without a declared range are assumed to have that range. Nothing is
    assumed about scores that are not in memory.
    """
    of_rows = metric.kind.scored and "rows" in predictions.access.abilities
    if not of_rows or not isinstance(metric, Metric):
        return metric.bounds
    scores = predictions.access.scores
    declared = scores.bounds_of(name_of_score(metric, scores)) is not None
    share = not declared and _hold(metric, predictions, _is_share)
    return (0.0, 1.0) if share else metric.bounds


def known_range(metric: AnyMetric, test_sets: Sequence[TestSet]) -> tuple[float, float]:
    """Return the range of a metric's values on all test sets, which bounds of lacking ones need."""
    ranges = [metric.bounds]
    if not np.isfinite(metric.bounds).all():
        ranges = [range_of_samples(metric, predictions) for predictions in test_sets]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    if not np.isfinite([low, high]).all():
        raise ValueError(
            f"missing='bounds' needs metrics with a range, which {metric.name} has not; declare "
            "that of scores (bounds=, --read range=LOW,HIGH), or use missing='drop' (--missing "
            "drop)."
        )
    return low, high


def _is_share(scores: FloatArray) -> BoolArray:
    return (scores >= 0) & (scores <= 1)


def _hold(
    metric: Metric, predictions: TestSet, condition: Callable[[FloatArray], BoolArray]
) -> bool:
    """True if a condition holds for all scores of all models."""
    return all(condition(scores).all() for scores in scores_of(metric, predictions))


def scores_of(metric: Metric, predictions: TestSet) -> Iterator[FloatArray]:
    """Yield the scores (n_samples,) of each model that a metric averages."""
    outputs = (Outcomes.of(predictions, model) for model in predictions.models)
    if metric.of_items:
        return (output.values.ravel() for output in outputs)
    return (metric.statistics[0].compute(output)[:, 0] for output in outputs)
