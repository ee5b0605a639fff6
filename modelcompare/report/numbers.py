"""Numbers as people read them: rounded by their standard error, the same in a column."""

import math
from collections.abc import Iterable, Mapping, Sequence

MAX_DECIMALS = 6
MISSING = "-"
NO_INTERVAL = "none"
BETWEEN = " to "
# From here up a number is written with an exponent; below the other, it is an error of rounding.
_LARGE, _ZERO = 1e9, 1e-12


def decimals_for(standard_errors: Iterable[float]) -> int:
    """Decimals that show two significant digits of a typical standard error.

    >>> decimals_for([0.0045, 0.0051, 0.02])
    4
    >>> decimals_for([31.0])
    0
    """
    usable = sorted(error for error in standard_errors if math.isfinite(error) and error > 0)
    if not usable:
        return 4
    typical = usable[len(usable) // 2]
    return min(max(1 - math.floor(math.log10(typical)), 0), MAX_DECIMALS)


def format_number(value: float, decimals: int, *, signed: bool = False) -> str:
    """Write a number with fixed decimals, or with an exponent if it is tiny or huge.

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

    An infinite end is written "or more" or "or less"; if both are infinite, there is no interval.
    An end that is not 0 is not written as 0: it has as many more digits as that takes.

    >>> format_interval(0.70301, 0.72084, 4), format_interval(-0.00003, 0.0123, 4)
    ('0.7030 to 0.7208', '-0.00003 to 0.0123')
    >>> format_interval(0.0, math.inf, 1), format_interval(-math.inf, math.inf, 1)
    ('0.0 or more', 'none')
    """
    if math.isinf(low) or math.isinf(high):
        if math.isinf(low) and math.isinf(high):
            return NO_INTERVAL
        end = _format_end(high if math.isinf(low) else low, decimals)
        return f"{end} or {'less' if math.isinf(low) else 'more'}"
    ends = [_format_end(bound, decimals) for bound in (low, high)]
    return MISSING if ends == [MISSING, MISSING] else f"{ends[0]}{BETWEEN}{ends[1]}"


def _format_end(bound: float, decimals: int) -> str:
    """Write an end of an interval, which excludes or contains 0: with a digit that is not 0."""
    if decimals == MAX_DECIMALS or not _ZERO < abs(bound) < 0.5 * 10.0**-decimals:
        return format_number(bound, decimals)
    needed = -math.floor(math.log10(abs(bound)))
    return f"{bound:.{needed}f}" if needed <= MAX_DECIMALS + 2 else f"{bound:.1e}"


def interval_clause(low: float, high: float, decimals: int, confidence_level: float) -> str:
    """Write an interval as a clause of a sentence.

    >>> interval_clause(0.7, 0.72, 2, 0.95), interval_clause(-math.inf, math.inf, 2, 0.95)
    ('95 % CI 0.70 to 0.72', 'no 95 % CI can be given')
    """
    title, text = interval_title(confidence_level), format_interval(low, high, decimals)
    return f"no {title} can be given" if text in (NO_INTERVAL, MISSING) else f"{title} {text}"


def format_p_value(p_value: float) -> str:
    """Write a p-value with the digits that a decision needs.

    >>> [format_p_value(p) for p in (0.3141, 0.0414, 0.0002, 1.0, 0.9999)]
    ['0.31', '0.041', '<0.001', '1.00', '1.00']
    """
    if math.isnan(p_value):
        return MISSING
    if p_value < 0.001:
        return "<0.001"
    return f"{p_value:.3f}" if p_value < 0.0995 else f"{p_value:.2f}"


def p_clause(p_value: float, *, at_most: bool = False) -> str:
    """Write a p-value as a clause of a sentence, with the digits of the tables.

    >>> p_clause(0.3141), p_clause(0.0002), p_clause(0.0414, at_most=True)
    ('p = 0.31', 'p < 0.001', 'p <= 0.041')
    """
    text = format_p_value(p_value)
    return f"p < {text[1:]}" if text[0] == "<" else f"p {'<=' if at_most else '='} {text}"


# Of the interval of a difference that is not significant.
EXCLUDES_0 = "; the interval, by another method, does not contain 0"


def grounds(
    others: Mapping[str, tuple[float, float, float]], level: float, *, by_interval: bool = False
) -> str:
    """Write by what differences from other models are significant, as a clause of a sentence.

    By interval bounds and p-value of each; with `by_interval` p-values are of exchangeable models.

    >>> grounds({"b": (0.1, 0.3, 0.002), "c": (-0.01, 0.2, 0.041)}, 0.95)
    'all p <= 0.041; the 95 % interval of the difference from c, by another method, contains 0'
    >>> grounds({"b": (-0.01, 0.2, 0.041)}, 0.95)
    'p = 0.041; the 95 % interval, by another method, contains 0'
    >>> grounds({"b": (0.1, 0.3, 0.002)}, 0.95, by_interval=True)
    'the 95 % interval excludes 0; of exchangeability p = 0.002'
    """
    several, of_level = len(others) > 1, format_percent(level)
    p = p_clause(max(p_value for *_, p_value in others.values()), at_most=several)
    if by_interval:
        which = (
            f"all {of_level} intervals exclude" if several else f"the {of_level} interval excludes"
        )
        return f"{which} 0; of exchangeability {p}"
    enclosing = [name for name, (low, high, _) in others.items() if low <= 0 <= high]
    p, s = f"{'all ' * several}{p}", "s" * (len(enclosing) > 1)
    of = f" of the difference{s} from {some_of(enclosing)}" if enclosing and several else ""
    contain = f"; the {of_level} interval{s}{of}, by another method, contain{'' if s else 's'} 0"
    return f"{p}{contain if enclosing else ''}"


def format_digits(value: float) -> str:
    """Write a number with three significant digits and no exponent.

    >>> format_digits(0.0113721), format_digits(1234.5)
    ('0.0114', '1234')
    """
    if not math.isfinite(value):
        return MISSING if math.isnan(value) else str(value)
    decimals = 3 if value == 0 else max(2 - math.floor(math.log10(abs(value))), 0)
    return f"{value:.{min(decimals, 8)}f}"


def format_share(fraction: float) -> str:
    """Write a share as a whole percentage.

    >>> format_share(0.8337), format_share(math.nan)
    ('83 %', '-')
    """
    return MISSING if math.isnan(fraction) else f"{100 * fraction:.0f} %"


def more(**counts: int) -> str:
    """Count left-out items in words; empty if none.

    >>> more(row=1, sample=0, **{"class": 1234})
    '1 more row and 1,234 more classes'
    """
    return " and ".join(
        f"{count:,} more {unit if count == 1 else plural(unit)}"
        for unit, count in counts.items()
        if count
    )


def joined(names: Sequence[str], word: str = "and") -> str:
    """Write names as a sentence has them.

    >>> joined(["bow", "cnn", "lstm"]), joined(["bow"])
    ('bow, cnn and lstm', 'bow')
    """
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last


def some_of(names: Sequence[str], most: int = 4) -> str:
    """Write names as a sentence has them, the first of more than `most`.

    >>> some_of(["bow", "cnn", "lstm"], 2)
    'bow, cnn and 1 more'
    """
    more = len(names) - most
    return joined(names) if more <= 0 else f"{', '.join(names[:most])} and {more:,} more"


def plural(unit: str) -> str:
    """Name several of a unit: rows, classes."""
    return f"{unit}es" if unit.endswith("s") else f"{unit}s"


def interval_title(confidence_level: float) -> str:
    """Head a column, or a clause, of intervals.

    >>> interval_title(0.95)
    '95 % CI'
    """
    return f"{format_percent(confidence_level)} CI"


def format_percent(fraction: float) -> str:
    """Write a fraction as a percentage.

    >>> format_percent(0.95), format_percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * fraction:.6g} %"


def format_ranks(low: float, high: float) -> str:
    """Write a range of ranks.

    >>> format_ranks(1, 2), format_ranks(3, 3)
    ('1-2', '3')
    """
    if math.isnan(low) or math.isnan(high):
        return MISSING
    return f"{low:.0f}" if low == high else f"{low:.0f}-{high:.0f}"


def nice_ticks(low: float, high: float, *, most: int = 5) -> list[float]:
    """Round numbers that divide an axis.

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
