"""Lower ends of intervals of means, from likelihoods of the sample: not taken into the package.

Functions get test sets of shape (n_test_sets, n), whose numbers vary, and the lower bound of the
range, below which no end is. An upper end is that of the numbers with their signs changed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import stats
from scipy.optimize.elementwise import find_root

Array = np.ndarray
LEVEL = 0.95
Z = float(stats.norm.ppf((1 + LEVEL) / 2))
# Tolerances of roots, for scores between 0 and 1.
CLOSE = {"xrtol": 1e-8, "xatol": 1e-10, "fatol": 1e-10}


def t_quantile(n: int) -> float:
    """Return the two-sided quantile of Student's t of n numbers."""
    return float(stats.t.ppf((1 + LEVEL) / 2, n - 1))


def _root(function: Callable[[Array, Array], Array], far: Array, near: Array) -> Array:
    """Return roots by row; infinite where the function does not change its sign from near to far.

    The function is negative near the estimate, and gets points and the rows they are of.
    """
    rows = np.arange(len(far))
    found = find_root(
        lambda at, row: function(at, row.astype(int)), (far, near), args=(rows,), tolerances=CLOSE
    )
    if not np.isin(found.status, (0, -1)).all():
        raise ArithmeticError(f"no root: status {np.unique(found.status)}.")
    return np.where(found.success, found.x, np.inf)


def log_ratio(z: Array) -> Array:
    """Compute -2 log of the empirical likelihood ratio of mean 0; infinite outside the hull."""
    n, low, high = z.shape[1], z.min(axis=1), z.max(axis=1)
    found, inside = np.full(len(z), np.inf), (low < 0) & (high > 0)
    z, least, most = z[inside], (1 / n - 1) / high[inside], (1 / n - 1) / low[inside]

    def mean(multiplier: Array, row: Array) -> Array:
        total: Array = (z[row] / (1 + multiplier[:, None] * z[row])).sum(axis=1)
        return total

    found[inside] = 2 * np.log1p(_root(mean, least, most)[:, None] * z).sum(axis=1)
    return found


def likelihood(x: Array, least: float, quantile: Array, added: float = 0.0) -> Array:
    """Return lower ends, where the log ratio of empirical likelihoods is the quantile.

    With `added`, each value to be judged gets one more sample on the other side of it, as far away
    as that many times the mean, so that no value is outside the hull.
    """
    mean, low = x.mean(axis=1), x.min(axis=1)

    def beyond(value: Array, row: Array) -> Array:
        z = x[row] - value[:, None]
        if added:
            z = np.concatenate([z, -added * z.mean(axis=1, keepdims=True)], axis=1)
        return log_ratio(z) - quantile[row]

    far = np.full(len(x), least) if added else low + 1e-6 * (mean - low)
    found = _root(beyond, far, mean - 1e-6 * (mean - low))
    return np.where(np.isinf(found), least, found)


def by_f(x: Array, least: float) -> Array:
    """Return ends of empirical likelihood at F's quantile of 1 and n - 1 degrees of freedom."""
    return likelihood(x, least, np.full(len(x), t_quantile(x.shape[1]) ** 2))


def by_bartlett(x: Array, least: float) -> Array:
    """Return ends of empirical likelihood at the quantile that Bartlett's factor increases."""
    kurtosis, skewness = stats.kurtosis(x, axis=1, fisher=False), stats.skew(x, axis=1)
    return likelihood(x, least, Z**2 * (1 + (kurtosis / 2 - skewness**2 / 3) / x.shape[1]))


def adjusted(x: Array, least: float) -> Array:
    """Return ends of adjusted empirical likelihood, at F's quantile as well."""
    more = max(1.0, np.log(x.shape[1]) / 2)
    return likelihood(x, least, np.full(len(x), t_quantile(x.shape[1]) ** 2), more)


def _r_star(r: Array, u: Array) -> Array:
    return r + np.log(u / r) / r


def tilted(x: Array, least: float) -> Array:
    """Return the means of tilted samples, of which the estimate is the upper quantile.

    The quantile of r* is such that the interval of normal scores is Student's.
    """
    n, mean, spread = x.shape[1], x.mean(axis=1), x.std(axis=1)
    v = (x - mean[:, None]) / spread[:, None]
    quantile = t_quantile(n) * np.sqrt(n / (n - 1))

    def beyond(tilt: Array, row: Array) -> Array:
        r = np.sqrt(2 * n * _tilt(v[row], tilt, 0 * tilt)[0])
        return _r_star(r, -tilt * np.sqrt(n)) - quantile

    tilt = _root(beyond, np.full(len(x), -50.0), np.full(len(x), -1e-3))
    unreached = np.isinf(tilt)
    _, moved, *_ = _tilt(v, np.where(unreached, 0.0, tilt), 0 * tilt.clip(-1, 1))
    return np.where(unreached, least, np.maximum(mean + spread * moved, least))


