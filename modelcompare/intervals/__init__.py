"""Confidence intervals: one function and one row of `METHODS` for each method.

A row's function receives `engine.contrasts.Contrasts` (the values of models, or differences of
pairs) and a confidence level, and returns an `Interval`. Estimates, replicates and standard errors
are computed when a method reads them. The functions of arrays next to them (`bca_interval`, ...)
work for any number of values at once.

To add a method: add its function and row to `closed` or `resampled`, and its name and when to
choose it to `words`. A method raises a ValueError for metrics or data that it does not support. If
it uses another method for some values, it names that in ``Interval.method``, value by value, and
the column `method` of frames repeats it; a row with ``chooses=True`` does so by design, others with
a warning. For a row of scores only, the intervals of differences are BCa, as frames and the
signature show.

The default, "auto", chooses a valid method for each value: `auto` has the rule. Counts have
intervals in closed form that are valid for classes of a few samples (`counts` uses the ratio of
counts that a metric's record declares; `ratios`, `averages` and `differences` have the formulas);
clusters, soft scores and texts use `influences`. `make validate` measures the coverage of each:
``experiments/validity`` has the table.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

import numpy as np

from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals import auto, closed, resampled
from modelcompare.intervals.auto import FEW, informative_sizes
from modelcompare.intervals.base import TIE_TOLERANCE, Interval, IntervalRow
from modelcompare.intervals.closed import normal_interval, proportion_interval
from modelcompare.intervals.extended import student_intervals
from modelcompare.intervals.resampled import (
    bca_interval,
    percentile_interval,
    quantiles,
)
from modelcompare.plugs import load
from modelcompare.words import IntervalMethod

__all__ = [
    "FEW", "METHODS", "STAND_IN", "TIE_TOLERANCE", "Interval", "IntervalRow",
    "bca_interval", "choices", "difference_method", "informative_sizes", "intervals_around",
    "intervals_of", "normal_interval", "percentile_interval", "proportion_interval", "quantiles",
]  # fmt: skip

_ROWS = {row.name: row for row in (*auto.ROWS, *resampled.ROWS, *closed.ROWS)}
METHODS: Mapping[IntervalMethod, IntervalRow] = {
    name: _ROWS[name] for name in get_args(IntervalMethod)
}
# Method of the intervals of differences for methods that do not apply to them.
STAND_IN: IntervalMethod = "BCa"


def difference_method(method: IntervalMethod) -> IntervalMethod:
    """Return the method of the intervals of differences for a given method of scores."""
    return STAND_IN if METHODS[method].scores_only else method


def intervals_of(contrasts: Contrasts, method: IntervalMethod, level: float) -> Interval:
    """Compute the intervals of the rows by `method`, or by the method that replaces it."""
    design = contrasts.sample.design
    design.check("method", method)
    if design.intervals:
        found: Interval = load(design.intervals)(contrasts, level)
        return found
    if design.beyond_items:
        return student_intervals(contrasts, level)
    used = method if contrasts.pairs is None else difference_method(method)
    return METHODS[used].intervals(contrasts, level)


def intervals_around(contrasts: Contrasts, method: IntervalMethod, level: float) -> Interval:
    """Compute intervals that contain their estimates; none for an undefined value.

    Some values of a sample have the intervals that they have among all of them.
    """
    if contrasts.sample._selection is not None:
        whole, places = contrasts.sample._selection
        return intervals_around(Contrasts(whole, contrasts.pairs), method, level).columns(places)
    found, estimate = intervals_of(contrasts, method, level), contrasts.estimate
    low, high = found.low, found.high
    if contrasts.pairs is not None:
        size = np.abs(contrasts.sample.point)
        rounding = 1e-13 * sum(size[side] for side in contrasts.pairs)
        low, high = (np.where(np.abs(end) <= rounding, 0.0, end) for end in (low, high))
    around = replace(found, low=np.minimum(low, estimate), high=np.maximum(high, estimate))
    nothing = np.full(estimate.shape, np.nan)
    none = np.full(estimate.shape, None, dtype=object)
    return around.where(~np.isnan(estimate), Interval(nothing, nothing, none))


def choices(indent: int = 8) -> str:
    """Return all methods and when to choose them, as a list for docstrings."""
    lines = []
    for row in METHODS.values():
        about = [row.when, row.needs and f"for {row.needs}"]
        if row.scores_only:
            about.append(f"scores only, {STAND_IN} for differences")
        lines.append(f'- "{row.name}": {"; ".join(filter(None, about))}.')
    return f"\n{' ' * indent}".join(lines)
