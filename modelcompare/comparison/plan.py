"""The plan of a comparison: all that is decided before a number is drawn.

The test set is read once. `compare` carries a plan out, and `modelcompare.plan` shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from modelcompare.arrays import IntArray
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.correction import Procedure
from modelcompare.comparison.planning import Prepared, Settings, prepare
from modelcompare.comparison.selected import places_of
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.engine.design import Design
from modelcompare.engine.influence import Pairs
from modelcompare.engine.memory import check_covariances, check_pairs
from modelcompare.metrics.classes import without_classes
from modelcompare.metrics.registry import MetricLike
from modelcompare.significance import TESTS
from modelcompare.significance.pairwise import PairView, all_pairs
from modelcompare.significance.studentized import NAME as DEFAULT_TEST
from modelcompare.words import Correction, Family, IntervalMethod


@dataclass(frozen=True, kw_only=True)
class ComparisonSettings(Settings):
    """Options of `compare`, as they were given."""

    confidence_level: float
    correction: Correction
    family: Family
    baseline: str | None
    alpha: float


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Models, metrics, design, intervals and tests of a comparison.

    Parameters
    ----------
    settings : ComparisonSettings
        Options as they were given.
    bootstrap : BootstrapResult
        Models, metrics and units, the design, and the resamples, of which none are drawn yet.
    pairs : tuple of two ndarrays of int of shape (n_pairs,)
        Positions of the models of each difference.
    procedure : Procedure
        Test that knows how values vary, and its correction.
    method : str
        Interval method.
    places : ndarray of int, or None
        Positions of the values of the classes that are asked for; None for all.
    left_out : tuple of str
        Note on a metric that is not among those compared by default.
    """

    settings: ComparisonSettings
    bootstrap: BootstrapResult
    pairs: Pairs
    procedure: Procedure
    method: IntervalMethod
    places: IntArray | None
    left_out: tuple[str, ...]

    @cached_property
    def view(self) -> PairView:
        """All pairs and values, for their test."""
        n_resamples = self.settings.n_resamples
        steps = self.procedure.steps_down(len(self.pairs[0]), n_resamples)
        return PairView(self.bootstrap, self.pairs, n_resamples, steps=steps)


def planned(
    predictions: TestSet,
    metrics: MetricLike | Sequence[MetricLike] | None,
    settings: ComparisonSettings,
) -> Plan:
    """Plan a comparison, or refuse what cannot be computed.

    Raises
    ------
    ValueError
        If a model lacks the outputs that a metric needs, a method does not know how values vary, or
        the results would not fit into memory.
    """
    pairs, of_default = _pairs(predictions.models, settings.baseline), metrics is None
    metrics, classes = without_classes(metrics, predictions)
    found = prepare(predictions, metrics, settings)
    sample, evaluation, design = found.sample, found.sample.evaluation, found.sample.design
    test = _known_test(design, found, settings)
    # A design refuses metrics of which it does not know the errors.
    design.estimator(evaluation)
    TESTS[test].check(evaluation.metrics)
    check_pairs(len(pairs[0]), len(evaluation.keys))
    check_covariances(len(evaluation.models), len(evaluation.keys))
    asked = settings.correction == "max-t" or settings.undefined != "count"
    drawn = (found.draws and design.samples_decide) or asked
    weights = replace(sample.weights, n_resamples=settings.n_resamples * drawn)
    return Plan(
        settings=settings, bootstrap=BootstrapResult(evaluation, weights, design), pairs=pairs,
        procedure=Procedure(
            test=test, correction=settings.correction, family=settings.family,
            alpha=settings.alpha,
        ),
        method=found.method, places=places_of(evaluation, classes),
        left_out=_left_out(evaluation.predictions) if of_default else (),
    )  # fmt: skip


def _known_test(design: Design, found: Prepared, settings: ComparisonSettings) -> str:
    """Return the test that knows how values vary; refuse methods that know the items alone."""
    design.check("undefined", settings.undefined)
    design.check("method", found.method)
    if settings.correction in ("max-t", "min-p"):
        design.check("correction", settings.correction)
    return design.chosen("test", found.test, DEFAULT_TEST)


def _pairs(models: tuple[str, ...], baseline: str | None) -> Pairs:
    """Return all pairs in the models' order, or every other model minus the baseline."""
    if baseline is None:
        return all_pairs(len(models))
    check_models(models, baseline=baseline)
    place = models.index(baseline)
    others = np.delete(np.arange(len(models)), place)
    return others, np.full(len(others), place)


def _left_out(predictions: TestSet) -> tuple[str, ...]:
    """Return a note if the default metrics lack one that only some models allow."""
    hard = [name for name, kind in predictions.access.kinds.items() if kind.coded]
    if not predictions.kind.coded or len(hard) == len(predictions.models):
        return ()
    which = f"{hard[0]!r} and {len(hard) - 1} more models" if len(hard) > 1 else repr(hard[0])
    return (f"log_loss is left out: {which} gave labels, and it needs probabilities of all.",)
