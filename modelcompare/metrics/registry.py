"""Registry of metric names."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias, get_args

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray
from modelcompare.data.test_set import TestSet
from modelcompare.directions import resolved as resolved_direction
from modelcompare.metrics.base import AnyMetric, BaseMetric, CallableMetric, Metric, OrderMetric
from modelcompare.metrics.named import FAMILIES, METRICS, names_of
from modelcompare.metrics.planning import check_served, given_score, of_classes, warn_of_order
from modelcompare.metrics.quantiles import named_percentile, percentile_of
from modelcompare.metrics.scoring import named_score
from modelcompare.metrics.subsets import names_subset, over_classes, split_class
from modelcompare.metrics.terms import ABBREVIATIONS, UNDERSCORED, check_term, place_of, spellings
from modelcompare.metrics.variants import number, with_options
from modelcompare.options import check_zero_division
from modelcompare.plugs import load, needed, rows_of_others
from modelcompare.spelling import did_you_mean, nearest
from modelcompare.words import Average, ZeroDivision

MetricLike: TypeAlias = str | AnyMetric | Callable[..., Any]


# Rules of a gate are METRIC[CLASS]:-MARGIN, and files of metrics FILE.py:NAME.
_NAME = re.compile(r"\w[\w.@+-]*")

# Numbers in names: f0.5, ece_10.
_NUMBERS = {int: "[1-9][0-9]*", float: r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"}
_NAMES = "modelcompare.metrics.METRICS (modelcompare metrics)"
# Similarity of a suggestion: that of a slip of the hand, not of another metric.
_ALIKE = 0.75


def kind_asked(metrics: Iterable[Any]) -> str:
    """Return the output type that all metrics need, if tables do not show it, else "auto"."""
    asked = {_kind_of(metric) for metric in metrics}
    return asked.pop() if len(asked) == 1 else "auto"


def _kind_of(metric: Any) -> str:
    with suppress(ValueError):
        if isinstance(metric, str) and get_metric(metric).kind.single_text:
            return get_metric(metric).needs
    return "auto"


def get_metric(name: str, *, zero_division: ZeroDivision = math.nan, **options: Any) -> AnyMetric:
    """Return the metric of a name.

    Parameters
    ----------
    name : str
        A registered name (`modelcompare.metrics.METRICS`), a term in any case such as "MCC",
        "macro F1" or "roc_auc_score", or a name with an option: ``f2``, ``f0.5_macro``,
        ``roc_auc_at_0.1``, ``ece_mass_20``, ``bleu_zh``.
    zero_division : float or "paper"
        Value of a metric that is 0 / 0. The default NaN is counted as undefined, and in averages
        over classes as 0; a number replaces both, as in scikit-learn; "paper" is NaN in both and,
        as in Yacouby & Axman (2020, section 4), makes F undefined wherever precision or recall is.
        Metrics without that convention ignore it.
    **options
        Options of the metric's plain function that define a variant, such as ``beta`` of
        ``fbeta``, ``max_fpr`` of ``roc_auc``, ``n_bins`` of ``ece`` and ``average`` of ``f1``.

    Returns
    -------
    Metric, OrderMetric or CallableMetric
        The metric; a Metric if it is a function of weighted sums.

    Raises
    ------
    ValueError
        If no metric has that name; the nearest names are listed.
    TypeError
        If the metric has no such option.

    Examples
    --------
    >>> get_metric("log_loss").greater_is_better
    False
    >>> get_metric("fbeta", beta=2, average="macro").name
    'f2_macro'
    >>> get_metric("f1_makro")
    Traceback (most recent call last):
        ...
    ValueError: unknown metric 'f1_makro'; did you mean f1_macro, cf1_macro or f1_micro?
    """
    if not isinstance(name, str):
        raise TypeError(f"a metric's name must be a text, got {name!r}.")
    check_zero_division("zero_division", zero_division)
    if (found := _record(name, options)) is None:
        # Names of other plugins come before terms of metrics.
        register_others()
        found = _record(name, options) or _of_term(name, options)
    if found is None:
        # Names with a number are listed with braces.
        absent = needed(f"metric {name!r}") or needed(f"metric {re.sub('[0-9]+', '{}', name)!r}")
        raise ValueError(absent or _unknown(name))
    metric = with_options(found, options)
    if not isinstance(metric, Metric) or (zero_division != "paper" and math.isnan(zero_division)):
        return metric
    return metric.with_zero_division(zero_division)


def _record(name: str, options: dict[str, Any]) -> AnyMetric | None:
    """Return the record of a name, of a family, or of a name with a number; None for others."""
    return METRICS.get(name) or _family(name, options) or _numbered(name)


def _of_term(term: str, options: dict[str, Any]) -> AnyMetric | None:
    """Return the record that a term leads to; None for others."""
    check_term(term)
    records = (_record(name, options) for name in spellings(term))
    return next((metric for metric in records if metric is not None), None)


def _unknown(name: str) -> str:
    """Return the message about a name of no metric: where its meaning is, then similar names."""
    whole, label = split_class(name)
    if label is not None and (_record(whole, {}) or _of_term(whole, {})):
        return f"{name} names one class; all are taken here, by the name {whole}."
    if where := place_of(name):
        return f"{name!r} is no metric's name here: {where}."
    meant = nearest(name, [*METRICS, *UNDERSCORED], cutoff=_ALIKE)
    hint = did_you_mean(meant, otherwise=f"the {len(METRICS)} names are in {_NAMES}.")
    return f"unknown metric {name!r}; {hint}"


@cache
def register_others() -> None:
    """Register the metrics of installed plugins."""
    for metric in rows_of_others("metrics"):
        register(metric)


def _family(name: str, options: dict[str, Any]) -> AnyMetric | None:
    """Return the metric of a family name, which needs its option; None for other names."""
    metric = FAMILIES.get(name)
    if metric is None or metric.factory is None:
        return None
    for option, parameter in inspect.signature(metric.factory.make).parameters.items():
        if parameter.default is inspect.Parameter.empty and option not in options:
            raise ValueError(f"metric {name!r} needs {option}; write {metric.name}, for instance.")
    return metric


def _numbered(name: str) -> AnyMetric | None:
    """Return the metric of a name that contains an option, ``cf0.5_macro``, else None."""
    for record in [*FAMILIES.values(), *METRICS.values()]:
        if record.factory is None or not record.factory.pattern:
            continue
        before, option, after = re.split("[{}]", record.factory.pattern)
        read = int if isinstance(record.factory.options[option], int) else float
        values = "|".join(record.factory.choices) or _NUMBERS[read]
        ending = f"(?:_({'|'.join(get_args(Average))}))?" if record.per_class else "()"
        found = re.fullmatch(f"{before}({values}){after}{ending}", name)
        if found is None:
            continue
        value, average = found.groups()
        written = value if record.factory.choices else number(read(value))
        options = {option: value if record.factory.choices else read(value)}
        metric = with_options(record, options | ({"average": average} if average else {}))
        return replace(metric, name=name[: found.start(1)] + written + name[found.end(1) :])
    return None


def _is_of_items(name: str) -> bool:
    """Return whether a name is that of a metric of repeated answers."""
    found = METRICS.get(name) or _numbered(name)
    return found is not None and found.of_items


@checked()
def register(metric: MetricLike) -> AnyMetric:
    """Register a metric by its name for `compare`, studies and plain functions.

    Its averages and its soft twin, if any, are registered with it.

    Parameters
    ----------
    metric : Metric, OrderMetric, CallableMetric or callable
        A function ``metric(y_true, y_pred)`` of labels is converted by `from_callable`; its
        docstring becomes the description.

    Returns
    -------
    Metric, OrderMetric or CallableMetric
        The metric as registered.

    Raises
    ------
    ValueError
        If the name is taken, or contains blanks, colons or brackets.

    Examples
    --------
    >>> def disagreement(y_true, y_pred):
    ...     '''Share of labels that differ.'''
    ...     return (y_true != y_pred).mean()
    >>> register(disagreement)  # doctest: +SKIP
    >>> mc.compare(predictions, ["accuracy", "disagreement"])  # doctest: +SKIP
    """
    if isinstance(metric, str):
        raise TypeError(f"`metric` must be a Metric or a function, got the name {metric!r}.")
    made = metric if isinstance(metric, BaseMetric) else from_callable(metric)
    found = {each.name: each for each in names_of(made)}
    for name in found:
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise ValueError(
                f"{name!r} cannot be registered: a metric's name begins with a letter or a digit "
                "and contains only these, _ . @ + and -; give it one by "
                "metrics.from_callable(function, name='...')."
            )
        if name in {*METRICS, *FAMILIES} or name in ABBREVIATIONS or _numbered(name) is not None:
            raise ValueError(f"a metric {name!r} already exists; choose another name.")
    METRICS.update(found)
    return made


def resolve_metrics(
    metrics: MetricLike | Sequence[MetricLike] | None, predictions: TestSet, *,
    zero_division: ZeroDivision = math.nan,
) -> tuple[AnyMetric, ...]:  # fmt: skip
    """Convert names, metrics and functions to metrics that fit the predictions.

    None means the default metrics.

    Raises
    ------
    ValueError
        If a name is unknown or repeated, or a model did not give what a metric needs.
    TypeError
        If something is neither a name, a metric nor a function.
    """
    predictions = predictions.access.sample
    if metrics is None:
        metrics = default_metrics(predictions)
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str | bytes | Mapping)
    chosen: Any = metrics if several else [metrics]
    resolved = tuple(_resolve(metric, predictions, zero_division) for metric in chosen)
    if not resolved:
        raise ValueError("`metrics` is empty; name at least one, e.g. metrics=['accuracy'].")
    names = [metric.name for metric in resolved]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"`metrics` names {', '.join(repeated)} more than once; drop the repeats.")
    for metric in resolved:
        check_served(metric, predictions)
        warn_of_order(metric, predictions.labels)
    truth = predictions.y_true
    return resolved if truth is None else tuple(_signed(m, truth) for m in resolved)


def _signed(metric: AnyMetric, truth: AnyArray) -> AnyMetric:
    signed: AnyMetric = load(metric.kind.signed)(metric, truth) if metric.kind.signed else metric
    return signed


def default_metrics(predictions: TestSet) -> tuple[str, ...]:
    """Return the names of the metrics to compare by when none are given."""
    access = predictions.access
    sums = access.sums
    if sums is not None:
        return sums.metrics
    found = access.scores.names or predictions.kind.default_metrics_of(access.n_classes)
    if not found:
        able = [name for name, each in METRICS.items() if each.needs == predictions.kind][:2]
        raise ValueError(
            f"name the metrics to compare {predictions.kind.title} by, metrics={able} say; they "
            "have no default."
        )
    return found


def default_metric(predictions: TestSet) -> str:
    """Return the metric to decide by when none is given: f1_macro for labels.

    Raises
    ------
    ValueError
        If there is none, as for texts.
    """
    metrics = default_metrics(predictions)
    return "f1_macro" if "f1_macro" in metrics else metrics[0]


def _resolve(metric: MetricLike, predictions: TestSet, zero_division: ZeroDivision) -> AnyMetric:
    if isinstance(metric, str):
        names = predictions.access.scores.names or _beside(metric, predictions.access.scores.beside)
        found: AnyMetric
        if metric in names or (names and not _is_of_items(metric)):
            of_source = predictions.access.source
            found = named_percentile(metric, names) or named_score(metric, names, of_source)
        else:
            name, text = split_class(metric)
            of_some = text is not None and names_subset(text)
            found = _named(name if of_some else metric, predictions, zero_division)
            if text is not None and of_some:
                return over_classes(found, text, predictions)
        if isinstance(found, Metric | OrderMetric) and found.kind.scored:
            return given_score(found, predictions)
        return of_classes(found, predictions.access.n_classes)
    if isinstance(metric, BaseMetric):
        return of_classes(metric._of_labels(predictions.labels), predictions.access.n_classes)
    if callable(metric):
        return from_callable(metric, needs=predictions.kind.name)
    raise TypeError(
        f"`metrics` holds {metric!r}; give a metric's name, a Metric, or a function "
        "metric(y_true, y_output)."
    )


def _named(name: str, predictions: TestSet, zero_division: ZeroDivision) -> AnyMetric:
    """Return the metric of a name; say of a column of the source why it is none."""
    try:
        return get_metric(name, zero_division=zero_division)
    except ValueError:
        unread = predictions.access.source.unread
        score = name if name in unread else (percentile_of(name, unread) or ("",))[0]
        if not score:
            raise
    raise ValueError(
        f"{score!r} is a column, and no metric: scores beside outputs are numbers that all models "
        f"have, without gaps, in columns such as {score}_{predictions.models[0]} or in rows of one "
        "model each, and not read block by block."
    )


def _beside(metric: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of scores beside the outputs if a name is of one of them."""
    known = metric in names or percentile_of(metric, names) is not None
    return names if known and metric not in METRICS and metric not in ABBREVIATIONS else ()


