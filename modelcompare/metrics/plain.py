"""Plain functions of metrics: arrays in, value out, with scikit-learn's signatures.

``plain(F1)`` returns the function of a record, whose signature and docstring follow from the
record. Every registered name is such a function of `modelcompare.metrics`.
"""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Iterator
from inspect import Parameter, Signature
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.arguments import check_arguments
from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data import checks
from modelcompare.data.columns import checked_weights
from modelcompare.data.kind_inference import same_type
from modelcompare.data.kinds import VALUES, Kind
from modelcompare.data.outputs import Form, Output, checked_output
from modelcompare.data.positive import UnnamedError, positive_of, with_positive
from modelcompare.data.truths import of_classes, read_inputs, truth_of
from modelcompare.metrics.base import (
    AnyMetric,
    CallableMetric,
    Metric,
    OrderMetric,
    Outcomes,
    UndefinedMetricWarning,
)
from modelcompare.metrics.variants import with_options
from modelcompare.words import check_choice, warn_caller

_N = "array-like of shape (n_samples,)"
AverageName = Literal["macro", "micro", "weighted", "binary"]
_OPTIONS: dict[str, tuple[str, str]] = {
    "beta": ("float", "Above 1 for recall, below 1 for precision."),
    "p": ("float", "Percentage of the scores that are no higher, from 0 to 100."),
    "quantile": ("float", "Share of the target below the predicted quantile, between 0 and 1."),
    "weights": ('{"linear", "quadratic"}', "Distance of classes, in the order of `labels`."),
    "k": ("int", "Length of the list, or number of answers that are drawn."),
    "multi_class": ('{"ovr", "ovo"}, optional', "Average over more than two classes."),
    "max_fpr": ("float, optional",
                "Largest false positive rate of a partial area, for two classes."),
    "predictors": ("int", "Number of predictors that were fitted."),
    "labels": ("array-like, optional",
               "The classes, in the order of the result or of the columns; those that occur, "
               "sorted, by default."),
    "average": ('{"macro", "micro", "weighted", "binary"}, optional',
                'None gives one value for each class. "macro" is the mean over classes, "weighted" '
                'the mean by support, "micro" the value of the summed counts, "binary" that of '
                "`positive` alone."),
    "positive": ("label, optional",
                 'The positive one of two classes: of ``average="binary"``, and of one probability '
                 "or raw score a sample; by default 1, True or yes."),
    "sample_weight": (f"{_N}, optional", "Weight of each sample."),
    "zero_division": ('float or "paper"',
                      'Value of 0 / 0; NaN by default, with a warning, and 0 in averages. "paper" '
                      "is NaN in both, and makes F undefined wherever precision or recall is."),
}  # fmt: skip


def plain(metric: AnyMetric, *, name: str = "") -> Any:
    """Return the plain function of a metric: ``f1 = plain(F1)``.

    Examples
    --------
    >>> from modelcompare.metrics import get_metric
    >>> plain(get_metric("f1_macro"))([0, 0, 1], [0, 1, 1])
    0.6666666666666666
    """
    name = name or metric.stem
    returned = "float | FloatArray" if metric.per_class else "float"
    signature = Signature(list(_parameters(metric)), return_annotation=returned)

    def function(*arguments: Any, **options: Any) -> Any:
        check_arguments(name, signature.parameters, options)
        try:
            given = signature.bind(*arguments, **options)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        given.apply_defaults()
        return _evaluated(metric, given.arguments)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "modelcompare.metrics"
    function.__doc__ = _docstring(metric, signature)
    vars(function)["__signature__"] = signature
    return function


def read_outcomes(
    y_true: ArrayLike | None, y_output: ArrayLike, kind: Kind, labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None, *, metric: AnyMetric | None = None,
    positive: Any = None,
) -> tuple[Outcomes, FloatArray, list[Any]]:  # fmt: skip
    """Check the arrays of one model and return its outcomes, weights and classes.

    Scores have the items of repeated answers instead of a truth. An order `metric` of two classes
    takes raw scores instead of probabilities. The class that the output, or the metric, depends on
    is the last. Weights are ones by default; there are no classes outside classification.
    """
    output, classes, true = _checked(y_true, y_output, kind, labels, metric, positive)
    weight = checked_weights(sample_weight, len(output.array))
    weights = np.ones(len(output.array)) if weight is None else weight
    names = [] if classes is None else classes.tolist()
    outcomes = Outcomes(output, n_classes=len(names), weight=weights, labels=classes, **true)
    return outcomes, weights, names


def _checked(
    y_true: ArrayLike | None, y_output: ArrayLike, kind: Kind, labels: ArrayLike | None,
    metric: AnyMetric | None, positive: Any,
) -> tuple[Output, AnyArray | None, dict[str, Any]]:  # fmt: skip
    """Return the output, the labels of its columns, and the columns of the truth."""
    if kind.read:
        given, arrays, kinds, known = read_inputs(y_true, {"y_pred": y_output}, labels, kind)
        classes, true = truth_of(given, known, arrays, kinds, normalize=False)
        output, kind = arrays["y_pred"], kinds["y_pred"]
        checks.check_size(len(output), at_least=1)
        output = checked_output("the model's output", output, kind, Form(classes))
        return Output(kind, output), classes, true
    output = checks.as_array(y_output)
    truth = output if y_true is None else checks.as_array(y_true, "`y_true`")
    if len(truth) != len(output) or len(truth) == 0:
        raise ValueError(
            f"`y_true` ({len(truth)}) and the model's output ({len(output)}) must have the same, "
            "positive number of rows."
        )
    if not kind.has_classes:
        output = checked_output("the model's output", output, kind, Form())
        if kind.real or y_true is None:
            truth = checks.real_values(truth, "`y_true`")
        return Output(kind, output), None, {"y_true": truth, "items": truth}
    where, predicted = ("`y_pred`", {"`y_pred`": output}) if kind.coded else ("`y_prob`", {})
    classes, true = of_classes(truth, labels, predicted, [*output.shape[1:]], at_least=1)
    if labels is None and predicted and truth.ndim == 1 and not same_type(truth, output):
        raise ValueError(
            "`y_true` or `y_pred` holds labels that cannot be ordered; make them all texts, or all "
            "numbers."
        )
    if kind.soft and len(classes) == 2:
        positive, classes, true, outputs = with_positive(
            positive, classes, true, {"y_prob": output}, {"y_prob": kind},
            ordered=labels is not None,
        )  # fmt: skip
        output = outputs["y_prob"]
        if isinstance(metric, OrderMetric):
            if positive is None and metric.of_positive:
                raise UnnamedError(f"{metric.name} depends on the positive class", classes)
            if metric.serves_values and output.ndim == truth.ndim == 1:
                kind = VALUES
    return Output(kind, checked_output(where, output, kind, Form(classes))), classes, true


