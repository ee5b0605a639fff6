"""Results of several test sets together: weights, orders of the models, power to separate them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import kendalltau

from modelcompare.arrays import FloatArray
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.evidence import RESAMPLED
from modelcompare.comparison.tables import led
from modelcompare.engine.axis import ValueKey, pair_frame
from modelcompare.report.document import Finding
from modelcompare.report.numbers import (
    decimals_for,
    format_digits,
    format_number,
    format_percent,
    joined,
    p_clause,
    some_of,
)
from modelcompare.report.tables import rows_at
from modelcompare.significance.omnibus import friedman
from modelcompare.words import RandomOfSets, WeightsOfSets, value_name

_POWER = 0.8


def shares_of(
    sets: Mapping[str, Sized], weights: WeightsOfSets | Mapping[str, float], random: RandomOfSets,
    method: str,
) -> FloatArray:  # fmt: skip
    """Return the share of each test set in a mean, and refuse what new sets do not allow."""
    new_sets = random.startswith("sets")
    if new_sets and (weights != "equal" or method in RESAMPLED):
        wrong = f"method={method!r}" if weights == "equal" else "`weights`"
        raise ValueError(
            f"{wrong} is for these test sets, and random={random!r} asks about new ones, which "
            "have equal weights and method='auto'; leave it out, or use random='items'."
        )
    if isinstance(weights, Mapping):
        if weights.keys() != sets.keys() or sum(weights.values()) <= 0:
            raise ValueError(
                f"`weights` must give each test set a weight, {', '.join(sets)}, that are not all "
                f"0; got {', '.join(weights)}."
            )
        found = np.array([weights[name] for name in sets], dtype=np.float64)
    else:
        found = np.array([len(each) if weights == "samples" else 1.0 for each in sets.values()])
    shares: FloatArray = found / found.sum()
    return shares


def saturation(results: Mapping[str, Compared]) -> pd.DataFrame:
    """Return how many samples each test set has of those that an observed difference needs.

    Columns: set, model_a, model_b, metric, label, n_samples, n_needed (with power 0.8 at the level
    of Bonferroni's correction for all sets and pairs, if the true difference is the observed one),
    share_needed (n_samples / n_needed; of new runs, items and runs together). If it is below 1 for
    all pairs, a set is too small, or too easy, for any two of these models.
    """
    frames = []
    for name, found in results.items():
        tests = np.array([found.n_tests(key.metric) for key in found.keys])
        quantiles = -ndtri(found.alpha / tests / 2) + ndtri(_POWER)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (found.difference / found.error / quantiles) ** 2
            needed = np.ceil(found.n_samples / share)
        frame = pair_frame(
            found.models, *found.pairs, found.keys,
            n_samples=np.broadcast_to(found.n_samples, share.shape), n_needed=needed,
            share_needed=share,
        )  # fmt: skip
        frame.insert(0, "set", name)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def values_of(results: Mapping[str, Compared], places: Sequence[int]) -> FloatArray:
    """Return one value of each model on each test set, (n_sets, n_models)."""
    return np.array([each.point[:, at] for each, at in zip(results.values(), places, strict=True)])


def orders(results: Mapping[str, Compared], places: Mapping[str, Sequence[int]]) -> pd.DataFrame:
    """Return the agreement of each two test sets' orders of the models.

    Columns: metric, set_a, set_b, kendall (tau-b of the values: 1 for the same order, -1 for the
    reverse). `places` are the positions of each metric's value on the sets.
    """
    rows = []
    for metric, at in places.items():
        values = [*zip(results, values_of(results, at), strict=True)]
        rows += [
            (metric, a, b, kendalltau(one, other).statistic)
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
    results: Mapping[str, Compared], needed: pd.DataFrame, places: Mapping[str, Sequence[int]]
) -> list[Finding]:
    """Return sentences: how far the sets agree on the order, and which separate no models."""
    found = []
    for metric, at in places.items():
        text = ""
        values = values_of(results, at)
        if values.shape[1] > 2 and np.isfinite(values).all():
            agreement = format_digits(concordance(values))
            text = f"the test sets' orders of the models have a concordance of {agreement}"
            text += " (Kendall's W, 1 for the same order)"
        shares = rows_at(needed, metric=metric).groupby("set", sort=False)["share_needed"].max()
        weak = [str(name) for name in shares.index[shares < 1]]
        if weak:
            none = f"no two models are separated by {some_of(weak)}"
            text += f"; {none}" if text else none
            largest = max(shares[shares < 1])
            text += f", which {'has' if len(weak) == 1 else 'have'} at most "
            text += f"{format_percent(round(largest, 2))} of the samples that the observed differences need"
        if text:
            found.append(Finding(f"{metric}: {text}.", metric))
    return found


def pooled_findings(
    scores: pd.DataFrame, differences: pd.DataFrame, keys: Sequence[ValueKey],
    upwards: Mapping[str, bool], what: str,
) -> list[Finding]:  # fmt: skip
    """Return a sentence for each value: who leads by the mean, and which models are worse."""
    found = []
    for key in keys:
        own, pairs = (
            rows_at(frame, metric=key.metric, label=key.label) for frame in (scores, differences)
        )
        own = own.dropna(subset="estimate").sort_values(
            "estimate", ascending=not upwards[key.metric], kind="stable"
        )
        name = f"{value_name(key.metric, key.label)}, {what}"
        if len(own):
            found.append(Finding(f"{name}: {_led_by(own, pairs)}.", key.metric))
    return found


def _led_by(scores: pd.DataFrame, differences: pd.DataFrame) -> str:
    """Return clauses: the leader of one value, models that are worse, models that are tied."""
    leader, *others = scores["model"]
    width = (scores["ci_high"] - scores["ci_low"]).median()
    best = format_number(scores["estimate"].iloc[0], decimals_for([width / 4]))
    clauses = [f"{leader} leads ({best})"]
    beaten, unknown = led(differences, leader, others)
    if beaten:
        p = p_clause(max(row.p_adjusted for row in beaten.values()), at_most=len(beaten) > 1)
        clauses.append(f"is better than {some_of([*beaten])} ({p})")
    if unknown:
        clauses.append(f"is not significantly different from {some_of([*unknown])}")
    return joined(clauses)
