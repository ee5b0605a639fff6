"""The plan of a gate's decisions, on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature as parameters_of
from typing import Any

from modelcompare.plugins.plan.question import OF_DECISIONS
from modelcompare.plugins.plan.question import plan as plan_of
from modelcompare.plugins.plan.result import ComparisonPlan
from modelcompare.questions.gate import gate as ask_gate


def of_gate(
    predictions: Any, baseline: str, candidate: str, rules: Sequence[Mapping[str, Any]],
    **options: Any,
) -> ComparisonPlan:  # fmt: skip
    """Plan the decisions of a gate."""
    values = [(rule["metric"], rule["label"]) for rule in rules]
    usual = {name: each.default for name, each in parameters_of(ask_gate).parameters.items()}
    options = {name: value for name, value in options.items() if value != usual.get(name)}
    if others := options.keys() - {"alpha", *OF_DECISIONS}:
        raise ValueError(
            "--plan shows how one test set would decide once; leave out "
            f"{' and '.join(f'--{each}' for each in sorted(others))}."
        )
    if "alpha" in options:
        options["confidence_level"] = 1 - 2 * options.pop("alpha")
    return plan_of(predictions, values, baseline=baseline, candidate=candidate, **options)
