"""`plan`: how a comparison, a decision or a gate would be computed, without computing it."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature as parameters_of
from typing import Any, cast

from modelcompare.arguments import checked
from modelcompare.comparison.compare import compare
from modelcompare.comparison.plan import ComparisonSettings, planned
from modelcompare.comparison.planning import Settings
from modelcompare.data.checks import check_models
from modelcompare.data.given_arrays import takes_arrays
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.classes import ValueLike
from modelcompare.metrics.registry import default_metric
from modelcompare.plugins.plan.result import (
    ComparisonPlan,
    name_intervals,
    plan_of_comparison,
    shown,
)
from modelcompare.questions.contrast import Contrast
from modelcompare.words import giving, value_name

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
@checked(compare, predictions=giving("sums", by_design=True))
def plan(
    predictions: TestSet,
    metrics: ValueLike | Sequence[ValueLike] | None = None,
    *,
    candidate: str | None = None,
    **options: Any,
) -> ComparisonPlan:
    """Show how `compare`, or a gate, would compute: intervals, tests, design, time and memory.

    Nothing is drawn; what the function refuses is refused here, with the same errors.

    Parameters
    ----------
    predictions, metrics
        As of `compare`; with a `candidate` as of `decide`, one for each rule of a `gate`.
    candidate : str, optional
        The plan is of decisions between the ``baseline=...`` and this model, as of `decide` and
        `gate`. `confidence_level` is then that of their intervals, 1 - 2 alpha.
    **options
        Other options of `compare`; with a `candidate` those that `decide` has.

    Returns
    -------
    ComparisonPlan
        The intervals and tests of each metric are in its `table`.

    Raises
    ------
    ValueError
        As of `compare` and `decide`; and for ``missing="bounds"``, whose ends are two comparisons.

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
    if candidate is not None:
        return _of_decisions(predictions, metrics, candidate, options)
    asked = parameters_of(compare).bind(predictions, metrics, **options)
    asked.apply_defaults()
    settings = dict(asked.arguments)
    if settings.pop("missing") == "bounds":
        raise ValueError("missing='bounds' makes two comparisons; plan one, with missing='worst'.")
    known = ComparisonSettings.__dataclass_fields__
    settings = {name: value for name, value in settings.items() if name in known}
    return plan_of_comparison(
        planned(predictions, cast(Any, metrics), ComparisonSettings(**settings))
    )


def _of_decisions(
    predictions: TestSet, metrics: Any, candidate: str, options: dict[str, Any]
) -> ComparisonPlan:
    """Show the plan of decisions about a candidate, a row for each metric or class."""
    baseline, _ = options.pop("baseline", None), options.pop("alpha", None)  # 1 - confidence_level
    if baseline is None:
        raise ValueError("`candidate` is compared with a model in use; name it as `baseline`.")
    if unknown := [name for name in options if name not in OF_DECISIONS]:
        raise ValueError(
            f"`{unknown[0]}` is no option of decide and gate; leave it out, or plan a comparison, "
            "without `candidate`."
        )
    check_models(predictions.models, baseline=baseline, candidate=candidate)
    level = options.pop("confidence_level", 0.9)
    settings = Settings(**{"method": "auto", "generalize_to": "auto", **options})
    values = [default_metric(predictions)] if metrics is None else metrics
    rows = []
    for value in values if isinstance(values, list) else [values]:
        contrast = Contrast.on(predictions, (candidate, baseline), value, settings)
        contrast.sample.design.check_decision()
        rows.append({
            "metric": value_name(contrast.metric.name, contrast.label), "n_values": 1,
            "interval": "", "interval_of_differences": name_intervals(
                contrast, contrast.method, level, contrast.position
            ), "test": "", "swaps": "", "correction": "", "seconds": 0.0,
        })  # fmt: skip
    return shown(contrast.sample, 1, rows)
