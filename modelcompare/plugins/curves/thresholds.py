"""Thresholds that are chosen on other samples than those of the test set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.data import checks
from modelcompare.data.kinds import LABELS
from modelcompare.data.outputs import Output
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_models
from modelcompare.metrics.base import Metric, Outcomes
from modelcompare.metrics.classes import resolved_value
from modelcompare.metrics.registry import MetricLike
from modelcompare.metrics.running_sums import Groups
from modelcompare.metrics.subsets import class_code
from modelcompare.plugins.curves.one_class import OneClass, scores_of
from modelcompare.plugs import load
from modelcompare.words import check_mapping, check_number, label_name

# Best threshold, or thresholds, of each model, given the function for two classes; and the
# predictions with the decisions at thresholds.
Choose = Callable[[Predictions, MetricLike, Callable[..., dict[str, Any]]], dict[str, Any]]
Decide = Callable[[Predictions, Mapping[str, Any]], Predictions]


@checked()
def choose_thresholds(predictions: Predictions, metric: MetricLike = "f1") -> dict[str, Any]:
    """Choose the threshold of each model that is best for a metric of decisions.

    The value at the best of many thresholds is optimistic on the samples on which it was chosen:
    choose on validation data, and compare on a test set by `at_thresholds`. For intervals on the
    same samples see `operating_point`.

    Parameters
    ----------
    predictions : Predictions
        Validation data of two classes, probabilities or raw scores; or sets of labels with
        probabilities, where each label has its own threshold.
    metric : str or metric
        A metric of labels that is a function of sums: f1 (of the positive class, ``f1[ok]`` of
        another), accuracy, balanced_accuracy, a `cost`; of sets of labels, one with a value for
        each label: the thresholds best for f1 are best for its mean, f1_macro.

    Returns
    -------
    dict of str to float, or to dict of float by label
        For each model the lowest score at which a sample is predicted as positive, of sets for each
        label; the highest of several thresholds that are equally good.

    Raises
    ------
    ValueError
        If there are not two classes, all samples are of one, or the metric is not one of decisions,
        or of single labels.

    Warns
    -----
    DataWarning
        If a label is true of no sample: its threshold is the highest of all scores.

    Examples
    --------
    >>> import modelcompare as mc
    >>> validation = mc.Predictions([0, 0, 1, 1] * 5, {"a": [0.1, 0.3, 0.35, 0.8] * 5})
    >>> mc.diagnostics.choose_thresholds(validation)
    {'a': 0.35}
    """
    choose, _ = _rule(predictions)
    return Thresholds(choose(predictions, metric, _best_of_two), predictions)


class Thresholds(dict[str, Any]):
    """Thresholds by model, and the validation data on which they were chosen."""

    def __init__(self, chosen: Mapping[str, Any], validation: Predictions) -> None:
        super().__init__(chosen)
        self.validation = validation


def _choose_of_two(
    predictions: Predictions, metric: MetricLike, best: Callable[..., dict[str, Any]]
) -> dict[str, Any]:
    """Return the best threshold of each model, of two classes; refuse samples of one."""
    labels, hard = np.asarray(predictions.labels), predictions.access.hard_codes
    if hard is not None and len({*hard.tolist()}) < 2:
        raise ValueError(
            f"all samples are of class {label_name(labels[hard[0]])}, so no threshold is better "
            "than all others; choose thresholds on samples of both classes."
        )
    return best(predictions, metric)


def _best_of_two(predictions: Predictions, metric: MetricLike) -> dict[str, Any]:
    """Return the best threshold of each model, of two classes."""
    one = _positive(predictions)
    value, of_class = _of_decisions(predictions, metric)
    place: list[Any] = [] if of_class is None else [class_code("`label`", of_class, predictions)]
    found = {}
    for model, ordered, scores in one.models:
        totals = _totals(predictions, value, one.code, ordered.groups)
        values = np.asarray(value.value(*totals))[(slice(None), *place)]
        values = np.where(np.isnan(values), -np.inf, values if value.greater_is_better else -values)
        found[model] = float(scores[np.argmax(values)])
    return found


def _positive(predictions: Predictions) -> OneClass:
    """Return the scores of the positive class; refuse more than two classes."""
    if (n := predictions.access.n_classes) > 2:
        raise ValueError(
            f"thresholds are of two classes, and there are {n}; give the positive class against "
            "the others."
        )
    return OneClass.of(predictions, None)


def _of_decisions(predictions: Predictions, metric: MetricLike) -> tuple[Metric, Any]:
    """Return a metric of labels that is a sum, and its class if it is per class."""
    decided = _decided(predictions, dict.fromkeys(predictions.models, 0.5), 1)
    value, of_class = resolved_value(metric, decided)
    if not isinstance(value, Metric) or not value.kind.coded or not value.is_additive:
        raise ValueError(
            f"a threshold is chosen for a metric of decisions, such as f1 or accuracy; "
            f"{value.name} is none."
        )
    return value, of_class


def _totals(predictions: Predictions, metric: Metric, code: int, ties: Groups) -> list[FloatArray]:
    """Return totals at each distinct score as the threshold, highest first."""
    access = predictions.access
    weights = access.weights[:, None]
    truth = predictions.y_true, access.true_distribution
    sides = []
    for predicted in (1 - code, code):
        output = Output(LABELS, np.full(len(predictions), predicted))
        outcomes = Outcomes(output, access.codes, 2, *truth)
        sides.append([each.compute(outcomes) * weights for each in metric.statistics])
    return [
        no.sum(axis=0) + np.cumsum((yes - no)[ties.order], axis=0)[ties.starts[1:] - 1]
        for no, yes in zip(*sides, strict=True)
    ]


@checked()
def at_thresholds(predictions: Predictions, thresholds: Mapping[str, Any]) -> Predictions:
    """Return the decisions of models at thresholds that were chosen elsewhere.

    Parameters
    ----------
    predictions : Predictions
        A test set of two classes, probabilities or raw scores; or sets of labels with
        probabilities.
    thresholds : mapping of str to float, or to mapping of float by label
        For each model the lowest score at which a sample is predicted as positive; of sets of
        labels for all labels, or for each. Without thresholds a probability of exactly one half is
        a no, the first class of a tie; at a threshold of 0.5 it is a yes.

    Returns
    -------
    Predictions
        Labels, or sets of labels, whose metrics are those at the thresholds. Answers are for these
        thresholds.

    Raises
    ------
    ValueError
        If a model, or a label, has no threshold, there are not two classes, or the thresholds were
        chosen on this test set by `choose_thresholds`.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 1, 1], {"a": [0.1, 0.35, 0.8]})
    >>> at = mc.diagnostics.at_thresholds(preds, {"a": 0.3})
    >>> at.labels[at.predicted("a")].tolist()
    [0, 1, 1]
    """
    check_mapping("thresholds", thresholds, "numbers, e.g. {'cnn': 0.3}")
    lacking = [model for model in predictions.models if model not in thresholds]
    if lacking:
        raise ValueError(f"`thresholds` has none for model {lacking[0]!r}.")
    checks.check_models(predictions.models, **{f"thresholds[{m!r}]": m for m in thresholds})
    if isinstance(thresholds, Thresholds):
        _check_validation(thresholds.validation, predictions)
    _, decide = _rule(predictions)
    return _for_thresholds(decide(predictions, thresholds))


def _decide_of_two(predictions: Predictions, thresholds: Mapping[str, Any]) -> Predictions:
    """Return the decisions of two classes, at the threshold of each model."""
    if any(isinstance(each, Mapping) for each in thresholds.values()):
        raise ValueError(
            "thresholds by label (--threshold LABEL=NUMBER) are for samples with several labels; "
            "of two classes give the number alone, and name the positive one with --positive CLASS."
        )
    one = _positive(predictions)
    numbers = {m: check_number("thresholds", thresholds[m]) for m in predictions.models}
    return _decided(predictions, numbers, one.code)


_OF_TWO_CLASSES = _choose_of_two, _decide_of_two


def _rule(predictions: Predictions) -> tuple[Choose, Decide]:
    """Return the functions of an output type, by default those of two classes."""
    place = predictions.kind.thresholds
    rule: tuple[Choose, Decide] = load(place) if place else _OF_TWO_CLASSES
    return rule


def _check_validation(validation: Predictions, predictions: Predictions) -> None:
    """Refuse thresholds chosen on the test set itself, from any file."""
    first, second = (
        [np.asarray(each.y_true), *(each.output(m).array for m in predictions.models)]
        for each in (validation, predictions)
    )
    if all(np.array_equal(own, other) for own, other in zip(first, second, strict=True)):
        raise ValueError(
            "thresholds were chosen on the samples of the test set itself, where the best of "
            "many is optimistic; choose them on other samples, or see diagnostics.operating_point."
        )


def _decided(predictions: Predictions, thresholds: Mapping[str, float], code: int) -> Predictions:
    """Return the predictions with labels: the positive class from the threshold on."""
    outputs = {}
    for model in predictions.models:
        scores = scores_of(predictions, model, code)
        # If scores have single precision, 0.7 means 0.7 in single precision.
        kind = predictions.output(model).array.dtype.type
        above = scores >= float(kind(thresholds[model]))
        outputs[model] = np.where(above, code, 1 - code)
    return with_models(predictions, outputs, LABELS)


def _for_thresholds(decisions: Predictions) -> Predictions:
    """Return decisions that know that they are for these thresholds."""
    return decisions._replaced(_source=decisions.access.source._replace(decided=True))