def _evaluated(metric: AnyMetric, given: dict[str, Any]) -> Any:
    options = dict(given)
    columns = {name: options.pop(name) for name in (*_names(metric), "sample_weight")}
    *truth, output, sample_weight = checks.aligned(**columns).values()
    labels = options.pop("labels", None)
    positive, binary = options.pop("positive", None), options.get("average") == "binary"
    if metric.per_class and options["average"] is not None:
        check_choice("average", options["average"], AverageName)
    metric = with_options(metric, {**options, "average": None} if binary else options)
    outcomes, weights, classes = read_outcomes(
        truth[0] if truth else None, output, metric.kind, labels, sample_weight,
        metric=metric, positive=positive,
    )  # fmt: skip
    value = _value(metric, outcomes, weights, classes)
    if np.isnan(value).any():
        hint = "; pass zero_division= for another value" if "zero_division" in options else ""
        warn_caller(f"{metric.name} is 0 / 0 here{hint}.", UndefinedMetricWarning)
    if not metric.per_class:
        return float(value)
    if binary:
        chosen = positive_of(positive, np.array(classes))
        if chosen is None:
            raise UnnamedError("average='binary' is of one class", np.array(classes))
        return float(value[classes.index(chosen)])
    order = sorted(classes) if labels is None else np.asarray(labels).tolist()
    return np.asarray(value)[[classes.index(each) for each in order]]


def _value(metric: AnyMetric, outcomes: Outcomes, weights: FloatArray, classes: list[Any]) -> Any:
    """Compute the value of a metric under one vector of weights."""
    if isinstance(metric, Metric):
        return metric.value(*(weights @ s.compute(outcomes) for s in metric.statistics))
    if not isinstance(metric, CallableMetric):
        return metric.prepare(outcomes)(weights[None, :])[0]
    output = outcomes.output.array
    if metric.kind.coded:
        output = np.array(classes)[output]
    weighted = {} if (weights == 1).all() else {"sample_weight": weights}
    return metric.function(outcomes.y_true, output, **weighted)


def _names(metric: AnyMetric) -> tuple[str, ...]:
    return tuple(metric.arguments) or tuple(name for name, *_ in metric.kind.arguments)


def _parameters(metric: AnyMetric) -> Iterator[Parameter]:
    """Yield the parameters of a plain function: arrays, options of the factory, common options."""

    def option(name: str, default: Any, annotation: str) -> Parameter:
        return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)

    for name in _names(metric):
        yield Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation="ArrayLike")
    if metric.factory is not None:
        made = inspect.signature(metric.factory.make).parameters
        for name, value in metric.factory.options.items():
            default = Parameter.empty if made[name].default is Parameter.empty else value
            yield option(name, default, made[name].annotation)
    kind = metric.kind
    if kind.labelled:
        yield option("labels", None, "ArrayLike | None")
    if metric.per_class:
        yield option("average", None, "AverageName | None")
    if metric.per_class or kind.distribution:
        yield option("positive", None, "Any")
    yield option("sample_weight", None, "ArrayLike | None")
    if isinstance(metric, Metric) and metric.zero_division is not None:
        yield option("zero_division", math.nan, "ZeroDivision")


def _docstring(metric: AnyMetric, signature: Signature) -> str:
    known = {name: (kind, meaning) for name, kind, meaning in metric.kind.arguments}
    known |= {name: (_N, meaning) for name, meaning in metric.arguments.items()} | _OPTIONS
    known |= {} if metric.factory is None else metric.factory.meanings
    if not metric.per_class:
        known["average"] = ('{"macro", "weighted"}', "Weights of the mean over many classes.")
    parameters = []
    for name in signature.parameters:
        kind, meaning = known[name]
        if name == "labels" and metric.kind.axis:
            meaning = f"Increasing {metric.kind.axis}, one for each column."
        parameters += [f"{name} : {kind}", textwrap.indent(textwrap.fill(meaning, 96), "    ")]
    returned = "float, or ndarray of shape (n_classes,)" if metric.per_class else "float"
    sources = [f".. [{i}] {source}" for i, source in enumerate(metric.references, 1)]
    sections = {
        "Parameters": parameters,
        "Returns": [returned, f"    {metric.merit}"],
        "References": sources,
        "Examples": [inspect.cleandoc(metric.example)] if metric.example else [],
    }
    parts = [inspect.cleandoc(metric.description)] if metric.description else [f"{metric.name}."]
    for title, lines in sections.items():
        if lines:
            parts.append("\n".join([title, "-" * len(title), *lines]))
    return "\n\n".join(parts) + "\n"
