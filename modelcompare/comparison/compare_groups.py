"""`compare_groups`: comparisons of models on several test sets, or in each subgroup of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.comparison.compare import compare
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.correction import adjust_groups
from modelcompare.comparison.groups import GroupComparison
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.suite import WITHIN, check_weights, notes_of_sets, shares_of, within
from modelcompare.comparison.suite_checks import check_metrics
from modelcompare.comparison.warned import collect_warnings, warn_of_few_sets
from modelcompare.data.alone import refuse_pseudo_values
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.data.test_set import TestSet
from modelcompare.engine.design import are_crossed
from modelcompare.engine.scope import Scope
from modelcompare.engine.units import written_size
from modelcompare.metrics.registry import MetricLike
from modelcompare.resampling.seeds import RngLike, child_seed, rng_label, seed_sequence
from modelcompare.words import (
    Correction,
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

Tested = TypeVar("Tested", bound=TestSet)
# What identifies a group, its name in warnings, and its samples.
Group = tuple[Any, str, Predictions]


class WeightedSets(NamedTuple, Generic[Tested]):
    """Test sets of a mean, their shares in it, what varies, and a note on sets that lack models."""

    sets: dict[str, Tested]
    shares: FloatArray
    generalize_to: GeneralizeToOfSets
    notes: tuple[str, ...] = ()


def _check_source(argument: str, value: Any) -> None:
    if isinstance(value, Mapping | list | tuple):
        check_mapping(argument, value, "predictions", kind=Predictions)
    else:
        giving("rows")(argument, value)


@checked(compare, source=_check_source, weights=check_weights)
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
        Smaller subgroups are left out, and named in `left_out`.
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
        `GroupComparison.pooled_scores`.

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
    left_out: list[tuple[str, Any, int]] = []
    of_sets = isinstance(source, Mapping)
    if isinstance(source, Mapping):
        _check_several(source, by)
        models = [*dict.fromkeys(model for each in source.values() for model in each.models)]
        source, shares, _, dropped = weighted_sets(source, models, weights, generalize_to, missing)
        if missing == "bounds" and dropped:
            _check_bounded(correction)
        groups = [
            (k, k, each[[m for m in models if m in each.models]]) for k, each in source.items()
        ]
        test_sets = [*source.values()]
        if generalize_to in WITHIN:
            warn_of_few_sets(len(source))
    else:
        _check_one(generalize_to, weights, missing)
        groups, left_out = subgroups(source, slices_of(source, by), min_size)
        if not groups:
            raise ValueError(f"no subgroup has {min_size} samples; lower `min_size`.")
        test_sets, shares, dropped, models = [source], None, (), [*source.models]
    # Within each group, corrections are at the level at which all groups are one family.
    level = alpha if correction == "none" else alpha / len(groups)
    results = _compare_each(
        groups, metrics, what="sets" if of_sets else "subgroups", rng=rng, correction=correction,
        generalize_to=within(generalize_to), confidence_level=confidence_level, alpha=level,
        **options,
    )  # fmt: skip
    if of_sets:
        check_metrics(results)
    _check_runs([*results.values()], shares)
    found = _correct_together(results, correction, alpha)
    notes = {name: _notes(found[key].evidence) for key, name, _ in groups}
    scopes = (each.bootstrap.scope for each in found.values())
    return GroupComparison(
        results=found, rng_label=rng_label(rng), n_samples=sum(map(n_seen, test_sets)),
        left_out=pd.DataFrame(left_out, columns=["slice", "value", "n_samples"]),
        notes=(*notes_of_sets(notes), *dropped), models=tuple(models), shares=shares,
        scope=Scope.of_sets(scopes, new_sets=generalize_to in WITHIN),
        size=written_size(test_sets),
    )  # fmt: skip


def _notes(found: Compared) -> tuple[str, ...]:
    """Return the notes of one test set or subgroup."""
    return (*found.notes, *found.positive_notes)


def _check_one(
    generalize_to: str, weights: WeightsOfSets | Mapping[str, float], missing: MissingSets
) -> None:
    """Refuse options for several test sets where there is one."""
    if generalize_to in WITHIN or weights != "equal" or missing != "refuse":
        raise ValueError("generalize_to='sets', `weights` and `missing` are for several test sets.")


def _check_bounded(correction: str) -> None:
    """Refuse a correction that needs all models on all test sets where some are bounded."""
    if correction == "max-t":
        raise ValueError(
            "correction='max-t' needs resamples of all models on all test sets, and some lack "
            "models; use correction='holm'."
        )


def _check_runs(results: Sequence[Comparison], shares: FloatArray | None) -> None:
    """Refuse new runs where a mean over test sets has no error: of some runs on one set alone."""
    if shares is None:
        return
    found = [each.evidence for each, share in zip(results, shares, strict=True) if share > 0]
    means = all(each.keys == found[0].keys for each in found)
    if means:
        are_crossed([each.bootstrap.design for each in found])


def _check_several(sets: Mapping[str, Predictions], by: str | Sequence[str] | None) -> None:
    """Refuse one test set in a mapping, and slices of several."""
    if by is not None:
        raise ValueError("`by` names slices of one test set; of several leave it out.")
    if len(sets) < 2:
        raise ValueError("`source` holds one test set; compare_groups needs 2, use compare.")


def weighted_sets(
    sets: Mapping[str, Tested], models: Sequence[str], weights: WeightsOfSets | Mapping[str, float],
    generalize_to: GeneralizeToOfSets, missing: MissingSets,
) -> WeightedSets[Tested]:  # fmt: skip
    """Return the test sets to compare on; those without weight may lack models."""
    shares = shares_of(sets, weights, generalize_to)
    asked = [name for name, share in zip(sets, shares, strict=True) if share > 0]
    gaps = {name: [m for m in models if m not in sets[name].models] for name in asked}
    gaps = {name: lacks for name, lacks in gaps.items() if lacks}
    if not gaps:
        return WeightedSets(dict(sets), shares, generalize_to)
    named, name = ", ".join(gaps), next(iter(gaps))
    lacking = ", ".join(map(repr, gaps[name]))
    if missing == "refuse":
        raise ValueError(
            f"test set {name!r} has no predictions of {lacking} "
            f"({sum(map(len, gaps.values()))} missing in all); leave out "
            f"{'such models, or ' * (len(models) > 2)}such test sets with missing='drop' "
            "(compare_groups, gate; --missing drop), or compute what holds for all possible "
            "results with missing='bounds' (--missing bounds)."
        )
    if missing == "bounds":
        if generalize_to != "items":
            raise ValueError(
                "missing='bounds' is for these test sets and runs; use generalize_to='items' "
                "(--generalize-to items)."
            )
        bounds = f"Bounds for all possible results of the models that lack {named}."
        return WeightedSets(dict(sets), shares, generalize_to, (bounds,))
    if len(asked) - len(gaps) < 2:
        raise ValueError(
            f"missing='drop' leaves {len(asked) - len(gaps)} of {len(asked)} test "
            "sets, and a mean needs 2; give the one test set itself, or use missing='bounds' "
            "(--missing bounds)."
        )
    kept = np.array([name not in gaps for name in sets])
    note = f"Test sets dropped, which lack models: {named}."
    left = {name: each for name, each in sets.items() if name not in gaps}
    return WeightedSets(left, shares[kept] / shares[kept].sum(), generalize_to, (note,))


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
            if (size := len(rows) * n_samples // n_rows) < min_size:
                left_out.append((name, value, size))
            else:
                plain = value.item() if isinstance(value, np.generic) else value
                group = predictions.subset(np.asarray(rows))
                groups.append(((name, plain), f"{name} = {value}", group))
    return groups, left_out


def _compare_each(
    groups: Iterable[Group], metrics: MetricLike | Sequence[MetricLike] | None, *, what: str,
    rng: RngLike, **options: Any,
) -> dict[Any, Comparison]:  # fmt: skip
    """Compare the models in each group with independent seeds; warn once per category."""
    seed = seed_sequence(rng)
    results: dict[Any, Comparison] = {}
    warned: dict[type[Warning], list[str]] = {}
    for place, (key, name, predictions) in enumerate(groups):
        with collect_warnings() as caught:
            results[key] = compare(predictions, metrics, rng=child_seed(seed, place), **options)
        for each in caught:
            warned.setdefault(each.category, []).append(f"{name}: {each.message}")
    for category, texts in warned.items():
        more = len(texts) - _NAMED
        rest = f" (and {more:,} more like this in {what})" if more > 0 else ""
        warn_caller(" ".join(texts[:_NAMED]) + rest, category)
    return results


def _correct_together(
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
