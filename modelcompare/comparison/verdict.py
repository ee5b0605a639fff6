"""One honest sentence per metric and class."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from modelcompare.comparison.result import Comparison
    from modelcompare.engine.axis import ValueKey

_POWER = 0.8
_MOST_NAMES = 4
_MOST_DECIMALS = 6


def verdict(result: Comparison) -> str:
    """Who leads, who is tied with the leader, who is beaten, and what would settle it."""
    keys = result.bootstrap.evaluation.keys
    return "\n".join(_sentence(result, position, key) for position, key in enumerate(keys))


def _sentence(result: Comparison, position: int, key: ValueKey) -> str:
    heading = key.metric if key.label is None else f"{key.metric} of {key.label}"
    point = result.bootstrap.point[:, position]
    info = result.metric_info[key.metric]
    defined = np.flatnonzero(~np.isnan(point))
    if len(defined) == 0:
        return f"{heading}: undefined for every model on this test set."
    order = defined[np.argsort(-point[defined] if info.greater_is_better else point[defined])]
    leader, others = int(order[0]), order[1:]
    models = result.models
    digits = decimals(float(result.bootstrap.moments.standard_error()[leader, position]))
    best = written(point[leader], digits)
    if len(models) == 1:
        low, high = (
            result.score_interval.low[0, position],
            result.score_interval.high[0, position],
        )
        return (
            f"{heading}: {models[0]} scores {best} ({percent(result.confidence_level)} CI "
            f"{written(low, digits)} to {written(high, digits)})."
        )
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
    rival = tied[0]
    clause = _difference_clause(result, position, leader, rival)
    more = f" and {len(tied) - 1} more" if len(tied) > 1 else ""
    if math.isclose(point[leader], point[rival], rel_tol=1e-12):
        first = f"{heading}: {models[leader]} and {models[rival]}{more} are level"
        first += f" at {best} ({clause})"
    else:
        first = (
            f"{heading}: {models[leader]} leads ({best}) but cannot be told "
            f"from {models[rival]}{more} ({clause})"
        )
    behind = f"; it is better than {_names([models[i] for i in beaten])}" if beaten else ""
    return f"{first}{behind}.{_what_would_settle(result, position, leader, rival)}"


def _pair(result: Comparison, a: int, b: int) -> tuple[int, float]:
    """Row of a pair in the results, and the sign that turns it into a - b."""
    low, high = min(a, b), max(a, b)
    n_models = len(result.models)
    row = low * n_models - low * (low + 1) // 2 + high - low - 1
    return row, 1.0 if a < b else -1.0


def _difference_clause(result: Comparison, position: int, a: int, b: int) -> str:
    row, sign = _pair(result, a, b)
    point = result.bootstrap.point[:, position]
    bounds = sorted(
        sign * bound[row, position]
        for bound in (result.difference_interval.low, result.difference_interval.high)
    )
    p_value = result.p_adjusted[row, position]
    pair = np.array([min(a, b)]), np.array([max(a, b)])
    digits = decimals(float(result.bootstrap.moments.pair_standard_error(*pair)[0, position]))
    return (
        f"{written(point[a] - point[b], digits, '+')}, {percent(result.confidence_level)} CI "
        f"{written(bounds[0], digits)} to {written(bounds[1], digits)}, {_p_text(p_value)}"
    )


def decimals(standard_error: float) -> int:
    """Decimals that show two digits of a standard error; four where there is none."""
    if not (math.isfinite(standard_error) and standard_error > 0):
        return 4
    return max(1 - math.floor(math.log10(standard_error)), 0)


def written(value: float, digits: int, sign: str = "") -> str:
    """Write a number with so many decimals, or with an exponent if that would be long."""
    if digits > _MOST_DECIMALS or abs(value) >= 1e9:
        return f"{value:{sign}.4g}"
    return f"{value:{sign}.{digits}f}"


def percent(share: float) -> str:
    """95%, 99.9%."""
    return f"{round(100 * share, 6):g}%"


def _largest_p(result: Comparison, position: int, leader: int, beaten: list[int]) -> str:
    rows = [_pair(result, leader, i)[0] for i in beaten]
    worst = float(result.p_adjusted[rows, position].max())
    return f"{'all ' if len(beaten) > 1 else ''}{_p_text(worst, at_most=len(beaten) > 1)}"


def _p_text(p_value: float, *, at_most: bool = False) -> str:
    if p_value < 0.001:
        return "p < 0.001"
    return f"p {'<=' if at_most else '='} {p_value:.2g}"


def _what_would_settle(result: Comparison, position: int, a: int, b: int) -> str:
    """How many samples would show a difference of the observed size."""
    from scipy.special import ndtri

    difference = result.bootstrap.point[a, position] - result.bootstrap.point[b, position]
    model_a, model_b = np.array([min(a, b)]), np.array([max(a, b)])
    error = result.bootstrap.moments.pair_standard_error(model_a, model_b)[0, position]
    if difference == 0 or error == 0:
        return ""
    quantiles = ndtri(1 - result.alpha / 2) + ndtri(_POWER)
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
