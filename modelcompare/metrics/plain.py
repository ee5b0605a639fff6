"""What the plain functions share: arrays in, the registered metric's value out."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.arrays import FloatArray
from modelcompare.metrics.base import Metric, Outcomes, UndefinedMetricWarning
from modelcompare.metrics.inputs import read_outcomes
from modelcompare.metrics.registry import get_metric

AverageName = Literal["macro", "micro", "weighted", "binary"]


def averaged_value(
    name: str, y_true: ArrayLike | None, y_output: ArrayLike, options: dict[str, Any]
) -> float | FloatArray:
    """Evaluate a metric that has a value for each class, or one of its averages."""
    arguments = ("y_true", "y_pred", "average", "pos_label", "zero_division", "beta")
    check_options(name, options, *arguments)
    average, zero_division = options.get("average"), options.get("zero_division", math.nan)
    if average not in (None, "macro", "micro", "weighted", "binary"):
        raise ValueError(
            f"`average` must be None, macro, micro, weighted or binary, got {average!r}."
        )
    suffix = f"_{average}" if average in ("macro", "micro", "weighted") else ""
    metric = get_metric(name + suffix, zero_division=zero_division)
    value, classes = _value(metric, y_true, y_output, options)
    if average is None:
        out: FloatArray = value
        return out
    if average != "binary":
        return float(value)
    pos_label = options.get("pos_label", 1)
    if pos_label not in classes:
        raise ValueError(f"`pos_label` {pos_label!r} is not a class: {classes[:5]}.")
    return float(value[classes.index(pos_label)])


def single_value(name: str, y_true: ArrayLike | None, y_output: ArrayLike, **options: Any) -> float:
    """Evaluate a metric that has one value."""
    check_options(name, options)
    return float(_value(get_metric(name), y_true, y_output, options)[0])


def check_options(name: str, options: dict[str, Any], *more: str) -> None:
    """Refuse options that a metric would pass over in silence."""
    unexpected = sorted({*options} - {"labels", "sample_weight", *more})
    if unexpected:
        raise TypeError(f"{name}() got an unexpected keyword argument {unexpected[0]!r}")


def registered_function(name: str) -> Callable[..., Any]:
    """Plain function of a registered metric: ``f1_macro(y_true, y_pred)``.

    Options are ``labels``, ``sample_weight`` and, for metrics of labels, ``zero_division``.
    """
    per_class = get_metric(name).per_class

    def function(y_true: ArrayLike, y_output: ArrayLike, **options: Any) -> float | FloatArray:
        check_options(name, options, "zero_division")
        metric = get_metric(name, zero_division=options.pop("zero_division", math.nan))
        value = _value(metric, y_true, y_output, options)[0]
        return np.asarray(value) if per_class else float(value)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of one model's output; see `modelcompare.metrics.explain`."
    return function


def _value(
    metric: Any, y_true: ArrayLike | None, y_output: ArrayLike, options: dict[str, Any]
) -> tuple[Any, list[object]]:
    """Value of a metric, and the classes."""
    outcomes, weights, classes = read_outcomes(
        y_true, y_output, metric.needs, options.get("labels"), options.get("sample_weight")
    )
    value = evaluate(metric, outcomes, weights)
    if np.isnan(value).any():
        warnings.warn(
            f"{metric.name} is 0 / 0 here; pass zero_division= for another value.",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    return value, classes


def evaluate(metric: Any, outcomes: Outcomes, weights: FloatArray) -> Any:
    """Value of a metric under one vector of weights."""
    if isinstance(metric, Metric):
        return metric.value(*(weights @ s.compute(outcomes) for s in metric.statistics))
    return metric.prepare(outcomes)(weights[None, :])[0]
