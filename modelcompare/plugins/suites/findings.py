"""Results of several test sets together: orders of the models, power to separate them, means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from modelcompare.arrays import FloatArray
from modelcompare.comparison.compared import POWER, Compared
from modelcompare.comparison.leaders import (
    best_first,
    leaders_of,
    pairs_of_leader,
    pairs_of_leaders,
)
from modelcompare.directions import Words, words_of
from modelcompare.engine.axis import pair_frame
from modelcompare.report.document import Finding
from modelcompare.report.figures.interval_rows import Row, wrapped_name
from modelcompare.report.numbers import (
    decimals_for,
    format_digits,
    format_interval,
    format_number,
    format_percent,
    interval_clause,
    joined,
    p_clause,
    some_of,
)
from modelcompare.report.tables import rows_at
from modelcompare.significance.omnibus import friedman
from modelcompare.words import value_name


def saturation(results: Mapping[str, Compared]) -> pd.DataFrame:
    """Return how many samples each test set has of those that an observed difference needs.

    Columns: set, model_a, model_b, metric, label, n_samples, n_needed (with power 0.8 at the level
    of Bonferroni's correction for all sets and pairs, if the true difference is the observed one),
    share_needed (n_samples / n_needed; of new runs, items and runs together). If it is below 1 for
    all pairs, a set is too small, or too easy, for any two of these models.
    """
    frames = []
    for name, found in results.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (found.difference / found.detectable) ** 2
            needed = np.ceil(found.n_samples / share)
        frame = pair_frame(
            found.models, *found.pairs, found.keys,
            n_samples=np.broadcast_to(found.n_samples, share.shape), n_needed=needed,
            share_needed=share,
        )  # fmt: skip
        frame.insert(0, "set", name)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def values_of(
    results: Mapping[str, Compared], models: Sequence[str], places: Sequence[int]
) -> FloatArray:
    """Return one value of each model on each test set, (n_sets, n_models); NaN where lacking."""
    found = np.full((len(results), len(models)), np.nan)
    for row, each, at in zip(found, results.values(), places, strict=True):
        row[[models.index(model) for model in each.models]] = each.point[:, at]
    return found


def orders(
    results: Mapping[str, Compared], models: Sequence[str], places: Mapping[str, Sequence[int]]
) -> pd.DataFrame:
    """Return the agreement of each two test sets' orders of the models that both have.

    Columns: metric, set_a, set_b, kendall (tau-b of the values: 1 for the same order, -1 for the
    reverse). `places` are the positions of each metric's value on the sets.
    """
    rows = []
    for metric, at in places.items():
        values = [*zip(results, values_of(results, models, at), strict=True)]
        rows += [
            (metric, a, b, kendalltau(one, other, nan_policy="omit").statistic)
            for (a, one), (b, other) in combinations(values, 2)
        ]
    return pd.DataFrame(rows, columns=["metric", "set_a", "set_b", "kendall"])


def concordance(values: FloatArray) -> float:
    """Compute Kendall's coefficient of concordance W of values (n_sets, n_models), 0 to 1.

    Examples
    --------
    >>> concordance(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    1.0
    """
    n_sets, n_models = values.shape
    return friedman(values)[0] / (n_sets * (n_models - 1))


def set_findings(
    results: Mapping[str, Compared], models: Sequence[str], needed: pd.DataFrame,
    places: Mapping[str, Sequence[int]],
) -> list[Finding]:  # fmt: skip
    """Return sentences: how far the sets agree on the order, and which separate no models."""
    found = []
    if len({each.keys for each in results.values()}) > 1:
        text = "The test sets have different classes, so there is no mean over them"
        found.append(Finding(f"{text}: name a metric with one value for all, such as f1_macro."))
    for metric, at in places.items():
        text = ""
        values = values_of(results, models, at)
        if values.shape[1] > 2 and np.isfinite(values).all():
            agreement = format_digits(concordance(values))
            text = f"the test sets' orders of the models have a concordance of {agreement}"
            text += " (Kendall's W, 1 for the same order)"
        shares = rows_at(needed, metric=metric).groupby("set", sort=False)["share_needed"].max()
        weak = [str(name) for name in shares.index[shares < 1]]
        if weak:
            none = f"no two models are separated by {some_of(weak)}"
            text += f"; {none}" if text else none
            most = format_percent(round(max(shares[shares < 1]) ** 0.5, 2))
            text += f": observed differences are at most {most} of those that "
            text += f"{'it detects' if len(weak) == 1 else 'they detect'} (power {POWER:g})"
        if text:
            found.append(Finding(f"{metric}: {text}.", metric))
    return found


def pooled_findings(
    scores: pd.DataFrame, differences: pd.DataFrame, results: Mapping[str, Compared], what: str
) -> list[Finding]:
    """Return a sentence for each value: who leads by the mean, and which models are worse.

    Of models that lack a test set only the bounds are known, so that one of them may lead; so may
    those whose value is undefined on one of the `results`, which have a part in the mean.
    """
    found, first = [], next(iter(results.values()))
    for at, key in enumerate(first.keys):
        up = first.metric_info[key.metric].greater_is_better
        words, below = words_of(up), first.alpha if up is None else None
        own, pairs = best_first(scores, differences, key, "estimate", upwards=up is not False)
        bounds = own[own["estimate"].isna() & own["ci_low"].notna()]
        known, name = own.dropna(subset="estimate"), f"{value_name(key.metric, key.label)}, {what}"
        none = own[own["estimate"].isna() & own["ci_low"].isna()]["model"]
        clauses = []
        if len(known):
            clauses = [_led_by(known, pairs, [*bounds["model"]], [*none], words, below)]
        for row in bounds.itertuples():
            ends = interval_clause(row.ci_low, row.ci_high, 3, first.confidence_level)
            beaten, _ = pairs_of_leader(pairs, row.model, own["model"].drop(row.Index), below=below)
            better = [f"is {_better_than(beaten, words)}"] if beaten else []
            clauses.append(joined([f"that of {row.model} is unknown ({ends})", *better]))
        if len(none) == len(own):
            clauses = ["undefined for every model"]
        elif len(none):
            where = _on_sets(results, at, [*none])
            clauses.append(f"it is undefined for {some_of([*none])}{where}")
        if clauses:
            found.append(Finding(f"{name}: {'; '.join(clauses)}.", key.metric))
    return found


def _on_sets(results: Mapping[str, Compared], at: int, models: Sequence[str]) -> str:
    """Return the test sets on which a value is undefined for one of some models, as a clause."""
    names = [
        name
        for name, found in results.items()
        if np.isnan(found.point[[m in models for m in found.models], at]).any()
    ]
    return f" (on {some_of(names)})" if names else ""


def _led_by(
    scores: pd.DataFrame, differences: pd.DataFrame, lacking: Sequence[str], none: Sequence[str],
    words: Words, below: float | None,
) -> str:  # fmt: skip
    """Return clauses: the leader of one value, models that are worse, models that are tied.

    Models that are `lacking` a test set, and those with no value, may lead.
    """
    level, others = leaders_of(scores["model"].tolist(), scores["estimate"].to_numpy())
    width = (scores["ci_high"] - scores["ci_low"]).median()
    best = format_number(scores["estimate"].iloc[0], decimals_for([width / 4]))
    if none and len(scores) == 1 and not lacking:
        return f"{level[0]} scores {best}"
    some = "of the models that lack no test set " if lacking else ""
    some = "of the models with a value " if none and not lacking else some
    verb, leads = ("is", words.leads) if len(level) == 1 else ("are", "have the same value")
    clauses = [f"{some}{some_of(level)} {leads} ({best})"]
    beaten, tied, partly = pairs_of_leaders(
        differences, level, [*others, *lacking], below=below
    )  # fmt: skip
    if beaten:
        clauses.append(f"{verb} {_better_than(beaten, words)}")
    if partly:
        clauses.append(f"some of them are {words.better} than {some_of(partly)}")
    if equal := [model for model in others if model in tied]:
        clauses.append(f"{verb} not significantly different from {some_of(equal)}")
    return joined(clauses)


def _better_than(beaten: Mapping[str, Any], words: Words) -> str:
    """Return a clause: models that are significantly worse, with the largest p-value."""
    p = p_clause(max(row.p_adjusted for row in beaten.values()), at_most=len(beaten) > 1)
    return f"{words.better} than {some_of([*beaten])} ({p})"


def mean_rows(
    scores: pd.DataFrame, differences: pd.DataFrame, first: Compared, at: int, most: int, what: str
) -> list[Row]:
    """Return rows of a figure: the best models by one value's mean over test sets."""
    key = first.keys[at]
    up = first.metric_info[key.metric].greater_is_better
    own, pairs = best_first(scores, differences, key, "estimate", upwards=up is not False)
    own = own.head(most)
    leader, *others = own["model"]
    beaten, _ = pairs_of_leader(pairs, leader, others)
    rows = [Row(wrapped_name(what))]
    for row in own.itertuples():
        ends = (row.estimate, row.ci_low, row.ci_high)
        text = f"{row.model}: {format_interval(row.ci_low, row.ci_high, 3)}"
        differs = None if up is None else row.model in beaten
        rows.append(Row(wrapped_name(row.model), ends, differs, text))
    return rows
