"""What interval methods and tests are handed of a bootstrap: computed when it is asked.

`ScoreView` and `DifferenceView` satisfy the protocols of `modelcompare.intervals`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import PASS_BYTES, FloatArray, IntArray
from modelcompare.comparison.drawn import Replicates
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.exchange import Exchange, masks_first
from modelcompare.engine.influence import InfluenceMoments
from modelcompare.engine.proportions import proportions
from modelcompare.metrics import Metric
from modelcompare.significance.delong import delong_covariance, delong_pair_errors
from modelcompare.significance.pairwise import PairView, pair_differences


@dataclass(frozen=True)
class ScoreView:
    """The values of all models: rows are models."""

    result: Replicates

    @property
    def evaluation(self) -> Evaluation:
        return self.result.evaluation

    @property
    def estimate(self) -> FloatArray:
        return self.result.point

    @property
    def replicates(self) -> FloatArray:
        return self.result.drawn

    @cached_property
    def influences(self) -> FloatArray:
        return self.evaluation.influence(slice(None), slice(None), self.estimate)

    @property
    def moments(self) -> InfluenceMoments:
        return self.result.moments

    @cached_property
    def standard_error(self) -> FloatArray:
        return self.result.moments.standard_error()

    @cached_property
    def acceleration(self) -> FloatArray:
        return self.result.moments.acceleration()

    @cached_property
    def replicate_errors(self) -> FloatArray:
        variances = np.diagonal(self.result.replicate_moments, axis1=2, axis2=3)
        return np.sqrt(np.maximum(variances, 0.0)).transpose(0, 2, 1)

    @cached_property
    def degrees_of_freedom(self) -> FloatArray:
        """Of the standard errors; those of counts of samples follow from the value itself."""
        degrees = self.result.moments.degrees_of_freedom()
        if self.evaluation.predictions.groups is not None:
            return np.minimum(degrees, self.evaluation.units.size - 1)
        counted = {
            metric.name
            for metric in self.evaluation.metrics
            if isinstance(metric, Metric) and all(s.discrete for s in metric.statistics)
        }
        of_counts = np.array([key.metric in counted for key in self.evaluation.keys])
        return np.where(of_counts, np.inf, degrees)

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        bounds = {metric.name: metric.bounds for metric in self.evaluation.metrics}
        unbounded = [name for name, pair in bounds.items() if not np.isfinite(pair).all()]
        if unbounded:
            raise ValueError(
                f"logit intervals are for bounded metrics, {', '.join(unbounded)} is not; use "
                "method='BCa'."
            )
        pairs = np.array([bounds[key.metric] for key in self.evaluation.keys])
        return pairs[:, 0], pairs[:, 1]

    @cached_property
    def proportions(self) -> tuple[FloatArray, FloatArray]:
        return proportions(self.evaluation)

    @cached_property
    def delong_errors(self) -> FloatArray:
        return np.sqrt(np.diag(_delong_covariance(self.evaluation)))[:, None]


@dataclass(frozen=True)
class DifferenceView:
    """Paired differences a - b: rows are pairs."""

    result: Replicates
    model_a: IntArray
    model_b: IntArray

    @property
    def evaluation(self) -> Evaluation:
        return self.result.evaluation

    @property
    def values(self) -> FloatArray:
        return self.result.point

    @property
    def blocks(self) -> list[DifferenceView]:
        of_a_pair = self.result.n_resamples * len(self.evaluation.keys)
        step = max(1, PASS_BYTES // (8 * max(1, of_a_pair)))
        starts = range(0, max(1, len(self.model_a)), step)
        return [
            DifferenceView(self.result, self.model_a[i : i + step], self.model_b[i : i + step])
            for i in starts
        ]

    @cached_property
    def estimate(self) -> FloatArray:
        return pair_differences(self.result.point, self.model_a, self.model_b)

    @cached_property
    def replicates(self) -> FloatArray:
        # The resamples of a model and value lie together, and so do those of a pair.
        drawn = self.result.drawn.transpose(1, 2, 0)
        differences = Exchange.of(self.model_a, self.model_b).combined(np.subtract, drawn, drawn)
        return masks_first(differences)

    @cached_property
    def influences(self) -> FloatArray:
        of_models = ScoreView(self.result).influences
        return of_models[:, self.model_a] - of_models[:, self.model_b]

    @property
    def moments(self) -> InfluenceMoments:
        return self.result.moments

    @cached_property
    def standard_error(self) -> FloatArray:
        return self.result.moments.pair_standard_error(self.model_a, self.model_b)

    @cached_property
    def acceleration(self) -> FloatArray:
        return self.result.moments.pair_acceleration(self.model_a, self.model_b)

    @cached_property
    def replicate_errors(self) -> FloatArray:
        moments, a, b = self.result.replicate_moments, self.model_a, self.model_b
        variances = moments[:, :, a, a] + moments[:, :, b, b] - 2 * moments[:, :, a, b]
        return np.sqrt(np.maximum(variances, 0.0)).transpose(0, 2, 1)

    @cached_property
    def delong_errors(self) -> FloatArray:
        covariance = _delong_covariance(self.evaluation)
        return delong_pair_errors(covariance, self.model_a, self.model_b)[:, None]


def _delong_covariance(evaluation: Evaluation) -> FloatArray:
    """Covariance of the AUCs; refuses other metrics."""
    names = [metric.name for metric in evaluation.metrics]
    if names != ["roc_auc"]:
        raise ValueError(
            f"DeLong's intervals are for roc_auc alone, not for {', '.join(names)}; use "
            "method='auto'."
        )
    return delong_covariance(evaluation.predictions)[1]


@dataclass(frozen=True, kw_only=True)
class DrawnPairs(PairView):
    """Pairs for tests, with the estimates, replicates and moments that are there already."""

    result: Replicates

    @cached_property
    def estimate(self) -> FloatArray:
        return self.result.point

    @cached_property
    def replicates(self) -> FloatArray:
        return self.result.drawn

    @cached_property
    def moments(self) -> InfluenceMoments:
        return self.result.moments
