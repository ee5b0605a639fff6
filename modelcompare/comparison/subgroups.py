"""Sentences on the subgroups of a test set, and their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.comparison.compared import Compared
from modelcompare.comparison.tables import lead_columns, lead_notes
from modelcompare.directions import Words, words_of
from modelcompare.report.document import Finding
from modelcompare.report.numbers import format_number, grounds, joined, more, some_of
from modelcompare.report.tables import Table, column
from modelcompare.words import label_name, value_name

# Models named in a sentence, of those that lead in as many subgroups.
_MOST_LEVEL = 3
# Notes on single groups that are shown.
_NOTES = 3


def common_notes(by_group: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the notes that all groups have, and the first of those that only some have."""
    first, *_ = by_group.values()
    every = [text for text in first if all(text in own for own in by_group.values())]
    some = [
        f"{name}: {text}" for name, own in by_group.items() for text in own if text not in every
    ]
    left = more(note=len(some) - _NOTES)
    return [*every, *some[:_NOTES], *([f"And {left}."] if len(some) > _NOTES else [])]


def subgroup_findings(results: Mapping[Any, Compared]) -> list[Finding]:
    """Return a sentence for each value: how a model compares with the others in each subgroup.

    The model is the baseline, or the one that leads in most subgroups; several if they lead in as
    many and are better than others as often. P-values are corrected for all subgroups.
    """
    groups = {f"{name} = {value}": found for (name, value), found in results.items()}
    keys = next(iter(groups.values())).keys
    return [_finding(groups, at) for at in range(len(keys))]


def _finding(groups: Mapping[str, Compared], at: int) -> Finding:
    """Return the sentence about one value."""
    first = next(iter(groups.values()))
    key, models = first.keys[at], first.models
    name = value_name(key.metric, key.label)
    known = {group: x for group, x in groups.items() if not np.isnan(x.point[:, at]).all()}
    leads = Counter(models[model] for found in known.values() for model in _best(found, at))
    better = sum(found.ahead[at].sum(axis=1) for found in known.values()) + np.zeros(len(models))
    merits = {model: (leads[model], better[place]) for place, model in enumerate(models)}
    named = [model for model in models if merits[model] == max(merits.values())]
    named = named if first.baseline is None else [first.baseline]
    if not known:
        return Finding(f"{name}: undefined for {joined(named)} in every subgroup.", key.metric)
    clauses = [_clause(model, leads[model], known, at) for model in named[:_MOST_LEVEL]]
    more = len(named) - len(clauses)
    clauses += [f"{more:,} more lead as often"] if more else []
    sameness = min(found.sameness[at] for found in known.values())
    return Finding(f"{name}: {'; '.join(clauses)}.", key.metric, sameness)


def _clause(named: str, n_led: int, groups: Mapping[str, Compared], at: int) -> str:
    """Return a clause about one model: where it leads, what it differs from, its worst value."""
    first = next(iter(groups.values()))
    key, own = first.keys[at], first.models.index(named)
    values = {group: first.direction[at] * x.point[own, at] for group, x in groups.items()}
    values = {group: value for group, value in values.items() if not np.isnan(value)}
    if not values:
        return f"undefined for {named} in every subgroup"
    worst = min(values, key=values.__getitem__)
    score = format_number(groups[worst].point[own, at], groups[worst].decimals[key.metric])
    lowest = "worst" if first.directed[at] else "lowest"
    if len(first.models) == 1:
        return f"{named} has its {lowest} value, {score}, in {worst}"
    words = words_of(first.metric_info[key.metric].greater_is_better)
    differs = _differences_from(own, groups, at, words)
    leading = f"{named} {words.leads} in {n_led} of {len(groups)} subgroups"
    return f"{leading} and {differs}; its {lowest} value is {score} ({worst})"


def _best(found: Compared, at: int) -> list[int]:
    """Return the models with the best value, several if it is the same but for rounding."""
    values = found.point[:, at]
    same = np.isclose(values, values[found.order[0, at]], rtol=1e-12, atol=0)
    return np.flatnonzero(same).tolist()


