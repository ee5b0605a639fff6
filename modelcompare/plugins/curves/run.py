"""Decisions at thresholds that a command names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say
from modelcompare.data.predictions import Predictions
from modelcompare.plugins.curves.thresholds import at_thresholds, choose_thresholds
from modelcompare.plugs import behind
from modelcompare.readers import read
from modelcompare.readers.options import Columns


def decided(predictions: Predictions, reading: Reading, columns: Columns) -> Predictions:
    """Return decisions at thresholds that are given, or chosen on validation data."""
    file, best = reading.threshold_from, reading.threshold_for
    if file is None and best != "f1":
        raise ValueError("--threshold-for is for --threshold-from FILE; name the file.")
    if reading.threshold is not None:
        if file is not None:
            raise ValueError("--threshold and --threshold-from exclude each other.")
        return at_thresholds(predictions, _of_models(predictions, reading.threshold))
    validation = read([file], columns).predictions[[*predictions.models]]
    in_file = best.rpartition(":")[0].endswith((".py", ".csv"))
    chosen = choose_thresholds(validation, behind("metric_from")(best) if in_file else best)
    decisions = at_thresholds(predictions, chosen)
    by_label = any(isinstance(each, Mapping) for each in chosen.values())
    of = "each label" if by_label else predictions.access.positive
    shown = ", ".join(f"{model} {_written(number)}" for model, number in chosen.items())
    say(f"modelcompare: thresholds of {of}, best for {best}: {shown}")
    return decisions


def _of_models(predictions: Predictions, given: Mapping[str, float]) -> dict[str, Any]:
    """Return the thresholds given, for each model."""
    named = {n and predictions.access.class_named(n): t for n, t in given.items()}
    if [*named] == [""]:
        return dict.fromkeys(predictions.models, named[""])
    labels = () if predictions.labels is None else predictions.labels.tolist()
    every = dict.fromkeys(labels, named.pop("")) if "" in named else {}
    return {model: {**every, **named} for model in predictions.models}


def _written(threshold: float | Mapping[Any, float]) -> str:
    """Write a threshold, or those of labels."""
    if isinstance(threshold, Mapping):
        return " ".join(f"{label}={number:.4g}" for label, number in threshold.items())
    return f"{threshold:.4g}"
