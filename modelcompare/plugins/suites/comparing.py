"""`compare_groups` of several test sets: a comparison on each, and means over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.comparison.compare_groups import compare_each, correct_together, notes_of
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.subgroups import common_notes
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.data.test_set import TestSet
from modelcompare.engine.design import are_crossed, design_of
from modelcompare.metrics.registry import MetricLike
from modelcompare.plugins.suites.checks import check_metrics
from modelcompare.plugins.suites.layers import warn_of_few_sets
from modelcompare.plugins.suites.result import SuiteComparison
from modelcompare.plugins.suites.scope import scope_of_sets
from modelcompare.plugins.suites.weights import WITHIN, weighted_sets, within
from modelcompare.resampling.seeds import rng_label
from modelcompare.words import GeneralizeToOfSets, MissingSets, WeightsOfSets


def compare_sets(
    source: Mapping[str, Predictions],
    metrics: MetricLike | Sequence[MetricLike] | None, *,
    by: object, min_size: int,  # noqa: ARG001  of subgroups
    generalize_to: GeneralizeToOfSets, weights: WeightsOfSets | Mapping[str, float],
    missing: MissingSets, **options: Any,
) -> SuiteComparison:  # fmt: skip
    """Compare the same models on several test sets, as `compare_groups` describes."""
    _refuse_slices(by)
    if len(source) < 2:
        raise ValueError("`source` holds one test set; compare_groups needs 2, use compare.")
    models = [*dict.fromkeys(model for each in source.values() for model in each.models)]
    sets = weighted_sets(source, models, weights, generalize_to, missing)
    if missing == "bounds" and sets.notes:
        _check_bounded(options["correction"])
    groups = [(k, k, each[[m for m in models if m in each.models]]) for k, each in sets.items()]
    if generalize_to in WITHIN:
        warn_of_few_sets(len(sets))
    results = compare_each(
        groups, metrics, what="sets", generalize_to=within(generalize_to), **options
    )
    check_metrics(results)
    _check_runs([*results.values()], sets.shares)
    found = correct_together(results, options["correction"], options["alpha"])
    notes = {name: notes_of(each.evidence) for name, each in found.items()}
    scopes = (each.bootstrap.scope for each in found.values())
    first, *others = map(design_of, sets.values())
    return SuiteComparison(
        results=found, rng_label=rng_label(options["rng"]),
        n_samples=sum(map(n_seen, sets.values())),
        left_out=pd.DataFrame([], columns=["slice", "value", "n_samples"]),
        notes=(*common_notes(notes), *sets.notes), models=tuple(models), shares=sets.shares,
        scope=scope_of_sets(scopes, new_sets=generalize_to in WITHIN),
        size=first.written_size(others),
    )  # fmt: skip


def sets_to_plan(
    sets: Mapping[str, TestSet], by: object, min_size: int,  # noqa: ARG001  of subgroups
    options: Mapping[str, Any],
) -> tuple[dict[str, TestSet], dict[str, Any]]:  # fmt: skip
    """Return the test sets whose comparisons are planned, and the options of each."""
    _refuse_slices(by)
    generalize_to = options.get("generalize_to", "auto")
    models = [*dict.fromkeys(model for each in sets.values() for model in each.models)]
    found = weighted_sets(sets, models, "equal", generalize_to, "refuse")
    return dict(found), {**options, "generalize_to": within(generalize_to)}


def refuse_plan(*_: object) -> NoReturn:
    """Refuse to plan a decision on several test sets."""
    raise ValueError(
        "a decision, or its size, is planned on one test set; name one (its file), or plan the "
        "comparison on all: leave out `candidate` (`modelcompare groups --plan`)."
    )


def _refuse_slices(by: object) -> None:
    if by is not None:
        raise ValueError("`by` names slices of one test set; of several leave it out.")


def _check_bounded(correction: str) -> None:
    """Refuse a correction that needs all models on all test sets where some are bounded."""
    if correction == "max-t":
        raise ValueError(
            "correction='max-t' needs resamples of all models on all test sets, and some lack "
            "models; use correction='holm'."
        )


def _check_runs(results: Sequence[Comparison], shares: FloatArray) -> None:
    """Refuse new runs where a mean over test sets has no error: of some runs on one set alone."""
    found = [each.evidence for each, share in zip(results, shares, strict=True) if share > 0]
    means = all(each.keys == found[0].keys for each in found)
    if means:
        are_crossed([each.bootstrap.design for each in found])
