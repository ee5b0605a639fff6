"""Tests of two estimators by their differences on the folds of a cross-validation.

Training sets of different folds overlap, so the differences are correlated and a plain t-test
rejects far too often (size 0.56 instead of 0.05 on 10 times 10 folds). Each test here corrects for
this correlation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.arrays import FloatArray
from modelcompare.intervals import TIE_TOLERANCE
from modelcompare.significance.extreme import smallest_p_value, standardized, student_p


@dataclass(frozen=True, slots=True)
class FoldTest:
    """Mean difference over folds, the error that allows for their correlation, and the test.

    The statistic is t or F, the p-value two-sided; `df` are the degrees of freedom of the t that
    interval bounds use. If all folds differ by the same amount, the error is 0 and the p-value the
    smallest one possible for their number.
    """

    difference: float
    standard_error: float
    statistic: float
    p_value: float
    df: float


def corrected_t(differences: ArrayLike, test_to_train: float) -> FoldTest:
    """Run the corrected resampled t-test (Nadeau & Bengio 2003).

    The variance of the mean of J differences is taken as ``(1 / J + n_test / n_train) s^2`` instead
    of ``s^2 / J``, with the differences a - b of J folds, for k-fold, repeated and random splits.
    `test_to_train` is n_test / n_train of a fold: 1 / (k - 1) for k folds.

    Examples
    --------
    >>> found = corrected_t([0.02, 0.05, 0.01, 0.04, 0.03], 1 / 4)
    >>> round(found.statistic, 3), round(found.p_value, 4)
    (2.828, 0.0474)
    """
    d = np.asarray(differences, dtype=np.float64)
    n = len(d)
    if n < 2:
        raise ValueError(f"the corrected t-test needs at least 2 folds, got {n}.")
    equal = np.ptp(d) <= TIE_TOLERANCE * np.abs(d).max()
    error = 0.0 if equal else math.sqrt((1 / n + test_to_train) * d.var(ddof=1))
    return _t_test(float(d.mean()), float(d.mean()), error, n - 1, n)


def five_by_two_t(differences: ArrayLike) -> FoldTest:
    """Run the paired t-test of five repeats of 2-fold cross-validation (Dietterich 1998).

    The numerator of the statistic is the first of the differences a - b, of shape (5, 2), as
    published; `difference` is the mean of all.

    Examples
    --------
    >>> d = [[0.02, 0.04], [0.01, 0.03], [0.05, 0.02], [0.03, 0.03], [0.04, 0.01]]
    >>> round(five_by_two_t(d).statistic, 3)
    1.24
    """
    d = _five_by_two(differences)
    error = math.sqrt(_repeat_variances(d).mean())
    return _t_test(float(d.mean()), float(d[0, 0]), error, 5, d.size)


def five_by_two_f(differences: ArrayLike) -> FoldTest:
    """Run the combined F-test of five repeats of 2-fold cross-validation (Alpaydin 1999).

    All ten differences a - b, of shape (5, 2), are in the numerator: their order does not matter.

    Examples
    --------
    >>> d = [[0.02, 0.04], [0.01, 0.03], [0.05, 0.02], [0.03, 0.03], [0.04, 0.01]]
    >>> found = five_by_two_f(d)
    >>> round(found.statistic, 3), round(found.p_value, 3)
    (3.615, 0.084)
    """
    from scipy.special import fdtrc

    d = _five_by_two(differences)
    squares, spread = (d**2).sum(), 2 * _repeat_variances(d).sum()
    statistic = float(standardized(squares, spread))
    p_value = max(float(fdtrc(10, 5, statistic)), _least_p_value(spread, d.size))
    return FoldTest(float(d.mean()), math.sqrt(spread / 10), statistic, p_value, 5)


def correlated_t(
    differences: ArrayLike, test_share: float, rope: float
) -> tuple[float, float, float]:
    """Run the Bayesian correlated t-test (Corani & Benavoli 2015; Benavoli et al. 2017).

    The posterior of the mean difference is Student's, with squared scale
    ``(1 / J + r / (1 - r)) s^2``, where r, the correlation of two folds, is the share of samples
    that a fold tests on (`test_share`: 1 / k for k folds). It is the corrected t-test read as a
    posterior; `rope` is half the width of the region of practical equivalence around 0.

    Returns
    -------
    p_a, p_equivalent, p_b : float
        Probability that a is better by more than that region, that neither is, that b is.

    Examples
    --------
    >>> found = correlated_t([0.02, 0.05, 0.01, 0.04, 0.03], 1 / 5, rope=0.01)
    >>> [round(p, 3) for p in found]
    [0.934, 0.056, 0.01]
    """
    from scipy.stats import t

    if rope < 0:
        raise ValueError(f"`rope` must not be negative, got {rope:g}.")
    d = np.asarray(differences, dtype=np.float64)
    found = corrected_t(d, test_share / (1 - test_share))
    if found.standard_error == 0:
        above, below = float(found.difference > rope), float(found.difference < -rope)
    else:
        posterior = found.df, found.difference, found.standard_error
        above, below = float(t.sf(rope, *posterior)), float(t.cdf(-rope, *posterior))
    return above, 1 - above - below, below


def _t_test(mean: float, numerator: float, error: float, df: float, n_folds: int) -> FoldTest:
    statistic = float(standardized(numerator, error))
    p_value = float(student_p(statistic, df, "two-sided"))
    return FoldTest(mean, error, statistic, max(p_value, _least_p_value(error, n_folds)), df)


def _least_p_value(error: float, n_folds: int) -> float:
    """Return the smallest possible p-value where all folds differ equally; else 0."""
    return float(smallest_p_value(n_folds)) if error == 0 else 0.0


def _five_by_two(differences: ArrayLike) -> FloatArray:
    d = np.asarray(differences, dtype=np.float64)
    if d.shape != (5, 2):
        raise ValueError(
            f"5x2 tests need differences of shape (5, 2), got {d.shape}; use cv='5x2'."
        )
    return d


def _repeat_variances(d: FloatArray) -> FloatArray:
    centred = d - d.mean(axis=1, keepdims=True)
    out: FloatArray = (centred**2).sum(axis=1)
    return out
