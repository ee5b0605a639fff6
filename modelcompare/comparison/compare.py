"""`compare`: replicates, intervals and paired tests put together for one question."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.bootstrap import Undefined, bootstrap
from modelcompare.comparison.replicates import BootstrapResult
from modelcompare.comparison.result import Comparison, MetricInfo
from modelcompare.intervals import Method, check_confidence_level, check_method
from modelcompare.metrics.counts import ZeroDivision
from modelcompare.metrics.registry import MetricLike
from modelcompare.predictions import Predictions
from modelcompare.resampling import RngLike, Scheme, SwapMasks, rng_label
from modelcompare.significance.corrections import Correction, adjust, check_correction, max_t
from modelcompare.significance.pairwise import (
    TESTS,
    TestName,
    all_pairs,
    pair_differences,
    pairwise_p_values,
    smallest_p_value,
)


def compare(
    predictions: Predictions,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    method: Method = "BCa",
    test: TestName = "sign-flip",
    correction: Correction = "holm",
    alpha: float = 0.05,
    scheme: Scheme = "multinomial",
    zero_division: ZeroDivision = math.nan,
    undefined: Undefined = "count",
    collapse: bool | None = None,
    n_jobs: int | None = None,
    rng: RngLike = 0,
    progress: bool = False,
) -> Comparison:
    """Compare models on the same test set, with intervals and paired tests.

    All models, metrics and pairs share the same resamples, so everything is paired. Clusters
    (`predictions.groups`) are drawn whole and strata keep their sizes.

    Parameters
    ----------
    predictions : Predictions
        One test set and the outputs of two or more models; with one model there are scores and
        no differences.
    metrics : str, metric, callable, or sequence of these, optional
        Names ("f1" is per class, "f1_macro" its average, "cf1" its probabilistic twin), Metric
        objects, or functions ``metric(y_true, y_output)``. By default accuracy, f1_macro and,
        where all models gave probabilities, cf1_macro; rmse, mae and r2 for real values;
        mean_score for per-example scores.
    n_resamples : int
        Bootstrap resamples, and as many random sign flips or swaps.
    confidence_level : float
        Of every interval; a fraction.
    method : str
        Kind of interval: "BCa", "percentile", "basic", "normal", "studentized", "logit", "wilson",
        "clopper-pearson", "jeffreys" or "delong" (`modelcompare.intervals`).
    test : {"sign-flip", "permutation", "bootstrap", "wald"}
        Paired test of each difference (`modelcompare.significance`). The default needs nothing
        but equal values under the null.
    correction : str
        "holm", "hommel", "bonferroni", "sidak", "fdr_bh", "fdr_by", "max-t" (Romano-Wolf, from
        the same replicates; it takes the place of `test`) or "none". A family is all pairs, and
        all classes, of one metric.
    alpha : float
        Level at which a difference is called one, in ranks and in the verdict.
    scheme : {"multinomial", "poisson", "bayesian"}
        Bootstrap weights.
    zero_division : float or "paper"
        See `modelcompare.get_metric`.
    undefined : {"count", "stratify", "redraw", "raise"}
        See `modelcompare.bootstrap`.
    collapse : bool, optional
        See `modelcompare.engine.Evaluation`.
    n_jobs : int, optional
        joblib's; results do not depend on it.
    rng : int, Generator, SeedSequence or None
        Source of randomness; the default gives the same numbers each time.
    progress : bool
        Show a progress bar on stderr.

    Returns
    -------
    Comparison
        Frames `scores` and `differences`, a verdict, a signature, tables and plots.

    Raises
    ------
    ValueError
        If an option is unknown, or a model did not give what a metric needs.

    Warns
    -----
    UndefinedMetricWarning
        Where a metric has no value on some resamples, with its share.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 1, 1, 0, 1, 1, 0, 1] * 5, {
    ...     "a": [0, 1, 1, 0, 1, 1, 0, 0] * 5, "b": [0, 1, 0, 0, 1, 0, 0, 0] * 5})
    >>> result = mc.compare(preds, "accuracy", n_resamples=999)
    >>> result.scores[["model", "estimate", "rank"]]
      model  estimate  rank
    0     a     0.875     1
    1     b     0.625     2
    """
    check_method(method)
    check_confidence_level(confidence_level)
    check_correction(correction)
    _check_test(test)
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must be in (0, 1), got {alpha:g}.")
    replicated = bootstrap(
        predictions,
        metrics,
        n_resamples=n_resamples,
        scheme=scheme,
        zero_division=zero_division,
        undefined=undefined,
        collapse=collapse,
        n_jobs=n_jobs,
        rng=rng,
        progress=progress,
    )
    replicated.warn_of_undefined()
    evaluation = replicated.evaluation
    model_a, model_b = all_pairs(len(evaluation.models))
    p_values = pairwise_p_values(
        test,
        evaluation,
        model_a,
        model_b,
        estimate=replicated.point,
        masks=SwapMasks(evaluation.units, n_resamples, replicated.seed),
        replicates=replicated.draws,
        moments=replicated.moments,
        n_jobs=n_jobs,
    )
    p_adjusted = _adjusted(replicated, p_values, model_a, model_b, correction)
    _warn_of_few_units(replicated, alpha)
    if test != "wald":
        _warn_of_few_resamples(replicated, p_values, p_adjusted, correction, alpha)
    return Comparison(
        bootstrap=replicated,
        score_interval=replicated.score_interval(method, confidence_level),
        difference_interval=replicated.difference_interval(
            model_a, model_b, method, confidence_level
        ),
        p_values=p_values,
        p_adjusted=p_adjusted,
        metric_info={
            metric.name: MetricInfo(metric.greater_is_better, metric.bounds, metric.per_class)
            for metric in evaluation.metrics
        },
        confidence_level=confidence_level,
        method=method,
        test=test,
        correction=correction,
        alpha=alpha,
        rng_label=rng_label(rng),
    )


def _adjusted(
    replicated: BootstrapResult,
    p_values: FloatArray,
    model_a: IntArray,
    model_b: IntArray,
    correction: Correction,
) -> FloatArray:
    """Adjust p-values within the family of each metric: all of its pairs and classes."""
    out = np.empty_like(p_values)
    for metric in replicated.evaluation.metrics:
        family = replicated.evaluation.metric_slice(metric.name)
        if correction != "max-t":
            out[:, family] = adjust(p_values[:, family], correction)
            continue
        point, draws = replicated.point[:, family], replicated.draws[:, :, family]
        difference = pair_differences(point, model_a, model_b)
        null = draws[:, model_a] - draws[:, model_b] - difference
        error = replicated.moments.pair_standard_error(model_a, model_b)[:, family]
        adjusted = max_t(null.reshape(len(null), -1), difference.ravel(), error.ravel())
        out[:, family] = adjusted.reshape(difference.shape)
    return out


def _warn_of_few_units(replicated: BootstrapResult, alpha: float) -> None:
    """Say where so few samples or clusters are there that significance cannot be had."""
    evaluation = replicated.evaluation
    smallest = smallest_p_value(evaluation.units.size)
    if len(evaluation.models) > 1 and smallest >= alpha:
        what = "samples" if evaluation.predictions.groups is None else "clusters"
        warnings.warn(
            f"no p-value of {evaluation.units.size} {what} is below {smallest:g}, so at alpha = "
            f"{alpha:g} no difference can be shown, whatever it is; more {what} are needed.",
            UserWarning,
            stacklevel=3,
        )


def _warn_of_few_resamples(
    replicated: BootstrapResult,
    p_values: FloatArray,
    p_adjusted: FloatArray,
    correction: Correction,
    alpha: float,
) -> None:
    """Say where the number of resamples, and not the data, keeps differences from counting."""
    smallest = 1 / (replicated.n_resamples + 1)
    for metric in replicated.evaluation.metrics:
        family = replicated.evaluation.metric_slice(metric.name)
        at_floor = p_values[:, family] <= smallest * (1 + 1e-9)
        if correction == "max-t" or not (at_floor & (p_adjusted[:, family] >= alpha)).any():
            continue
        n_tests = np.count_nonzero(~np.isnan(p_values[:, family]))
        warnings.warn(
            f"{metric.name}: {replicated.n_resamples:,} resamples are too few for {n_tests:,} "
            f"tests: p-values cannot fall below {smallest:.2g}, which {correction} makes "
            f"{np.nanmin(p_adjusted[:, family]):.2g}. Take n_resamples of "
            f"{math.ceil(2 * n_tests / alpha):,} or more, correction='max-t', or test='wald'.",
            UserWarning,
            stacklevel=3,
        )


def _check_test(test: str) -> None:
    if test not in TESTS:
        raise ValueError(f"`test` must be one of {', '.join(TESTS)}, got {test!r}.")
