"""Tests of two models on the same samples that are not made of resamples of all pairs.

McNemar's tests look at the samples on which one model is right and the other wrong; they test
equal accuracy and nothing else (used for equal F1, their size is 0.19 instead of 0.05). The t,
Wilcoxon and sign tests look at per-sample differences of scores.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from modelcompare.arrays import FloatArray

_TIE_TOLERANCE = 1e-10

Alternative = Literal["two-sided", "greater", "less"]
McNemar = Literal["mcnemar-exact", "mcnemar-midp", "mcnemar-chi2", "mcnemar-chi2-corrected"]


def mcnemar_test(
    n_a_only: int, n_b_only: int, method: McNemar, alternative: Alternative = "two-sided"
) -> tuple[float, float]:
    """Statistic and p-value from the discordant samples.

    Without discordant samples p is 1; with the continuity correction equal counts have p = 1 too,
    as in R.

    Parameters
    ----------
    n_a_only, n_b_only : int
        Samples that model a alone, and model b alone, got right.
    method : str
        Exact binomial, its mid-p version, chi-square, or chi-square with Edwards' correction.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is right more often.

    Examples
    --------
    >>> statistic, p_value = mcnemar_test(10, 2, "mcnemar-exact")
    >>> round(p_value, 4)
    0.0386
    """
    from scipy.stats import binom, norm

    n = n_a_only + n_b_only
    if n == 0:
        return 0.0, 1.0
    if method in ("mcnemar-exact", "mcnemar-midp"):
        greater = float(binom.sf(n_a_only - 1, n, 0.5))
        less = float(binom.cdf(n_a_only, n, 0.5))
        if method == "mcnemar-midp":
            half = float(binom.pmf(n_a_only, n, 0.5)) / 2
            greater, less = greater - half, less - half
        p_value = {"two-sided": 2 * min(greater, less), "greater": greater, "less": less}
        return float(n_a_only), min(p_value[alternative], 1.0)
    size = abs(n_a_only - n_b_only)
    if method == "mcnemar-chi2-corrected":
        size = max(size - 1, 0)
    z = math.copysign(size / math.sqrt(n), n_a_only - n_b_only)
    p_values = {
        "two-sided": 2 * float(norm.sf(abs(z))),
        "greater": float(norm.sf(z)),
        "less": float(norm.cdf(z)),
    }
    return z**2, p_values[alternative]


def sample_test(
    method: Literal["t", "wilcoxon", "sign"],
    differences: FloatArray,
    alternative: Alternative = "two-sided",
) -> tuple[float, float]:
    """Statistic and p-value of a test on per-sample differences a - b, by scipy.

    Differences that are all 0 have p = 1. The sign test leaves out samples without a difference;
    Wilcoxon's keeps their ranks (Pratt), and takes sizes that only rounding tells apart for tied.
    """
    from scipy import stats

    nonzero = differences[differences != 0]
    if len(nonzero) == 0:
        return 0.0, 1.0
    if method == "sign":
        n_positive = int((nonzero > 0).sum())
        found = stats.binomtest(n_positive, len(nonzero), 0.5, alternative=alternative)
        return float(n_positive), float(found.pvalue)
    if method == "wilcoxon":
        tied = _tied(differences)
        result = stats.wilcoxon(tied, zero_method="pratt", alternative=alternative)
    else:
        result = stats.ttest_1samp(differences, 0.0, alternative=alternative)
    return float(result.statistic), float(result.pvalue)


def _tied(differences: FloatArray) -> FloatArray:
    """Differences whose sizes are equal to a relative 1e-10, given one size."""
    size = np.abs(differences)
    order = np.argsort(size)
    ordered = size[order]
    begins = np.r_[True, np.diff(ordered) > _TIE_TOLERANCE * ordered[1:]]
    size[order] = ordered[begins][np.cumsum(begins) - 1]
    return np.copysign(size, differences)


def normal_p_value(z: float, alternative: Alternative) -> float:
    """p-value of a standard normal statistic."""
    from scipy.special import ndtr

    return float(
        {"two-sided": 2 * ndtr(-abs(z)), "greater": ndtr(-z), "less": ndtr(z)}[alternative]
    )


def berg_kirkpatrick_p_value(
    replicates: FloatArray, difference: float, alternative: Literal["greater", "less"]
) -> float:
    """Share of resamples whose difference is at least twice the observed one.

    One-sided: the direction must be declared before looking at the data. Choosing the direction
    that the data show, as is often done, doubles the error rate.

    References
    ----------
    .. [1] Berg-Kirkpatrick, Burkett & Klein (2012), EMNLP.
    """
    sign = 1.0 if alternative == "greater" else -1.0
    if difference == 0:
        return 1.0
    defined = replicates[~np.isnan(replicates)]
    extreme = int((sign * defined >= 2 * sign * difference).sum())
    # A difference in the other direction is no evidence at all for this one.
    extreme = len(defined) if sign * difference < 0 else extreme
    return (1 + extreme) / (1 + len(defined))
