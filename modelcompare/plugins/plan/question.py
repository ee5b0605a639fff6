"""`plan`: how models would be compared, decided about or planned for, without computing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature as parameters_of
from typing import Any, cast

from modelcompare import plugs
from modelcompare.arguments import checked
from modelcompare.comparison.compare import compare
from modelcompare.comparison.compare_groups import MIN_SIZE, named_subgroups
from modelcompare.comparison.plan import planned
from modelcompare.comparison.planning import Settings
from modelcompare.data.checks import check_models
from modelcompare.data.given_arrays import check_asked, takes_arrays
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.classes import ValueLike
from modelcompare.metrics.registry import default_metric
from modelcompare.plugins.plan.duration import settings_of
from modelcompare.plugins.plan.result import (
    ComparisonPlan,
    name_intervals,
    plan_of_comparisons,
    shown,
)
from modelcompare.questions.components import planned as planned_more
from modelcompare.questions.contrast import Contrast
from modelcompare.questions.pilot import planned_contrast
from modelcompare.words import GeneralizeToOfSets, IntervalMethod, check_test_set, value_name

# Options that `decide` and `gate` share with `compare`.
OF_DECISIONS = (
    "confidence_level",
    "generalize_to",
    "method",
    "n_resamples",
    "rng",
    "zero_division",
)


@takes_arrays
@checked(compare, predictions=check_asked)
def plan(
    predictions: TestSet | Mapping[str, TestSet],
    metrics: ValueLike | Sequence[ValueLike] | None = None,
    *,
    by: str | Sequence[str] | None = None,
    min_size: int = MIN_SIZE,
    candidate: str | None = None,
    sample_size: bool = False,
    generalize_to: GeneralizeToOfSets = "auto",
    **options: Any,
) -> ComparisonPlan:
    """Show how models would be compared: intervals, tests, design, time and memory.

    Nothing is drawn; what the function refuses is refused here, with the same errors.

    Parameters
    ----------
    predictions, metrics
        As of `compare`, or several test sets by name as of `compare_groups`; with a `candidate` as
        of `decide`, one for each rule of a `gate`.
    by, min_size
        The plan is of `compare_groups` in the subgroups of these slices.
    candidate : str, optional
        The plan is of decisions between the ``baseline=...`` and this model, as of `decide` and
        `gate`. `confidence_level` is then that of their intervals, 1 - 2 alpha.
    sample_size : bool
        Whether the plan of two models is of `sample_size`; `confidence_level` is then its own.
    generalize_to : {"auto", "items", "items+runs", "sets", "sets+runs"}
        What varies, as in the function that is planned.
    **options
        Other options of `compare`; with a `candidate` those that `decide` has.

    Returns
    -------
    ComparisonPlan
        The intervals and tests of each metric are in its `table`.

    Raises
    ------
    ValueError
        As of the function that is planned; and for ``missing="bounds"``, whose ends are two
        comparisons.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> mc.plan(preds, ["accuracy", "log_loss"]).table[["metric", "interval", "swaps"]]
         metric interval      swaps
    0  accuracy   wilson  all swaps
    1  log_loss    log-t      means
    >>> found = mc.plan(preds, "f1[neutral]", baseline="bow_pair", candidate="mlp")
    >>> found.table[["metric", "interval_of_differences"]]
              metric interval_of_differences
    0  f1 of neutral              half-count
    """
    options["generalize_to"] = generalize_to
    if candidate is not None:
        of_two = plugs.answering(predictions, "plan of a decision", _of_two_models)
        found: ComparisonPlan = of_two(predictions, metrics, candidate, sample_size, options)
        return found
    if sample_size:
        raise ValueError("`sample_size` is of two models; name them as `candidate` and `baseline`.")
    groups_of = plugs.answering(predictions, "plan", _subgroups)
    groups, options = groups_of(predictions, by, min_size, options)
    asked = parameters_of(compare).bind(predictions, metrics, **options)
    asked.apply_defaults()
    settings = dict(asked.arguments)
    if settings.pop("missing") == "bounds":
        raise ValueError("missing='bounds' makes two comparisons; plan one, with missing='worst'.")
    asked_of = settings_of(settings)
    made = {name: planned(each, cast(Any, metrics), asked_of) for name, each in groups.items()}
    return plan_of_comparisons(made, sum(map(len, plugs.by_name(predictions).values())))


def _subgroups(
    predictions: Any, by: str | Sequence[str] | None, min_size: int, options: dict[str, Any]
) -> tuple[dict[str, TestSet], dict[str, Any]]:
    """Return the test set, without a name, or its subgroups by name; and the options of each."""
    if by is None:
        return {"": predictions}, options
    groups, _ = named_subgroups(predictions, by, min_size)
    return {name: group for _, name, group in groups}, options


def _of_two_models(
    predictions: TestSet, metrics: Any, candidate: str, sample_size: bool,
    options: dict[str, Any],
) -> ComparisonPlan:  # fmt: skip
    """Show the plan of decisions about a candidate, or of their size, a row for each value."""
    check_test_set("predictions", predictions, "sums", by_design=True)
    baseline, _ = options.pop("baseline", None), options.pop("alpha", None)  # 1 - confidence_level
    if baseline is None:
        raise ValueError("`candidate` is compared with a model in use; name it as `baseline`.")
    if unknown := [name for name in options if name not in OF_DECISIONS]:
        raise ValueError(
            f"`{unknown[0]}` is no option of decide and gate; leave it out, or plan a comparison, "
            "without `candidate`."
        )
    check_models(predictions.models, baseline=baseline, candidate=candidate)
    level = options.pop("confidence_level", 0.95 if sample_size else 0.9)
    settings = Settings(**{"method": "auto", "generalize_to": "auto", **options})
    ask = _sized if sample_size else _decided
    values = [default_metric(predictions)] if metrics is None else metrics
    rows = []
    for value in values if isinstance(values, list) else [values]:
        contrast, method = ask(predictions, (candidate, baseline), value, settings)
        rows.append({
            "metric": value_name(contrast.metric.name, contrast.label), "n_values": 1,
            "interval": "", "interval_of_differences": name_intervals(
                contrast, method, level, contrast.position
            ), "test": "", "swaps": "", "correction": "", "seconds": 0.0,
        })  # fmt: skip
    return shown(contrast.sample, 1, rows)


def _decided(*asked: Any) -> tuple[Contrast, IntervalMethod]:
    """Return the contrast of a decision, and the method of its interval."""
    contrast = Contrast.on(*asked)
    contrast.sample.design.check_decision()
    return contrast, contrast.method


def _sized(*asked: Any) -> tuple[Contrast, IntervalMethod]:
    """Return the contrast of a pilot, and the method of the interval that is predicted."""
    contrast = planned_contrast(*asked)
    planned_more({"": contrast})
    method = contrast.sample.design.chosen("method", "normal", "normal")
    return contrast, cast("IntervalMethod", method)
