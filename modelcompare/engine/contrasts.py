"""Models, or differences of pairs of models, on one sample: the input of intervals and tests.

A `Sample` contains the values of all models on the test set and on its resamples, and moments of
the influences. `Contrasts` are the rows to be evaluated: the models themselves, or the differences
a - b of pairs. Everything is computed when it is first read, and then stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Self

import numpy as np

from modelcompare.arrays import PASS_BYTES, BoolArray, FloatArray, IntArray
from modelcompare.data.sizes import n_seen
from modelcompare.engine.definedness import never_undefined
from modelcompare.engine.design import Design, Estimator
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import InfluenceMoments, Pairs, influence_moments
from modelcompare.engine.layers import Layers
from modelcompare.engine.leave_out import without
from modelcompare.engine.pairs import differences, pair_differences, strips_of
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.engine.scope import Scope
from modelcompare.metrics.base import Metric
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import signature


@dataclass(frozen=True)
class Sample:
    """Values of all models on a test set and on its resamples, and moments of their influences.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units.
    weights : BootstrapWeights
        The resamples, which can be drawn again.
    design : Design
        What varies; moments and resamples are of the items.
    """

    evaluation: Evaluation = field(repr=False)
    weights: BootstrapWeights = field(repr=False)
    design: Design = field(repr=False)

    @cached_property
    def estimator(self) -> Estimator:
        """Values, and parts of their variances, under the design."""
        return self.design.estimator(self.evaluation)

    @cached_property
    def point(self) -> FloatArray:
        """Values on the test set, of shape (n_models, n_values)."""
        return self.estimator.point

    @property
    def scope(self) -> Scope:
        """Scope of answers."""
        return self.design.scope

    @cached_property
    @one_blas_thread()
    def draws(self) -> FloatArray:
        """Values on the resamples, of shape (n_resamples, n_models, n_values)."""
        if self.n_resamples == 0:
            return np.empty((0, *self.point.shape))
        return self.evaluation.replicates(self.weights)

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
                "no resamples were drawn, because the chosen interval and test need none; use "
                "method='percentile' or 'BCa', or test='bootstrap'."
            )
        return self.draws

    @cached_property
    def moments(self) -> InfluenceMoments:
        """Moments of the models' influence functions, and the errors that follow from them."""
        return influence_moments(self.evaluation, self.point)

    def standard_error(self, pairs: Pairs | None = None) -> FloatArray:
        """Return standard errors of values, or of differences of pairs, (n_rows, n_values)."""
        if not self.design.beyond_items:
            return self.moments.standard_error(pairs)
        return np.asarray(np.sqrt(self.layers(pairs).variance[0]))

    def degrees(self, pairs: Pairs | None = None) -> FloatArray:
        """Return degrees of freedom of such errors beyond the items, (n_rows, n_values)."""
        degrees: FloatArray = self.layers(pairs).variance[1]
        return degrees

    def centre(self, pairs: Pairs) -> FloatArray:
        """Return the differences that are tested, (n_pairs, n_values)."""
        return self.estimator.centre(pairs, self.point)

    @property
    def alone(self) -> BoolArray:
        """Values that depend on a single unit, a mask of shape (n_models, n_values)."""
        known = self.estimator.alone
        return self.moments.alone if known is None else known

    def layers(self, pairs: Pairs | None = None) -> Layers:
        """Return the parts of the variance of each row; one part if items alone vary."""
        found = self.estimator.layers(pairs)
        if found is not None:
            return found
        size = self.evaluation.units.size
        return Layers.of_items(self.standard_error(pairs) ** 2, max(size - 1.0, 1.0))

    @property
    def _selection(self) -> tuple[Sample, IntArray] | None:
        """Sample of all values, and positions of those of this one; None if these are all."""
        return None

    @cached_property
    def at_hand(self) -> Self:
        """Sample with errors for what is at hand, and not for new ones of it."""
        return replace(self, design=self.design.at_hand) if self.design.beyond_items else self

    @cached_property
    def replicate_moments(self) -> FloatArray:
        """Covariance of the models' values on each resample, for studentized intervals.

        Of shape (n_resamples, n_values, n_models, n_models).
        """
        return _replicate_moments(self.evaluation, self.weights)

    @cached_property
    def n_undefined(self) -> IntArray:
        """Resamples without a value, of shape (n_models, n_values)."""
        shape = self.point.shape  # Computed first, as it may be refused.
        if "draws" not in vars(self) and never_undefined(self.evaluation):
            return np.zeros(shape, dtype=np.intp)
        return np.count_nonzero(np.isnan(self.draws), axis=0)

    def values_of(self, model: str, metric: str, label: object = None) -> FloatArray:
        """Return the replicates of one value, of shape (n_resamples,)."""
        keys = self.evaluation.keys
        place = next(k for k, key in enumerate(keys) if (key.metric, key.label) == (metric, label))
        return self.draws[:, self.models.index(model), place]

    @property
    def signature(self) -> str:
        """Description of the resampling, in one line."""
        predictions = self.evaluation.predictions
        settings = {**self.design.at_hand.scope.at_hand, self.weights.scheme: True}
        return signature("bootstrap", n=n_seen(predictions), B=self.n_resamples, **settings)


