"""One registry of metric names."""

from __future__ import annotations

import difflib
import inspect
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from modelcompare.metrics import (
    calibration,
    debiased,
    information,
    nbest,
    ranking,
    scoring,
    texts,
    values,
)
from modelcompare.metrics.base import AnyMetric, BaseMetric, CallableMetric
from modelcompare.metrics.counts import (
    Average,
    ZeroDivision,
    count_metrics,
    fbeta_metric,
    soft_twin,
)

if TYPE_CHECKING:
    from modelcompare.predictions import Predictions

MetricLike = str | AnyMetric | Callable[..., Any]

_ALL: tuple[AnyMetric, ...] = (
    *count_metrics(),
    *scoring.METRICS,
    *ranking.METRICS,
    *calibration.METRICS,
    *debiased.METRICS,
    *information.METRICS,
    *nbest.METRICS,
    *values.METRICS,
    *texts.METRICS,
)
METRICS: dict[str, AnyMetric] = {metric.name: metric for metric in _ALL}
"""Every named metric, under the default convention: 0 / 0 is NaN."""

ALIASES = {
    "mcc": "matthews_corrcoef",
    "kappa": "cohen_kappa",
    "sensitivity": "recall",
    "cmcc": "cmatthews_corrcoef",
    "ckappa": "ccohen_kappa",
    "brier": "brier_score",
    "pcen": "cconfusion_entropy",
    "error_rate": "zero_one_loss",
    "mrr": "mean_reciprocal_rank",
    "ser": "slot_error_rate",
    "neg_log_loss": "log_loss",
    "neg_brier_score": "brier_score",
}

_FBETA = re.compile(r"(c?)f(\d+(?:\.\d+)?)(?:_(macro|micro|weighted))?")
_PARTIAL_AUC = re.compile(r"roc_auc_at_(0?\.\d+|1)")
_SERVES = {
    "probabilities": {"labels", "probabilities"},
    "text_lists": {"texts", "text_lists"},
}


def get_metric(name: str, *, zero_division: ZeroDivision = math.nan) -> AnyMetric:
    """Look a metric up by its name.

    Parameters
    ----------
    name : str
        A registered name (`modelcompare.metrics.METRICS`), an alias such as ``mcc``, or F-beta of
        any beta: ``f2``, ``f0.5_macro``, ``cf2_weighted``.
    zero_division : float or "paper"
        Value of a metric that is 0 / 0. The default NaN is counted as undefined; a number puts
        it in its place, as in scikit-learn; "paper" is NaN and, as in Yacouby & Axman (2020,
        section 4), makes F undefined wherever precision or recall is.

    Returns
    -------
    Metric, OrderMetric or CallableMetric
        The metric; Metric for all that are functions of weighted sums.

    Raises
    ------
    ValueError
        If no metric has that name; the nearest names are listed.

    Examples
    --------
    >>> get_metric("log_loss").greater_is_better
    False
    >>> get_metric("f1_makro")
    Traceback (most recent call last):
        ...
    ValueError: unknown metric 'f1_makro'; did you mean f1_macro, cf1_macro, f1_micro?
    """
    resolved = ALIASES.get(name, name)
    default = zero_division != "paper" and math.isnan(zero_division)
    if default and resolved in METRICS:
        return METRICS[resolved]
    if (parsed := _FBETA.fullmatch(resolved)) is not None:
        soft, beta, average = parsed.groups()
        metric = fbeta_metric(float(beta), cast("Average | None", average), zero_division)
        return soft_twin(metric) if soft else metric
    if (parsed := _PARTIAL_AUC.fullmatch(resolved)) is not None:
        return ranking.partial_auc_metric(float(parsed[1]))
    for family in (calibration.calibration_metric, debiased.debiased_metric, nbest.top_k_metric):
        if (found := family(resolved)) is not None:
            return found
    if resolved not in METRICS:
        nearest = difflib.get_close_matches(resolved, [*METRICS, *ALIASES], n=3, cutoff=0.5)
        hint = f"did you mean {', '.join(nearest)}?" if nearest else _where_names_are()
        raise ValueError(f"unknown metric {name!r}; {hint}")
    conventions = {metric.name: metric for metric in count_metrics(zero_division)}
    return conventions.get(resolved, METRICS[resolved])