@checked()
def from_callable(
    function: Callable[..., Any], *, name: str | None = None, needs: str = "labels",
    greater_is_better: bool | None = None, per_class: bool = False,
    bounds: tuple[float, float] = (-math.inf, math.inf), smooth: bool = False,
) -> CallableMetric:  # fmt: skip
    """Return a metric that calls any ``function(y_true, y_output) -> float``.

    Parameters
    ----------
    function : callable
        Called once per model and resample with the resampled true labels and output: labels,
        values, texts, or probabilities of shape (n_samples, n_classes), as given by `needs`.
    name : str, optional
        Name in tables; that of the function by default.
    needs : {"labels", "probabilities", "values", "scores", "texts", "text_lists"}
        Output that the function takes.
    greater_is_better : bool, optional
        Direction of merit. By default inferred from the name (``val_loss``, ``errorRate``); without
        it no model is better by the metric, and a gate refuses it.
    per_class, bounds
        As in `Metric`.
    smooth : bool
        Whether leaving out a sample changes the value by about 1 / n, as for means and
        correlations, but not for medians, quantiles and extremes. The tests "wald" and
        "sign-flip", and `sample_size`, need it.

    Examples
    --------
    >>> error = from_callable(lambda y, p: (y != p).mean(), name="error")
    >>> error.strategy, error.greater_is_better
    ('callable', False)
    """
    inferred = name or getattr(function, "__name__", None) or type(function).__name__
    if not callable(function):
        raise TypeError(f"`function` must be callable, got {function!r}.")
    better, known = resolved_direction(str(inferred), greater_is_better)
    return CallableMetric(
        name=inferred, function=function, needs=needs, bounds=bounds,
        greater_is_better=better, direction_from=known, per_class=per_class,
        smooth=smooth,
        description=inspect.getdoc(function) or "",
    )  # fmt: skip
