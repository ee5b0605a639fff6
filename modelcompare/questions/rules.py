"""Rules of a gate: a metric, a class where it is per class, and a margin."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from modelcompare.data.test_set import TestSet
from modelcompare.metrics.registry import default_metric, split_class
from modelcompare.metrics.subsets import names_subset
from modelcompare.words import Decision, check_sequence

_KINDS: dict[str, Decision] = {"-": "non-inferior", "+": "superior", "±": "equivalent"}
# A rule of several test sets: what it is about, and the metric in parentheses.
_OVER = re.compile(r"(mean|each|any)(?:\((.+)\))?")


def is_of_sets(rule: str) -> bool:
    """Return True for a rule that is about the mean of several test sets, each or any of them."""
    return _OVER.fullmatch(rule.rpartition(":")[0].strip()) is not None


def read_rule(rule: str | Mapping[str, Any], *, of_sets: bool = False) -> dict[str, Any]:
    """Read one condition of a gate: a metric, a class where it is per class, and a margin.

    Parameters
    ----------
    rule : str or mapping
        ``metric[class]:-0.005`` (not worse by 0.005 or more), ``metric:+0.01`` (better by more than
        0.01) or ``metric:±0.01``, also ``metric:+-0.01`` (within 0.01). Or arguments of `decide`,
        metric and margin among them, and the class as "label".
    of_sets : bool
        Whether there are several test sets. The metric is then in parentheses after "mean", "each"
        or "any", as in ``each(recall[toxic]):-0.01``; ``mean:-0.01`` is of the default metric. A
        mapping has one of these as ``"over"``, "mean" by default.

    Returns
    -------
    dict
        Arguments of `decide`, and the class as "label"; of several test sets also "over".

    Raises
    ------
    ValueError
        If it is written in another way.

    Examples
    --------
    >>> read_rule("recall[toxic]:-0.01")
    {'metric': 'recall', 'label': 'toxic', 'kind': 'non-inferior', 'margin': 0.01}
    """
    if isinstance(rule, Mapping):
        return {**({"over": "mean"} if of_sets else {}), **rule}
    if not isinstance(rule, str):
        raise TypeError(f"a rule must be a text, got {rule!r}.")
    value, _, margin = rule.rpartition(":")
    margin = margin.strip().replace("+-", "±")
    over = _OVER.fullmatch(value.strip()) if of_sets else None
    metric, label = split_class(over[2] or "" if over else value.strip())
    try:
        number = float(margin[1:])
    except ValueError:
        number = math.nan
    named = over is not None if of_sets else metric
    if not (named and "[" not in metric and margin[:1] in _KINDS and number >= 0):
        what, example = ("METRIC", "recall[toxic]:-0.01")
        if of_sets:
            what, example = ("OVER(METRIC)", "each(recall[toxic]):-0.01, OVER mean, each or any")
        raise ValueError(
            f"rule {rule!r} must read {what}:-MARGIN (not worse), {what}:+MARGIN (better) or "
            f"{what}:+-MARGIN (equivalent), with a class as in {example}."
        )
    read = {"metric": metric, "label": label, "kind": _KINDS[margin[0]], "margin": number}
    return {**read, "over": over[1]} if over else read


def read_rules(
    rules: str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]],
    predictions: TestSet | Mapping[str, TestSet],
) -> list[dict[str, Any]]:
    """Read one or several rules, with the metric and the class that they mean."""
    of_sets = isinstance(predictions, Mapping)
    first = next(iter(predictions.values())) if isinstance(predictions, Mapping) else predictions
    given = [rules] if isinstance(rules, str | Mapping) else check_sequence("rules", rules, "rules")
    if not given:
        example = "mean:-0.005" if of_sets else "f1_macro:-0.005"
        raise ValueError(f"`rules` is empty; give at least one, e.g. {example!r}.")
    return [_meant(read_rule(rule, of_sets=of_sets), first) for rule in given]


def _meant(rule: dict[str, Any], predictions: TestSet) -> dict[str, Any]:
    """Return a rule with its metric, by default that of the test set, and its class."""
    access = predictions.access
    metric, label = rule.get("metric") or default_metric(predictions), rule.get("label")
    classes = [] if predictions.labels is None else predictions.labels.tolist()
    if isinstance(metric, tuple):
        metric, label = metric
    if isinstance(metric, str) and label is None:
        name, text = split_class(metric)
        named = access.class_named(text)
        # A class that there is not is refused with the name as it was given.
        metric, label = (name, named) if named in classes else (metric, None)
    if isinstance(label, str) and names_subset(label) and access.class_named(label) == label:
        metric, label = (metric, label) if label in classes else (f"{metric}[{label}]", None)
    return {**rule, "metric": metric, "label": access.class_named(label)}


def rule_text(rule: Mapping[str, Any]) -> str:
    """Write a rule as it is typed.

    Examples
    --------
    >>> rule_text({"metric": "recall", "label": "toxic", "kind": "superior", "margin": 0.01})
    'recall[toxic]:+0.01'
    """
    sign = next(s for s, kind in _KINDS.items() if kind == rule.get("kind", "non-inferior"))
    label = "" if rule.get("label") is None else f"[{rule['label']}]"
    what = f"{rule['metric']}{label}"
    what = f"{rule['over']}({what})" if rule.get("over") else what
    return f"{what}:{sign}{rule.get('margin', 0):g}"
