"""Claims about a gain: when its bounds show them, their p-values, and the samples needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from scipy.optimize import brentq
from scipy.special import ndtri

from modelcompare.words import Alternative, Answer, Decision

Ends = tuple[float, float]
# One-sided level -> lower and upper bound of the gain.
Bounds = Callable[[float], Ends]
_SMALLEST, _LARGEST = 1e-9, 0.5 - 1e-9
POWER = 0.8


def claims_of(kind: Decision, margin: float) -> list[tuple[float, float]]:
    """Return the one-sided claims of which a claim consists: sign * gain > threshold."""
    above = (1.0, margin if kind == "superior" else -margin)
    return [above, (-1.0, -margin)] if kind == "equivalent" else [above]


def turned(sign: float, ends: Ends) -> Ends:
    """Return the bounds of a quantity times a sign, given the bounds of the quantity."""
    return ends if sign > 0 else (-ends[1], -ends[0])


def answer_of(claims: Sequence[tuple[float, float]], ends: Ends) -> Answer:
    """Return the answer that an interval of the gain gives; undefined bounds decide nothing."""
    found = [(*turned(sign, ends), threshold) for sign, threshold in claims]
    if all(low > threshold for low, _, threshold in found):
        return "shown"
    otherwise = any(high < threshold for _, high, threshold in found)
    return "shown otherwise" if otherwise else "not enough data"


def p_above(sign: float, threshold: float, bounds: Bounds) -> float:
    """Return the level at which the lower bound equals a threshold, which is the p-value.

    Above a half it is one minus the level at which the upper bound equals the threshold.
    """
    lower, upper = turned(sign, bounds(_LARGEST))
    if math.isnan(lower):
        return math.nan
    side = 0 if lower > threshold else 1 if upper < threshold else None
    if side is None:
        return 0.5

    def distance(level: float) -> float:
        return turned(sign, bounds(level))[side] - threshold

    at_smallest = distance(_SMALLEST)
    reached = at_smallest > 0 if side == 0 else at_smallest < 0
    level = _SMALLEST if reached else float(brentq(distance, _SMALLEST, _LARGEST, xtol=1e-10))
    return level if side == 0 else 1 - level


def p_of_difference(bounds: Bounds, alternative: Alternative) -> float:
    """Return the error at which the interval of a difference ends at 0."""
    above, below = (p_above(sign, 0.0, bounds) for sign in (1.0, -1.0))
    both = min(1.0, 2 * min(above, below))
    return {"greater": above, "less": below}.get(alternative, both)


def n_needed(
    kind: Decision, threshold: float, gain: float, ends: Ends, alpha: float, n: int
) -> float:
    """Return the number of samples needed to decide if the interval shrinks with 1 / sqrt(n)."""
    low, high = ends
    reach = gain - low if gain > threshold else high - gain
    if kind == "equivalent":
        reach = (high - low) / 2
    distance = abs(gain - threshold)
    if distance == 0 or math.isnan(distance):
        return math.inf
    z_alpha, z_power = float(-ndtri(alpha)), float(ndtri(POWER))
    needed = n * ((z_alpha + z_power) / z_alpha * (reach / distance)) ** 2
    return math.ceil(needed) if math.isfinite(needed) else math.inf
