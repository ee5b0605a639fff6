"""Rules of a gate: a metric, a class where it is per class, and a margin."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from modelcompare.data.test_set import TestSet
from modelcompare.metrics.registry import default_metric
from modelcompare.metrics.subsets import names_subset, split_class
from modelcompare.plugs import answering, by_name, first
from modelcompare.words import Decision, check_sequence

_KINDS: dict[str, Decision] = {"-": "non-inferior", "+": "superior", "±": "equivalent"}
# What a rule must read, without its margin, and an example.
_FORM = ("METRIC", "recall[toxic]:-0.01")


def read_rule(rule: str | Mapping[str, Any]) -> dict[str, Any]:
    """Read one condition of a gate: a metric, a class where it is per class, and a margin.

    Parameters
    ----------
    rule : str or mapping
        ``metric[class]:-0.005`` (not worse by 0.005 or more), ``metric:+0.01`` (better by more than
        0.01) or ``metric:±0.01``, also ``metric:+-0.01`` (within 0.01). Or arguments of `decide`,
        metric and margin among them, and the class as "label".

    Returns
    -------
    dict
        Arguments of `decide`, and the class as "label".

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
        return {**rule}
    if not isinstance(rule, str):
        raise TypeError(f"a rule must be a text, got {rule!r}.")
    value, _, margin = rule.rpartition(":")
    read = read_claim(rule, value, margin, _FORM)
    if not read["metric"]:
        raise misread(rule)
    return read


def read_claim(rule: str, value: str, margin: str, form: tuple[str, str]) -> dict[str, Any]:
    """Read what a rule claims about a value; the metric may be lacking."""
    margin = margin.strip().replace("+-", "±")
    metric, label = split_class(value.strip())
    try:
        number = float(margin[1:])
    except ValueError:
        number = math.nan
    if "[" in metric or margin[:1] not in _KINDS or not number >= 0:
        raise misread(rule, form)
    return {"metric": metric, "label": label, "kind": _KINDS[margin[0]], "margin": number}


def misread(rule: str, form: tuple[str, str] = _FORM) -> ValueError:
    """Return the error about a rule that is written in another way."""
    what, example = form
    return ValueError(
        f"rule {rule!r} must read {what}:-MARGIN (not worse), {what}:+MARGIN (better) or "
        f"{what}:+-MARGIN (equivalent), with a class as in {example}."
    )


def read_asked(rule: str | Mapping[str, Any]) -> dict[str, Any]:
    """Read a rule before its test sets: those of plugins are over several, which "over" names."""
    return first("rules", rule) or read_rule(rule)


def read_rules(
    rules: str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]],
    predictions: TestSet | Mapping[str, TestSet],
) -> list[dict[str, Any]]:
    """Read one or several rules, with the metric and the class that they mean."""
    given = [rules] if isinstance(rules, str | Mapping) else check_sequence("rules", rules, "rules")
    if not given:
        raise ValueError("`rules` is empty; give at least one, e.g. 'f1_macro:-0.005'.")
    read = answering(predictions, "rules", read_rule)
    sample, *_ = by_name(predictions).values()
    return [_meant(read(rule), sample) for rule in given]


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
