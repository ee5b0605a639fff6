"""Replicates of every metric of every model, drawn when something asks for them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.definedness import never_undefined
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import InfluenceMoments, influence_moments
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.engine.replicate_errors import replicate_covariance, replicate_second_moments
from modelcompare.engine.units import THESE_RUNS, for_these_runs
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import Scheme, signature


@dataclass(frozen=True, init=False)
class Replicates:
    """Values of all models on all resamples: see `BootstrapResult`."""

    evaluation: Evaluation = field(repr=False)
    point: FloatArray = field(repr=False)
    scheme: Scheme
    seed: np.random.SeedSequence = field(repr=False)
    weights: BootstrapWeights = field(repr=False)
    n_jobs: int | None = field(repr=False)
    progress: bool = field(repr=False)

    def __init__(
        self,
        evaluation: Evaluation,
        point: FloatArray,
        draws: FloatArray | None,
        scheme: Scheme,
        seed: np.random.SeedSequence,
        weights: BootstrapWeights,
        *,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        vars(self).update(
            evaluation=evaluation, point=point, scheme=scheme, seed=seed, weights=weights,
            n_jobs=n_jobs, progress=progress,
        )  # fmt: skip
        if draws is not None:
            vars(self).update(draws=draws)

    @cached_property
    @one_blas_thread()
    def draws(self) -> FloatArray:
        """Values on the resamples, of shape (n_resamples, n_models, n_values)."""
        if self.n_resamples == 0:
            return np.empty((0, *self.point.shape))
        return self.evaluation.replicates(self.weights, n_jobs=self.n_jobs, progress=self.progress)

    @property
    def models(self) -> tuple[str, ...]:
        """Axis of the models."""
        return self.evaluation.models

    @property
    def n_resamples(self) -> int:
        """Number of resamples."""
        return self.weights.n_resamples

    @property
    def drawn(self) -> FloatArray:
        """Values on the resamples, which must have been drawn.

        Raises
        ------
        ValueError
            If no resamples were drawn.
        """
        if self.n_resamples == 0:
            raise ValueError(
                "no resamples were drawn, as the interval and the test that were asked for need "
                "none; use method='percentile' or 'BCa', or test='bootstrap'."
            )
        return self.draws

    @cached_property
    def moments(self) -> InfluenceMoments:
        """Moments of the models' influence functions, and the errors that follow from them.

        Those of values that influences do not describe follow from the replicates.
        """
        found = influence_moments(self.evaluation, self.point)
        others = [metric for metric in self.evaluation.metrics if not metric.smooth]
        if not others or self.n_resamples == 0:
            return found
        drawn, size = np.full(found.second.shape, np.nan), self.weights.size
        for where in (self.evaluation.metric_slice(metric.name) for metric in others):
            drawn[where] = replicate_covariance(self.draws[:, :, where])
        # A resample of m of the n varies more than one of all.
        return replace(found, drawn=drawn * ((size or found.n_samples) / found.n_samples))

    def values_of(self, model: str, metric: str, label: object = None) -> FloatArray:
        """Replicates of one value, of shape (n_resamples,)."""
        keys = self.evaluation.keys
        place = next(k for k, key in enumerate(keys) if (key.metric, key.label) == (metric, label))
        return self.draws[:, self.models.index(model), place]

    @cached_property
    def n_undefined(self) -> IntArray:
        """Resamples without a value, of shape (n_models, n_values)."""
        if "draws" not in vars(self) and never_undefined(self.evaluation):
            return np.zeros(self.point.shape, dtype=np.intp)
        return np.count_nonzero(np.isnan(self.draws), axis=0)

    @cached_property
    def replicate_moments(self) -> FloatArray:
        """Covariance of the models' values on each resample, for studentized intervals.

        Of shape (n_resamples, n_values, n_models, n_models).
        """
        return replicate_second_moments(self.evaluation, self.weights)

    @property
    def signature(self) -> str:
        """How the replicates were drawn, in one line."""
        made = {"n": len(self.evaluation.predictions), "B": self.n_resamples}
        runs = THESE_RUNS if for_these_runs(self.evaluation.predictions) else ""
        return signature("bootstrap", made, runs, self.scheme)
