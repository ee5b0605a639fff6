"""One test of two models on the same test set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import influence_moments
from modelcompare.engine.units import check_units
from modelcompare.metrics import AnyMetric, Metric, resolve_metrics
from modelcompare.metrics.counts import ZeroDivision
from modelcompare.metrics.registry import MetricLike
from modelcompare.predictions import Predictions
from modelcompare.questions.contrast import (
    check_choice,
    is_extreme,
    require_plain,
    sample_contributions,
    standardized,
    value_position,
)
from modelcompare.resampling import (
    AllSwaps,
    BootstrapWeights,
    RngLike,
    SwapMasks,
    seed_sequence,
)
from modelcompare.significance.delong import delong_covariance
from modelcompare.significance.pairwise import (
    bootstrap_p_values,
    check_smooth,
    pair_differences,
    permutation_p_values,
    sign_flip_p_values,
    smallest_p_value,
    wald_p_values,
)
from modelcompare.significance.two_models import (
    Alternative,
    berg_kirkpatrick_p_value,
    mcnemar_test,
    normal_p_value,
    sample_test,
)
from modelcompare.variants import with_arrays

PairedMethod = Literal[
    "sign-flip", "permutation", "bootstrap", "berg-kirkpatrick", "wald", "mcnemar-exact",
    "mcnemar-midp", "mcnemar-chi2", "mcnemar-chi2-corrected", "delong", "t", "wilcoxon", "sign",
]  # fmt: skip
_FIRST, _SECOND = np.array([0]), np.array([1])


@dataclass(frozen=True)
class PairedTestResult:
    """Outcome of one test of two models.

    Attributes
    ----------
    model_a, model_b, metric, label
        What was compared.
    difference : float
        a - b on the test set.
    statistic : float
        The test's own statistic; the difference itself for resampling tests.
    p_value : float
        Its p-value.
    p_value_standard_error : float
        Monte-Carlo error of the p-value; 0 where nothing was simulated.
    method, alternative : str
        As asked for.
    n_resamples : int
        Resamples drawn or enumerated; 0 where there were none.
    exact : bool
        Whether the p-value has no Monte-Carlo error.
    """

    model_a: str
    model_b: str
    metric: str
    label: Any
    difference: float
    statistic: float
    p_value: float
    p_value_standard_error: float
    method: str
    alternative: str
    n_resamples: int
    exact: bool


@dataclass(frozen=True)
class _Question:
    """Two models, one value, and how to ask about it."""

    evaluation: Evaluation
    position: int
    metric: AnyMetric
    alternative: Alternative
    n_resamples: int
    seed: np.random.SeedSequence
    n_jobs: int | None

    @property
    def estimate(self) -> FloatArray:
        return self.evaluation.estimate()

    @property
    def difference(self) -> float:
        values = self.estimate[:, self.position]
        return float(values[0] - values[1])


def paired_test(
    predictions: Predictions,
    model_a: str,
    model_b: str,
    metric: MetricLike = "f1_macro",
    *,
    method: PairedMethod = "sign-flip",
    label: Any = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    zero_division: ZeroDivision = math.nan,
    n_jobs: int | None = None,
    rng: RngLike = 0,
) -> PairedTestResult:
    """Test two models on the same test set.

    Parameters
    ----------
    predictions : Predictions
        A test set that holds both models.
    model_a, model_b : str
        The models; differences are a - b.
    metric : str, metric or callable
        What they are compared by. McNemar's tests are of accuracy, DeLong's of roc_auc; t,
        Wilcoxon and sign need a mean of per-sample numbers (accuracy, mean_score, log_loss,
        brier_score, caccuracy).
    method : str
        - "sign-flip": needs nothing but equal values under the null.
        - "permutation": swaps outputs; the null is that the models are exchangeable, which is more
          than equal values (one may trade recall for precision). All swaps are enumerated where
          there are at most `n_resamples`.
        - "bootstrap": the resampled difference shifted to the null.
        - "berg-kirkpatrick": share of resamples with at least twice the difference; one-sided, so
          `alternative` must be declared. Taking the direction from the data doubles its error.
        - "wald": difference over its influence-function standard error.
        - "mcnemar-exact", "mcnemar-midp", "mcnemar-chi2", "mcnemar-chi2-corrected", "delong", "t",
          "wilcoxon", "sign".
    label : optional
        The class, for a metric per class.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is greater than b.
    n_resamples : int
        For the methods that resample.
    zero_division, n_jobs, rng
        As in `compare`.

    Returns
    -------
    PairedTestResult

    Raises
    ------
    ValueError
        If the method does not apply to the metric; the message names those that do.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> result = mc.paired_test(preds, "bow_pair", "naive_bayes", "accuracy", method="mcnemar-midp")
    >>> print(f"{result.difference:.4f} {result.p_value:.1e}")
    0.0182 6.3e-06
    """
    check_choice("method", method, PairedMethod)
    check_choice("alternative", alternative, Alternative)
    if n_resamples < 2:
        raise ValueError(f"`n_resamples` must be at least 2, got {n_resamples}.")
    pair = predictions[[model_a, model_b]]
    (found,) = resolve_metrics([metric], pair, zero_division=zero_division)
    # These look at single samples, which distinct rows would hide.
    collapse = False if method in ("permutation", "t", "wilcoxon", "sign") else None
    evaluation = Evaluation(pair, (found,), collapse=collapse)
    check_units(evaluation.units, clustered=pair.groups is not None)
    question = _Question(
        evaluation,
        value_position(evaluation, found.name, label),
        found,
        alternative,
        n_resamples,
        seed_sequence(rng),
        n_jobs,
    )
    statistic, p_value, drawn, exact = _RUN[method.split("-")[0]](question, method)
    error = 0.0 if exact else math.sqrt(p_value * (1 - p_value) / (1 + drawn))
    return PairedTestResult(
        model_a, model_b, found.name, label, question.difference, statistic, p_value, error, method,
        alternative, drawn, exact,
    )  # fmt: skip


def _sign_flip(q: _Question, _: str) -> tuple[float, float, int, bool]:
    masks = SwapMasks(q.evaluation.units, q.n_resamples, q.seed)
    p = sign_flip_p_values(
        q.evaluation, q.estimate, masks, _FIRST, _SECOND, alternative=q.alternative,
        n_jobs=q.n_jobs,
    )  # fmt: skip
    return q.difference, float(p[0, q.position]), q.n_resamples, False


def _permutation(q: _Question, _: str) -> tuple[float, float, int, bool]:
    if not isinstance(q.metric, Metric):
        return _permutation_of_outputs(q)
    movable = _differing_units(q.evaluation)
    exact = len(movable) < 31 and 2 ** len(movable) <= q.n_resamples
    units, n = q.evaluation.units, q.n_resamples
    masks = (
        AllSwaps(units, 2 ** len(movable), q.seed, movable)
        if exact
        else SwapMasks(units, n, q.seed)
    )
    p = permutation_p_values(
        q.evaluation, q.estimate, masks, _FIRST, _SECOND, alternative=q.alternative,
        n_jobs=q.n_jobs,
    )[0, q.position]  # fmt: skip
    if exact:
        n = masks.n_resamples
        p = (p * (1 + n) - 1) / n
    return q.difference, float(p), n, exact


def _permutation_of_outputs(q: _Question) -> tuple[float, float, int, bool]:
    """Swap the outputs themselves, for metrics that are no sums."""
    evaluation, predictions = q.evaluation, q.evaluation.predictions
    if predictions.groups is not None:
        raise ValueError(
            f"metric {q.metric.name!r} is not a sum, so clusters cannot be swapped whole; use "
            "method='sign-flip' or 'bootstrap'."
        )
    masks = SwapMasks(evaluation.units, q.n_resamples, q.seed)
    first, second = (predictions.output(m).array for m in predictions.models)
    observed, extreme = q.difference, 0
    tolerance = 1e-10 * float(np.abs(q.estimate[:, q.position]).sum())
    for block in range(masks.n_blocks):
        for mask in masks.draw_all(block).astype(bool):
            chosen = mask if first.ndim == 1 else mask[:, None]
            swapped = with_arrays(
                predictions, [np.where(chosen, second, first), np.where(chosen, first, second)]
            )
            values = Evaluation(swapped, (q.metric,), collapse=False).estimate()[:, q.position]
            extreme += is_extreme(float(values[0] - values[1]), observed, tolerance, q.alternative)
    return observed, (1 + extreme) / (1 + q.n_resamples), q.n_resamples, False


def _bootstrap(q: _Question, _: str) -> tuple[float, float, int, bool]:
    draws = _draws(q)
    p = bootstrap_p_values(
        draws, q.estimate, _FIRST, _SECOND, n_units=q.evaluation.units.size,
        alternative=q.alternative,
    )  # fmt: skip
    return q.difference, float(p[0, q.position]), q.n_resamples, False


def _berg_kirkpatrick(q: _Question, _: str) -> tuple[float, float, int, bool]:
    if q.alternative == "two-sided":
        raise ValueError(
            "method 'berg-kirkpatrick' is one-sided: declare alternative='greater' or 'less' "
            "before looking at the data, or use method='bootstrap'."
        )
    draws = _draws(q)[:, :, q.position]
    p = berg_kirkpatrick_p_value(draws[:, 0] - draws[:, 1], q.difference, q.alternative)
    return q.difference, p, q.n_resamples, False


def _wald(q: _Question, _: str) -> tuple[float, float, int, bool]:
    check_smooth(q.metric)
    moments = influence_moments(q.evaluation, q.estimate)
    p = wald_p_values(q.evaluation, q.estimate, moments, _FIRST, _SECOND, alternative=q.alternative)
    error = float(moments.pair_standard_error(_FIRST, _SECOND)[0, q.position])
    return standardized(q.difference, error), float(p[0, q.position]), 0, True


def _mcnemar(q: _Question, method: str) -> tuple[float, float, int, bool]:
    if q.metric.name != "accuracy":
        raise ValueError(
            f"McNemar's tests are of accuracy, not of {q.metric.name}; use method='sign-flip', "
            "'permutation', 'bootstrap' or 'wald'."
        )
    require_plain(q.evaluation.predictions, "McNemar's test")
    p = q.evaluation.predictions
    right_a, right_b = (p.predicted(m) == p.codes for m in p.models)
    a_only, b_only = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    name: Any = method
    return *mcnemar_test(a_only, b_only, name, q.alternative), 0, True


def _delong(q: _Question, _: str) -> tuple[float, float, int, bool]:
    if q.metric.name != "roc_auc":
        raise ValueError(f"DeLong's test is of roc_auc, not of {q.metric.name}.")
    auc, covariance = delong_covariance(q.evaluation.predictions)
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    difference = float(auc[0] - auc[1])
    # What rounding leaves of two equal sets of placements is no variance.
    own = covariance[0, 0] + covariance[1, 1]
    z = standardized(difference, math.sqrt(variance) if variance > 1e-13 * own else 0.0)
    floor = smallest_p_value(len(q.evaluation.predictions), q.alternative)
    return z, max(normal_p_value(z, q.alternative), floor), 0, True


def _samples(q: _Question, method: str) -> tuple[float, float, int, bool]:
    require_plain(q.evaluation.predictions, f"method {method!r}")
    contributions = sample_contributions(q.evaluation, q.metric)
    differences = pair_differences(contributions, _FIRST, _SECOND)[0]
    name: Any = method
    return *sample_test(name, differences, q.alternative), 0, True


_RUN = {
    "sign": lambda q, method: _samples(q, method) if method == "sign" else _sign_flip(q, method),
    "permutation": _permutation,
    "bootstrap": _bootstrap,
    "berg": _berg_kirkpatrick,
    "wald": _wald,
    "mcnemar": _mcnemar,
    "delong": _delong,
    "t": _samples,
    "wilcoxon": _samples,
}


def _draws(q: _Question) -> FloatArray:
    weights = BootstrapWeights(q.evaluation.units, q.n_resamples, q.seed)
    return q.evaluation.replicates(weights, n_jobs=q.n_jobs)


def _differing_units(evaluation: Evaluation) -> IntArray:
    """Units on which the two models said different things; all of them if there are clusters."""
    predictions = evaluation.predictions
    if predictions.groups is not None:
        return np.arange(evaluation.units.n_units)
    first, second = (predictions.output(model).array for model in predictions.models)
    same = first == second if first.ndim == 1 else (first == second).all(axis=1)
    return np.flatnonzero(~same)
