"""The difference of two models on a pilot, from which a sample size is planned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from modelcompare.comparison.planning import Settings
from modelcompare.comparison.warned import each_warning_once
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.engine.labels import distinct_rows
from modelcompare.engine.scope import Scope
from modelcompare.intervals.ratios import t_quantile
from modelcompare.metrics.classes import ValueLike
from modelcompare.questions.components import (
    Pilot,
    Plan,
    Size,
    Words,
    layers_of,
    parts_of,
    planned,
)
from modelcompare.questions.contrast import Contrast
from modelcompare.report.numbers import format_interval
from modelcompare.significance.inverted import Ends
from modelcompare.significance.pairwise import check_smooth
from modelcompare.words import value_name

# The default interval allows for samples and classes that a pilot has not seen, of which the
# standard error contains nothing. Where it is so many times as wide as the error predicts, numbers
# of samples would be too low by the square of this.
_MOST_BEYOND = 3.0
_LEVEL = 0.95


@dataclass(frozen=True)
class PilotDifference:
    """Difference of two models on a pilot, from which numbers of samples and runs are planned.

    Attributes
    ----------
    contrast : Contrast
        Model a minus model b.
    """

    contrast: Contrast

    @classmethod
    def of(
        cls, predictions: TestSet, models: tuple[str, str], metric: ValueLike, settings: Settings
    ) -> Self:
        """Return the difference of two models on a test set."""
        check_models(predictions.models, model_a=models[0], model_b=models[1])
        return cls(planned_contrast(predictions, models, metric, settings))

    @property
    def difference(self) -> float:
        """Difference on the pilot."""
        return self.contrast.difference

    @property
    def scope(self) -> Scope:
        """Runs and labels that the answer is about."""
        return self.contrast.scope

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the runs for which the answer holds, the positive class, and few samples."""
        return self.contrast.notes

    @property
    def plan(self) -> Plan | None:
        """Plan that the design of the pilot has; None where samples are added."""
        return planned({"": self.contrast})

    @cached_property
    def pilot(self) -> Pilot:
        """Components of the variance of the difference."""
        return Pilot.of(self.contrast)

    def words(self, size: Size) -> Words:
        """Return words for the numbers of the pilot."""
        unit, levels = self.contrast.sample.design.sized(self.contrast.unit, int(size.runs))
        return Words(unit=unit, levels=levels)

    def check_data(self) -> None:
        """Warn where few samples, labels or runs decide; refuse an error that predicts nothing."""
        with each_warning_once():
            self.contrast.warn_of_sparse_data()
        check_determined(self.contrast)


def planned_contrast(
    predictions: TestSet, models: Sequence[str], value: ValueLike, settings: Settings,
    name: str = "",
) -> Contrast:  # fmt: skip
    """Return the contrast of two models on a pilot; refuse one without a value or influences."""
    contrast = Contrast.on(predictions, models, value, settings)
    check_smooth(contrast.metric, "variance_study on test sets of several sizes")
    if math.isnan(contrast.difference):
        which = f" {name!r}" if name else ""
        raise ValueError(
            f"{contrast.metric.name} is undefined for one of the models on this test set{which}; "
            "there is no difference to plan for."
        )
    return contrast


def check_determined(contrast: Contrast, name: str = "") -> None:
    """Refuse a test set whose interval is far wider than its standard error predicts.

    Where else than the samples decides, such as labels beside a judge, some of it is added.
    """
    if not contrast.sample.design.samples_decide:
        return
    low, high = _default_interval(contrast)
    n = min([contrast.n_units, *map(len, parts_of(layers_of(contrast))[1])])
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
        value, settings = (metric, contrast.label), Settings(method="auto")
        contrast = Contrast.on(predictions, contrast.models, value, settings)
    return contrast.interval("auto", _LEVEL)
