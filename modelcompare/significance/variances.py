"""Tests of equal variance of two sets of numbers, for any number of such sets at once.

Which test: ``f`` and ``bartlett`` trust normality (on heavy tails Bartlett's size is 0.22 instead
of 0.05), ``levene``, ``brown-forsythe`` and ``fligner`` do not, and all five take the two sets to
be independent. For paired numbers, such as two metrics on the same resamples, only
``pitman-morgan`` is valid: the F test of paired errors has size 0.002.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.words import VarianceTest, check_options, check_sequence, shown

VARIANCE_TESTS: tuple[VarianceTest, ...] = get_args(VarianceTest)

# Relative difference that equal numbers may have after a sum.
_ROUNDING = 1e-13


def variance_tests(
    x: ArrayLike, y: ArrayLike, *, paired: bool = False, tests: Sequence[VarianceTest] | None = None
) -> pd.DataFrame:
    """Test whether two sets of numbers have equal variances.

    Parameters
    ----------
    x, y : array-like of shape (n_x,) and (n_y,)
        The numbers; NaNs are left out (in pairs if `paired`).
    paired : bool
        Whether x[i] and y[i] belong together; adds Pitman-Morgan.
    tests : sequence of str, optional
        Of "f" (two-sided), "bartlett", "levene" (deviations from the mean), "brown-forsythe" (from
        the median), "fligner" and, if paired, "pitman-morgan"; all by default.

    Returns
    -------
    DataFrame
        Columns test, statistic, p_value.

    Raises
    ------
    ValueError
        If a test is unknown or needs pairs, fewer than 2 numbers are left on a side, or a side is
        constant.

    Notes
    -----
    Run on bootstrap replicates the p-values shrink as resamples are added, Pitman-Morgan's too:
    they measure the effort of the simulation, not evidence about the metrics.

    References
    ----------
    .. [1] Pitman (1939), A note on normal correlation, Biometrika 31.

    Examples
    --------
    >>> x, y = [1.0, 2, 3, 4, 5, 6], [2.0, 2.5, 3, 3.5, 4, 4.5]
    >>> variance_tests(x, y, tests=["f", "levene"]).round(4)
         test  statistic  p_value
    0       f      4.000   0.1544
    1  levene      3.375   0.0961
    """
    check_options(paired=paired)
    a, b = _numbers("x", x), _numbers("y", y)
    chosen = tuple(VARIANCE_TESTS if paired else VARIANCE_TESTS[:-1]) if tests is None else tests
    check_variance_tests(chosen, paired=paired)
    if paired:
        if len(a) != len(b):
            raise ValueError(f"`x` has {len(a)} numbers and `y` {len(b)}; pairs need equal ones.")
        both = ~(np.isnan(a) | np.isnan(b))
        a, b = a[both], b[both]
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    if min(len(a), len(b)) < 2:
        raise ValueError(
            f"`x` and `y` need at least 2 numbers each, there are {len(a)} and {len(b)}."
        )
    for name, numbers in (("x", a), ("y", b)):
        if row_variance(numbers[None])[0] == 0:
            raise ValueError(
                f"`{name}` is constant; tests of equal variances need numbers that vary."
            )
    rows = [(test, *variance_test(test, a[None], b[None])) for test in chosen]
    return pd.DataFrame(
        [(test, float(statistic[0]), float(p[0])) for test, statistic, p in rows],
        columns=["test", "statistic", "p_value"],
    )


def _numbers(argument: str, values: ArrayLike) -> FloatArray:
    """Numbers in one row; NaNs are left to the caller."""
    try:
        numbers = np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise ValueError(f"`{argument}` must hold numbers, got {shown(values)}.") from None
    if np.isinf(numbers).any():
        raise ValueError(f"`{argument}` holds infinite numbers; leave them out.")
    return numbers


def check_variance_tests(tests: Sequence[str], *, paired: bool = True) -> None:
    """Refuse tests that are unknown, or that need pairs where there are none."""
    known = VARIANCE_TESTS if paired else VARIANCE_TESTS[:-1]
    chosen = check_sequence("tests", tests, "names")
    if not chosen:
        raise ValueError("`tests` is empty; name at least one, e.g. tests=['levene'].")
    for test in chosen:
        if test not in known:
            remedy = "; it needs paired=True" if test in VARIANCE_TESTS else ""
            raise ValueError(f"`tests` must be of {', '.join(known)}, got {test!r}{remedy}.")


def variance_test(
    test: VarianceTest,
    x: FloatArray,
    y: FloatArray,
    variances: tuple[FloatArray, FloatArray] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Statistics and p-values of one test on each row of x and y, NaNs left out.

    x and y have shapes (n_rows, n_x) and (n_rows, n_y), a row for each pair of sets; for
    "pitman-morgan" columns belong together. `variances` are those of the rows, where known already.
    """
    if variances is None:
        variances = row_variance(x), row_variance(y)
    still = [variance == 0 for variance in variances]
    with np.errstate(divide="ignore", invalid="ignore"):
        if test in ("f", "bartlett"):
            run = _f if test == "f" else _bartlett
            statistic, p_value = run(*variances, _count(x) - 1, _count(y) - 1)
        else:
            x, y = (_stilled(*side) for side in zip((x, y), still, strict=True))
            statistic, p_value = {
                "levene": lambda a, b: _levene(a, b, _row_mean),
                "brown-forsythe": lambda a, b: _levene(a, b, row_median),
                "fligner": _fligner,
                "pitman-morgan": _pitman_morgan,
            }[test](x, y)
    neither = still[0] & still[1]
    return np.where(neither, np.nan, statistic), np.where(neither, np.nan, p_value)


