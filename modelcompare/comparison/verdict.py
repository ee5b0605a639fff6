"""One honest sentence per metric and class."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from modelcompare.comparison.standings import ranks
from modelcompare.report.comparison_contents import foremost, metric_blocks
from modelcompare.report.numbers import format_number, interval_clause, p_clause
from modelcompare.words import value_name

if TYPE_CHECKING:
    from modelcompare.arrays import IntArray
    from modelcompare.comparison.result import Comparison
    from modelcompare.engine.axis import ValueKey

_POWER = 0.8
_MOST_NAMES = 4


def sentences(result: Comparison) -> list[str]:
    """Who leads, who is tied with the leader, who is beaten, and what would settle it."""
    keys = result.bootstrap.evaluation.keys
    return [_sentence(result, position, key) for position, key in enumerate(keys)]


def foremost_sentences(result: Comparison, most: int) -> list[str]:
    """The sentences of all averages, and of the classes where models differ most."""
    keys = result.bootstrap.evaluation.keys
    groups = metric_blocks(result)
    by_class = sum(len(blocks) > 1 for blocks in groups.values())
    room = max((most - len(groups) + by_class) // max(by_class, 1), 1)
    if len(keys) <= most:
        return sentences(result)
    place = {(key.metric, key.label): position for position, key in enumerate(keys)}
    chosen = [block for blocks in groups.values() for block in foremost(blocks, room)]
    found = [place[block.metric, block.label] for block in chosen[:most]]
    return [_sentence(result, position, keys[position]) for position in found]


def _sentence(result: Comparison, position: int, key: ValueKey) -> str:
    heading = value_name(key.metric, key.label)
    point = result.bootstrap.point[:, position]
    order = np.argsort(ranks(point * result.direction[position]), kind="stable")
    order = order[~np.isnan(point[order])]
    if len(order) == 0:
        return f"{heading}: undefined for every model on this test set."
    leader, others = int(order[0]), order[1:]
    models = result.models
    digits = result.decimals(key.metric)
    best = format_number(point[leader], digits)
    if len(models) == 1:
        found = result.score_interval
        ends = found.low[0, position], found.high[0, position]
        interval = interval_clause(*ends, digits, result.confidence_level)
        return f"{heading}: {models[0]} scores {best} ({interval})."
    if result.baseline is not None:
        return f"{heading}: {_against_baseline(result, position, order)}"
    if len(others) == 0:
        return (
            f"{heading}: {models[leader]} scores {best}; it is undefined for "
            f"{_names([model for i, model in enumerate(models) if i != leader])}."
        )
    beaten = [int(i) for i in others if result.better_worse[position, leader, i]]
    tied = [int(i) for i in others if int(i) not in beaten]
    if not tied:
        return (
            f"{heading}: {models[leader]} leads ({best}) and is better than "
            f"{_names([models[i] for i in beaten])} "
            f"({_largest_p(result, position, leader, beaten)})."
        )
    first = _tie(result, position, leader, tied, best)
    who = models[leader] if " are level at " in first else "it"
    behind = f"; {who} is better than {_names([models[i] for i in beaten])}" if beaten else ""
    settled = _what_would_settle(result, position, leader, tied[0])
    return f"{heading}: {first}{behind}.{settled}"


def _tie(result: Comparison, position: int, leader: int, tied: list[int], best: str) -> str:
    """Who has the leader's very value, and who cannot be told from it."""
    point, models = result.bootstrap.point[:, position], result.models
    clause = _difference_clause(result, position, leader, tied[0])
    level = [i for i in tied if math.isclose(point[leader], point[i], rel_tol=1e-12)]
    if not level:
        rival = models[tied[0]] + (f" and {len(tied) - 1} more" if len(tied) > 1 else "")
        return f"{models[leader]} leads ({best}) but cannot be told from {rival} ({clause})"
    told = f"{_names([models[i] for i in (leader, *level)])} are level at {best} ({clause})"
    apart = [models[i] for i in tied if i not in level]
    return f"{told} and cannot be told from {_names(apart)}" if apart else told


