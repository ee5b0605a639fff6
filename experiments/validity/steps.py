"""Intervals at Holm's last step: how often all of a family hold at once, and those one by one.

Usage: python -m experiments.validity.steps

Differences are normal, as many as 3, 10 and 45, independent or of correlation 0.5. Some are 0, some
far from it, and one in between, where the step matters most. The worst of these is printed: with
Bonferroni's intervals alone, and with those at the last step where Bonferroni's contain 0.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.stats import norm

from modelcompare.arrays import FloatArray
from modelcompare.significance.corrections import adjust

ALPHA, TRIALS = 0.05, 4_000


def misses(truth: FloatArray, correlation: float, rng: np.random.Generator) -> tuple[float, ...]:
    """Return shares of families with a miss, by Bonferroni's intervals and with those at steps.

    And the shares of families with an interval at a step, and of such intervals that miss.
    """
    m = len(truth)
    noise = np.sqrt(1 - correlation) * rng.standard_normal((TRIALS, m))
    z = truth + noise + np.sqrt(correlation) * rng.standard_normal((TRIALS, 1))
    found = np.array([adjust(p, "holm") for p in 2 * norm.sf(np.abs(z))]) < ALPHA
    bonferroni = norm.isf(ALPHA / m / 2)
    last = norm.isf(ALPHA / (m - np.maximum(found.sum(axis=1), 1) + 1) / 2)[:, None]
    stepped, missed = found & (np.abs(z) <= bonferroni), np.abs(z - truth)
    both = missed > np.where(stepped, last, bonferroni)
    alone = (missed > bonferroni).any(axis=1).mean()
    of_steps = both[stepped].mean() if stepped.any() else 0.0
    return (*map(float, (alone, both.any(axis=1).mean(), stepped.any(axis=1).mean(), of_steps)),)


def main() -> None:
    """Print the worst case of each number of differences."""
    rng = np.random.default_rng(0)
    for m in (3, 10, 45):
        worst = (0.0,) * 4
        for k, size, correlation in product({1, m // 2, m - 1, m}, (2, 3, 4), (0.0, 0.5)):
            truth = np.zeros(m)
            truth[:k], truth[k - 1] = 8.0, size
            worst = max(worst, misses(truth, correlation, rng), key=lambda shares: shares[1])
        print(
            "{:2} differences: a miss in {:.3f} by Bonferroni's alone, {:.3f} with steps; "
            "steps in {:.3f}, of which {:.2f} miss".format(m, *worst)
        )


if __name__ == "__main__":
    main()
