"""Tails of sums of random signs: the share of all swaps in which a difference is as extreme.

A swap of the outputs of two models gives each unit's difference u a sign, so a score after random
swaps is ``S = sum s u``. Its tail is known without draws:

- of few distinct sizes |u|, as those of hard labels, from the characteristic function
  ``prod cos(z u)``, by the Fourier series of a square wave. A smooth formula fails there: with two
  sizes it is 7 to 30 % off at 500 units;
- of many sizes, by the saddlepoint of ``K(z) = sum log cosh(z u)`` (Lugannani and Rice), within 1 %
  from 12 effective units on;
- of up to 13 units, by counting.

Sums equal to the observed one count half, or in full.

The works are Daniels (1987) and Robinson (1982), in `works`.
"""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray

# Most distinct sizes whose ties matter, most sizes that several units have, relative distance of
# equal sizes, and sizes that show it.
MOST_SIZES, _MOST_KINDS = 32, 256
TIED = 1e-9
_SHOWN = 256
# Units whose signs are all counted.
FEW_UNITS = 13
# Units whose sum is taken by the series where few of them carry it, and from how many carriers,
# (sum u^2)^2 / sum u^4, on the saddlepoint is right.
_FEW_UNITS = 1_000
CARRIERS = 12.0
# The square wave reaches this many standard deviations beyond the threshold. Its step is smoothed
# by a hundredth of one, or by a thousandth where sums are close to a lattice; terms after the last
# frequency are below 1e-12.
_REACH, _SMOOTH, _SMOOTHER, _LAST = 9.0, 0.001, 0.01, 7.5
# A threshold so many deviations lower has all sums equal to it above: p is up to 1 % larger.
_BELOW = 0.003
# Terms that are left out, by their logarithms.
_NOTHING = np.log(1e-18)
# A smooth distribution has no part beyond this frequency; a lattice has, and this share of a
# p-value that comes from there makes it one.
_RIPPLE_FROM, _RIPPLE = 6.0, 0.02
# Tails that the series, whose rounding errors are absolute, leaves to the saddlepoint.
_FAR = 1e-9


def sign_tail(
    sizes: FloatArray, counts: FloatArray, threshold: float, *, half: bool = True
) -> float:
    """Return the probability that a sum of random signs times sizes is above a threshold.

    Parameters
    ----------
    sizes : ndarray of shape (n_kinds,)
        Sizes, not negative.
    counts : ndarray of shape (n_kinds,)
        Number of units of each.
    threshold : float
        A number above 0.
    half : bool
        Whether sums that equal it count half, or in full.

    Returns
    -------
    float
        NaN where too few of too many units carry the sum for a formula.

    Examples
    --------
    Of 100 equal units, the probability of 60 or more, 60 counted half:

    >>> round(sign_tail(np.ones(1), np.array([100.0]), 20.0), 5)
    0.02302
    """
    moving = sizes > 0
    if not moving.all():
        sizes, counts = sizes[moving], counts[moving]
    n_units = counts.sum()
    if n_units <= FEW_UNITS:
        return _by_counting(np.repeat(sizes, counts.astype(np.intp)), threshold, half=half)
    if tied := are_tied(sizes):
        sizes, counts = _distinct(sizes, counts)
    square = counts @ sizes**2
    full = tied and not half
    carriers = square**2 / (counts @ sizes**4)
    most = _MOST_KINDS if n_units > len(sizes) else MOST_SIZES
    # Hoeffding: the tail of such a sum is at most exp(-t^2 / 2).
    may_be_near = threshold**2 < -2 * np.log(_FAR) * square
    if may_be_near and len(sizes) <= (most if carriers >= CARRIERS else _FEW_UNITS):
        if full:
            found = smooth_tail(sizes, counts, threshold - _BELOW * float(np.sqrt(square)), _SMOOTH)
        else:
            found = smooth_tail(sizes, counts, threshold)
        if found > _FAR:
            return found
    if carriers < CARRIERS:
        return np.nan
    # Sums equal to the threshold have at most the probability of those above.
    return _by_saddlepoint(sizes, counts, threshold) * (2 if full else 1)


