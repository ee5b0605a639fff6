"""The replicates of all metrics and models, drawn together: `BootstrapResult`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked, missing_attribute, written_out
from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.few_samples import notes_on_few_samples
from modelcompare.comparison.warned import warn_of_no_width, warn_of_sparse_data
from modelcompare.engine.axis import score_frame
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.influence import InfluenceMoments, influence_moments
from modelcompare.engine.joined import JoinedUnits, joins_influences
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.intervals import METHODS, Interval, choices, intervals_around
from modelcompare.intervals.resampled import is_resampled
from modelcompare.metrics import UndefinedMetricWarning
from modelcompare.plugs import first, rows
from modelcompare.report.figures.plots import Plots
from modelcompare.report.numbers import decimals_for, more
from modelcompare.report.tables import VALUE, Table
from modelcompare.resampling.draws import RESAMPLE_BLOCK
from modelcompare.words import IntervalMethod, Scheme, warn_caller

# Resamples for standard errors that come from no formula, whose own error is then 3 %.
_FOR_ERRORS = 4 * RESAMPLE_BLOCK


@dataclass(frozen=True, repr=False)
class BootstrapResult(Sample):
    """Replicates of all metrics of all models, drawn together.

    The replicates of a comparison are drawn on first use: most default intervals and tests do not
    need them, and most resamples need not be evaluated to know that all values are defined.

    Attributes
    ----------
    evaluation : Evaluation
        Models, metrics and units that were resampled.
    weights : BootstrapWeights
        Weights of the resamples, which can be drawn again, with their `scheme` and `seed`.
    point : ndarray of shape (n_models, n_values)
        Values on the test set; `estimate` is the same as a Series.
    draws : ndarray of shape (n_resamples, n_models, n_values)
        Values on the resamples; `replicates` is the same as a frame.
    """

    __getattr__ = missing_attribute
    plot = Plots(**dict(rows("replicates")))

    def __repr__(self) -> str:
        return f"BootstrapResult(scheme={self.scheme!r})"

    @property
    def scheme(self) -> Scheme:
        """Bootstrap weights."""
        return self.weights.scheme

    @property
    def seed(self) -> np.random.SeedSequence:
        """Seed of the weights."""
        return self.weights.seed

    @cached_property
    def moments(self) -> InfluenceMoments:
        """Moments of the models' influence functions, which give the standard errors.

        For values that influence functions do not describe, covariances are those of the
        replicates: of the first ones, where intervals need none. Of more than 8,192 samples, fixed
        random groups of them are drawn for calibration errors (`engine.joined`).
        """
        found = influence_moments(self.evaluation, self.point)
        others = [metric for metric in self.evaluation.metrics if not metric.smooth]
        if not others or self.n_resamples == 0:
            return found
        drawn, size = np.full(found.second.shape, np.nan), self.weights.size
        for metric in others:
            draws = self.draws if is_resampled(metric) else self._first_draws
            where = self.evaluation.metric_slice(metric.name)
            for place in range(where.start, where.stop):
                known = draws[np.isfinite(draws[:, :, place]).all(axis=1), :, place]
                if len(known) > 1:
                    drawn[place] = np.cov(known, rowvar=False)
        # Values vary more on resamples of m < n samples than on resamples of n.
        return replace(found, drawn=drawn * ((size or found.n_samples) / found.n_samples))

    @cached_property
    def _first_draws(self) -> FloatArray:
        """Values on as many resamples as standard errors need, the first of all."""
        if "draws" in vars(self) or self.n_resamples <= _FOR_ERRORS:
            return self.draws[:_FOR_ERRORS]
        weights, evaluation = replace(self.weights, n_resamples=_FOR_ERRORS), self.evaluation
        sums = [m for m in evaluation.metrics if joins_influences(m, evaluation, drawn=True)]
        rough = [m for m in evaluation.metrics if not (m.smooth or is_resampled(m))]
        if sums == rough and weights.size is None:
            joined = JoinedUnits.of(evaluation, drawn=True)
            return joined.replicates(sums, replace(weights, units=joined.units))
        return self.evaluation.replicates(weights)

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

    def _repr_html_(self) -> Any:
        """Show the values on the test set in a notebook."""
        frame = self.estimate.reset_index()
        errors = pd.Series(self.standard_error().ravel()).groupby(frame["metric"])
        digits = {metric: decimals_for(of_metric) for metric, of_metric in errors}
        decimals = [digits[metric] for metric in frame["metric"]]
        title = f"Values on the test set, {self.n_resamples:,} resamples"
        table = Table.of(title, frame, VALUE, "model", "estimate", decimals=decimals)
        whole, places = self._selection or (self, None)
        table = replace(table, notes=notes_on_few_samples(whole, places=places))
        return first("notebooks", [table], self.signature)

    @checked()
    @written_out(methods=choices(indent=12))
    @one_blas_thread()
    def confidence_interval(
        self, *, method: IntervalMethod = "auto", confidence_level: float = 0.95
    ) -> pd.DataFrame:
        """Compute intervals of all values, from the existing replicates.

        Parameters
        ----------
        method : str
            {methods}
        confidence_level : float
            A fraction in (0, 1).

        Returns
        -------
        DataFrame
            Columns model, metric, label, estimate, standard_error, ci_low, ci_high, n_undefined,
            method (the method of each interval).

        Warns
        -----
        SparseDataWarning
            Where intervals may cover less than their level; see `compare`.
        """
        interval = self.score_interval(method, confidence_level)
        whole, places = self._selection or (self, None)
        scores = interval if whole is self else None
        warn_of_sparse_data(whole, method=method, scores=scores, places=places)
        return score_frame(
            self.models,
            self.evaluation.keys,
            estimate=self.point,
            standard_error=self.standard_error(),
            ci_low=interval.low,
            ci_high=interval.high,
            n_undefined=self.n_undefined,
            method=interval.method,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return `confidence_interval` with its defaults."""
        return self.confidence_interval()

    def score_interval(self, method: IntervalMethod, confidence_level: float) -> Interval:
        """Compute intervals of the models' values, of shape (n_models, n_values)."""
        interval = intervals_around(Contrasts(self, None), method, confidence_level)
        if not METHODS[method].chooses:
            self._warn_of_stand_ins(interval, method)
        warn_of_no_width(Contrasts(self, None), interval, method)
        return interval

    def difference_interval(
        self, model_a: IntArray, model_b: IntArray, method: IntervalMethod, confidence_level: float
    ) -> Interval:
        """Compute intervals of paired differences a - b, of shape (n_pairs, n_values).

        Parameters
        ----------
        model_a, model_b : ndarray of int of shape (n_pairs,)
            Positions of the models of each pair.
        method, confidence_level
            As in `confidence_interval`. If a method is not defined for differences, BCa is used and
            named in `Interval.method`.
        """
        return intervals_around(Contrasts(self, (model_a, model_b)), method, confidence_level)

    def warn_of_undefined(self) -> None:
        """Warn of metrics, classes and models that are undefined on some resamples."""
        if self.n_resamples == 0:
            return
        for position, key in enumerate(self.evaluation.keys):
            undefined = self.n_undefined[:, position]
            worst = int(undefined.argmax())
            if undefined[worst] == 0:
                continue
            share = f"{max(undefined[worst] / self.n_resamples, 0.001):.1%}"
            less = "less than " * bool(undefined[worst] < 0.001 * self.n_resamples)
            left = more(model=int(np.count_nonzero(undefined)) - 1)
            others = f" (and of {left})" if left else ""
            where = "" if key.label is None else f" of class {key.label!r}"
            warn_caller(
                f"{key.metric}{where} is undefined on {less}{share} of the "
                f"resamples of {self.models[worst]!r}{others}; intervals that resample use the "
                "others.",
                UndefinedMetricWarning,
            )

    def _warn_of_stand_ins(self, interval: Interval, method: IntervalMethod) -> None:
        """Warn of values for which another method than `method` was used."""
        defined = ~np.isnan(self.point)
        for model, position in np.argwhere(defined & (interval.method != method)):
            key = self.evaluation.keys[position]
            where = "" if key.label is None else f" of class {key.label!r}"
            used = interval.method[model, position]
            reason = (
                "its value is at a bound); it has width 0."
                if used == "none"
                else f"its replicates lie on one side of the estimate); the {used} interval "
                "is used instead."
            )
            warn_caller(
                f"the {method} interval of {key.metric}{where} of {self.models[model]!r} cannot be "
                f"computed ({reason}",
                UserWarning,
            )
