"""The least expected width of any 95 % interval of a paired difference or a share: cells.

Pratt's identity: the expected width of an interval is the integral, over all values, of the
probability that it contains them. Under the truth, no interval of level 95 % contains a value t
less often than the most powerful test at 5 % of t against the truth accepts t, which the lemma of
Neyman and Pearson gives. Of a difference many shares have the value t; each makes a bound, and the
largest is taken. Outcomes are enumerated, so the bound is exact.

References
----------
.. [1] Pratt (1961), Length of confidence intervals, JASA 56, 549-567.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import binom

import modelcompare as mc
from modelcompare.arrays import AnyArray, FloatArray

Params = dict[str, Any]
ALPHA = 0.05
# Values at which the acceptance is computed, and shares of discordant samples for each of them.
_VALUES, _SHARES = 201, 25
# Outcomes that are rarer under the truth and under the value add nothing.
_RARE = 1e-9


def cells(tier: str) -> list[Params]:
    """Return sizes and shares of samples on which one model is right, and only the other is."""
    found = [(50, 0.01, 0.01), (50, 0.1, 0.02), (50, 0.15, 0.15), (200, 0.03, 0.005)]
    if tier != "quick":
        found += [(200, 0.01, 0.01), (200, 0.1, 0.05), (1000, 0.015, 0.015), (1000, 0.1, 0.08)]
    shares = [(n, p) for n in (20, 50, 200, 1000) for p in (0.5, 0.8, 0.95, 0.99)]
    return [
        *({"n": n, "only_a": a, "only_b": b} for n, a, b in found),
        *({"n": n, "right": p} for n, p in (shares if tier != "quick" else shares[:2])),
    ]


def run_cell(params: Params, n_trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Return coverage and mean width of the default interval, and its width over the least."""
    rng, n = np.random.default_rng(seed), params["n"]
    paired = "only_a" in params
    truth = params["only_a"] - params["only_b"] if paired else params["right"]
    ends = np.array([_ends(params, rng) for _ in range(n_trials)])
    width = float((ends[:, 1] - ends[:, 0]).mean())
    least = (
        least_width_of_difference(n, params["only_a"], params["only_b"])
        if paired
        else least_width_of_share(n, params["right"])
    )
    covered = (ends[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= ends[:, 1])
    name = f"accuracy {'difference' if paired else 'score'}"
    return {name: {
        "covered": float(covered.mean()), "width": width, "width over the least": width / least,
    }}  # fmt: skip


def _ends(params: Params, rng: np.random.Generator) -> tuple[float, float]:
    """Return the default interval of one test set."""
    n = params["n"]
    if "right" in params:
        right = rng.random((1, n)) < params["right"]
    else:
        # Both are right on half of the samples on which they agree.
        a, b = params["only_a"], params["only_b"]
        kind = rng.choice(4, n, p=[a, b, (1 - a - b) / 2, (1 - a - b) / 2])
        right = np.isin(kind, (0, 2)), np.isin(kind, (1, 2))
    outputs = {name: np.where(each, 1, 0) for name, each in zip("ab", right, strict=False)}
    preds = mc.Predictions(np.ones(n, dtype=int), outputs, labels=[0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = mc.bootstrap(preds, "accuracy", n_resamples=2)
        if "right" in params:
            found = drawn.score_interval("auto", 0.95)
        else:
            found = drawn.difference_interval(np.array([0]), np.array([1]), "auto", 0.95)
    return float(found.low[0, 0]), float(found.high[0, 0])


@cache
def least_width_of_share(n: int, share: float) -> float:
    """Return the least expected width of an interval of the share of n samples."""
    counts, values = np.arange(n + 1), np.linspace(0, 1, 2 * _VALUES)
    truth = binom.pmf(counts, n, share)
    accepted = [_acceptance(truth, binom.pmf(counts, n, value)) for value in values]
    return float(np.trapezoid(accepted, values))


@cache
def least_width_of_difference(n: int, only_a: float, only_b: float) -> float:
    """Return the least expected width of an interval of the difference of two models' accuracies.

    Parameters
    ----------
    n : int
        Number of samples.
    only_a, only_b : float
        Shares of them on which only one of the models is right.
    """
    both, gap = only_a + only_b, only_a - only_b
    reach = min(1.0, abs(gap) + 6 * np.sqrt(max(both, 1 / n) / n) + 4 / n)
    values = np.linspace(max(-1, gap - reach), min(1, gap + reach), _VALUES)
    accepted = []
    for value in values:
        # Shares of discordant samples around the true one, and at least as large as the value.
        around = np.geomspace(max(both, 0.5 / n) / 6, min(1.0, 6 * max(both, 0.5 / n)), _SHARES)
        shares = np.unique(np.clip(np.r_[around, both], abs(value), 1.0))
        accepted.append(max(_acceptance_of(n, (only_a, only_b), value, s) for s in shares))
    return float(np.trapezoid(accepted, values))


def _acceptance_of(n: int, truth: tuple[float, float], value: float, share: float) -> float:
    """Return how often the best test of a difference and a share of discordant samples accepts."""
    null = (share + value) / 2, (share - value) / 2
    most = [binom.isf(_RARE, n, max(pair)) for pair in zip(truth, null, strict=True)]
    first, second = np.ogrid[: int(most[0]) + 1, : int(most[1]) + 1]
    return _acceptance(*(_trinomial(n, first, second, *shares) for shares in (truth, null)))


def _trinomial(n: int, first: AnyArray, second: AnyArray, a: float, b: float) -> FloatArray:
    """Return the probabilities of all numbers of samples on which only one model is right."""
    left = np.maximum(n - first, 0)
    rest = binom.pmf(second, left, min(1.0, b / (1 - a)) if a < 1 else 0.0)
    return np.asarray(binom.pmf(first, n, a) * rest).ravel()


def _acceptance(truth: FloatArray, null: FloatArray) -> float:
    """Return the probability under the truth that the most powerful test accepts the null."""
    seen = (truth > 0) | (null > 0)
    truth, null = truth[seen], null[seen]
    with np.errstate(divide="ignore", over="ignore"):
        order = np.argsort(-(truth / null), kind="stable")
    size, power = np.cumsum(null[order]), np.cumsum(truth[order])
    # The test rejects the first outcomes, and the next with the probability that makes it 5 %.
    place = int(np.searchsorted(size, ALPHA))
    if place == len(size):
        return 0.0
    before = (size[place - 1], power[place - 1]) if place else (0.0, 0.0)
    part = (ALPHA - before[0]) / (size[place] - before[0])
    return float(max(0.0, 1 - before[1] - part * (power[place] - before[1])))
