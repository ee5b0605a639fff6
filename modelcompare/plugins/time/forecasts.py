"""Diebold and Mariano's test of two forecasts of one series."""

from __future__ import annotations

import math

import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.data.checks import as_array, real_values
from modelcompare.plugins.time.blocks import autocovariance
from modelcompare.significance.extreme import student_p
from modelcompare.words import Alternative, check_count


@checked()
def diebold_mariano(
    losses_a: ArrayLike, losses_b: ArrayLike, *, horizon: int = 1,
    alternative: Alternative = "two-sided",
) -> pd.Series:  # fmt: skip
    """Test whether two forecasts of one series are equally good.

    The mean difference of the losses is divided by its standard error, which allows for the
    correlation of errors of forecasts that overlap: those of `horizon` steps up to ``horizon - 1``
    steps apart. The small-sample correction of Harvey, Leybourne and Newbold is applied, and
    Student's t with n - 1 degrees of freedom. Other correlations are not allowed for; see
    `modelcompare.io.in_time_blocks`.

    Parameters
    ----------
    losses_a, losses_b : array-like of shape (n_times,)
        Loss of each forecast (squared or absolute error, say), in the order of time.
    horizon : int
        Number of steps ahead.
    alternative : {"two-sided", "greater", "less"}
        "greater": the losses of a are larger.

    Returns
    -------
    Series
        difference (mean loss of a minus that of b), standard_error, statistic, p_value, n, horizon.

    Raises
    ------
    ValueError
        If lengths differ, there are fewer times than two horizons and one, or the estimated
        variance is not positive.

    References
    ----------
    .. [1] Diebold & Mariano (1995), Journal of Business & Economic Statistics 13, 253-263.
    .. [2] Harvey, Leybourne & Newbold (1997), International Journal of Forecasting 13, 281-291.

    Examples
    --------
    >>> import numpy as np
    >>> import modelcompare as mc
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 50)) ** 2
    >>> found = mc.inference.diebold_mariano(a, b, horizon=2)
    >>> print(f"{found['p_value']:.2f}")
    0.44
    """
    check_count("horizon", horizon, at_least=1)
    given = {"`losses_a`": losses_a, "`losses_b`": losses_b}
    a, b = (real_values(as_array(each, name), name) for name, each in given.items())
    n = len(a)
    if len(b) != n or n < 2 * horizon + 1:
        raise ValueError(
            f"losses have {len(a):,} and {len(b):,} times; both need the same times, and "
            f"{2 * horizon + 1:,} or more for a horizon of {horizon}."
        )
    difference = float((a - b).mean())
    own, *later = autocovariance(a - b - difference, horizon - 1).tolist()
    variance = (own + 2 * sum(later)) / n
    if variance <= 0:
        raise ValueError(
            "the variance of the mean difference is estimated as 0 or less; use a smaller "
            "`horizon`, or blocks in time (modelcompare.io.in_time_blocks, --time)."
        )
    correction = (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n
    error = math.sqrt(variance / correction)
    return pd.Series({
        "difference": difference, "standard_error": error, "statistic": difference / error,
        "p_value": float(student_p(difference / error, n - 1, alternative)), "n": n,
        "horizon": horizon,
    })  # fmt: skip