def resolve_metrics(
    metrics: MetricLike | Sequence[MetricLike],
    predictions: Predictions,
    *,
    zero_division: ZeroDivision = math.nan,
) -> tuple[AnyMetric, ...]:
    """Turn names, metrics and functions into metrics that fit the predictions.

    Raises
    ------
    ValueError
        If a name is unknown or repeated, or a model did not give what a metric needs.
    TypeError
        If something is neither a name, a metric nor a function.
    """
    chosen = [metrics] if isinstance(metrics, str) or not isinstance(metrics, Iterable) else metrics
    resolved = tuple(_resolve(metric, predictions, zero_division) for metric in chosen)
    if not resolved:
        raise ValueError("`metrics` is empty; name at least one, e.g. metrics=['accuracy'].")
    names = [metric.name for metric in resolved]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"`metrics` names {', '.join(repeated)} more than once; drop the repeats.")
    for metric in resolved:
        _check_needs(metric, predictions)
    return resolved


def default_metrics(predictions: Predictions) -> tuple[str, ...]:
    """Metrics to compare by when none are named."""
    kinds = {predictions.output(model).kind for model in predictions.models}
    if kinds == {"scores"}:
        return ("mean_score",)
    if kinds == {"probabilities"}:
        return ("accuracy", "f1_macro", "cf1_macro")
    if kinds <= {"labels", "probabilities"}:
        return ("accuracy", "f1_macro")
    if kinds == {"values"}:
        return ("rmse", "mae", "r2")
    raise ValueError(
        "name the metrics to compare texts by, metrics=['wer'] or ['bleu', 'chrf'] say; they have "
        "no default."
    )


def _resolve(
    metric: MetricLike, predictions: Predictions, zero_division: ZeroDivision
) -> AnyMetric:
    if isinstance(metric, str):
        found = get_metric(metric, zero_division=zero_division)
        if found.needs == "scores":
            return replace(found, greater_is_better=predictions.greater_is_better)
        return found
    if isinstance(metric, BaseMetric):
        return metric
    if callable(metric):
        return from_callable(metric, needs=_common_kind(predictions))
    raise TypeError(
        f"`metrics` holds {metric!r}; give a metric's name, a Metric, or a function "
        "metric(y_true, y_output)."
    )


def from_callable(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    needs: str = "labels",
    greater_is_better: bool = True,
    per_class: bool = False,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> CallableMetric:
    """Make a metric of any ``function(y_true, y_output) -> float``.

    Parameters
    ----------
    function : callable
        Called once per model and resample with the resampled truth and output: labels, values,
        texts, or probabilities of shape (n_samples, n_classes), as `needs` says.
    name : str, optional
        Heading in tables; the function's own name by default.
    needs : {"labels", "probabilities", "values", "scores", "texts", "text_lists"}
        Which output the function takes.
    greater_is_better, per_class, bounds
        As in `Metric`.

    Examples
    --------
    >>> error = from_callable(lambda y, p: (y != p).mean(), name="error", greater_is_better=False)
    >>> error.road
    'callable'
    """
    inferred = name or getattr(function, "__name__", None) or type(function).__name__
    if not inspect.isroutine(function) and not callable(function):
        raise TypeError(f"`function` must be callable, got {function!r}.")
    return CallableMetric(
        name=inferred,
        function=function,
        needs=cast("Any", needs),
        greater_is_better=greater_is_better,
        per_class=per_class,
        bounds=bounds,
    )


def _common_kind(predictions: Predictions) -> str:
    kinds = {predictions.output(model).kind for model in predictions.models}
    if kinds <= {"labels", "probabilities"}:
        return "probabilities" if kinds == {"probabilities"} else "labels"
    return kinds.pop()


def _check_needs(metric: AnyMetric, predictions: Predictions) -> None:
    for model in predictions.models:
        kind = predictions.output(model).kind
        if metric.needs not in _SERVES.get(kind, {kind}):
            raise ValueError(
                f"metric {metric.name!r} needs {metric.needs}, but model {model!r} gave {kind}."
            )


def _where_names_are() -> str:
    return f"the {len(METRICS)} names are in modelcompare.metrics.METRICS (modelcompare metrics)"
