"""Replicates of every metric of every model, kept for any interval."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.axis import score_frame
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import InfluenceMoments, influence_moments
from modelcompare.engine.proportions import proportions
from modelcompare.engine.replicate_errors import replicate_second_moments
from modelcompare.intervals import (
    PROPORTION_METHODS,
    VALUE_METHODS,
    Interval,
    Method,
    check_confidence_level,
    check_method,
    confidence_interval,
    logit_interval,
    normal_interval,
    proportion_interval,
)
from modelcompare.metrics import Metric, UndefinedMetricWarning
from modelcompare.resampling import (
    BootstrapWeights,
)
from modelcompare.significance.delong import delong_covariance
from modelcompare.significance.pairwise import pair_differences
from modelcompare.words import Scheme

# Bytes of the replicates of one block of pairs.
_PAIR_BYTES = 64 * 2**20


@dataclass(frozen=True)
class BootstrapResult:
    """Replicates of all metrics of all models, drawn together.

    Attributes
    ----------
    evaluation : Evaluation
        Models, metrics and units that were resampled.
    point : ndarray of shape (n_models, n_values)
        Values on the test set; `estimate` is the same as a Series.
    draws : ndarray of shape (n_resamples, n_models, n_values)
        Values on the resamples; `replicates` is the same as a frame.
    scheme : str
        Bootstrap weights.
    seed : SeedSequence
        Where the weights came from.
    weights : BootstrapWeights
        The resamples, which can be drawn again.
    """

    evaluation: Evaluation = field(repr=False)
    point: FloatArray = field(repr=False)
    draws: FloatArray = field(repr=False)
    scheme: Scheme
    seed: np.random.SeedSequence = field(repr=False)
    weights: BootstrapWeights = field(repr=False)

    @property
    def models(self) -> tuple[str, ...]:
        """Axis of the models."""
        return self.evaluation.models

    @property
    def n_resamples(self) -> int:
        """Number of resamples."""
        return len(self.draws)

    @cached_property
    def moments(self) -> InfluenceMoments:
        """Second and third moments of the models' influence functions."""
        return influence_moments(self.evaluation, self.point)

    @property
    def index(self) -> pd.MultiIndex:
        """(model, metric, label) of every value, models outermost."""
        rows = [(m, k.metric, k.label) for m in self.models for k in self.evaluation.keys]
        return pd.MultiIndex.from_tuples(rows, names=["model", "metric", "label"])

    @property
    def estimate(self) -> pd.Series[float]:
        """Values on the test set, by (model, metric, label)."""
        return pd.Series(self.point.ravel(), index=self.index, name="estimate")

    @property
    def replicates(self) -> pd.DataFrame:
        """Values on the resamples: a row for each resample, a column for each value."""
        return pd.DataFrame(self.draws.reshape(len(self.draws), -1), columns=self.index)

    def value_columns(self) -> pd.DataFrame:
        """Columns model, metric and label, a row for each value, models outermost."""
        return score_frame(self.models, self.evaluation.keys)

    @property
    def n_undefined(self) -> IntArray:
        """Resamples without a value, of shape (n_models, n_values)."""
        return np.count_nonzero(np.isnan(self.draws), axis=0)

    def confidence_interval(
        self, *, method: Method = "BCa", confidence_level: float = 0.95
    ) -> pd.DataFrame:
        """Intervals of every value, from the replicates that are there.

        Parameters
        ----------
        method : str
            "BCa", "percentile", "basic", "normal", "studentized", "logit", "wilson",
            "clopper-pearson", "jeffreys" or "delong"; see `modelcompare.intervals`.
        confidence_level : float
            A fraction in (0, 1).

        Returns
        -------
        DataFrame
            Columns model, metric, label, estimate, standard_error, ci_low, ci_high, n_undefined.
        """
        interval = self.score_interval(method, confidence_level)
        frame = self.value_columns()
        frame["estimate"] = self.point.ravel()
        frame["standard_error"] = self.moments.standard_error().ravel()
        frame["ci_low"], frame["ci_high"] = interval.low.ravel(), interval.high.ravel()
        frame["n_undefined"] = self.n_undefined.ravel()
        return frame

    def to_frame(self) -> pd.DataFrame:
        """Return `confidence_interval` with its defaults."""
        return self.confidence_interval()

    @cached_property
    def replicate_moments(self) -> FloatArray:
        """Covariance of the models' values on each resample, for studentized intervals.

        Of shape (n_resamples, n_values, n_models, n_models).
        """
        return replicate_second_moments(self.evaluation, self.weights)

    def score_interval(self, method: Method, confidence_level: float) -> Interval:
        """Intervals of the models' values, of shape (n_models, n_values)."""
        check_method(method)
        check_confidence_level(confidence_level)
        if method in PROPORTION_METHODS:
            count, trials = proportions(self.evaluation)
            interval = proportion_interval(method, count, trials, confidence_level=confidence_level)
        elif method == "logit":
            interval = logit_interval(
                self.point,
                self.moments.standard_error(),
                self._bounds(),
                self._degrees_of_freedom(),
                confidence_level=confidence_level,
            )
        elif method == "delong":
            interval = normal_interval(
                self.point, self._delong_errors(), confidence_level=confidence_level
            )
        else:
            interval = confidence_interval(
                method,
                self.draws,
                self.point,
                standard_error=self.moments.standard_error(),
                acceleration=self.moments.acceleration(),
                confidence_level=confidence_level,
                replicate_errors=self._replicate_errors() if method == "studentized" else None,
            )
        self._warn_of_fallback(interval, method)
        return _without_undefined(interval, self.point)

    def difference_interval(
        self, model_a: IntArray, model_b: IntArray, method: Method, confidence_level: float
    ) -> Interval:
        """Intervals of paired differences a - b, of shape (n_pairs, n_values).

        Parameters
        ----------
        model_a, model_b : ndarray of int of shape (n_pairs,)
            Positions of the models of each pair.
        method, confidence_level
            As in `confidence_interval`. Methods for a single value (logit, delong, wilson,
            clopper-pearson, jeffreys) say nothing about a difference; BCa takes their place.
        """
        if method in VALUE_METHODS:
            method = "BCa"
        shape = (len(model_a), self.point.shape[1])
        low, high, fallback = np.empty(shape), np.empty(shape), np.zeros(shape, dtype=bool)
        difference = pair_differences(self.point, model_a, model_b)
        error = self.moments.pair_standard_error(model_a, model_b)
        acceleration = self.moments.pair_acceleration(model_a, model_b)
        step = max(1, _PAIR_BYTES // (8 * self.n_resamples * shape[1]))
        for start in range(0, len(model_a), step):
            pairs = slice(start, start + step)
            part = confidence_interval(
                method,
                self.draws[:, model_a[pairs]] - self.draws[:, model_b[pairs]],
                difference[pairs],
                standard_error=error[pairs],
                acceleration=acceleration[pairs],
                confidence_level=confidence_level,
                replicate_errors=self._pair_errors(model_a[pairs], model_b[pairs])
                if method == "studentized"
                else None,
            )
            low[pairs], high[pairs], fallback[pairs] = part.low, part.high, part.fallback
        rounding = 1e-13 * (np.abs(self.point[model_a]) + np.abs(self.point[model_b]))
        for bound in (low, high):
            bound[np.abs(bound) <= rounding] = 0.0
        return _without_undefined(Interval(low, high, fallback), difference)

    def warn_of_undefined(self) -> None:
        """Name the metrics, classes and models that have no value on some resamples."""
        share = self.n_undefined / self.n_resamples
        for position, key in enumerate(self.evaluation.keys):
            worst = int(share[:, position].argmax())
            if share[worst, position] == 0:
                continue
            n_models = np.count_nonzero(share[:, position])
            others = f" (and of {n_models - 1} more models)" if n_models > 1 else ""
            where = "" if key.label is None else f" of class {key.label!r}"
            warnings.warn(
                f"{key.metric}{where} is undefined on {share[worst, position]:.1%} of the "
                f"resamples of {self.models[worst]!r}{others}; intervals use the others.",
                UndefinedMetricWarning,
                stacklevel=3,
            )

    def _replicate_errors(self) -> FloatArray:
        variances = np.diagonal(self.replicate_moments, axis1=2, axis2=3)
        return np.sqrt(np.maximum(variances, 0.0)).transpose(0, 2, 1)

    def _pair_errors(self, model_a: IntArray, model_b: IntArray) -> FloatArray:
        moments = self.replicate_moments
        own = moments[:, :, model_a, model_a] + moments[:, :, model_b, model_b]
        variances = own - 2 * moments[:, :, model_a, model_b]
        return np.sqrt(np.maximum(variances, 0.0)).transpose(0, 2, 1)

    def _degrees_of_freedom(self) -> FloatArray:
        """Of the standard errors; those of counts follow from the value itself."""
        counted = {
            metric.name
            for metric in self.evaluation.metrics
            if isinstance(metric, Metric) and all(s.discrete for s in metric.statistics)
        }
        of_counts = np.array([key.metric in counted for key in self.evaluation.keys])
        return np.where(of_counts, np.inf, self.moments.degrees_of_freedom())

    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        bounds = {metric.name: metric.bounds for metric in self.evaluation.metrics}
        pairs = np.array([bounds[key.metric] for key in self.evaluation.keys])
        if not np.isfinite(pairs).all():
            unbounded = [name for name, pair in bounds.items() if not np.isfinite(pair).all()]
            raise ValueError(
                f"logit intervals are for bounded metrics, {', '.join(unbounded)} is not; use "
                "method='BCa'."
            )
        return pairs[:, 0], pairs[:, 1]

    def _delong_errors(self) -> FloatArray:
        names = [key.metric for key in self.evaluation.keys]
        if names != ["roc_auc"]:
            raise ValueError(
                f"DeLong's intervals are for roc_auc alone, not for {', '.join(names)}; use "
                "method='BCa'."
            )
        variances = np.diag(delong_covariance(self.evaluation.predictions)[1])
        return np.sqrt(variances)[:, None]

    def _warn_of_fallback(self, interval: Interval, method: Method) -> None:
        for model, position in np.argwhere(interval.fallback):
            key = self.evaluation.keys[position]
            where = "" if key.label is None else f" of class {key.label!r}"
            warnings.warn(
                f"the {method} interval of {key.metric}{where} of {self.models[model]!r} cannot be "
                "computed (its replicates lie on one side of the estimate); the percentile "
                "interval stands in.",
                UserWarning,
                stacklevel=4,
            )


def _without_undefined(interval: Interval, estimate: FloatArray) -> Interval:
    """No interval for a value that the test set itself does not define."""
    undefined = np.isnan(estimate)
    return Interval(
        np.where(undefined, np.nan, interval.low),
        np.where(undefined, np.nan, interval.high),
        interval.fallback & ~undefined,
    )
