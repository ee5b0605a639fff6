"""Default intervals beside the least width that a valid interval can have: cells of the grid.

The expected width of an interval is the integral, over all values, of the probability that it holds
them (Pratt 1961). A value may be left out with the power of a test of it at 5 % at most, so the
least expected width is the integral of the errors of the most powerful tests of all values against
the truth (Neyman and Pearson). All outcomes are enumerated, so numbers are exact. A difference
leaves open on how many samples the models disagree: the number is taken that is hardest to reject.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy import optimize, stats

from modelcompare.intervals.counts import RECALL
from modelcompare.intervals.differences import half_count_error
from modelcompare.intervals.ratios import proportion

Params = dict[str, Any]
Array = np.ndarray
ALPHA, Z = 0.05, float(stats.norm.ppf(0.975))
# Values are integrated over from so many standard errors below the truth to as many above it.
REACH, STEPS = 9.0, 121


def cells(tier: str) -> list[Params]:
    """Return accuracies of one model, and shares of samples that only one of two has right."""
    apart = ((0.01, 0.01), (0.1, 0.02), (0.03, 0.005), (0.15, 0.15), (0.015, 0.015))
    pairs = [{"n": n, "only_a": a, "only_b": b} for n, (a, b) in product((50, 200, 1000), apart)]
    alone = [{"n": n, "accuracy": p} for n, p in product((50, 200, 1000), (0.5, 0.8, 0.95, 0.99))]
    return [*pairs, *alone] if tier == "full" else pairs[:1]


def run_cell(params: Params, n_trials: int, seed: int) -> dict[str, dict[str, float]]:  # noqa: ARG001
    """Return exact coverage and width, and the width over the least possible."""
    n = params["n"]
    if "accuracy" in params:
        return {"accuracy score": of_share(n, params["accuracy"])}
    return {"accuracy difference": of_pair(n, params["only_a"], params["only_b"])}


@cache
def of_share(n: int, share: float) -> dict[str, float]:
    """Enumerate the accuracies of a model on n samples."""
    hits = np.arange(n + 1)
    truth = stats.binom.pmf(hits, n, share)
    low, high = proportion(hits / n, np.full(n + 1, float(n)))
    error = np.sqrt(share * (1 - share) / n)
    values = np.clip(share + np.linspace(-REACH, REACH, STEPS) * error, 0.0, 1.0)
    return _beside(truth, low, high, share, values, lambda v: power(_shares(hits, n, v), truth))


def _shares(hits: Array, n: int, value: float) -> Array:
    found: Array = stats.binom.pmf(hits, n, value)
    return found


@cache
def of_pair(n: int, only_a: float, only_b: float) -> dict[str, float]:
    """Enumerate the numbers of samples that only one of two models has right, up to 1e-7."""
    value, total = only_a - only_b, only_a + only_b
    most = [int(stats.binom.ppf(1 - 1e-7, n, p)) + 2 for p in (only_a, only_b)]
    a, b = (side.ravel() for side in np.indices(most))
    a, b = a[a + b <= n], b[a + b <= n]
    outcomes = np.stack([a, b, n - a - b], axis=1)

    def law(apart: float, share: float) -> Array:
        p, q = (share + apart) / 2, (share - apart) / 2
        found: Array = stats.multinomial.pmf(outcomes, n, [p, q, max(0.0, 1 - p - q)])
        return found

    truth = law(value, total)

    def rejected(apart: float) -> float:
        least = max(abs(apart), total - REACH * np.sqrt(total / n))
        ends = least, min(1.0, max(least, total) + REACH * np.sqrt(total / n))
        found = optimize.minimize_scalar(
            lambda share: power(law(apart, share), truth), bounds=ends, method="bounded"
        )
        return float(found.fun)

    tables = np.zeros((len(a), 2, 2, 2))
    tables[:, 1, 1, 0], tables[:, 1, 0, 1], tables[:, 1, 1, 1] = outcomes.T
    half = Z * half_count_error(tables, tables, RECALL)
    low, high = (a - b) / n - half, (a - b) / n + half
    error = np.sqrt((total - value**2) / n)
    values = np.clip(value + np.linspace(-REACH, REACH, STEPS) * error, -1.0, 1.0)
    return _beside(truth, np.maximum(low, -1), np.minimum(high, 1), value, values, rejected)


def power(null: Array, truth: Array) -> float:
    """Compute the power of the most powerful test of one law against another, randomized."""
    order = np.argsort(null / np.maximum(truth, 1e-300), kind="stable")
    size, reached = (np.r_[0.0, np.cumsum(law[order])] for law in (null, truth))
    return float(np.interp(ALPHA, size, reached))


def _beside(
    truth: Array, low: Array, high: Array, value: float, values: Array,
    rejected: Callable[[float], float],
) -> dict[str, float]:  # fmt: skip
    held = (low - 1e-12 <= value) & (value <= high + 1e-12)
    width = float(truth @ (high - low))
    least = float(np.trapezoid([1 - rejected(v) for v in values], values))
    return {"covered": float(truth @ held), "width": width, "width over the least": width / least}
