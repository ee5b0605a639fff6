"""Numbers as people read them: rounded by their standard error, alike down a column."""

import math
from collections.abc import Iterable, Sequence

MAX_DECIMALS = 6
MISSING = "-"
# From here up a number is written with an exponent.
_LARGE = 1e9


def decimals_for(standard_errors: Iterable[float], *, default: int = 4) -> int:
    """Decimals that show two significant digits of a typical standard error.

    Parameters
    ----------
    standard_errors : iterable of float
        Standard errors of the numbers that share a column; those that are zero or NaN are ignored.
    default : int
        The answer where no standard error is usable.

    Returns
    -------
    int
        Between 0 and 6.

    Examples
    --------
    >>> decimals_for([0.0045, 0.0051, 0.02])
    4
    >>> decimals_for([31.0])
    0
    """
    usable = sorted(error for error in standard_errors if math.isfinite(error) and error > 0)
    if not usable:
        return default
    typical = usable[len(usable) // 2]
    return min(max(1 - math.floor(math.log10(typical)), 0), MAX_DECIMALS)


def format_number(value: float, decimals: int, *, signed: bool = False) -> str:
    """Write a number with fixed decimals, or with an exponent if it is tiny or huge.

    Parameters
    ----------
    value : float
        The number; NaN is written as a dash.
    decimals : int
        Digits after the point.
    signed : bool
        Write the sign of positive numbers too.

    Returns
    -------
    str
        The text, with an ASCII minus, so that it can be pasted into other programs.

    Examples
    --------
    >>> format_number(0.71204, 4), format_number(0.0041, 3, signed=True), format_number(2e-9, 6)
    ('0.7120', '+0.004', '2.0e-09')
    """
    if math.isnan(value):
        return MISSING
    sign = "+" if signed else ""
    too_small = decimals == MAX_DECIMALS and value != 0 and abs(value) < 10.0 ** (2 - MAX_DECIMALS)
    if abs(value) >= _LARGE:
        return f"{value:{sign}.4e}"
    text = f"{value:{sign}.1e}" if too_small else f"{value:{sign}.{decimals}f}"
    is_zero = not too_small and float(text) == 0
    return f"{0.0:.{decimals}f}" if is_zero else text


def format_interval(low: float, high: float, decimals: int) -> str:
    """Write an interval with a word between its ends, since a dash would read as a minus sign.

    Examples
    --------
    >>> format_interval(0.70301, 0.72084, 4)
    '0.7030 to 0.7208'
    """
    return format_intervals([(low, high)], decimals)[0]


def format_intervals(bounds: Sequence[tuple[float, float]], decimals: int) -> list[str]:
    """Write a column of intervals, padded so that their points stand below each other.

    Examples
    --------
    >>> format_intervals([(0.1, 0.2), (-0.1, 0.3)], 2)
    [' 0.10 to 0.20', '-0.10 to 0.30']
    """
    texts = [[format_number(bound, decimals) for bound in pair] for pair in bounds]
    low, high = (max((len(pair[side]) for pair in texts), default=0) for side in (0, 1))
    return [
        MISSING if pair == [MISSING, MISSING] else f"{pair[0]:>{low}} to {pair[1]:>{high}}"
        for pair in texts
    ]


def format_p_value(p_value: float) -> str:
    """Write a p-value with the digits that a decision needs.

    Examples
    --------
    >>> [format_p_value(p) for p in (0.3141, 0.0414, 0.0002, 1.0, 0.9999)]
    ['0.31', '0.041', '<0.001', '1.00', '1.00']
    """
    if math.isnan(p_value):
        return MISSING
    if p_value < 0.001:
        return "<0.001"
    return f"{p_value:.3f}" if p_value < 0.0995 else f"{p_value:.2f}"


def format_percent(fraction: float) -> str:
    """Write a fraction as a percentage.

    Examples
    --------
    >>> format_percent(0.95), format_percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * fraction:.6g} %"


def format_ranks(low: float, high: float) -> str:
    """Write a range of ranks.

    Examples
    --------
    >>> format_ranks(1, 2), format_ranks(3, 3)
    ('1-2', '3')
    """
    if math.isnan(low) or math.isnan(high):
        return MISSING
    return f"{low:.0f}" if low == high else f"{low:.0f}-{high:.0f}"


def nice_ticks(low: float, high: float, *, most: int = 5) -> list[float]:
    """Round numbers that divide an axis.

    Parameters
    ----------
    low, high : float
        Ends of the axis, ``low < high``.
    most : int
        At most so many ticks.

    Returns
    -------
    list of float
        Multiples of 1, 2 or 5 times a power of ten within the ends.

    Examples
    --------
    >>> nice_ticks(0.652, 0.727, most=4)
    [0.66, 0.68, 0.7, 0.72]
    """
    exponent = math.floor(math.log10(high - low)) - 1
    steps = ((multiple, power) for power in range(exponent, exponent + 3) for multiple in (1, 2, 5))
    for multiple, power in steps:
        step = multiple * 10.0**power
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return [round(i * step, max(-power, 0)) for i in range(first, last + 1)]
    return []
