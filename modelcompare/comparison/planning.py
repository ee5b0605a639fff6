"""Choose the predictions, interval method and test to compute with."""

from __future__ import annotations

import math
from collections.abc import Sequence

from modelcompare.data.test_set import TestSet
from modelcompare.metrics.registry import MetricLike
from modelcompare.plugs import load
from modelcompare.significance import named
from modelcompare.words import IntervalMethod, ZeroDivision

Served = tuple[TestSet, IntervalMethod, str, bool]


def serve(
    predictions: TestSet,
    metrics: MetricLike | Sequence[MetricLike] | None,
    *,
    method: IntervalMethod = "normal",
    test: str = "wald",
    zero_division: ZeroDivision = math.nan,
) -> Served:
    """Choose the predictions, interval method and test to compute with.

    Predictions in memory support every method; others may have a function that chooses.

    Returns
    -------
    predictions, method, test
        Predictions, interval method and test to use.
    draws : bool
        Whether to draw resamples even if no method needs them.

    Raises
    ------
    ValueError
        If the predictions support no such test.
    """
    access = predictions.access
    if access.planner:
        found: Served = load(access.planner)(
            predictions, metrics, method=method, test=test, zero_division=zero_division
        )
        return found
    if named(test).reads not in access.abilities:
        access.refuse(f"test {test!r}")
    return predictions, method, test, True
