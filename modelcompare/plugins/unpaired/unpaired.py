"""A test of two models on two different test sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.comparison.planning import Settings, prepare
from modelcompare.comparison.warned import warn_of_sparse_data
from modelcompare.data.alone import refuse_pseudo_values
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import once
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.delong import check_area, delong_covariance
from modelcompare.intervals import intervals_around
from modelcompare.metrics import Metric
from modelcompare.metrics.classes import ValueLike, one_value
from modelcompare.metrics.quantiles import is_quantile
from modelcompare.plugins.unpaired.contrast import SIDES, Unpaired
from modelcompare.plugins.unpaired.deals import ADDED, fisher_midp, studentized_deals
from modelcompare.questions.claims import bounds_of_difference
from modelcompare.questions.contrast import chosen_class, value_position
from modelcompare.questions.paired import PairedTestResult, result_of
from modelcompare.resampling.draws import deals
from modelcompare.resampling.seeds import RngLike, child_seed, seed_sequence
from modelcompare.significance import Outcome
from modelcompare.significance.extreme import n_extreme, resampling_p, standardized, student_p
from modelcompare.significance.inverted import Ends, ends_of, p_of_difference
from modelcompare.significance.pairwise import check_smooth
from modelcompare.significance.samples import sample_contributions
from modelcompare.significance.swaps.slopes import MOST_SLOPES
from modelcompare.words import Alternative, ZeroDivision

UnpairedTest = Literal[
    "studentized-permutation", "fisher-midp", "bootstrap", "permutation", "wald", "welch", "delong"
]

# In sets of fewer units the standard error is recomputed on each resample; in larger sets it hardly
# varies between resamples.
_SMALL = 200
# With at least so many units on both sides the studentized bootstrap keeps its level, and
# permutations of soft scores take long.
_LARGE = 1000


@checked()
def unpaired_test(
    predictions_a: Predictions,
    predictions_b: Predictions,
    metric: ValueLike = "f1_macro",
    *,
    method: UnpairedTest = "studentized-permutation",
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    zero_division: ZeroDivision = math.nan,
    rng: RngLike = 0,
) -> PairedTestResult:
    """Test two models on two different test sets.

    Parameters
    ----------
    predictions_a, predictions_b : Predictions
        Predictions of one model each, on two independent sets of samples.
    metric, alternative, n_resamples, zero_division, rng
        As in `paired_test`.
    method : str
        "studentized-permutation": the samples, or clusters, are permuted between the two test
        sets, and each difference is divided by the standard error of its permutation. For
        proportions (accuracy, recall, precision, scores of 0 and 1) all permutations are counted,
        which is "fisher-midp". "bootstrap" is used instead for metrics that are not functions of
        sums, averages over very many classes, test sets with different labels, and soft scores with
        at least 1,000 samples on both sides. The result names the test that was used.
        "bootstrap": independent resamples shifted to the null; if the metric is a function of sums,
        each difference is divided by its standard error. It rejects 0.08 of true nulls at an
        accuracy of 0.95 with 40 samples on one side and 400 on the other. "permutation":
        permutation of the differences, not studentized; its null is that both test sets are draws
        from one distribution. "wald": influence-function standard errors, with Student's t.
        "welch": Welch's t for means of per-sample numbers. "delong": DeLong's standard errors of
        roc_auc, with Student's t, as in pROC.

    Returns
    -------
    PairedTestResult

    Raises
    ------
    ValueError
        If there is more than one model on a side, the method does not apply, or scores are of
        battles, whose strengths are relative to the models of one fit.

    Warns
    -----
    SparseDataWarning
        If intervals may cover less than their level; see `compare`.
    """
    seed = seed_sequence(rng)
    sides = list[tuple[Sample, int]]()
    for name, predictions in zip(SIDES, (predictions_a, predictions_b), strict=True):
        if len(predictions.models) != 1:
            raise ValueError(
                f"`{name}` holds {len(predictions.models)} models; choose one: preds['cnn']."
            )
        refuse_pseudo_values(predictions.access, f"`{name}`: an unpaired test")
        value, of_class = one_value(metric, predictions)
        # Clusters of both sets are dealt between them, by their numbers of rows.
        results = once(predictions, predictions.models[0])
        sample = prepare(results, [value], Settings(
            n_resamples=n_resamples, zero_division=zero_division, collapse=False,
            rng=child_seed(seed, len(sides)),
        )).sample  # fmt: skip
        side = sample.evaluation
        # The same class may have different positions in the labels of the two sets.
        of_class = chosen_class(side, of_class)
        place = value_position(side, of_class)
        sides.append((sample, place))
        warn_of_sparse_data(sample, places=np.array([place]), where=f"`{name}`: ")
    contrast = Unpaired((sides[0], sides[1]), of_class, alternative, n_resamples, seed)
    found = _RUN[method](contrast)
    p_value = np.maximum(found.p_value, contrast.smallest_p_value)
    if math.isnan(contrast.difference):
        p_value = np.full_like(p_value, np.nan)
    outcome = replace(found, p_value=p_value)
    used = found.used.get(contrast.metric.name, method)
    return result_of(contrast, outcome, f"unpaired-{used}")


def _studentized(contrast: Unpaired) -> Outcome:
    metric = contrast.metric
    if contrast.proportions is not None:
        return replace(_fisher(contrast), used={metric.name: "fisher-midp"})
    if is_quantile(metric):
        return _quantiles(contrast)
    labels = [None if p.labels is None else p.labels.tolist() for p in contrast.predictions]
    soft = not isinstance(metric, Metric) or not all(s.discrete for s in metric.statistics)
    sums = isinstance(metric, Metric) and metric.smooth
    if not sums or (soft and min(contrast.sizes) >= _LARGE) or labels[0] != labels[1]:
        return replace(_bootstrap(contrast), used={metric.name: "bootstrap"})
    pooled, position = contrast.pooled
    if pooled.statistics(rows=slice(0, 1)).shape[1] > MOST_SLOPES:
        return replace(_bootstrap(contrast), used={metric.name: "bootstrap"})

    def value(totals: FloatArray) -> FloatArray:
        return pooled.values_of_totals(totals.T)[:, 0, position]

    return studentized_deals(
        pooled.statistics(), contrast.sizes[0], value, contrast.alternative,
        contrast.n_resamples, contrast.seed, added=0 if soft else ADDED,
    )  # fmt: skip


def _quantiles(contrast: Unpaired) -> Outcome:
    """Run the bootstrap, with a p-value not below that of intervals from order statistics."""

    def bounds(level: float) -> Ends:
        found = [
            intervals_around(Contrasts(sample, None), "auto", 1 - 2 * level)
            for sample, _ in contrast.sides
        ]
        ends = [ends_of(interval, 0, 0) for interval in found]
        a, b = ((value, *each) for value, each in zip(contrast.estimates, ends, strict=True))
        return bounds_of_difference(a, b)

    found, least = _bootstrap(contrast), p_of_difference(bounds, contrast.alternative)
    p_value = np.fmax(found.p_value, least)
    return replace(found, p_value=p_value, used={contrast.metric.name: "bootstrap"})


def _fisher(contrast: Unpaired) -> Outcome:
    counts = contrast.proportions
    if counts is None:
        raise ValueError(
            "method 'fisher-midp' needs a proportion of independent samples of equal weight "
            "(accuracy, recall, precision, scores of 0 and 1); use 'studentized-permutation'."
        )
    return Outcome.of_one(contrast.difference, fisher_midp(*counts, contrast.alternative))


def _welch(contrast: Unpaired) -> Outcome:
    variances, degrees = [], []
    for evaluation in contrast.evaluations:
        (numbers,) = sample_contributions(evaluation, contrast.metric)
        variances.append(_variance(numbers) / len(numbers))
        degrees.append(len(numbers) - 1)
    return _student(contrast, variances, degrees)


def _variance(numbers: FloatArray) -> float:
    """Return the unbiased variance; of equal numbers, without rounding, 0."""
    return float(numbers.var(ddof=1)) if np.ptp(numbers) else 0.0


def _delong(contrast: Unpaired) -> Outcome:
    check_area(contrast.metric)
    variances = [float(delong_covariance(p)[1][0, 0]) for p in contrast.predictions]
    return _student(contrast, variances, [len(p) - 1 for p in contrast.predictions])


def _wald(contrast: Unpaired) -> Outcome:
    check_smooth(contrast.metric, "'permutation' or 'bootstrap'")
    degrees = [
        min(float(sample.moments.degrees_of_freedom()[0, place]), sample.moments.n_samples - 1)
        for sample, place in contrast.sides
    ]
    return _student(contrast, contrast.variances, degrees)


def _student(contrast: Unpaired, variances: Sequence[float], degrees: Sequence[float]) -> Outcome:
    """Run Student's t test, with Satterthwaite's degrees of freedom of a sum of variances."""
    t = float(standardized(contrast.difference, math.sqrt(sum(variances))))
    # Relative to the largest, so that squares of small variances do not underflow.
    shares = [variance / (max(variances) or 1.0) for variance in variances]
    squares = sum(s**2 / d for s, d in zip(shares, degrees, strict=True))
    df = sum(shares) ** 2 / squares if squares else sum(degrees)
    return Outcome.of_one(t, float(student_p(t, df, contrast.alternative)))


def _bootstrap(contrast: Unpaired) -> Outcome:
    """Run the bootstrap test, studentized if the metric has a standard error on each resample."""
    a, b = (sample.draws[:, 0, place] for sample, place in contrast.sides)
    shifted = a - b - contrast.difference
    if not isinstance(contrast.metric, Metric):
        return _share_extreme(contrast, shifted)
    squared = np.zeros(contrast.n_resamples)
    for (sample, place), variance in zip(contrast.sides, contrast.variances, strict=True):
        small = sample.evaluation.units.size < _SMALL
        squared += sample.replicate_moments[:, place, 0, 0] if small else variance
    t = float(standardized(contrast.difference, math.sqrt(sum(contrast.variances))))
    errors = np.sqrt(np.maximum(squared, 0.0))
    return _share_extreme(contrast, standardized(shifted, errors), t)


def _permutation(contrast: Unpaired) -> Outcome:
    """Run the permutation test of the difference: samples are permuted between the two sets."""
    first, second = contrast.predictions
    if first.groups is not None or second.groups is not None:
        raise ValueError(
            "method 'permutation' deals single samples, which clusters forbid; use "
            "'studentized-permutation', 'bootstrap' or 'wald'."
        )
    pooled, position = contrast.pooled
    hands = deals(len(pooled.predictions), len(first), contrast.n_resamples, contrast.seed)
    values = [pooled.values(hand) - pooled.values(1.0 - hand) for hand in hands]
    return _share_extreme(contrast, np.concatenate(values)[:, 0, position])


def _share_extreme(contrast: Unpaired, null: FloatArray, t: float | None = None) -> Outcome:
    """Return the p-value of t, or of the difference; its rounding error is that of the values."""
    statistic = contrast.difference if t is None else t
    scale = sum(map(abs, contrast.estimates)) if t is None else abs(t)
    count = n_extreme(null, statistic, contrast.alternative, scale=scale)
    p_value = float(resampling_p(count, contrast.n_resamples))
    return Outcome.of_one(statistic, p_value, contrast.n_resamples, exact=False)


_RUN = {
    "studentized-permutation": _studentized, "fisher-midp": _fisher, "bootstrap": _bootstrap,
    "permutation": _permutation, "wald": _wald, "welch": _welch, "delong": _delong,
}  # fmt: skip