@dataclass(frozen=True)
class Contrasts:
    """Rows to be evaluated: all models of a sample, or differences of pairs of models.

    Arrays have the shape (n_rows, n_values) unless stated otherwise; values are those of
    ``evaluation.keys``.

    Parameters
    ----------
    sample : Sample
        Values of all models.
    pairs : tuple of two ndarrays of int of shape (n_pairs,), or None
        Positions of models a and b of each difference a - b; None for the models themselves.
    """

    sample: Sample
    pairs: Pairs | None

    @property
    def evaluation(self) -> Evaluation:
        """Models, metrics and units."""
        return self.sample.evaluation

    @cached_property
    def names(self) -> list[str]:
        """Names of the rows: the models, in quotes."""
        quoted = [repr(model) for model in self.sample.models]
        if self.pairs is None:
            return quoted
        return [f"{quoted[a]} - {quoted[b]}" for a, b in zip(*self.pairs, strict=True)]

    @cached_property
    def estimate(self) -> FloatArray:
        """Values, or differences, on the test set."""
        point = self.sample.point
        return point if self.pairs is None else pair_differences(point, *self.pairs)

    @cached_property
    def replicates(self) -> FloatArray:
        """Values, or differences, on the resamples, (n_resamples, n_rows, n_values)."""
        if self.pairs is None:
            return self.sample.drawn
        # The resamples of a model and value are contiguous, and so are those of a pair.
        drawn = self.sample.drawn.transpose(1, 2, 0)
        return differences(strips_of(*self.pairs), drawn).transpose(2, 0, 1)

    @cached_property
    def standard_error(self) -> FloatArray:
        """Standard errors, by the second moments of the influences, or for new runs."""
        return self.sample.standard_error(self.pairs)

    @cached_property
    def degrees(self) -> FloatArray:
        """Degrees of freedom of standard errors that know more than the items."""
        return self.sample.degrees(self.pairs)

    @property
    def size(self) -> int:
        """Number of units."""
        return self.evaluation.units.size

    @cached_property
    def acceleration(self) -> FloatArray:
        """BCa's accelerations, by the third moments of the influences."""
        return self.sample.moments.acceleration(self.pairs)

    @cached_property
    def replicate_errors(self) -> FloatArray:
        """Standard error on each resample, (n_resamples, n_rows, n_values)."""
        moments = self.sample.replicate_moments
        if self.pairs is None:
            variances = np.diagonal(moments, axis1=2, axis2=3)
        else:
            a, b = self.pairs
            variances = moments[:, :, a, a] + moments[:, :, b, b] - 2 * moments[:, :, a, b]
        return np.sqrt(np.maximum(variances, 0.0)).transpose(0, 2, 1)

    @property
    def blocks(self) -> list[Contrasts]:
        """Contrasts of some pairs at a time, whose replicates fit into memory; or of all models."""
        if self.pairs is None:
            return [self]
        a, b = self.pairs
        of_a_pair = self.sample.n_resamples * len(self.evaluation.keys)
        step = max(1, PASS_BYTES // (8 * max(1, of_a_pair)))
        if len(a) <= step:
            return [self]
        starts = range(0, len(a), step)
        return [Contrasts(self.sample, (a[i : i + step], b[i : i + step])) for i in starts]


@one_blas_thread()
def _replicate_moments(evaluation: Evaluation, weights: BootstrapWeights) -> FloatArray:
    """Compute the covariance of the models' values on each resample, from its influence functions.

    Each resample costs as much as a jackknife of the test set, which is little for distinct rows.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units; sum metrics only.
    weights : BootstrapWeights
        The resamples.

    Returns
    -------
    ndarray of shape (n_resamples, n_values, n_models, n_models)

    Raises
    ------
    ValueError
        If a metric is not a sum, or the result would not fit into memory.
    """
    others = [metric.name for metric in evaluation.metrics if not isinstance(metric, Metric)]
    if others:
        raise ValueError(
            f"studentized intervals need metrics that are sums, {', '.join(others)} is not; use "
            "method='BCa'."
        )
    n_models, n_values = len(evaluation.models), len(evaluation.keys)
    if 8 * weights.n_resamples * n_values * n_models**2 > 8 * PASS_BYTES:
        raise ValueError(
            f"studentized intervals of {n_models} models and {n_values} values on "
            f"{weights.n_resamples:,} resamples do not fit into memory; take fewer models or "
            "resamples, or method='BCa'."
        )
    statistics = evaluation.statistics()
    out = np.empty((weights.n_resamples, n_values, n_models, n_models))
    for place, w in enumerate(chain.from_iterable(weights.blocks())):
        out[place] = _second_moment(evaluation, statistics, w)
    return out


def _second_moment(evaluation: Evaluation, statistics: FloatArray, w: FloatArray) -> FloatArray:
    there = w > 0
    w, rows = w[there], statistics[there]
    n = w.sum()
    if n <= 1:
        # A Poisson resample may be empty, and then has no standard error.
        return np.full((len(evaluation.keys), *[len(evaluation.models)] * 2), np.nan)
    total = w @ rows
    left = without(total, rows)
    value = evaluation.values_of_totals(total[None, :])[0]
    influence = np.nan_to_num((n - 1) * (value - evaluation.values_of_totals(left)), nan=0.0)
    influence -= np.einsum("i,imv->mv", w / n, influence)
    u = influence.transpose(2, 1, 0)
    return (u * w) @ u.transpose(0, 2, 1) / (n * (n - 1))
