"""What a reader of a table should know and cannot see in it, with the remedy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from modelcompare.comparison.result import Comparison

# A difference of so many standard errors would have a far smaller p-value than resamples give.
_CLEAR = 5.0
# From here down tables do not write a p-value out.
_WRITTEN = 0.001


def remarks(result: Comparison, metric: str) -> list[str]:
    """Lines below the scores of a metric."""
    return [*_of_the_floor(result, metric), *_of_the_correction(result, metric)]


def _of_the_floor(result: Comparison, metric: str) -> Iterator[str]:
    """Say where the number of resamples keeps clear differences from a small p-value."""
    where = result.bootstrap.evaluation.metric_slice(metric)
    alone, adjusted = result.p_values[:, where], result.p_adjusted[:, where]
    floor = 1 / (result.n_resamples + 1)
    error = result.bootstrap.moments.pair_standard_error(*result.pairs)[:, where]
    a, b = result.pairs
    clear = np.abs(result.bootstrap.point[a] - result.bootstrap.point[b])[:, where] > _CLEAR * error
    held = clear & np.isclose(alone, floor, rtol=1e-9) & (adjusted >= _WRITTEN)
    # Where they do not count at all, a warning says so.
    if held.any() and (adjusted[held] < result.alpha).all():
        n_tests = result.n_tests(metric)
        needed = math.ceil(n_tests / _WRITTEN / 1000) * 1000
        tests = f"{n_tests:,} test{'s' * (n_tests != 1)}"
        yield (
            f"{result.n_resamples:,} resamples and {tests}: no p-value can be below "
            f"{adjusted[held].min():.2g}, however clear the difference. More "
            f"resamples ({needed:,}){_fewer_tests(result)} or the correction max-t make it smaller."
        )


def _of_the_correction(result: Comparison, metric: str) -> Iterator[str]:
    """Say where little is shown because so much was asked."""
    where = result.bootstrap.evaluation.metric_slice(metric)
    alone, adjusted = result.p_values[:, where], result.p_adjusted[:, where]
    n_found, n_tests = np.count_nonzero(alone < result.alpha), result.n_tests(metric)
    n_left = np.count_nonzero(adjusted < result.alpha)
    if n_tests > 1 and n_left < n_found / 2:
        ways = f"a larger test set{_fewer_tests(result)}"
        ways += "" if result.correction == "max-t" else " or the correction max-t"
        left = f"{n_left:,}" if n_left else "none"
        yield (
            f"{n_found:,} of {n_tests:,} differences have p below {result.alpha:g} alone, "
            f"{left} after the correction for so many tests: {ways} can show more."
        )


def _fewer_tests(result: Comparison) -> str:
    others = len(result.models) - 1
    return f", a baseline ({others:,} pairs)" if result.baseline is None and others > 1 else ""
