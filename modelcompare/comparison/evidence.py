"""Evidence about models on one test set: values, differences, and what the tests show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.comparison.standings import ranks
from modelcompare.engine.axis import ValueKey
from modelcompare.engine.contrasts import pair_differences
from modelcompare.report.compared import sameness
from modelcompare.words import Family


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """Direction and range of a metric, for tables and figures."""

    greater_is_better: bool
    bounds: tuple[float, float]
    per_class: bool


@dataclass(frozen=True)
class Evidence:
    """Values of models, their paired differences, and the tests of these, as arrays.

    Attributes
    ----------
    keys : sequence of ValueKey
        Metric and class of each value.
    models : tuple of str
        The models, in the order given.
    point : ndarray of shape (n_models, n_values)
        Values on the test set.
    direction : ndarray of shape (n_values,)
        1 where greater is better, -1 elsewhere.
    a, b : ndarray of int of shape (n_pairs,)
        Positions of the models of each pair; differences are a - b.
    error : ndarray of shape (n_pairs, n_values)
        Standard errors of the differences.
    low, high : ndarray of shape (n_pairs, n_values)
        Intervals of the differences, each by itself.
    p, p_adjusted : ndarray of shape (n_pairs, n_values)
        P-values before and after correction.
    alpha, confidence_level, correction, family, baseline
        As given to `compare`.
    n_samples, n_resamples : int
        Size of the test set, and number of resamples.
    """

    keys: Sequence[ValueKey]
    models: tuple[str, ...]
    point: FloatArray
    direction: FloatArray
    a: IntArray
    b: IntArray
    error: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray
    p_adjusted: FloatArray
    alpha: float
    confidence_level: float
    correction: str
    family: Family
    baseline: str | None
    n_samples: int
    n_resamples: int

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in the order given."""
        return tuple(dict.fromkeys(key.metric for key in self.keys))

    @cached_property
    def difference(self) -> FloatArray:
        """Differences a - b, of shape (n_pairs, n_values)."""
        return pair_differences(self.point, self.a, self.b)

    @cached_property
    def row_of(self) -> IntArray:
        """Row of the pair of two models, in either order, of shape (n_models, n_models)."""
        rows = np.zeros((len(self.models),) * 2, dtype=np.intp)
        rows[self.a, self.b] = rows[self.b, self.a] = np.arange(len(self.a))
        return rows

    @property
    def level(self) -> float:
        """Error rate of the intervals, rounded because 1 - 0.95 is more than 0.05."""
        return round(1 - self.confidence_level, 12)

    @cached_property
    def ranks(self) -> IntArray:
        """Rank of each model, 1 for the best, of shape (n_models, n_values)."""
        return ranks(self.point * self.direction)

    @cached_property
    def order(self) -> IntArray:
        """Models from best to worst, of shape (n_models, n_values)."""
        return np.argsort(self.ranks, axis=0, kind="stable")

    @cached_property
    def better(self) -> BoolArray:
        """Mark where model i is significantly better than j: (n_values, n_models, n_models)."""
        n_models = len(self.models)
        signed = self.difference.T * self.direction[:, None]
        shown = (self.p_adjusted < self.alpha).T
        out = np.zeros((len(self.direction), n_models, n_models), dtype=bool)
        out[:, self.a, self.b] = shown & (signed > 0)
        out[:, self.b, self.a] = shown & (signed < 0)
        return out

    @property
    def winner(self) -> AnyArray:
        """Name of the significantly better model, None elsewhere: (n_pairs, n_values)."""
        a_leads = self.difference * self.direction > 0
        return winners(self.models, self.a, self.b, a_leads, self.p_adjusted < self.alpha)

    @property
    def sameness(self) -> list[tuple[float, float]]:
        """Sorting key of each value, small where models differ most."""
        columns = zip(self.difference.T, self.error.T, self.p_adjusted.T, strict=True)
        return [sameness(*column) for column in columns]

    def slice_of(self, metric: str) -> slice:
        """Columns of a metric's values."""
        places = [place for place, key in enumerate(self.keys) if key.metric == metric]
        return slice(places[0], places[-1] + 1)

    @property
    def family_sizes(self) -> dict[str, int]:
        """Count the tests that are corrected together: by metric, or of all under "all"."""
        tested = ~np.isnan(self.p)
        if self.family == "all":
            return {"all": int(tested.sum())}
        return {name: int(tested[:, self.slice_of(name)].sum()) for name in self.metrics}

    def n_tests(self, metric: str) -> int:
        """Count the tests that a metric's p-values are corrected for; 1 if they are not."""
        if metric not in self.metrics:
            names = ", ".join(self.metrics)
            raise ValueError(f"metric {metric!r} was not compared; there are {names}.")
        sizes = self.family_sizes
        return 1 if self.correction == "none" else max(1, sizes.get(metric, sizes.get("all", 1)))


def winners(
    models: Sequence[str], a: IntArray, b: IntArray, a_leads: BoolArray, significant: BoolArray
) -> AnyArray:
    """Name the better model of each pair and value where the difference is significant."""
    names = np.array(models, dtype=object)
    better = np.where(a_leads, names[a][:, None], names[b][:, None])
    return np.where(significant, better, np.array(None))
