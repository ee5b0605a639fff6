"""Confidence intervals: one function and one row of `METHODS` for each method.

A row's function receives a view and a confidence level and returns an `Interval`. The view offers
what methods need (estimate, replicates, standard errors, counts, influences, ...) and computes it
when it is asked; see `base.View` and, for models and for pairs, `base.ModelsView` and
`base.PairsView`. The functions of arrays beside them (`bca_interval`, ...) work for any number of
values at once.

To add a method: its function and row in `closed` or `resampled`, its name and when to choose it in
`words`. What a method cannot do it refuses by name, with a ValueError. Where it takes another
method for some values it says so in ``Interval.method``, value by value, and the frames' column
`method` repeats it; a row with ``chooses=True`` does so by design, others with a warning. A row
without `of_differences` leaves differences to BCa, which the frames and the signature name.

The default, "auto", takes what holds for each value: `auto` has the rule. Counts have intervals
in closed form that hold on classes of a few samples (`counted` reads off a metric's record whether
it is a ratio of counts; `ratios`, `averages`, `differences` and `counts` make them);
clusters, soft scores and texts go by `influences`. `make validate` measures the coverage of each:
``experiments/validity`` has the table.
"""

from collections.abc import Mapping
from typing import get_args

from modelcompare.intervals import auto, closed, resampled
from modelcompare.intervals.auto import FEW, informative_sizes
from modelcompare.intervals.base import (
    TIE_TOLERANCE,
    Interval,
    IntervalRow,
    ModelsView,
    PairsView,
    View,
)
from modelcompare.intervals.closed import logit_interval, normal_interval, proportion_interval
from modelcompare.intervals.resampled import (
    basic_interval,
    bca_interval,
    percentile_interval,
    quantiles,
    studentized_interval,
)
from modelcompare.words import IntervalMethod

__all__ = [
    "FEW", "METHODS", "STAND_IN", "TIE_TOLERANCE", "Interval", "IntervalRow", "ModelsView",
    "PairsView", "View",
    "basic_interval", "bca_interval", "choices", "difference_method", "informative_sizes",
    "logit_interval", "normal_interval", "percentile_interval", "proportion_interval", "quantiles",
    "studentized_interval",
]  # fmt: skip

_ROWS = {row.name: row for row in (*auto.ROWS, *resampled.ROWS, *closed.ROWS)}
METHODS: Mapping[IntervalMethod, IntervalRow] = {
    name: _ROWS[name] for name in get_args(IntervalMethod)
}
# Makes the intervals of differences where a method says nothing about them.
STAND_IN: IntervalMethod = "BCa"


def difference_method(method: IntervalMethod) -> IntervalMethod:
    """Name of the method that makes the intervals of differences where `method` is asked for."""
    return method if METHODS[method].of_differences else STAND_IN


def difference_intervals(method: IntervalMethod, view: PairsView, level: float) -> Interval:
    """Intervals of differences by `method`, or by what stands in for it."""
    return (METHODS[method].of_differences or resampled.bca_of_differences)(view, level)


def choices(indent: int = 8) -> str:
    """Every method and when to choose it, as a list for docstrings."""
    lines = []
    for row in METHODS.values():
        about = [row.when, row.needs and f"for {row.needs}"]
        if row.of_differences is None:
            about.append(f"scores only, {STAND_IN} for differences")
        lines.append(f'- "{row.name}": {"; ".join(filter(None, about))}.')
    return f"\n{' ' * indent}".join(lines)
