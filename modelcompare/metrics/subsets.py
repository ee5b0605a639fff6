"""Classes in names of metrics, and averages over some: ``f1_micro[-O]``, ``recall_macro[cat,dog]``.

As scikit-learn's ``labels=``: other classes are true and predicted, and are not averaged.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes, Statistic
from modelcompare.metrics.quotient import Quotient, SumsOf
from modelcompare.spelling import did_you_mean, nearest

# Classes that an error lists.
_LISTED = 9

_OF_CLASS = re.compile(r"([^\[\]:]+)(?:\[(.+)\]|:(.+))")
_EXAMPLES = "f1_micro[-O] or f1_macro[cat,dog]"


def split_class(name: str) -> tuple[str, str | None]:
    """Split a name into metric and class; the class is None where none is named.

    Examples
    --------
    >>> split_class("f1[fraud]"), split_class("recall:1"), split_class("f1_macro")
    (('f1', 'fraud'), ('recall', '1'), ('f1_macro', None))
    """
    found = _OF_CLASS.fullmatch(name.strip())
    if found is None:
        return name, None
    metric, in_brackets, after_colon = found.groups()
    return metric.strip(), in_brackets or after_colon


def names_subset(text: str) -> bool:
    """Return whether the text in brackets after a metric names several classes, or all but some.

    Examples
    --------
    >>> names_subset("-O"), names_subset("cat,dog"), names_subset("cat")
    (True, True, False)
    """
    return text.startswith("-") or "," in text


def over_classes(metric: AnyMetric, text: str, predictions: TestSet) -> Metric:
    """Return an average over the classes that a text names, or over all others after a minus.

    Raises
    ------
    ValueError
        If the metric is no average of counts of classes, or there is no such class.
    """
    name = f"{metric.name}[{text}]"
    ratio = metric.class_ratio if isinstance(metric, Metric) else None
    averaged = isinstance(metric, Metric) and bool(metric.average or metric.name.endswith("_micro"))
    if not isinstance(metric, Metric) or ratio is None or not averaged:
        raise ValueError(f"{name}: {metric.name} is no average over classes; name {_EXAMPLES}.")
    if ratio.numerator[3] or ratio.denominator[3]:
        raise ValueError(
            f"{name}: {metric.name} counts true negatives, which are of all classes; leave "
            f"[{text}] out."
        )
    if metric.zero_division == "paper":
        raise ValueError(f"{name} has no value by the paper's convention; give a number or NaN.")
    codes = _codes(name, text, predictions)
    # No longer a ratio of the counts of all classes.
    parts = partial(SumsOf(ratio) if isinstance(metric.ratio, SumsOf) else ratio)
    return replace(
        metric, name=name, family=metric.stem, variant=f"over the classes {text}", ratio=parts,
        statistics=tuple(_of(each, codes) for each in metric.statistics), value=Quotient(),
        soft=None, factory=None,
    )  # fmt: skip


def _codes(name: str, text: str, predictions: TestSet) -> tuple[int, ...]:
    """Return the positions of the classes, in order."""
    texts = text.removeprefix("-").split(",")
    chosen = {class_code(name, each.strip(), predictions) for each in texts}
    if text.startswith("-"):
        chosen = {*range(predictions.access.n_classes)} - chosen
    if not chosen:
        raise ValueError(f"{name} leaves out every class; keep at least one.")
    return tuple(sorted(chosen))


def class_code(given: str, label: Any, predictions: TestSet) -> int:
    """Return the position of a class, which may be given as text, in a name or an argument."""
    classes = [] if predictions.labels is None else predictions.labels.tolist()
    found = predictions.access.class_named(label)
    if found in classes:
        return classes.index(found)
    known = [*map(str, classes)]
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    otherwise = f"the classes are {', '.join(known[:_LISTED])}{more}."
    hint = did_you_mean(nearest(str(label), known, cutoff=0.5), otherwise=otherwise)
    what = "name a class" if label is None else f"there is no class {label!r}"
    raise ValueError(f"{given}: {what}; {hint}")


def _of(statistic: Statistic, codes: tuple[int, ...]) -> Statistic:
    """Return the columns of some classes."""
    return Statistic(
        f"{statistic.name} of {codes}", partial(_columns, of=statistic, codes=codes),
        discrete=statistic.discrete, indicator=statistic.indicator, shared=statistic.shared,
    )  # fmt: skip


def _columns(outcomes: Outcomes, *, of: Statistic, codes: tuple[int, ...]) -> FloatArray:
    return np.ascontiguousarray(of.compute(outcomes)[:, list(codes)])
