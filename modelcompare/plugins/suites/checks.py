"""Checks of several test sets that are given by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from modelcompare.comparison.result import Comparison
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.spelling import lookalikes, twins, written
from modelcompare.words import Need, check_mapping, check_test_set


def check_sets(argument: str, value: Any, need: Need, *, by_design: bool = False) -> None:
    """Refuse what does not map names to several test sets, or one that does not give access."""
    check_mapping(argument, value, "predictions", kind=TestSet)
    if len(value) < 2:
        raise ValueError(f"`{argument}` maps one test set; give its predictions without a name.")
    for each in value.values():
        check_test_set(argument, each, need, by_design=by_design)


def in_order(sets: Mapping[str, TestSet], first: Iterable[str]) -> Mapping[str, TestSet]:
    """Return test sets, those of these names first."""
    names = [*filter(sets.__contains__, first)]
    return {name: sets[name] for name in dict.fromkeys([*names, *sets])}


def check_decided(sets: Mapping[str, TestSet], baseline: str, candidate: str) -> None:
    """Refuse names of models that no test set has."""
    for each in sets.values():
        each.access.require("sums", "predictions", by_design=True)
    known = dict.fromkeys(model for each in sets.values() for model in each.models)
    check_models((*known,), baseline=baseline, candidate=candidate)


def check_names(sets: Mapping[str, TestSet]) -> None:
    """Refuse test sets whose names look the same, and classes that they spell differently."""
    for one, other in lookalikes(sets):
        raise ValueError(
            f"test sets {one} and {other} have names that look the same; if they are one, put "
            "their samples together, if not, rename one."
        )
    known: dict[object, str] = {}
    for name, each in sets.items():
        labels = [] if each.labels is None else each.labels.tolist()
        for label, (other, how) in twins(labels, known).items():
            raise ValueError(
                f"test set {name!r} has the class {written(label, how)} and test set "
                f"{known[other]!r} the class {written(other, how)} ({how}), which would be two; "
                "write them the same way."
            )
        known |= {label: name for label in labels if label not in known}


def check_metrics(results: Mapping[str, Comparison]) -> None:
    """Refuse test sets that were compared on other metrics, as their outputs are of other kinds."""
    first, *others = results
    metrics = {name: result.evidence.metrics for name, result in results.items()}
    for name in others:
        if metrics[name] != metrics[first]:
            raise ValueError(
                f"test sets {first!r} and {name!r} have different default metrics "
                f"({', '.join(metrics[first])} and {', '.join(metrics[name])}); name metrics that "
                "all sets have (--metric NAME), or compare the sets one by one."
            )
