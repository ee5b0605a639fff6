"""The plan of a gate's decisions, on the command line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import signature as parameters_of
from typing import Any

from modelcompare.cli.reading import Reading
from modelcompare.comparison.compare import compare
from modelcompare.comparison.compare_groups import compare_groups
from modelcompare.metrics.classes import ValueLike
from modelcompare.plugins.plan.question import OF_DECISIONS
from modelcompare.plugins.plan.question import plan as plan_of
from modelcompare.plugins.plan.result import ComparisonPlan
from modelcompare.questions.gate import gate as ask_gate
from modelcompare.questions.sample_size import sample_size


def of_gate(
    predictions: Any, baseline: str, candidate: str, rules: Sequence[Mapping[str, Any]],
    **options: Any,
) -> ComparisonPlan:  # fmt: skip
    """Plan the decisions of a gate."""
    values = [(rule["metric"], rule["label"]) for rule in rules]
    known = {"alpha", *OF_DECISIONS}
    options = _given(options, ask_gate, known, "one test set would decide once")
    if "alpha" in options:
        options["confidence_level"] = 1 - 2 * options.pop("alpha")
    return plan_of(predictions, values, baseline=baseline, candidate=candidate, **options)


def of_groups(reading: Reading, options: Mapping[str, Any]) -> ComparisonPlan:
    """Plan the comparisons in subgroups, or on several test sets."""
    reading.several = True
    predictions = reading.read(sliced=True)
    known = {*parameters_of(compare).parameters, "min_size"}
    given = _given(options, compare_groups, known, "each group would be compared")
    return plan_of(predictions, by=reading.slices or None, **given)


def of_two(
    predictions: Any, model_a: str, model_b: str, value: ValueLike, options: Mapping[str, Any]
) -> ComparisonPlan:
    """Plan a sample size."""
    known = {"alpha", "generalize_to", "zero_division"}
    others = {"margin", "power", "cost_item", "cost_run"}
    options = {name: each for name, each in options.items() if name not in others}
    given = _given(options, sample_size, known, "two models would be planned for")
    return plan_of(
        predictions, value, candidate=model_a, baseline=model_b, sample_size=True, **given
    )


def _given(
    options: Mapping[str, Any], function: Callable[..., Any], known: Collection[str], what: str
) -> dict[str, Any]:
    """Return the options that were given, with other values than a function's own."""
    usual = {name: each.default for name, each in parameters_of(function).parameters.items()}
    given = {name: value for name, value in options.items() if value != usual.get(name)}
    if others := given.keys() - {*known}:
        raise ValueError(
            f"--plan shows how {what}; leave out "
            f"{' and '.join(f'--{each}' for each in sorted(others))}."
        )
    return given