def are_tied(sizes: FloatArray) -> bool:
    """Return True for sizes of few kinds, by the first of them that are not 0."""
    some = sizes[: 4 * _SHOWN]
    some = some if (some > 0).sum() >= _SHOWN else sizes
    rising = np.sort(some[some > 0][:_SHOWN])
    return int((np.diff(rising) > TIED * rising[1:]).sum()) < MOST_SIZES


def _distinct(sizes: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sizes in rising order, equal ones as one."""
    if not len(sizes):
        return sizes, counts
    order = np.argsort(sizes)
    rising = sizes[order]
    begins = np.flatnonzero(np.r_[True, np.diff(rising) > TIED * rising[1:]])
    return rising[begins], np.add.reduceat(counts[order], begins)


def _by_counting(sizes: FloatArray, threshold: float, *, half: bool) -> float:
    """Count all sums of few units."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    tie = TIED * sizes.sum()
    above, least = (sums > threshold + tie).mean(), (sums >= threshold - tie).mean()
    return float((above + least) / 2 if half else least)


def smooth_tail(
    sizes: FloatArray, counts: FloatArray, threshold: float, smooth: float = _SMOOTHER
) -> float:
    """Sum the Fourier series of a square wave that steps at the threshold.

    The step is that of a normal distribution function of `smooth` standard deviations of the sum.
    """
    deviation = float(np.sqrt(counts @ sizes**2))
    half = threshold + _REACH * deviation
    at = np.arange(1, _LAST * half / (smooth * deviation * np.pi), 2) * (np.pi / half)
    # The most frequent sizes leave few frequencies to the others: near multiples of pi.
    order = np.argsort(-counts)
    turns = at * (sizes[order[0]] / np.pi)
    near = np.arccos(np.exp(_NOTHING / counts[order[0]])) / np.pi
    at = at[np.abs(turns - np.rint(turns)) < near]
    log_size = -0.5 * (smooth * deviation * at) ** 2 - np.log(at * (half / np.pi))
    sign = np.ones(len(at))
    for place in order:
        cosines = np.cos(at * sizes[place])
        log_size += counts[place] * np.log(np.abs(cosines))
        if counts[place] % 2:
            sign *= np.sign(cosines)
        seen = log_size > _NOTHING
        at, log_size, sign = at[seen], log_size[seen], sign[seen]
    wave = sign * np.exp(log_size)
    p = 0.5 - 2 / np.pi * float(wave @ np.sin(at * threshold))
    ripple = np.abs(wave[at * deviation > _RIPPLE_FROM]).sum()
    if smooth == _SMOOTHER and ripple > _RIPPLE * p:
        return smooth_tail(sizes, counts, threshold, _SMOOTH)
    return p


def _by_saddlepoint(sizes: FloatArray, counts: FloatArray, threshold: float) -> float:
    from scipy.special import ndtr

    if threshold >= (counts @ sizes) * (1 - TIED):
        return float(0.5 ** (counts.sum() + 1))
    point = threshold / (counts @ sizes**2)
    for _ in range(50):
        tangent = np.tanh(point * sizes)
        slope = counts @ (sizes * tangent)
        curve = counts @ (sizes**2 * (1 - tangent) * (1 + tangent))
        step = (threshold - slope) / curve
        point += step if point + step > 0 else -point / 2
        # The next step would be about the square of this one.
        if abs(step) <= 1e-6 * point:
            break
    root = np.sqrt(2 * (point * threshold - counts @ log_cosh(point * sizes)))
    density = np.exp(-root * root / 2) / np.sqrt(2 * np.pi)
    return float(ndtr(-root) + density * (1 / (point * np.sqrt(curve)) - 1 / root))


def log_cosh(x: FloatArray) -> FloatArray:
    """Return the logarithm of the hyperbolic cosine, also of numbers whose cosine overflows."""
    size = np.abs(x)
    return np.asarray(size + np.log1p(np.exp(-2 * size)) - np.log(2))
