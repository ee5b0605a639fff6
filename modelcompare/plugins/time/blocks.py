"""Samples in time: consecutive samples are similar, so blocks of them are the units.

A block is a cluster, and every method that takes clusters takes them. Blocks are three times as
long as the resamples of a block bootstrap would be (Politis & White 2004): with the error of
clusters and Student's t, intervals of an autoregressive series (0.7) of 200 samples then cover
0.94, where blocks as long as these cover 0.91.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.attachments import completed
from modelcompare.data.checks import refuse_rows, warn_of_data
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_blocks
from modelcompare.metrics.base import Outcomes
from modelcompare.plugs import load
from modelcompare.words import giving

# Blocks over the length of Politis and White, and the fewest blocks.
_TIMES, _FEWEST = 3.0, 6
# The first two numbers of dates that may begin with the day or the month.
_SLASHED = r"^\s*(\d{1,2})\s*[/.-]\s*(\d{1,2})\s*[/.-]\s*\d{4}\b"
# A time of day with its zone.
_ZONE = r":\d{2}.*?(?:Z|[A-Z]{3,4}|[+-]\d{2}:?\d{2})\s*$"
_YEAR, _MONTHS = r"\d{4}", 12
# Largest number of pairs of models whose differences are considered.
_MOST_PAIRS = 50


@checked(predictions=giving("rows", by_design=True))
def in_time_blocks(predictions: Predictions, time: ArrayLike) -> Predictions:
    """Return the predictions with blocks of consecutive samples as clusters.

    Intervals and tests allow then for samples that are similar to those before: forecasts of a
    series, sensors, users who return. Samples at one time are in one block.

    Parameters
    ----------
    predictions : Predictions
        A test set, in any order. Its clusters, and the runs of an item, are whole in a block.
    time : array-like of shape (n_samples,)
        Numbers, dates, or texts of dates with their years.

    Returns
    -------
    Predictions
        The same, with `groups`: at least six blocks of about equal numbers of times. Their length
        follows from the autocorrelation of the models' errors and of their differences; without
        any, blocks are short. Where labels are missing beside a judge, errors are those by its
        verdicts. As samples are added, blocks change: looks of `gate` refuse them.

    Raises
    ------
    ValueError
        If clusters are spread over more time than a block, there are fewer than 12 times, or a time
        cannot be read, such as dates of which none shows whether the day or the month is first.

    Warns
    -----
    DataWarning
        If blocks have samples of several strata, which are left out: errors contain the differences
        between strata as well.

    References
    ----------
    .. [1] Politis & White (2004), Econometric Reviews 23, 53-70; corrected by Patton, Politis &
           White (2009), Econometric Reviews 28, 372-375.

    Examples
    --------
    >>> import numpy as np
    >>> import modelcompare as mc
    >>> rng, days = np.random.default_rng(0), np.arange(300)
    >>> demand = np.sin(days / 20) + rng.normal(0, 0.1, 300)
    >>> preds = mc.Predictions(demand, {"mean": 0 * demand, "lag": np.roll(demand, 1)})
    >>> len(set(mc.io.in_time_blocks(preds, days).groups))
    6
    """
    times = _as_times(np.asarray(time))
    if len(times) != len(predictions):
        raise ValueError(
            f"`time` has {len(times):,} entries, and there are {len(predictions):,} samples."
        )
    distinct, place = np.unique(times, return_inverse=True)
    n = len(distinct)
    if n < 2 * _FEWEST:
        raise ValueError(f"blocks in time need {2 * _FEWEST} times or more, and there are {n}.")
    length = max(_length(series) for series in _series(predictions, place, n))
    n_blocks = max(_FEWEST, n // math.ceil(_TIMES * length)) if length > 1 else n
    blocks = _whole_clusters(predictions, np.arange(n) * n_blocks // n, place)
    strata = predictions.strata
    if strata is not None and pd.Series(strata).groupby(blocks).nunique().max() > 1:
        warn_of_data(
            "blocks in time have samples of several `strata` (--read strata), which are therefore "
            "left out: errors contain the differences between strata as well."
        )
        predictions = predictions.with_columns(strata=None)
    return with_blocks(predictions, blocks, place)


def _whole_clusters(predictions: Predictions, block_of: IntArray, place: IntArray) -> IntArray:
    """Return the block of each sample, by the time at its place; of a cluster that of its middle.

    Clusters that are spread over more time than a block cross the blocks.
    """
    if predictions.groups is None:
        return block_of[place]
    cluster = predictions.access.unit_of
    ends = pd.Series(place).groupby(cluster).agg(["min", "max"]).to_numpy().T
    length, widest = len(block_of) / (int(block_of[-1]) + 1), int((ends[1] - ends[0]).max())
    # Without any autocorrelation a block is a time, and the clusters are the blocks.
    if 1 < length <= widest:
        raise ValueError(
            f"`groups` (--groups) and blocks in time (--time) cross: a cluster is spread over "
            f"{widest + 1:,} times, a block has {length:.0f}, and errors of both together are not "
            "known; leave one of the two out."
        )
    return block_of[ends.sum(axis=0) // 2][cluster]


def _as_times(column: AnyArray) -> AnyArray:
    """Return times as numbers that can be ordered."""
    if column.ndim != 1:
        raise ValueError(f"`time` must be a column, got shape {column.shape}.")
    if column.dtype.kind in "iuf":
        refuse_rows(~np.isfinite(column), "`time` is missing")
        return column
    series = pd.Series(column)
    if column.dtype.kind != "M":
        numbers = pd.to_numeric(series, errors="coerce")
        if numbers.notna().all():
            return numbers.to_numpy()
        # Without a year, anything from "may" to "t5" would be a day of this year.
        series = series.where(series.astype(str).str.contains(_YEAR))
    found = pd.to_datetime(
        series, errors="coerce", utc=True, format="mixed", dayfirst=_day_first(series)
    )
    unread = found.isna().to_numpy()
    refuse_rows(unread, "`time` has cells that are no dates", "write them as 2026-01-31")
    zoned = series.astype(str).str.contains(_ZONE).to_numpy()
    if zoned.any():
        remedy = "write that of each"
        refuse_rows(~zoned, "`time` has a time zone in some cells, and none", remedy)
    return found.dt.tz_localize(None).to_numpy().astype(np.int64)


def _day_first(dates: pd.Series[Any]) -> bool:
    """Return whether dates such as 31/01/2026 have the day first; refuse what does not show it."""
    numbers = dates.astype(str).str.extract(_SLASHED).dropna().astype(int)
    day_first, month_first = (bool((numbers[k] > _MONTHS).any()) for k in (0, 1))
    if len(numbers) and day_first == month_first:
        shown = "have days at both places" if day_first else "may have the day or the month first"
        raise ValueError(
            f"`time` has dates that {shown}, such as {dates[numbers.index[0]]!r}; write them as "
            "2026-01-31."
        )
    if day_first and len(numbers) < len(dates):
        raise ValueError("`time` has dates in several forms; write them as 2026-01-31.")
    return day_first


def _series(predictions: Predictions, place: IntArray, n: int) -> list[FloatArray]:
    """Return the mean loss of each model at each time, and differences from the first model."""
    times, every = np.bincount(place, minlength=n), completed(predictions)
    found = []
    for model in predictions.models:
        losses = _losses(Outcomes.of(every, model))
        found += [np.bincount(place, column, n) / times for column in losses.T]
    apart = [other - found[0] for other in found[1 : _MOST_PAIRS + 1]]
    return [*found, *apart]


def _losses(outcomes: Outcomes) -> FloatArray:
    """Return a number for each sample that is low where the output is right, by output type."""
    kind = outcomes.output.kind
    if not kind.loss:
        raise ValueError(
            f"outputs of the type {kind} have no loss of each sample, by which blocks are found; "
            "pass blocks that you know as `groups` (--groups COLUMN)."
        )
    losses: FloatArray = load(kind.loss)(outcomes)
    return losses


def _length(series: FloatArray) -> float:
    """Return the length of blocks of the circular bootstrap by Politis and White's rule.

    The lag from which on correlations are within 2 sqrt(log10(n) / n) is found, and the spectral
    density and its derivative at 0 are estimated with a flat-top window of twice that lag.
    """
    n = len(series)
    width = max(5, math.ceil(math.sqrt(math.log10(n))))
    most = min(math.ceil(math.sqrt(n)) + width, n // 2)
    covariance = autocovariance(series - series.mean(), most)
    if covariance[0] <= 0:
        return 1.0
    large = np.abs(covariance[1:] / covariance[0]) >= 2 * math.sqrt(math.log10(n) / n)
    quiet = np.convolve(large, np.ones(width), "valid") == 0
    last = int(quiet.argmax()) if quiet.any() else int(np.flatnonzero(large)[-1]) + 1
    window = min(2 * max(last, 1), most)
    lags = np.arange(-window, window + 1)
    taper = np.minimum(1.0, 2 * (1 - np.abs(lags) / window))
    of_lags = taper * covariance[np.abs(lags)]
    density, slope = float(of_lags.sum()), float((np.abs(lags) * of_lags).sum())
    if density <= 0:
        return 1.0
    length = (1.5 * (slope / density) ** 2 * n) ** (1 / 3)
    return max(1.0, min(length, math.ceil(min(3 * math.sqrt(n), n / 3))))


def autocovariance(series: FloatArray, most: int) -> FloatArray:
    """Compute the autocovariances up to a lag, by the Fourier transform."""
    size = 2 ** math.ceil(math.log2(len(series) + most + 1))
    spectrum = np.abs(np.fft.rfft(series, size)) ** 2
    return np.fft.irfft(spectrum, size)[: most + 1] / len(series)
