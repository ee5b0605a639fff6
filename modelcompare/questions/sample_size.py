"""`sample_size`: what to buy to detect a difference: samples, runs, test sets or labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from modelcompare.arguments import checked
from modelcompare.comparison.suite import WITHIN, check_several, notes_of_sets, within
from modelcompare.comparison.warned import each_warning_once
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.engine.design import are_crossed, design_of
from modelcompare.engine.labels import distinct_rows
from modelcompare.engine.scope import Scope
from modelcompare.intervals.ratios import t_quantile
from modelcompare.metrics.classes import ValueLike, one_value
from modelcompare.options import check_positive
from modelcompare.questions.claims import check_margin
from modelcompare.questions.components import Pilot, planned
from modelcompare.questions.contrast import Contrast
from modelcompare.questions.sizes import SampleSize
from modelcompare.report.numbers import format_interval
from modelcompare.significance.inverted import Ends
from modelcompare.significance.pairwise import check_smooth
from modelcompare.words import GeneralizeToOfSets, ZeroDivision, giving, value_name

# The default interval allows for samples and classes that a pilot has not seen, of which the
# standard error contains nothing. Where it is so many times as wide as the error predicts, numbers
# of samples would be too low by the square of this.
_MOST_BEYOND = 3.0
_LEVEL = 0.95


def _check_source(argument: str, value: Any) -> None:
    if isinstance(value, Mapping) and len(value) < 2:
        raise ValueError(f"`{argument}` maps one test set; give its predictions without a name.")
    for each in value.values() if isinstance(value, Mapping) else [value]:
        giving("blocks", by_design=True)(argument, each)


@checked(predictions=_check_source, margin=check_positive)
def sample_size(
    predictions: TestSet | Mapping[str, TestSet],
    model_a: str,
    model_b: str,
    metric: ValueLike = "f1_macro",
    *,
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    confidence_level: float = 0.95,
    generalize_to: GeneralizeToOfSets = "auto",
    zero_division: ZeroDivision = math.nan,
    cost_item: float | None = None,
    cost_run: float | None = None,
) -> SampleSize:
    """Compute the samples, runs, test sets or labels that are needed to detect a difference.

    From the models' influence functions on a pilot, for any smooth metric. Where items alone vary,
    the standard error of a paired difference falls with the root of their number. Runs of the
    models, and test sets, add parts to the variance that more items do not reduce: the answer is
    then a frontier of numbers that are enough.

    Parameters
    ----------
    predictions : Predictions, or mapping of str to Predictions
        A pilot that holds both models: a test set, or several by name. By default the answer is for
        these test sets, and declared `runs` of the models stand for new runs; see `generalize_to`.
        Beside a judge its labels are the pilot.
    model_a, model_b : str
        The models; differences are a - b.
    metric : str, metric or callable, or a pair of it and a class
        What they are compared by, as in `paired_test`.
    margin : float, optional
        The difference to detect, in units of the metric; by default the observed one.
    alpha, power : float
        Two-sided level, and the probability wanted of finding the difference.
    confidence_level : float
        Of the interval whose width is predicted, 1 - `alpha`; give one of the two.
    generalize_to : {"auto", "items", "items+runs", "sets", "sets+runs"}
        As in `compare_groups`. With "items" the answer is for the runs and test sets of the pilot,
        if it has several, with "items+runs" for new runs: how many of each model are needed with
        how many items. With "sets" and "sets+runs" it is for new test sets: how many are needed.
        "auto" is for these test sets, and for new runs as in `compare`.
    zero_division : float or "paper"
        See `modelcompare.get_metric`.
    cost_item, cost_run : float, optional
        Cost of an item of a test set, or of a label beside a judge, and of a run of one model,
        which both models need. The cheapest numbers are marked.

    Returns
    -------
    SampleSize
        Answers, a curve, a frontier, a sentence, and figures.

    Raises
    ------
    ValueError
        If the metric is not smooth, is per class and names no class, a level is not in (0, 1),
        nothing varies, a cost is missing, test sets have separate runs, or there are several beside
        a judge; or if few samples decide: the default interval is then more than three times as
        wide as the standard error predicts, as that of a macro average on samples of one class.

    Warns
    -----
    SparseDataWarning
        If intervals may cover less than their level, or a model has fewer than five runs; see
        `compare`.

    Notes
    -----
    The observed difference is itself uncertain; a sample size computed from it is as uncertain,
    squared. Give the smallest difference that would matter as `margin` instead.

    Components are those of the analysis of variance, unbiased and not below 0. The predicted power
    is the mean over the errors that the future test may estimate, with Student's quantile of the
    degrees of freedom that follow from each, as in `compare`. With few runs it is far from the
    normal quantile.

    Labels are planned by the cells and the variance of `compare`, with an added label in each cell:
    a pilot of few labels asks for more than a longer one would. Of a judge whose scores have many
    values cells are fifths of them, and labels drawn at random may be fewer.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> print(mc.sample_size(preds, "bow_pair", "naive_bayes", "f1[neutral]").sentence())
    f1 of neutral: bow_pair - naive_bayes = +0.01209 on 9,824 samples. This test set detects
    differences of 0.016 or more (power 0.8, alpha 0.05); the observed one needs about 17,918
    samples.
    """
    sets = dict(predictions) if isinstance(predictions, Mapping) else {"": predictions}
    check_several(sets, generalize_to)
    known = dict.fromkeys(model for each in sets.values() for model in each.models)
    check_models((*known,), model_a=model_a, model_b=model_b)
    for name, each in sets.items():
        if lacking := [repr(m) for m in (model_a, model_b) if m not in each.models]:
            raise ValueError(
                f"test set {name!r} has no predictions of {', '.join(lacking)}; leave it out of "
                "the pilot."
            )
    metric, label = one_value(metric, next(iter(sets.values())))
    contrasts = [
        Contrast.between(
            each, metric, label, zero_division=zero_division, collapse=False,
            design=design_of(each, within(generalize_to)),
        )
        for each in (test_set[[model_a, model_b]] for test_set in sets.values())
    ]  # fmt: skip
    for name, contrast in zip(sets, contrasts, strict=True):
        _check_planned(contrast, f" {name!r}" if name else "")
    _check_runs(contrasts, cost_item, cost_run)
    plan, first = planned(contrasts), contrasts[0]
    check_margin(margin or 0.0, first.metric)
    scope = Scope.of_sets([each.scope for each in contrasts], new_sets=generalize_to in WITHIN)
    pilot = Pilot.of(contrasts, scope) if plan is None else plan.pilot
    _check_spread(pilot, first, model_a, model_b)
    _check_data(dict(zip(sets, contrasts, strict=True)), int(pilot.size.runs))
    notes = notes_of_sets({k: each.notes for k, each in zip(sets, contrasts, strict=True)})
    notes += scope.notes_of_sets
    difference = float(np.mean([contrast.difference for contrast in contrasts]))
    return SampleSize(
        components=pilot.components, size=pilot.size,
        margin=abs(difference) if margin is None else margin, alpha=alpha, power=power,
        cost_item=cost_item, cost_run=cost_run, model_a=model_a, model_b=model_b,
        metric=first.metric.name, label=first.label, difference=difference,
        confidence_level=confidence_level, unit=first.unit, notes=(*notes, *pilot.notes),
        plan=plan, scope=scope,
    )  # fmt: skip


def _check_planned(contrast: Contrast, which: str) -> None:
    """Refuse a metric without influences, or without a value on a test set."""
    check_smooth(contrast.metric, "variance_study on test sets of several sizes")
    if math.isnan(contrast.difference):
        raise ValueError(
            f"{contrast.metric.name} is undefined for one of the models on this test set{which}; "
            "there is no difference to plan for."
        )


def _check_spread(pilot: Pilot, contrast: Contrast, model_a: str, model_b: str) -> None:
    """Refuse a pilot on whose samples the difference does not vary."""
    if pilot.components.standard_error(pilot.size) == 0:
        raise ValueError(
            f"{model_a} and {model_b} differ in {contrast.metric.name} by the same on every one of "
            f"the {contrast.n_units:,} {contrast.unit}; without any spread there is nothing to "
            "plan from. Take a larger pilot test set."
        )


def _check_data(contrasts: Mapping[str, Contrast], n_runs: int) -> None:
    """Warn where few samples, labels or runs decide; refuse where errors predict no interval."""
    with each_warning_once():
        for contrast in contrasts.values():
            contrast.warn_of_sparse_data()
    for name, contrast in contrasts.items():
        # Labels beside a judge are planned by cells, to each of which a label is added.
        if contrast.sample.design.samples_decide:
            _check_determined(contrast, n_runs, name)


def _check_determined(contrast: Contrast, n_runs: int, name: str) -> None:
    """Refuse a test set whose interval is far wider than its standard error predicts."""
    low, high = _default_interval(contrast)
    n = min(contrast.n_units, n_runs) if n_runs > 1 else contrast.n_units
    predicted = 2 * float(t_quantile(np.array(n - 1.0), _LEVEL)) * contrast.error
    if not high - low > _MOST_BEYOND * predicted:
        return
    what, (a, b) = value_name(contrast.metric.name, contrast.label), contrast.models
    times = f"{(high - low) / predicted:,.0f} times as wide" if predicted else "wider"
    where, remedy = "this test set", "take a pilot with more samples of every class"
    if name:
        where, remedy = f"test set {name!r}", f"leave it out, or {remedy}"
    raise ValueError(
        f"few samples, or none of a class, decide {what} on {where}, so its standard error "
        f"({contrast.error:.2g}) predicts nothing: the interval of {a} - {b} in `compare`, "
        f"{format_interval(low, high, 2)}, is {times}. No "
        f"number of {contrast.unit} can be planned from it; {remedy}."
    )


def _default_interval(contrast: Contrast) -> Ends:
    """Return the interval of `compare`; NaN where it has none without loading all rows."""
    predictions, metric = contrast.evaluation.predictions, contrast.metric
    if "units" not in predictions.access.abilities:
        if distinct_rows((metric,), predictions, required=False) is None:
            return math.nan, math.nan
        contrast = Contrast.between(predictions, metric, contrast.label)
    return contrast.interval("auto", _LEVEL)


def _check_runs(
    contrasts: Sequence[Contrast], cost_item: float | None, cost_run: float | None
) -> None:
    """Refuse test sets with separate runs, and costs that do not compare items and runs."""
    new_runs = {bool(each.scope.generalize_to) for each in contrasts}
    crossed = are_crossed([each.sample.design for each in contrasts])
    if len(new_runs) > 1 or (new_runs == {True} and not crossed):
        raise ValueError(
            "test sets have separate `runs`, or some have none; give the same runs of each model "
            "on every test set, or for an answer about these runs use generalize_to='sets' "
            "(--generalize-to sets), for these test sets as well generalize_to='items' "
            "(--generalize-to items)."
        )
    if (cost_item is None) != (cost_run is None) if True in new_runs else cost_run is not None:
        raise ValueError(
            "`cost_item` and `cost_run` (--cost-item, --cost-run) weigh items against new runs: "
            "give both for a pilot that shows how new runs vary, else `cost_item` alone."
        )
