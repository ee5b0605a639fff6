"""Thresholds of each label, by itself as of two classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data.checks import listed, warn_of_data
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_models
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.plugins.label_sets.kinds import LABEL_SETS
from modelcompare.words import check_number


def _choose(
    predictions: Predictions, metric: MetricLike, best_of_two: Callable[..., dict[str, Any]]
) -> dict[str, Any]:
    """Choose the threshold of each label by itself, as of two classes: true or not."""
    (value,) = resolve_metrics([metric], predictions)
    if not value.per_class:
        raise ValueError(
            "each label has its own threshold, which is chosen for a metric with a value for each "
            f"label, such as f1; got {metric}."
        )
    names, truth = np.asarray(predictions.labels), np.asarray(predictions.access.true_distribution)
    of_label = {}
    for place, name in enumerate(names.tolist()):
        scores = {m: _probabilities(predictions, m)[:, place] for m in predictions.models}
        one = Predictions(
            truth[:, place].astype(int), scores, kind="probabilities", labels=[0, 1],
            sample_weight=predictions.sample_weight,
        )  # fmt: skip
        of_label[name] = best_of_two(one, value)
    never = names[~truth.any(axis=0)]
    if len(never):
        warn_of_data(
            f"no sample has label {listed(never)}: its threshold is the highest score, so it is "
            "hardly ever predicted; choose thresholds on more samples."
        )
    return {m: {name: of_label[name][m] for name in of_label} for m in predictions.models}


def _probabilities(predictions: Predictions, model: str) -> AnyArray:
    """Return the probabilities of all labels; refuse decisions."""
    output = predictions.output(model)
    if not output.kind.soft:
        raise ValueError(
            f"thresholds are of the probability of each label, and model {model!r} gave decisions "
            f"({output.kind})."
        )
    return output.array


def _decide(predictions: Predictions, thresholds: Mapping[str, Any]) -> Predictions:
    """Return the labels whose probability reaches the threshold of each."""
    decided = {m: _decided(predictions, m, thresholds[m]) for m in predictions.models}
    return with_models(predictions, decided, LABEL_SETS)


def _decided(predictions: Predictions, model: str, thresholds: Any) -> FloatArray:
    """Return 1 for each label whose probability reaches its threshold, else 0."""
    array, known = _probabilities(predictions, model), np.asarray(predictions.labels)
    names = known.tolist()
    given = thresholds if isinstance(thresholds, Mapping) else dict.fromkeys(names, thresholds)
    if {*given} != {*names}:
        raise ValueError(
            f"`thresholds` of model {model!r} must have one for each label, {listed(known)}; it "
            f"has {', '.join(map(repr, given))}."
        )
    limits = [check_number("thresholds", given[label]) for label in names]
    return (array >= np.array(limits, dtype=array.dtype)).astype(np.float64)


OF_EACH_LABEL = _choose, _decide
