"""Tests of equal variance of two sets of numbers, for any number of such sets at once.

Which test: ``f`` and ``bartlett`` trust normality (on heavy tails Bartlett's size is 0.22 instead
of 0.05), ``levene``, ``brown-forsythe`` and ``fligner`` do not, and all five take the two sets to
be independent. For paired numbers, such as two metrics on the same resamples, only
``pitman-morgan`` is valid: the F test of paired errors has size 0.002.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.plugins.paper.words import VarianceTest
from modelcompare.words import check_sequence, shown

VARIANCE_TESTS: tuple[VarianceTest, ...] = get_args(VarianceTest)
# Relative difference of equal numbers after a sum.
_ROUNDING = 1e-13


@checked()
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
    sides = RowMoments(a[None]), RowMoments(b[None])
    for name, side in zip("xy", sides, strict=True):
        if side.still[0]:
            raise ValueError(
                f"`{name}` is constant; tests of equal variances need numbers that vary."
            )
    rows = [(test, *variance_test(test, *sides)) for test in chosen]
    return pd.DataFrame(
        [(test, float(statistic[0]), float(p[0])) for test, statistic, p in rows],
        columns=["test", "statistic", "p_value"],
    )


def _numbers(argument: str, values: ArrayLike) -> FloatArray:
    """Return numbers in one row; the caller handles NaNs."""
    try:
        numbers = np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise ValueError(f"`{argument}` must hold numbers, got {shown(values)}.") from None
    if np.isinf(numbers).any():
        raise ValueError(f"`{argument}` contains infinite numbers; remove them.")
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


class RowMoments:
    """Numbers of shape (n_rows, n_columns), and the moments of each row without its NaNs."""

    def __init__(self, numbers: FloatArray) -> None:
        self.numbers = numbers

    @cached_property
    def count(self) -> FloatArray:
        """Number of numbers in each row."""
        return np.count_nonzero(~np.isnan(self.numbers), axis=1).astype(np.float64)

    @cached_property
    def mean(self) -> FloatArray:
        """Mean of each row."""
        return np.asarray(np.nansum(self.numbers, axis=1) / self.count)

    @cached_property
    def variance(self) -> FloatArray:
        """Unbiased variance of each row; exactly 0 if numbers differ only by rounding."""
        squares = np.nansum((self.numbers - self.mean[:, None]) ** 2, axis=1)
        rounding = self.numbers.shape[1] * (_ROUNDING * self.mean) ** 2
        return np.where(squares <= rounding, 0.0, squares) / (self.count - 1)

    @cached_property
    def variance_error(self) -> FloatArray:
        """Monte-Carlo standard error of each variance, from the fourth moment (Cramer 1946)."""
        n, fourth = self.count, np.nansum((self.numbers - self.mean[:, None]) ** 4, axis=1)
        square = fourth / n - (n - 3) / (n - 1) * self.variance**2
        return np.asarray(np.sqrt(np.maximum(square, 0.0) / n))

    @cached_property
    def still(self) -> BoolArray:
        """True for rows of equal numbers."""
        return self.variance == 0

    def without_rounding(self) -> RowMoments:
        """Remove rounding errors of equal numbers, which would be ranked."""
        if not self.still.any():
            return self
        return RowMoments(np.where(self.still[:, None], 0.0 * self.numbers, self.numbers))


# Statistics and p-values of a test of the rows of both sides.
RowTest: TypeAlias = Callable[[RowMoments, RowMoments], tuple[FloatArray, FloatArray]]


def variance_test(
    test: VarianceTest, x: RowMoments, y: RowMoments
) -> tuple[FloatArray, FloatArray]:
    """Return statistics and p-values of one test on each row of x and y, without NaNs.

    A row of x and one of y are a pair of sets; for "pitman-morgan" columns belong together.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic, p_value = _RUN[test](x, y)
    neither = x.still & y.still
    return np.where(neither, np.nan, statistic), np.where(neither, np.nan, p_value)


def _f(x: RowMoments, y: RowMoments) -> tuple[FloatArray, FloatArray]:
    from scipy.special import fdtr, fdtrc

    ratio = x.variance / y.variance
    df_x, df_y = x.count - 1, y.count - 1
    p_value = 2 * np.minimum(fdtr(df_x, df_y, ratio), fdtrc(df_x, df_y, ratio))
    return ratio, np.minimum(p_value, 1.0)


def _of_scipy(name: str, **options: Any) -> RowTest:
    """Return scipy's test of this name, for rows with two numbers or more on each side."""

    def test(x: RowMoments, y: RowMoments) -> tuple[FloatArray, FloatArray]:
        from scipy import stats

        found = np.full((2, len(x.numbers)), np.nan)
        rows = (np.minimum(x.count, y.count) > 1) & ~(x.still & y.still)
        if rows.any():
            sides = (side.without_rounding().numbers[rows] for side in (x, y))
            test_of = getattr(stats, name)
            found[:, rows] = test_of(*sides, axis=1, nan_policy="omit", **options)
        return found[0], found[1]

    return test


def _pitman_morgan(x: RowMoments, y: RowMoments) -> tuple[FloatArray, FloatArray]:
    """Test the correlation of sums and differences, which is 0 if the variances are equal."""
    from scipy.special import stdtr

    a, b = x.without_rounding().numbers, y.without_rounding().numbers
    both = ~np.isnan(a + b)
    n = np.count_nonzero(both, axis=1)
    u, v = (np.where(both, c - RowMoments(c).mean[:, None], 0.0) for c in (a + b, a - b))
    correlation = (u * v).sum(axis=1) / np.sqrt((u**2).sum(axis=1) * (v**2).sum(axis=1))
    statistic = correlation * np.sqrt((n - 2) / (1 - correlation**2))
    return statistic, 2 * stdtr(n - 2, -np.abs(statistic))


_RUN: Mapping[VarianceTest, RowTest] = {
    "f": _f,
    "bartlett": _of_scipy("bartlett"),
    "levene": _of_scipy("levene", center="mean"),
    "brown-forsythe": _of_scipy("levene", center="median"),
    "fligner": _of_scipy("fligner"),
    "pitman-morgan": _pitman_morgan,
}
