"""Evidence about models on one test set: values, differences, and test outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.standings import ranks
from modelcompare.data.sizes import n_seen
from modelcompare.engine.axis import ValueKey
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.pairs import pair_differences
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.intervals import Interval, intervals_around, resampled
from modelcompare.metrics import AnyMetric
from modelcompare.significance.studentized import of_exchangeability
from modelcompare.words import Correction, Family, IntervalMethod

# Interval methods that use replicates.
RESAMPLED = frozenset(row.name for row in resampled.ROWS)
# Levels of inner intervals.
_GRADES = (0.8, 0.5)


@dataclass(frozen=True)
class Evidence:
    """Values of models on one test set, their paired differences, and tests of the differences.

    Attributes
    ----------
    bootstrap : BootstrapResult
        Values and replicates, for other intervals without new draws.
    pairs : tuple of ndarray of int of shape (n_pairs,)
        Positions of the models of each pair; differences are a - b.
    score_interval : Interval
        Bounds of shape (n_models, n_values).
    difference_interval : Interval
        Bounds of shape (n_pairs, n_values), not corrected.
    p_values, p_adjusted : ndarray of shape (n_pairs, n_values)
        P-values of the paired test, before and after correction.
    method, test, correction, family, baseline, alpha
        As given to `compare`.
    tests_used, corrections_used : dict of str to str
        Test, and correction, used instead of the requested one, by metric.
    rng_label : str
        Name of the seed, if it has one.
    warned : tuple of str
        Texts of warnings about intervals in doubt, and too few samples or resamples for tests.
    clipped : tuple of str
        Note on an infinite log loss, if it is.
    few : tuple of str
        Notes on values that few samples determine, and on classes hardly predicted.
    left_out : tuple of str
        Reasons why metrics are not among those compared by default.
    n_swaps : int
        Number of resamples, or swaps, that the test has drawn.
    ways : ndarray of str of shape (n_pairs, n_values), optional
        How the swaps of each p-value were taken, as in `significance.Outcome`.
    n_groups : int
        Number of groups, or test sets, for which p-values are corrected together.
    """

    bootstrap: BootstrapResult = field(repr=False)
    pairs: tuple[IntArray, IntArray] = field(repr=False)
    score_interval: Interval = field(repr=False)
    difference_interval: Interval = field(repr=False)
    p_values: FloatArray = field(repr=False)
    p_adjusted: FloatArray = field(repr=False)
    method: IntervalMethod
    test: str
    tests_used: Mapping[str, str] = field(repr=False)
    correction: Correction
    corrections_used: Mapping[str, str] = field(repr=False)
    family: Family
    baseline: str | None
    alpha: float
    rng_label: str
    warned: tuple[str, ...] = field(default=(), repr=False)
    clipped: tuple[str, ...] = field(default=(), repr=False)
    few: tuple[str, ...] = field(default=(), repr=False)
    left_out: tuple[str, ...] = field(default=(), repr=False)
    n_swaps: int = field(default=0, repr=False)
    ways: AnyArray | None = field(default=None, repr=False)
    n_groups: int = 1

    @property
    def keys(self) -> Sequence[ValueKey]:
        """Metric and class of each value."""
        return self.bootstrap.evaluation.keys

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return self.bootstrap.models

    @property
    def metric_info(self) -> dict[str, AnyMetric]:
        """The metrics by name: their direction, bounds and other properties."""
        return {metric.name: metric for metric in self.bootstrap.evaluation.metrics}

    @property
    def upwards(self) -> dict[str, bool | None]:
        """True for each metric of which higher is better; None if that is not known."""
        return {name: metric.greater_is_better for name, metric in self.metric_info.items()}

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in the order given."""
        return tuple(self.metric_info)

    @property
    def n_samples(self) -> int:
        """Number of samples; of several runs, of the results of the model with most."""
        return n_seen(self.bootstrap.evaluation.predictions)

    @property
    def size(self) -> str:
        """Number of samples, or of items and runs, in words."""
        return self.bootstrap.design.written_size()

    @property
    def n_resamples(self) -> int:
        """Number of resamples, or of swaps where none are drawn."""
        return self.bootstrap.n_resamples or self.n_swaps

    @cached_property
    def direction(self) -> FloatArray:
        """-1 for each value of which lower is better, 1 for the others: (n_values,)."""
        found = self.metric_info
        lower = [found[key.metric].greater_is_better is False for key in self.keys]
        return np.where(lower, -1.0, 1.0)

    @cached_property
    def directed(self) -> BoolArray:
        """True for each value of which the better direction is known: (n_values,)."""
        found = self.metric_info
        return np.array([found[key.metric].greater_is_better is not None for key in self.keys])

    def of_merit(self, array: AnyArray) -> AnyArray:
        """Return numbers whose last axis is values, NaN where merit is not defined.

        Those of values of any direction are as they are.
        """
        return array if self.directed.all() else np.where(self.directed, array, np.nan)

    @property
    def point(self) -> FloatArray:
        """Values on the test set, of shape (n_models, n_values)."""
        return self.bootstrap.point

    @cached_property
    @one_blas_thread()
    def graded_intervals(self) -> dict[float, Interval]:
        """Intervals of the models' values by level, widest first, without new draws."""
        scores = Contrasts(self.bootstrap, None)
        inner = [level for level in _GRADES if level < self.confidence_level]
        return {self.confidence_level: self.score_interval} | {
            level: intervals_around(scores, self.method, level) for level in inner
        }

    @cached_property
    @one_blas_thread()
    def error(self) -> FloatArray:
        """Standard errors of the differences, of shape (n_pairs, n_values)."""
        return self.bootstrap.standard_error(self.pairs)

    @cached_property
    def difference(self) -> FloatArray:
        """Differences a - b, of shape (n_pairs, n_values)."""
        return pair_differences(self.point, *self.pairs)

    @cached_property
    def row_of(self) -> IntArray:
        """Row of the pair of two models, in either order, of shape (n_models, n_models)."""
        a, b = self.pairs
        rows = np.zeros((len(self.models),) * 2, dtype=np.intp)
        rows[a, b] = rows[b, a] = np.arange(len(a))
        return rows

    @property
    def confidence_level(self) -> float:
        """Level of the intervals, two-sided and rounded because of 1 - alpha."""
        return round(1 - self.alpha, 12)

    @cached_property
    def ranks(self) -> IntArray:
        """Rank of each model, 1 for the best or the highest, of shape (n_models, n_values)."""
        return ranks(self.point * self.direction)

    @cached_property
    def order(self) -> IntArray:
        """Models from best to worst, or from the highest on, of shape (n_models, n_values)."""
        return np.argsort(self.ranks, axis=0, kind="stable")

    @property
    def tests(self) -> dict[str, str]:
        """The test of each metric."""
        return {name: self.tests_used.get(name, self.test) for name in self.metrics}

    @cached_property
    def by_interval(self) -> BoolArray:
        """True for values whose p-values are of exchangeable models: (n_values,).

        Models of equal values need not be exchangeable, so intervals decide about differences.
        """
        used = self.tests
        found = {
            name: of_exchangeability(metric, self.test, used[name])
            for name, metric in self.metric_info.items()
        }
        return np.array([found[key.metric] for key in self.keys], dtype=bool)

    @cached_property
    def sameness(self) -> list[tuple[float, float]]:
        """Sorting key of each value, small where models differ.

        The smallest p-value, then the largest difference over its standard error, negated.
        """
        if not len(self.p_adjusted):
            return [(1.0, 0.0)] * len(self.keys)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.nan_to_num(np.abs(self.difference) / self.error, posinf=np.inf)
        least = np.nan_to_num(self.p_adjusted, nan=1.0).min(axis=0)
        return [*zip(least.tolist(), (-times.max(axis=0)).tolist(), strict=True)]

    def slice_of(self, metric: str) -> slice:
        """Return the columns of a metric's values."""
        return self.bootstrap.evaluation.metric_slice(metric)

    @cached_property
    def family_sizes(self) -> dict[str, int]:
        """Number of tests that are corrected together: by metric, or of all metrics under "all"."""
        tested, n_groups = ~np.isnan(self.p_values), self.n_groups
        if self.family == "all":
            return {"all": n_groups * int(tested.sum())}
        return {n: n_groups * int(tested[:, self.slice_of(n)].sum()) for n in self.metrics}

    def n_tests(self, metric: str) -> int:
        """Return the number of tests that a metric's p-values are corrected for; 1 if none."""
        sizes = self.family_sizes
        return 1 if self.correction == "none" else max(1, sizes.get(metric, sizes.get("all", 1)))


def winners(
    models: Sequence[str], a: IntArray, b: IntArray, a_leads: BoolArray, significant: BoolArray
) -> AnyArray:
    """Return the name of the better model where the difference is significant, else None."""
    names = np.array(models, dtype=object)
    better = np.where(a_leads, names[a][:, None], names[b][:, None])
    return np.where(significant, better, np.array(None))


def places_of(evidence: Evidence, metric: str) -> range:
    """Return the positions of a metric's values."""
    return range(len(evidence.keys))[evidence.slice_of(metric)]


def by_difference(evidence: Evidence, places: Sequence[int], most: int) -> list[int]:
    """Order more than `most` values by how much models differ, most first; else keep the order."""
    return sorted(places, key=evidence.sameness.__getitem__ if len(places) > most else None)