def _against_baseline(result: Comparison, position: int, order: IntArray) -> str:
    """Which models are better, or worse, than the baseline, and which cannot be told from it."""
    models, baseline = result.models, result.models.index(result.baseline or "")
    point = result.bootstrap.point[baseline, position]
    digits = result.decimals(result.bootstrap.evaluation.keys[position].metric)
    named = f"the baseline {models[baseline]} ({format_number(point, digits)})"
    others = [int(i) for i in order if i != baseline]
    if math.isnan(point) or not others:
        return f"{named} has nothing to be compared with."
    better, worse = (
        result.better_worse[position, :, baseline],
        result.better_worse[position, baseline],
    )
    parts = []
    for word, shown in (("better", better), ("worse", worse)):
        if found := [i for i in others if shown[i]]:
            verb = "is" if len(found) == 1 else "are"
            p_values = _largest_p(result, position, baseline, found)
            parts.append(
                f"{_names([models[i] for i in found])} {verb} {word} than {named} ({p_values})"
            )
    if tied := [i for i in others if not better[i] and not worse[i]]:
        clause = _difference_clause(result, position, tied[0], baseline)
        what = named if not parts else "it"
        parts.append(f"{_names([models[i] for i in tied])} cannot be told from {what} ({clause})")
    settle = _what_would_settle(result, position, tied[0], baseline) if len(tied) == 1 else ""
    return f"{'; '.join(parts)}.{settle}"


def _pair(result: Comparison, a: int, b: int) -> int:
    """Row of a pair in the results."""
    first, second = result.pairs
    return int(np.flatnonzero((first == a) & (second == b) | (first == b) & (second == a))[0])


def _difference_clause(result: Comparison, position: int, a: int, b: int) -> str:
    """Lead of a over b, interval and p-value, the last two corrected for the same tests."""
    metric = result.bootstrap.evaluation.keys[position].metric
    digits = result.decimals(metric)
    n_rows = len(result.models) - 1
    rows = result.leads.iloc[position * n_rows : (position + 1) * n_rows]
    row = rows[(rows["model"] == result.models[a]) & (rows["other"] == result.models[b])].iloc[0]
    difference = format_number(row["lead"], digits, signed=True)
    interval = interval_clause(row["ci_low"], row["ci_high"], digits, result.confidence_level)
    n_tests = result.n_tests(metric)
    both = f", both for {n_tests:,} tests" if n_tests > 1 else ""
    return f"{difference}, {interval}, {p_clause(row['p_adjusted'])}{both}"


def _largest_p(result: Comparison, position: int, leader: int, beaten: list[int]) -> str:
    rows = [_pair(result, leader, i) for i in beaten]
    worst = float(result.p_adjusted[rows, position].max())
    return f"{'all ' if len(beaten) > 1 else ''}{p_clause(worst, at_most=len(beaten) > 1)}"


def _what_would_settle(result: Comparison, position: int, a: int, b: int) -> str:
    """How many samples would show a difference of the observed size at the corrected level."""
    from scipy.special import ndtri

    difference = result.bootstrap.point[a, position] - result.bootstrap.point[b, position]
    error = result.bootstrap.moments.pair_standard_error(np.array([a]), np.array([b]))[0, position]
    if difference == 0 or error == 0:
        return ""
    alpha = result.alpha / result.n_tests(result.bootstrap.evaluation.keys[position].metric)
    quantiles = ndtri(1 - alpha / 2) + ndtri(_POWER)
    needed = result.n_samples * float(quantiles * error / difference) ** 2
    if not math.isfinite(needed) or needed > 1e9:
        return " No test set of a practical size would tell them apart."
    if needed <= result.n_samples:
        return ""
    digits = 2 - math.ceil(math.log10(needed))
    return (
        f" About {round(needed, digits):,.0f} samples would tell them apart if the true difference "
        f"is what was observed (power {_POWER:g})."
    )


def _names(names: list[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[:_MOST_NAMES])} and {len(names) - _MOST_NAMES} more"
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
