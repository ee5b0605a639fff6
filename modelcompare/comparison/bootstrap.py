"""The bootstrap of all metrics and models on shared resamples: `bootstrap` and its result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.planning import Settings, prepare
from modelcompare.comparison.selected import places_of, select_values
from modelcompare.data.given_arrays import takes_arrays
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.classes import without_classes
from modelcompare.metrics.registry import MetricLike
from modelcompare.resampling.seeds import RngLike, child_seed
from modelcompare.words import (
    Scheme,
    Undefined,
    ZeroDivision,
    check_count,
    giving,
)

_MOST_REDRAWS = 50


@takes_arrays
@checked(predictions=giving("sums"), size=partial(check_count, at_least=1))
def bootstrap(
    predictions: TestSet,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    n_resamples: int = 9999,
    scheme: Scheme = "multinomial",
    size: int | None = None,
    zero_division: ZeroDivision = math.nan,
    undefined: Undefined = "count",
    collapse: bool | None = None,
    rng: RngLike = 0,
) -> BootstrapResult:
    """Bootstrap every metric of every model on the same resamples.

    Parameters
    ----------
    predictions : Predictions
        Test set and models. Clusters are drawn whole; strata keep their sizes.
    metrics : str, metric, callable, or sequence of these, optional
        As in `compare`.
    n_resamples : int
        Number of resamples.
    scheme : {"multinomial", "poisson", "bayesian"}
        Bootstrap weights.
    size : int, optional
        Samples (or clusters) in a resample, for the m-out-of-n bootstrap; by default the size of
        the test set.
    zero_division : float or "paper"
        See `modelcompare.get_metric`.
    undefined : {"count", "stratify", "redraw", "raise"}
        Treatment of resamples on which a metric is 0 / 0: count them and leave them out of
        intervals; draw within the true classes, so that no class is lost; draw those resamples
        again, which conditions on being defined; or raise.
    collapse : bool, optional
        See `modelcompare.engine.Evaluation`.
    rng : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    BootstrapResult
        Estimates and replicates, and intervals of any method without new draws.

    Raises
    ------
    ValueError
        If an option is out of range or a model lacks the outputs that a metric needs.

    Examples
    --------
    >>> import modelcompare as mc
    >>> result = mc.bootstrap(mc.Predictions([0, 1] * 20, {"a": [0, 1, 1, 1] * 10}), "accuracy",
    ...                       n_resamples=999)
    >>> result.confidence_interval(method="percentile")[["estimate", "ci_low", "ci_high"]]
       estimate  ci_low  ci_high
    0      0.75   0.625    0.875
    """
    metrics, classes = without_classes(metrics, predictions)
    found = prepare(predictions, metrics, Settings(
        n_resamples=n_resamples, scheme=scheme, size=size, zero_division=zero_division,
        undefined=undefined, collapse=collapse, rng=rng,
    )).sample  # fmt: skip
    every = BootstrapResult(found.evaluation, found.weights, found.design)
    return draw_values(every, undefined, places_of(found.evaluation, classes))


def draw_values(
    every: BootstrapResult, undefined: Undefined, places: IntArray | None
) -> BootstrapResult:
    """Draw the resamples, and select the requested values by their positions.

    Resamples on which a requested value is undefined are drawn again or refused, by `undefined`.
    """
    draws = every.draws
    if undefined == "redraw":
        _redraw(draws, every, places)
    result = select_values(every, places)
    if undefined == "raise" and result.n_undefined.any():
        model, position = np.argwhere(result.n_undefined)[0]
        key = result.evaluation.keys[position]
        where = "" if key.label is None else f" of class {key.label!r}"
        raise ValueError(
            f"{key.metric}{where} is undefined on {result.n_undefined[model, position]:,} of "
            f"{result.n_resamples:,} resamples of {result.models[model]!r}; use "
            "undefined='count', 'stratify' or 'redraw', or another zero_division."
        )
    return result


def _redraw(draws: FloatArray, every: BootstrapResult, places: IntArray | None) -> None:
    """Replace each resample with undefined requested values, for all models and metrics."""
    weights, asked = every.weights, slice(None) if places is None else places
    for attempt in range(_MOST_REDRAWS):
        holed = np.flatnonzero(np.isnan(draws[:, :, asked]).any(axis=(1, 2)))
        if len(holed) == 0:
            return
        again = replace(
            weights, n_resamples=max(len(holed), 2), seed=child_seed(weights.seed, attempt)
        )
        draws[holed] = every.evaluation.replicates(again)[: len(holed)]
    raise ValueError(
        f"some resamples were undefined {_MOST_REDRAWS} times in a row; a metric is almost never "
        "defined on this test set. Use undefined='count' or another zero_division."
    )
