"""Preparation of all questions: metrics, units and design of a test set, and methods for it.

Nothing is drawn or computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast, get_args

import numpy as np

from modelcompare.data.test_set import TestSet
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.design import design_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.units import check_units
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.plugs import load
from modelcompare.resampling.seeds import RngLike, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.significance import named
from modelcompare.words import (
    GeneralizeTo,
    GeneralizeToOfSets,
    IntervalMethod,
    Scheme,
    Undefined,
    ZeroDivision,
)

Served = tuple[TestSet, IntervalMethod, str, bool]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Options that all questions share, as they were given.

    The defaults are those of a value and its error: they need sums, and no resamples.
    """

    method: IntervalMethod = "normal"
    test: str = "wald"
    generalize_to: GeneralizeToOfSets = "items"
    n_resamples: int = 9999
    scheme: Scheme = "multinomial"
    size: int | None = None
    zero_division: ZeroDivision = math.nan
    undefined: Undefined = "count"
    collapse: bool | None = None
    rng: RngLike = 0


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A test set to be asked.

    Parameters
    ----------
    sample : Sample
        Models, metrics and units, the design, and the resamples, of which none are drawn yet.
    method, test : str
        Interval method and test to compute with.
    draws : bool
        Whether to draw resamples even if no method needs them.
    """

    sample: Sample
    method: IntervalMethod
    test: str
    draws: bool


def prepare(
    predictions: TestSet, metrics: MetricLike | Sequence[MetricLike] | None, settings: Settings,
    models: Sequence[str] | None = None,
) -> Prepared:  # fmt: skip
    """Prepare a question about all models, or some of them, or refuse it.

    Raises
    ------
    ValueError
        If the test set lacks what a metric, the test or an answer for new runs needs.
    """
    method, test, draws = settings.method, settings.test, True
    if predictions.access.planner:
        served = load(predictions.access.planner)(predictions, metrics, settings)
        predictions, method, test, draws = served
    access = predictions.access
    if named(test).reads not in access.abilities:
        access.refuse(f"test {test!r}")
    if models is not None:
        predictions = predictions[[*models]]
    design = design_of(predictions, of_one_set(settings.generalize_to), test)
    evaluation = evaluate(predictions, metrics, settings)
    weights = BootstrapWeights(
        evaluation.units, settings.n_resamples, seed_sequence(settings.rng), settings.scheme,
        settings.size,
    )  # fmt: skip
    sample = Sample(evaluation, weights, design)
    return Prepared(sample=sample, method=method, test=test, draws=draws)


def evaluate(
    predictions: TestSet, metrics: MetricLike | Sequence[MetricLike] | None, settings: Settings
) -> Evaluation:
    """Return all models' metrics on a test set, and check that it can be resampled."""
    chosen = resolve_metrics(metrics, predictions, zero_division=settings.zero_division)
    if settings.undefined == "stratify":
        predictions = _stratified(predictions)
    evaluation = Evaluation(predictions, chosen, collapse=settings.collapse)
    check_units(evaluation.units, clustered=predictions.groups is not None)
    return evaluation


def _stratified(predictions: TestSet) -> TestSet:
    """Stratify by true class, within the existing strata if there are any."""
    access = predictions.access
    if access.sums is not None:
        access.refuse("undefined='stratify'")
    if access.codes is None:
        raise ValueError("`undefined='stratify'` needs true classes.")
    if predictions.strata is None:
        return predictions.with_columns(strata=access.codes)
    stratum = np.unique(predictions.strata, return_inverse=True)[1]
    return predictions.with_columns(strata=stratum * access.n_classes + access.codes)


def of_one_set(generalize_to: GeneralizeToOfSets) -> GeneralizeTo:
    """Refuse a question about new test sets where there is one."""
    if generalize_to in get_args(GeneralizeTo):
        return cast(GeneralizeTo, generalize_to)
    raise ValueError(
        f"generalize_to={generalize_to!r} asks about new test sets, which needs several."
    )
