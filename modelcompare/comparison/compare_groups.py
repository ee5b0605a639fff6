"""`compare_groups`: comparisons of models on several test sets, or in each subgroup of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd

from modelcompare import plugs
from modelcompare.arguments import checked
from modelcompare.comparison.compare import compare
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.correction import adjust_groups
from modelcompare.comparison.groups import GroupComparison
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.subgroups import common_notes
from modelcompare.comparison.warned import collect_warnings
from modelcompare.data.alone import refuse_pseudo_values
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.engine.design import design_of
from modelcompare.engine.scope import Scope
from modelcompare.metrics.registry import MetricLike
from modelcompare.resampling.seeds import RngLike, child_seed, rng_label, seed_sequence
from modelcompare.words import (
    Correction,
    GeneralizeTo,
    GeneralizeToOfSets,
    MissingSets,
    WeightsOfSets,
    check_mapping,
    check_sequence,
    giving,
    warn_caller,
)

# Smaller subgroups are left out.
MIN_SIZE = 30
# Groups that one warning names.
_NAMED = 3

# What identifies a group, its name in warnings, and its samples.
Group = tuple[Any, str, Predictions]


def _check_source(argument: str, value: Any) -> None:
    if isinstance(value, Mapping | list | tuple):
        check_mapping(argument, value, "predictions", kind=Predictions)
    else:
        giving("rows", by_design=True)(argument, value)


@checked(compare, source=_check_source, weights=None)
def compare_groups(
    source: Predictions | Mapping[str, Predictions],
    metrics: MetricLike | Sequence[MetricLike] | None = None, *,
    by: str | Sequence[str] | None = None, min_size: int = MIN_SIZE,
    correction: Correction = "holm", generalize_to: GeneralizeToOfSets = "auto",
    weights: WeightsOfSets | Mapping[str, float] = "equal",
    missing: MissingSets = "refuse", confidence_level: float = 0.95, alpha: float = 0.05,
    rng: RngLike = 0, **options: Any,
) -> GroupComparison:  # fmt: skip
    """Compare the same models on several test sets, or in every subgroup of one.

    Parameters
    ----------
    source : mapping of str to Predictions, or Predictions
        Test sets by name, all with the same models; or one test set with `slices`, the variables
        that define subgroups.
    metrics : str, metric, callable, or sequence of these, optional
        As in `compare`.
    by : str or sequence of str, optional
        Slices whose subgroups are compared; all by default. Not for several test sets.
    min_size : int
        Smaller subgroups, or those with fewer labels beside a judge, are left out, and named in
        `left_out`.
    correction : str
        As in `compare`; the family is all pairs, classes and groups of a metric. Corrections of the
        family-wise error step down over groups as well as within them.
    generalize_to : {"auto", "items", "items+runs", "sets", "sets+runs"}
        What varies, as in `compare`. With "items" and "items+runs" the mean over test sets is for
        these sets, with "sets" and "sets+runs" for new sets like these: its error is the spread
        over the sets, so it needs several, with equal weights. Runs that were evaluated on all sets
        are crossed with them.
    weights : {"equal", "samples"} or mapping of str to float
        Weights of the test sets in the mean: equal, by their numbers of samples, or given. With
        "samples" the mean accuracy, or mean of scores, is that of all samples pooled; of several
        runs, of all items. Sets without weight do not count in the mean, and may lack models.
    missing : {"refuse", "drop", "bounds"}
        Treatment of models that lack a whole test set: refuse, drop such test sets, or compute the
        bounds of the means that hold for all values that these models may have there, within the
        range of the metric. Unknown means are then missing, and only their intervals are given.
    confidence_level, alpha, rng, **options
        As in `compare`; each group has its own seed.

    Returns
    -------
    GroupComparison
        Scores and differences in each group; for several test sets also their means (macro over
        sets), ranks over sets, the agreement of their orders of the models, and which of them
        still separate models. Intervals of means are computed from those of `method`; see
        `results.SuiteComparison`.

    Raises
    ------
    ValueError
        If there is one test set, models differ between test sets, there are no slices or `by` names
        no slice, or no subgroup is large enough.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 1] * 60, {"a": [0, 1] * 40 + [0, 0] * 20, "b": [0, 1] * 60},
    ...                        slices={"year": ["old"] * 80 + ["new"] * 40})
    >>> mc.compare_groups(preds, "accuracy", n_resamples=99).scores[
    ...     ["value", "model", "estimate"]].head(2)
      value model  estimate
    0   new     a       0.5
    1   new     b       1.0
    """
    ask = plugs.answering(source, "compare_groups", compare_subgroups)
    found: GroupComparison = ask(
        source, metrics, by=by, min_size=min_size, correction=correction, weights=weights,
        missing=missing, alpha=alpha, rng=rng, generalize_to=generalize_to,
        confidence_level=confidence_level, **options,
    )  # fmt: skip
    return found


def compare_subgroups(
    source: Predictions, metrics: MetricLike | Sequence[MetricLike] | None, *,
    by: str | Sequence[str] | None, min_size: int, generalize_to: GeneralizeToOfSets,
    weights: WeightsOfSets | Mapping[str, float], missing: MissingSets, **options: Any,
) -> GroupComparison:  # fmt: skip
    """Compare the same models in every subgroup of a test set."""
    _check_one(generalize_to, weights, missing)
    groups, left_out = named_subgroups(source, by, min_size)
    results = compare_each(
        groups, metrics, what="subgroups", generalize_to=generalize_to, **options
    )
    found = correct_together(results, options["correction"], options["alpha"])
    notes = {name: notes_of(found[key].evidence) for key, name, _ in groups}
    return GroupComparison(
        results=found, rng_label=rng_label(options["rng"]), n_samples=n_seen(source),
        left_out=pd.DataFrame(left_out, columns=["slice", "value", "n_samples"]),
        notes=tuple(common_notes(notes)), models=source.models,
        scope=Scope.together(each.bootstrap.scope for each in found.values()),
        size=design_of(source).written_size(),
    )  # fmt: skip


def named_subgroups(
    source: Predictions, by: str | Sequence[str] | None, min_size: int
) -> tuple[list[Group], list[tuple[str, Any, int]]]:
    """Return subgroups that are large enough, and the sizes of the others; refuse none."""
    groups, left_out = subgroups(source, slices_of(source, by), min_size)
    if not groups:
        _, unit = design_of(source, "items").counted or (0, "samples")
        raise ValueError(f"no subgroup has {min_size} {unit}; lower `min_size`.")
    return groups, left_out


def notes_of(found: Compared) -> tuple[str, ...]:
    """Return the notes of one test set or subgroup."""
    return (*found.notes, *found.positive_notes)


def _check_one(
    generalize_to: str, weights: WeightsOfSets | Mapping[str, float], missing: MissingSets
) -> None:
    """Refuse options for several test sets where there is one."""
    if generalize_to not in get_args(GeneralizeTo) or weights != "equal" or missing != "refuse":
        raise ValueError("generalize_to='sets', `weights` and `missing` are for several test sets.")


def slices_of(predictions: Predictions, by: str | Sequence[str] | None) -> pd.DataFrame:
    """Return the columns of the requested slices."""
    refuse_pseudo_values(predictions.access, "a subgroup's comparison")
    frame = predictions.slices
    if frame is None:
        raise ValueError("the predictions have no `slices`; give them, e.g. slices={'lang': lang}.")
    if by is None:
        return frame
    chosen: list[Any] = [by] if isinstance(by, str) else [*check_sequence("by", by, "names")]
    for name in chosen:
        if name not in frame.columns.tolist():
            raise ValueError(
                f"`by` names no slice variable: {name!r}; there are {', '.join(frame.columns)}."
            )
    return frame[chosen]


def subgroups(
    predictions: Predictions, slices: pd.DataFrame, min_size: int
) -> tuple[list[Group], list[tuple[str, Any, int]]]:
    """Return subgroups by slice and value, and the sizes of those that are left out."""
    groups: list[Group] = []
    left_out: list[tuple[str, Any, int]] = []
    n_samples, n_rows = n_seen(predictions), len(predictions)
    for name in slices:
        if n_missing := int(slices[name].isna().sum()) * n_samples // n_rows:
            left_out.append((name, None, n_missing))
        for value, rows in slices.groupby(name, sort=True).indices.items():
            size = len(rows) * n_samples // n_rows
            if size < min_size:
                left_out.append((name, value, size))
                continue
            group = predictions.subset(np.asarray(rows))
            # Something else than samples may decide.
            counted, _ = design_of(group, "items").counted or (size, "samples")
            if counted < min_size:
                left_out.append((name, value, size))
            else:
                plain = value.item() if isinstance(value, np.generic) else value
                groups.append(((name, plain), f"{name} = {value}", group))
    return groups, left_out


def compare_each(
    groups: Sequence[Group], metrics: MetricLike | Sequence[MetricLike] | None, *, what: str,
    rng: RngLike, correction: Correction, alpha: float, **options: Any,
) -> dict[Any, Comparison]:  # fmt: skip
    """Compare the models in each group with independent seeds; warn once per category.

    Within each group, corrections are at the level at which all groups are one family.
    """
    seed, level = seed_sequence(rng), alpha if correction == "none" else alpha / len(groups)
    if plugs.can_answer("seconds of groups"):
        asked = {**options, "correction": correction, "alpha": level}
        plugs.behind("seconds of groups")([group for _, _, group in groups], metrics, asked)
    results: dict[Any, Comparison] = {}
    warned: dict[type[Warning], list[str]] = {}
    for place, (key, name, predictions) in enumerate(groups):
        with collect_warnings() as caught:
            results[key] = compare(
                predictions, metrics, rng=child_seed(seed, place), correction=correction,
                alpha=level, **options,
            )  # fmt: skip
        for each in caught:
            warned.setdefault(each.category, []).append(f"{name}: {each.message}")
    for category, texts in warned.items():
        more = len(texts) - _NAMED
        rest = f" (and {more:,} more like this in {what})" if more > 0 else ""
        warn_caller(" ".join(texts[:_NAMED]) + rest, category)
    return results


def correct_together(
    results: Mapping[Any, Comparison], correction: Correction, alpha: float
) -> dict[Any, Comparison]:
    """Correct p-values for all pairs, classes and groups of a family together."""
    members = [each.evidence for each in results.values()]
    adjusted = [each.p_adjusted.copy() for each in members]
    every = members[0].family == "all"
    for metric in members[0].metrics[: 1 if every else None]:
        where = [slice(None) if every else each.slice_of(metric) for each in members]
        found = adjust_groups(members, where, correction)
        for out, own, p_values in zip(adjusted, where, found, strict=True):
            out[:, own] = p_values
    return {
        key: Comparison(evidence=replace(each, p_adjusted=p, alpha=alpha, n_groups=len(members)))
        for key, each, p in zip(results, members, adjusted, strict=True)
    }
