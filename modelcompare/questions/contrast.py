"""The difference of models a and b in one value: what every question about two models asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modelcompare.comparison.sparse import warn_of_sparse_data
from modelcompare.data.test_set import TestSet
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.engine.units import check_units, for_these_runs
from modelcompare.intervals import held_intervals
from modelcompare.metrics import AnyMetric, UndefinedMetricWarning
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.resampling.seeds import RngLike, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.significance import Outcome, PairView, run_test
from modelcompare.words import (
    Alternative,
    IntervalMethod,
    ZeroDivision,
    shown,
    value_name,
    warn_caller,
)


@dataclass(frozen=True)
class Contrast(PairView):
    """Difference a - b of two models in one value, on the same test set.

    Parameters
    ----------
    position : int
        Where the value stands along the axis of values; the rest as in `PairView`, of one pair.
    """

    position: int = 0

    @classmethod
    def between(
        cls,
        predictions: TestSet,
        model_a: str,
        model_b: str,
        metric: MetricLike,
        *,
        label: Any = None,
        zero_division: ZeroDivision = math.nan,
        collapse: bool | None = None,
        alternative: Alternative = "two-sided",
        enumerate_swaps: bool = False,
        n_resamples: int = 9999,
        n_jobs: int | None = None,
        rng: RngLike = 0,
    ) -> Contrast:
        """Contrast of two models of a test set; arguments are those of the questions."""
        pair = predictions[[model_a, model_b]]
        evaluation = evaluate(pair, metric, zero_division=zero_division, collapse=collapse)
        weights = BootstrapWeights(evaluation.units, n_resamples, seed_sequence(rng))
        return cls(
            Sample(evaluation, weights, n_jobs), (np.array([0]), np.array([1])), n_resamples,
            alternative, enumerate_swaps, value_position(evaluation, label),
        )  # fmt: skip

    @property
    def metric(self) -> AnyMetric:
        """Metric that the models are compared by."""
        (metric,) = self.evaluation.metrics
        return metric

    @property
    def difference(self) -> float:
        """Difference on the test set."""
        return float(self.estimate[0, self.position])

    @property
    def error(self) -> float:
        """Influence-function standard error of the difference."""
        return float(self.standard_error[0, self.position])

    @property
    def n_units(self) -> int:
        """Samples, or clusters where `groups` are given; of a sketch its samples."""
        evaluation = self.evaluation
        if evaluation.predictions.unit == "buckets":
            return len(evaluation.predictions)
        return evaluation.units.size

    @property
    def unit(self) -> str:
        """Unit that is counted: "samples" or "clusters"."""
        return "clusters" if self.evaluation.predictions.unit == "clusters" else "samples"

    @property
    def notes(self) -> tuple[str, ...]:
        """Note that an answer is for the runs at hand, where there are several."""
        return for_these_runs(self.evaluation.predictions)

    def test(self, name: str) -> Outcome:
        """Outcome of a test of this one value, with arrays of shape (1, 1)."""
        found, here = run_test(name, self), np.s_[:, self.position : self.position + 1]
        return replace(found, statistic=found.statistic[here], p_value=found.p_value[here])

    def warn_of_sparse_data(self) -> None:
        """Warn at the caller's line where too little decides about the two values."""
        warn_of_sparse_data(self.sample, pairs=self.pairs, place=self.position)

    @one_blas_thread()
    def interval(self, method: IntervalMethod, confidence_level: float) -> tuple[float, float]:
        """Bounds of the difference."""
        found = held_intervals(self, method, confidence_level)
        return float(found.low[0, self.position]), float(found.high[0, self.position])


def evaluate(
    predictions: TestSet,
    metric: MetricLike,
    *,
    zero_division: ZeroDivision = math.nan,
    collapse: bool | None = None,
) -> Evaluation:
    """One metric of all models, on a test set that can be resampled."""
    chosen = resolve_metrics([metric], predictions, zero_division=zero_division)
    evaluation = Evaluation(predictions, chosen, collapse=collapse)
    check_units(evaluation.units, clustered=predictions.groups is not None)
    return evaluation


def warn_of_undefined(metric: str, label: Any, difference: float, models: Sequence[str]) -> None:
    """Warn that there is no difference, where one of two values is undefined."""
    if math.isnan(difference):
        warn_caller(
            f"{value_name(metric, label)} of {models[0]!r} or {models[1]!r} is undefined on this "
            "test set, so there is no difference to test.",
            UndefinedMetricWarning,
        )


def value_position(evaluation: Evaluation, label: Any) -> int:
    """Position of one value of the one metric along the axis of values.

    Raises
    ------
    ValueError
        If the metric is per class and no class is named, there is no such class, or no classes.
    """
    labels = [key.label for key in evaluation.keys]
    name = evaluation.metrics[0].name
    if label is None and len(labels) > 1:
        raise ValueError(
            f"metric {name!r} is per class; name one with `label`: {', '.join(map(str, labels))}."
        )
    if label is not None and labels == [None]:
        raise ValueError(
            f"metric {name!r} has one value for all classes; leave `label` (--label) out."
        )
    if label not in labels:
        raise ValueError(f"`label` {shown(label)} is not a class; there are {labels}.")
    return labels.index(label)
