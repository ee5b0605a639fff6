"""Intervals for what a threshold, chosen on these samples, reaches on new ones."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.intervals import proportion_interval


def chosen_interval(
    observed: tuple[FloatArray, FloatArray],
    drawn: tuple[FloatArray, FloatArray],
    checked: tuple[FloatArray, FloatArray],
    confidence_level: float,
) -> tuple[FloatArray, FloatArray]:
    """Interval of a proportion in the population, at a threshold that the sample chose.

    The best of many thresholds looks better than it is. How much, the resamples tell: each chooses
    a threshold of its own, and what that reaches on the resample is held against what it reaches on
    the samples themselves, which stand for the population. On the logit scale (half a count added)
    and in standard errors, the mean of these gaps is the optimism and their spread the uncertainty,
    choice included. A resample has fewer distinct samples than the data and can look too sure, so
    the spread is at least that of a binomial, and the interval at least Wilson's.

    Parameters
    ----------
    observed : tuple of ndarray of shape (n_values,)
        Counts and trials of the samples at the threshold they chose.
    drawn, checked : tuple of ndarray of shape (n_resamples, n_values)
        Counts and trials of each resample, and of the samples, at the threshold that the resample
        chose; NaN where it could choose none.
    confidence_level : float
        A fraction in (0, 1).
    """
    from scipy.special import expit, ndtri

    centre, error = _logit(*observed)
    (found, found_error), (true, _) = _logit(*drawn), _logit(*checked)
    gaps = np.where((drawn[1] > 0) & (checked[1] > 0), (found - true) / found_error, np.nan)
    known = ~np.isnan(gaps)
    n_known = np.maximum(known.sum(axis=0), 1)
    optimism = np.where(known, gaps, 0.0).sum(axis=0) / n_known
    spread = np.where(known, (gaps - optimism) ** 2, 0.0).sum(axis=0) / n_known
    half = ndtri((1 + confidence_level) / 2) * np.maximum(np.sqrt(spread), 1.0)
    low, high = (expit(centre - (optimism + side * half) * error) for side in (1, -1))
    plain = proportion_interval("wilson", *observed, confidence_level=confidence_level)
    return np.minimum(low, plain.low), np.maximum(high, plain.high)


def _logit(count: FloatArray, trials: FloatArray) -> tuple[FloatArray, FloatArray]:
    share = (count + 0.5) / (trials + 1)
    error = 1 / np.sqrt(np.maximum(trials, 1.0) * share * (1 - share))
    return np.log(share / (1 - share)), error