def _differences_from(own: int, groups: Mapping[str, Compared], at: int, words: Words) -> str:
    """Return a clause: the models that one is significantly better or worse than, and where."""
    rows = dict[str, tuple[float, float, float]]()
    named = dict[tuple[str, str], list[str]]()
    first = next(iter(groups.values()))
    models = first.models
    for word in (words.worse, words.better):
        for other, model in enumerate(models):
            i, j = (own, other) if word == words.better else (other, own)
            where = [group for group, found in groups.items() if found.ahead[at, i, j]]
            for group in where:
                found, pair = groups[group], groups[group].row_of[own, other]
                low, high = found.corrected[:, pair, at].tolist()
                rows[f"{model} in {group}"] = low, high, float(found.p_adjusted[pair, at])
            if where:
                which = "all" if len(where) == len(groups) else some_of(where)
                named.setdefault((word, which), []).append(model)
    if not named:
        return "no difference from it is significant"
    most = len(models) - 1
    clauses = [
        f"{word} than {'all others' if len(own) == most > 2 else some_of(own)} in {which}"
        for (word, which), own in named.items()
    ]
    by = grounds(rows, first.confidence_level, by_interval=bool(first.by_interval[at]))
    return f"is {some_of(clauses)} ({by})"


def lead_table(
    results: Mapping[Any, Compared], places: Mapping[Any, int], whole: Compared | None = None
) -> Table:
    """Make the table of a line for each subgroup, by value, those with another leader first.

    `places` are those of `worst_first`. Beside the result on the `whole` test set, subgroups that
    have its leader are shown on request.
    """
    first = next(iter(results.values()))
    rows = pd.concat([_leads(*each, places) for each in results.items()], ignore_index=True)
    usual = rows.groupby("named", sort=False)["best"].transform(lambda each: each.mode().iloc[0])
    usual = usual if whole is None else np.tile(_leaders(whole), len(results))
    rows = rows.assign(value_at=pd.factorize(rows["named"])[0], usual=rows["best"] == usual)
    rows = rows.sort_values(["value_at", "usual", "place"], kind="stable", ignore_index=True)
    models = [column("leader", "model"), column("ahead of", "other"), column("by", "lead")]
    if first.baseline is not None:
        models = [column("model"), column("baseline", "other"), column("better by", "lead")]
    table = Table.of(
        "Subgroups", rows, column("metric", "named", kind="leader"), column("subgroup"),
        column("n", "n_samples"), models[0], column("value", "estimate"), *models[1:],
        *lead_columns(first), decimals=None, notes=lead_notes(first, first.metrics), n_shown=12,
        subtitle="those with another leader than most, then worst first",
    )  # fmt: skip
    other = np.flatnonzero(~rows["usual"]).tolist()
    if whole is None or not other:
        return replace(table, on_request=whole is not None)
    return replace(
        table.take(other), title="Subgroups with another leader", subtitle="worst first",
        n_every=len(rows), every=lambda: table,
    )  # fmt: skip


def _leaders(found: Compared) -> list[str]:
    """Return the best model of each value."""
    return [found.models[model] for model in found.order[0]]


def _leads(group: tuple[str, Any], found: Compared, places: Mapping[Any, int]) -> pd.DataFrame:
    """Return the lead of each value's best model on the next one, or on the baseline."""
    leads = found.leads.iloc[:: len(found.models) - 1].reset_index(drop=True)
    models = [found.models.index(model) for model in leads["model"]]
    return leads.assign(
        subgroup=f"{group[0]} = {label_name(group[1]) or 'missing'}", n_samples=found.n_samples,
        named=[value_name(key.metric, key.label) for key in found.keys],
        estimate=found.point[models, np.arange(len(models))],
        best=_leaders(found),
        place=[places[key.metric, *group] for key in found.keys],
    )  # fmt: skip


def worst_first(scores: pd.DataFrame, upwards: Mapping[str, bool | None]) -> dict[Any, int]:
    """Number subgroups by metric, slice and value, the worst for a metric's best model first.

    Where the direction is not known, it is the lowest for the model with the highest values.
    """
    places: dict[Any, int] = {}
    for metric, rows in scores.groupby("metric", sort=False):
        by = "estimate" if upwards[str(metric)] is None else "rank"
        means = rows.groupby("model", sort=False)[by].mean()
        best = means.idxmax() if by == "estimate" else means.idxmin()
        estimates = rows[rows["model"] == best].groupby(["slice", "value"], sort=False)["estimate"]
        order = (
            estimates.mean()
            .sort_values(ascending=upwards[str(metric)] is not False, kind="stable")
            .index
        )
        places |= {(metric, *key): len(places) + place for place, key in enumerate(order)}
    return places