def _tilt(v: Array, first: Array, second: Array) -> tuple[Array, ...]:
    """Return the cumulant function of (v, v^2) at a tilt, and four moments of the tilted sample."""
    square = v * v
    power = first[:, None] * v + second[:, None] * square
    top = power.max(axis=1, keepdims=True)
    weight = np.exp(power - top)
    total = weight.sum(axis=1)
    cumulant = top[:, 0] + np.log(total / v.shape[1])
    weight /= total[:, None]
    moments = [np.einsum("ij,ij->i", weight, v), np.einsum("ij,ij->i", weight, square)]
    moments += [np.einsum("ij,ij,ij->i", weight, square, other) for other in (v, square)]
    return cumulant, *moments


def studentized(x: Array, least: float) -> Array:
    """Return ends by the upper quantile of the bootstrap of Student's t; `least` if it has none."""
    n, mean, spread = x.shape[1], x.mean(axis=1), x.std(axis=1)
    v = (x - mean[:, None]) / spread[:, None]
    start = np.full(len(x), 0.5 / np.sqrt(n))
    tilt = _first_root(lambda at, row: _tail(v[row], at)[0] - Z, start, 40.0)
    unreached = np.isinf(tilt)
    share = np.where(unreached, 0.0, _tail(v, np.where(unreached, start, tilt))[1])
    # A mean over the root of the mean square is sqrt(n - 1) times less than t, and bent.
    low = mean - spread * share / np.sqrt(1 - share**2)
    return np.where(unreached, least, np.maximum(low, least))


def _first_root(function: Callable[[Array, Array], Array], start: Array, most: float) -> Array:
    """Return roots by row, searched for from 0 on in growing steps; infinite if there is none."""
    found, near, far = np.full(len(start), np.inf), np.zeros_like(start), start
    open_rows = np.arange(len(start))
    while open_rows.size:
        beyond = function(far, open_rows)
        hit = beyond >= 0
        rows = open_rows[hit]
        if rows.size:
            found[rows] = _root(partial(_at, function, rows), far[hit], near[hit])
        left = ~hit & np.isfinite(beyond) & (far < most)
        open_rows, near, far = open_rows[left], far[left], 1.6 * far[left]
    return found


def _at(function: Callable[[Array, Array], Array], rows: Array, at: Array, row: Array) -> Array:
    return function(at, rows[row])


def _tail(v: Array, first: Array) -> tuple[Array, Array]:
    """Return r* of a mean over the root of its mean square, and that, at points of its path.

    The most likely point of each tail has a tilt of v^2 for each tilt of v; NaN if there is none.
    The density of the means of v and v^2 is integrated along the tail's edge by Laplace's method.
    """
    n = v.shape[1]

    def off_path(second: Array, row: Array) -> Array:
        _, mean, square, *_ = _tilt(v[row], first[row], -second)
        off: Array = 2 * second * square - first[row] * mean
        return off

    second = -_first_root(off_path, first**2 / 4, 1e3)
    cumulant, y1, y2, third, fourth = _tilt(v, first, np.where(np.isinf(second), 0.0, second))
    k11, k12, k22 = y2 - y1**2, third - y1 * y2, fourth - y2**2
    share, slope = y1 / np.sqrt(y2), 2 * y2 / y1
    curved = k22 - 2 * slope * k12 + slope**2 * k11
    curved += 2 * second / share**2 * (k11 * k22 - k12**2)
    r = np.sqrt(2 * n * np.maximum(first * y1 + second * y2 - cumulant, 1e-300))
    u = -second * np.sqrt(n * np.maximum(curved, 1e-300))
    return np.where(np.isinf(second), np.nan, _r_star(r, u)), share


METHODS: dict[str, Callable[[Array, float], Array]] = {
    "EL, F": by_f,
    "EL, Bartlett": by_bartlett,
    "adjusted EL, F": adjusted,
    "tilted, r*": tilted,
    "studentized, r*": studentized,
}
