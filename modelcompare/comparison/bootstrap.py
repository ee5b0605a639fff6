"""bootstrap(): every metric of every model on the same resamples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.comparison.planning import serve
from modelcompare.comparison.replicates import BootstrapResult
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.units import check_units
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.resampling.seeds import RngLike, child_seed, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import (
    Scheme,
    Undefined,
    ZeroDivision,
    check_count,
    giving,
)

_MOST_REDRAWS = 50


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
    n_jobs: int | None = None,
    rng: RngLike = 0,
    progress: bool = False,
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
        Samples (or clusters) in a resample, for the m-out-of-n bootstrap; as many as there are
        by default.
    zero_division : float or "paper"
        See `modelcompare.get_metric`.
    undefined : {"count", "stratify", "redraw", "raise"}
        What to do about resamples on which a metric is 0 / 0: count them and leave them out of
        intervals; draw within the true classes, so that no class is lost; draw those resamples
        again, which conditions on being defined; or raise.
    collapse : bool, optional
        See `modelcompare.engine.Evaluation`.
    n_jobs : int, optional
        As in `compare`; the replicates do not depend on it.
    rng : int, Generator, SeedSequence or None
        Source of randomness.
    progress : bool
        Show a progress bar on stderr.

    Returns
    -------
    BootstrapResult
        Estimates and replicates, and intervals of any method without new draws.

    Raises
    ------
    ValueError
        If an option is out of range or a model did not give what a metric needs.

    Examples
    --------
    >>> import modelcompare as mc
    >>> result = mc.bootstrap(mc.Predictions([0, 1] * 20, {"a": [0, 1, 1, 1] * 10}), "accuracy",
    ...                       n_resamples=999)
    >>> result.confidence_interval(method="percentile")[["estimate", "ci_low", "ci_high"]]
       estimate  ci_low  ci_high
    0      0.75   0.625    0.875
    """
    predictions, *_ = serve(predictions, metrics, zero_division=zero_division)
    return prepare(
        predictions, resolve_metrics(metrics, predictions, zero_division=zero_division),
        n_resamples=n_resamples, scheme=scheme, size=size, undefined=undefined, collapse=collapse,
        n_jobs=n_jobs, rng=rng, progress=progress, at_once=True,
    )  # fmt: skip


def prepare(
    predictions: TestSet, metrics: Sequence[AnyMetric], *, n_resamples: int, scheme: Scheme,
    undefined: Undefined, collapse: bool | None, n_jobs: int | None, rng: RngLike, progress: bool,
    size: int | None = None, at_once: bool = False,
) -> BootstrapResult:  # fmt: skip
    """Make replicates, drawn now or when something asks for them.

    Arguments are those of `bootstrap`. They are drawn now if `at_once` says so, where undefined
    ones are redrawn or refused, and of a scan, whose estimates come from the same pass.
    """
    seed = seed_sequence(rng)
    if undefined == "stratify":
        predictions = _stratified(predictions)
    evaluation = Evaluation(predictions, metrics, collapse=collapse)
    check_units(evaluation.units, clustered=predictions.groups is not None)
    weights = BootstrapWeights(evaluation.units, n_resamples, seed, scheme, size)
    result = BootstrapResult(evaluation, weights, n_jobs, progress)
    of_scan = "units" not in predictions.abilities
    if n_resamples and (at_once or undefined != "count" or of_scan):
        draws = result.draws
        if undefined == "redraw":
            _redraw(draws, evaluation, weights, n_jobs)
    if undefined == "raise" and result.n_undefined.any():
        model, position = np.argwhere(result.n_undefined)[0]
        key = evaluation.keys[position]
        where = "" if key.label is None else f" of class {key.label!r}"
        raise ValueError(
            f"{key.metric}{where} is undefined on {result.n_undefined[model, position]:,} of "
            f"{n_resamples:,} resamples of {evaluation.models[model]!r}; use undefined='count', "
            "'stratify' or 'redraw', or another zero_division."
        )
    return result


def _stratified(predictions: TestSet) -> TestSet:
    """Draw within the true classes, on top of the strata that are there."""
    if predictions.unit == "buckets":
        predictions.refuse("undefined='stratify'")
    if predictions.codes is None:
        raise ValueError("`undefined='stratify'` needs true classes.")
    if predictions.strata is None:
        return predictions.with_columns(strata=predictions.codes)
    stratum = np.unique(predictions.strata, return_inverse=True)[1]
    return predictions.with_columns(strata=stratum * predictions.n_classes + predictions.codes)


def _redraw(
    draws: FloatArray, evaluation: Evaluation, weights: BootstrapWeights, n_jobs: int | None
) -> None:
    """Fill undefined resamples from further ones, a whole resample at a time."""
    for attempt in range(_MOST_REDRAWS):
        holed = np.flatnonzero(np.isnan(draws).any(axis=(1, 2)))
        if len(holed) == 0:
            return
        again = replace(
            weights, n_resamples=max(len(holed), 2), seed=child_seed(weights.seed, attempt)
        )
        draws[holed] = evaluation.replicates(again, n_jobs=n_jobs)[: len(holed)]
    raise ValueError(
        f"some resamples were undefined {_MOST_REDRAWS} times in a row; a metric has hardly ever a "
        "value on this test set. Use undefined='count' or another zero_division."
    )
