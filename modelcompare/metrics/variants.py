"""Variants of a metric by its options, which are part of their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelcompare.arguments import argument_meant
from modelcompare.metrics.base import AnyMetric, Metric


def with_options(metric: AnyMetric, options: Mapping[str, Any]) -> AnyMetric:
    """Return a metric with other options of its factory, an average, or a value for 0 / 0."""
    left, known = dict(options), list(metric.factory.options) if metric.factory else []
    if metric.factory is not None:
        own = {name: left.pop(name) for name in metric.factory.options if name in left}
        metric = metric.factory.made(**own) if own else metric
    if isinstance(metric, Metric):
        if metric.per_class and (average := left.pop("average", None)) is not None:
            metric = metric.averaged(average)
        if metric.zero_division is not None and "zero_division" in left:
            metric = metric.with_zero_division(left.pop("zero_division"))
    if left:
        known += ["average"] * getattr(metric, "has_averages", False)
        wrong = next(iter(left))
        raise TypeError(f"{metric.name} has no option {wrong!r}; {argument_meant(wrong, known)}")
    return metric


def number(value: float) -> str:
    """Return a number for a name: the shortest text that identifies it.

    Examples
    --------
    >>> number(2.0), number(1e-7), number(0.0123456789)
    ('2', '1e-07', '0.0123456789')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))
