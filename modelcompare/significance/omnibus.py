"""Tests of the hypothesis that many models are equal."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray


def cochran_q(right: FloatArray) -> tuple[float, float]:
    """Test equal accuracy by Cochran's Q on 0/1 outcomes of shape (n_samples, n_models).

    Samples on which all models agree do not count; if there are no others, p is 1.
    """
    from statsmodels.stats.contingency_tables import cochrans_q

    if (right == right[:, :1]).all():
        return 0.0, 1.0
    found = cochrans_q(right)
    return float(found.statistic), float(found.pvalue)


def friedman(scores: FloatArray) -> tuple[float, float]:
    """Run Friedman's test on scores of shape (n_blocks, n_models), corrected for ties (scipy)."""
    from scipy import stats

    if (scores == scores[:, :1]).all():
        return 0.0, 1.0
    found = stats.friedmanchisquare(*scores.T)
    return float(found.statistic), float(found.pvalue)


def nemenyi(ranks: FloatArray, n_blocks: int, *, alpha: float = 0.05) -> tuple[FloatArray, float]:
    """Return p-values of all pairs after Friedman's test, and the critical difference.

    References
    ----------
    .. [1] Demsar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.

    Examples
    --------
    >>> p_values, critical = nemenyi(np.array([3.143, 2.0, 2.893, 1.964]), 14)
    >>> round(critical, 2)
    1.25
    """
    from scipy.stats import studentized_range

    k = len(ranks)
    error = np.sqrt(k * (k + 1) / (6 * n_blocks))
    q = np.abs(ranks[:, None] - ranks[None, :]) / error * np.sqrt(2)
    p_values = studentized_range.sf(q, k, np.inf)
    np.fill_diagonal(p_values, 1.0)
    critical = float(studentized_range.isf(alpha, k, np.inf) / np.sqrt(2) * error)
    return p_values, critical