def _stilled(rows: FloatArray, still: BoolArray) -> FloatArray:
    """Rows without what rounding leaves of equal numbers, which would be ranked and correlated."""
    return np.where(still[:, None], 0.0 * rows, rows) if still.any() else rows


def _f(
    var_x: FloatArray, var_y: FloatArray, df_x: FloatArray, df_y: FloatArray
) -> tuple[FloatArray, FloatArray]:
    from scipy.special import fdtr, fdtrc

    ratio = var_x / var_y
    p_value = 2 * np.minimum(fdtr(df_x, df_y, ratio), fdtrc(df_x, df_y, ratio))
    return ratio, np.minimum(p_value, 1.0)


def _bartlett(
    var_x: FloatArray, var_y: FloatArray, df_x: FloatArray, df_y: FloatArray
) -> tuple[FloatArray, FloatArray]:
    from scipy.special import chdtrc

    df = df_x + df_y
    pooled = (df_x * var_x + df_y * var_y) / df
    numerator = df * np.log(pooled) - df_x * np.log(var_x) - df_y * np.log(var_y)
    statistic = np.maximum(numerator / (1 + (1 / df_x + 1 / df_y - 1 / df) / 3), 0.0)
    return statistic, chdtrc(1, statistic)


def _levene(
    x: FloatArray, y: FloatArray, centre: Callable[[FloatArray], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    from scipy.special import fdtrc

    z_x, z_y = (np.abs(a - centre(a)[:, None]) for a in (x, y))
    n_x, n_y = _count(x), _count(y)
    mean_x, mean_y = _row_mean(z_x), _row_mean(z_y)
    mean = (n_x * mean_x + n_y * mean_y) / (n_x + n_y)
    between = n_x * (mean_x - mean) ** 2 + n_y * (mean_y - mean) ** 2
    within = row_variance(z_x) * (n_x - 1) + row_variance(z_y) * (n_y - 1)
    df = n_x + n_y - 2
    statistic = df * between / within
    return statistic, fdtrc(1, df, statistic)


def _fligner(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    from scipy.special import chdtrc, ndtri
    from scipy.stats import rankdata

    n_x, n_y = _count(x), _count(y)
    n = n_x + n_y
    deviations = np.hstack([np.abs(a - row_median(a)[:, None]) for a in (x, y)])
    ranks = rankdata(deviations, axis=1, nan_policy="omit")
    scores = ndtri(ranks / (2 * (n[:, None] + 1)) + 0.5)
    mean_x, mean_y = _row_mean(scores[:, : x.shape[1]]), _row_mean(scores[:, x.shape[1] :])
    mean = _row_mean(scores)
    between = n_x * (mean_x - mean) ** 2 + n_y * (mean_y - mean) ** 2
    statistic = between / row_variance(scores)
    return statistic, chdtrc(1, statistic)


def _pitman_morgan(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Correlation of sums and differences, which is 0 where the variances are equal."""
    from scipy.special import stdtr

    sums, differences = x + y, x - y
    both = ~np.isnan(sums)
    n = np.count_nonzero(both, axis=1)
    u, v = (np.where(both, a - _row_mean(a)[:, None], 0.0) for a in (sums, differences))
    correlation = (u * v).sum(axis=1) / np.sqrt((u**2).sum(axis=1) * (v**2).sum(axis=1))
    statistic = correlation * np.sqrt((n - 2) / (1 - correlation**2))
    return statistic, 2 * stdtr(n - 2, -np.abs(statistic))


def _count(rows: FloatArray) -> FloatArray:
    counts = np.full(len(rows), float(rows.shape[1]))
    holed = np.isnan(rows.sum(axis=1))
    if holed.any():
        counts[holed] -= np.count_nonzero(np.isnan(rows[holed]), axis=1)
    return counts


def _row_mean(rows: FloatArray) -> FloatArray:
    means = rows.mean(axis=1)
    holed = np.isnan(means)
    if holed.any():
        means[holed] = np.nansum(rows[holed], axis=1) / _count(rows[holed])
    return means


def row_variance(rows: FloatArray) -> FloatArray:
    """Unbiased variance of each row, NaNs left out; exactly 0 where only rounding differs."""
    means = _row_mean(rows)
    centred = rows - means[:, None]
    squares = np.einsum("ij,ij->i", centred, centred)
    holed = np.isnan(squares)
    if holed.any():
        squares[holed] = np.nansum(centred[holed] ** 2, axis=1)
    rounding = rows.shape[1] * (_ROUNDING * means) ** 2
    return np.where(squares <= rounding, 0.0, squares) / (_count(rows) - 1)


def row_median(rows: FloatArray) -> FloatArray:
    """Median of each row, NaNs left out."""
    medians = np.median(rows, axis=1)
    holed = np.isnan(medians)
    if holed.any():
        ordered = np.sort(rows[holed], axis=1)
        n = _count(ordered).astype(np.intp)
        pick = np.arange(len(ordered))
        lower = ordered[pick, np.maximum(n - 1, 0) // 2]
        upper = ordered[pick, np.minimum(n // 2, rows.shape[1] - 1)]
        medians[holed] = np.where(n > 0, (lower + upper) / 2, np.nan)
    return medians
