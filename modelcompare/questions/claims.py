"""Claims about a gain: when its bounds show them, their p-values, and the samples needed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.special import ndtri

from modelcompare.metrics.base import AnyMetric
from modelcompare.significance.inverted import Ends, turned
from modelcompare.words import Answer, Decision

# A value, and its lower and upper bound.
Estimated = tuple[float, float, float]
POWER = 0.8


def claims_of(kind: Decision, margin: float) -> list[tuple[float, float]]:
    """Return the one-sided claims of which a claim consists: sign * gain > threshold."""
    above = (1.0, margin if kind == "superior" else -margin)
    return [above, (-1.0, -margin)] if kind == "equivalent" else [above]


def check_margin(margin: float, metric: AnyMetric) -> None:
    """Refuse a margin of the whole range of a metric, with which nothing could fail."""
    low, high = metric.bounds
    if margin >= high - low:
        percent = f"; for {margin:g} % write {margin / 100:g}" if high - low == 1 else ""
        raise ValueError(
            f"`margin` (--margin) {margin:g} is not below the range of {metric.name}, which is "
            f"{high - low:g}: nothing could be worse by it{percent}."
        )


def answer_of(claims: Sequence[tuple[float, float]], ends: Ends) -> Answer:
    """Return the answer that an interval of the gain gives; undefined bounds decide nothing."""
    found = [(*turned(sign, ends), threshold) for sign, threshold in claims]
    if all(low > threshold for low, _, threshold in found):
        return "shown"
    otherwise = any(high < threshold for _, high, threshold in found)
    return "shown otherwise" if otherwise else "not enough data"


def bounds_of_difference(a: Estimated, b: Estimated) -> Ends:
    """Return the bounds of a - b, of independent values, from the bounds of each (MOVER).

    References
    ----------
    .. [1] Zou & Donner (2008), Statistics in Medicine 27, 1693-1702.
    """
    (value_a, low_a, high_a), (value_b, low_b, high_b) = a, b
    # A quantile may lie beyond the order statistics that are its bounds.
    below_a, above_a = max(value_a - low_a, 0.0), max(high_a - value_a, 0.0)
    below_b, above_b = max(value_b - low_b, 0.0), max(high_b - value_b, 0.0)
    difference = value_a - value_b
    return difference - math.hypot(below_a, above_b), difference + math.hypot(above_a, below_b)


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
