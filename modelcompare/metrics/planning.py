"""Metrics beside a test set: whether the models gave what they need, and ranges of scores."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from modelcompare.data.sums import Sums
from modelcompare.data.test_set import TestSet
from modelcompare.metrics import scoring
from modelcompare.metrics.base import AnyMetric, Metric, OrderMetric, Outcomes
from modelcompare.metrics.scoring import mean_ratio

_SERVES = {"probabilities": {"labels", "probabilities"}, "text_lists": {"texts", "text_lists"}}


def check_served(metric: AnyMetric, predictions: TestSet) -> None:
    """Every model gave what the metric needs, and the truth is what it is held against."""
    if predictions.sums is not None:
        _check_summed(metric, predictions.sums)
    ordering = isinstance(metric, OrderMetric) and metric.serves_values
    of_two = ordering and predictions.n_classes == 2
    hint = (
        "; raw scores of two classes serve roc_auc and average_precision, for other metrics give "
        "labels or probabilities"
    )
    for model, kind in predictions.kinds.items():
        serves = metric.needs in _SERVES.get(kind, {kind}) or (of_two and kind == "values")
        if not serves:
            of_classes = kind == "values" and metric.needs in ("labels", "probabilities")
            raise ValueError(
                f"metric {metric.name!r} needs {metric.needs}, but model {model!r} gave "
                f"{kind}{hint if of_classes else ''}."
            )
    truth = predictions.y_true
    if metric.needs == "values" and truth is not None and truth.dtype.kind == "O":
        raise ValueError(
            f"metric {metric.name!r} needs true values, but `y_true` holds texts{hint}."
        )


def _check_summed(metric: AnyMetric, sums: Sums) -> None:
    """Refuse of a sketch what is no sum, and what was not summed."""
    if not isinstance(metric, Metric):
        raise ValueError(
            f"metric {metric.name!r} is no sum over samples, and a sketch keeps sums only; compare "
            "by it on the predictions themselves."
        )
    sums.check_held(metric.name, (statistic.name for statistic in metric.statistics))


# Measures between 0 and 1, by the names that ir-measures, trec_eval and the SQuAD script give them.
_SHARES = re.compile(
    r"(ndcg|ndcg_cut|ap|map|map_cut|rr|mrr|recip_rank|p|precision|r|rprec|recall|success|err|"
    r"judged|hits|hit_rate|acc|accuracy|em|exact_match|f1)([@_]\d+)?",
    re.IGNORECASE,
)


def given_score(metric: Metric, predictions: TestSet) -> Metric:
    """The mean of scores, with their direction and range: the score that has no name, or one."""
    names = predictions.score_names
    if not names:
        better, known = predictions.direction()
        metric = replace(metric, greater_is_better=better, direction_from=known)
    declared = predictions.bounds_of(metric.name if names else None)
    if declared in (None, (0.0, 1.0)):
        metric = judged(metric, predictions)
    return metric if declared is None else replace(metric, bounds=declared)


def range_of_samples(metric: AnyMetric, predictions: TestSet) -> tuple[float, float]:
    """Range of the numbers that a metric is the mean of.

    Scores within 0 and 1 whose range was not declared are taken to have that one. Nothing is
    assumed of scores that are not in memory.
    """
    if metric.name == "brier_score" and predictions.n_classes == 2:
        return 0.0, 1.0
    if metric.needs != "scores" or not isinstance(metric, Metric) or predictions.sums is not None:
        return metric.bounds
    names = predictions.score_names
    declared = predictions.bounds_of(metric.name if names else None) is not None
    if declared or "rows" not in predictions.abilities:
        return metric.bounds
    scores = (
        metric.statistics[0].compute(Outcomes(predictions.output(model)))
        for model in predictions.models
    )
    unit = all(((each >= 0) & (each <= 1)).all() for each in scores)
    return (0.0, 1.0) if unit else metric.bounds


def judged(metric: Metric, predictions: TestSet) -> Metric:
    """Give a mean of scores its range: of scores that are all 0 or 1 it is a proportion.

    The mean of a measure that is known by its name is between 0 and 1, too, if its scores are.
    """
    if predictions.sums is not None:
        of_trials = metric.statistics[0].name in predictions.sums.judged
        return replace(metric, proportion=mean_ratio, bounds=(0.0, 1.0)) if of_trials else metric
    known, binary = _SHARES.fullmatch(metric.name) is not None, True
    for model in predictions.models:
        output = predictions.output(model)
        if output.kind != "scores":
            return metric
        scores = metric.statistics[0].compute(Outcomes(output))
        binary = binary and bool(np.isin(scores, (0.0, 1.0)).all())
        if not binary and not (known and scores.min() >= 0 and scores.max() <= 1):
            return metric
    within = replace(metric, bounds=(0.0, 1.0))
    return replace(within, proportion=mean_ratio) if binary else within


def named_score(name: str, predictions: TestSet) -> Metric:
    """The metric of a score's name; mean_score is the only score."""
    names = predictions.score_names
    if name == "mean_score" and len(names) == 1:
        name = names[0]
    if name not in names:
        raise ValueError(f"there is no score {name!r}; the models have {', '.join(names)}.")
    return scoring.named_score(names, name, predictions.direction(name))
