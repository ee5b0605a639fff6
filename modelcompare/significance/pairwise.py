"""Paired tests: their row in `TESTS`, their outcome, and the view of pairs that they receive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs, pair_carriers, satterthwaite
from modelcompare.engine.joined import JoinedUnits
from modelcompare.engine.memory import check_pairs
from modelcompare.metrics.base import AnyMetric, CallableMetric
from modelcompare.resampling.weights import BootstrapWeights, SwapMasks, Units
from modelcompare.significance.extreme import n_extreme
from modelcompare.words import PAIRED_TESTS, Alternative, Need
from modelcompare.works import Phrase


def all_pairs(n_models: int) -> tuple[IntArray, IntArray]:
    """Return the positions of the two models of every pair, in the models' order.

    Examples
    --------
    >>> [positions.tolist() for positions in all_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]

    Raises
    ------
    ValueError
        If the results of all pairs would not fit into memory.
    """
    check_pairs(n_models * (n_models - 1) // 2, 1)
    model_a, model_b = np.triu_indices(n_models, k=1)
    return model_a, model_b


def check_smooth(metric: AnyMetric, instead: str) -> None:
    """Refuse a metric whose errors influence functions do not describe, and name other tests."""
    if metric.smooth:
        return
    what, remedy = "is not smooth, so influence functions do not describe it", f"use {instead}"
    if isinstance(metric, CallableMetric):
        what = "is a function that is not known to be smooth, so influence functions may not "
        what += "describe it"
        remedy += ", or declare it: modelcompare.metrics.from_callable(function, smooth=True)"
    raise ValueError(f"metric {metric.name!r} {what}; {remedy}.")


@dataclass(frozen=True)
class PairView(Contrasts):
    """Differences of pairs of models, and the numbers that tests need, computed on first use.

    Parameters
    ----------
    sample, pairs
        As in `Contrasts`; resamples, swaps and signs are drawn from the sample's seed.
    n_resamples : int
        Resamples, swaps or sign flips to draw.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is greater than b.
    enumerate_swaps : bool
        Enumerate all swaps instead of drawing random ones if there are at most `n_resamples`; for a
        single pair.
    steps : bool
        Count the step-down of drawn swaps with the test, as a correction will need it.
    """

    pairs: Pairs
    n_resamples: int
    alternative: Alternative = "two-sided"
    enumerate_swaps: bool = False
    steps: bool = False

    def of_metrics(self, metrics: Sequence[AnyMetric]) -> PairView:
        """Return a view of some metrics, on a separate sample."""
        alone = Evaluation(self.evaluation.predictions, metrics, collapse=False)
        weights = BootstrapWeights(alone.units, self.n_resamples, self.seed)
        sample = Sample(alone, weights, self.sample.design)
        return PairView(sample, self.pairs, self.n_resamples, self.alternative)

    @property
    def model_a(self) -> IntArray:
        """Positions of the pairs' first models."""
        return self.pairs[0]

    @property
    def model_b(self) -> IntArray:
        """Positions of the models that are subtracted."""
        return self.pairs[1]

    @property
    def seed(self) -> np.random.SeedSequence:
        """Seed of swaps and signs."""
        return self.sample.weights.seed

    @cached_property
    def masks(self) -> SwapMasks:
        """Random swaps, or signs, of all units."""
        return SwapMasks(self.evaluation.units, self.n_resamples, self.seed)

    def swaps_of(self, joined: JoinedUnits) -> SwapMasks:
        """Return all swaps of units, or of groups, if few and requested; else random ones."""
        if self.enumerate_swaps:
            movable = joined.groups_of(self.movable)
            if 2 ** len(movable) <= self.n_resamples:
                return SwapMasks(joined.units, 2 ** len(movable), self.seed, movable)
        return self.masks_of(joined.units)

    def masks_of(self, units: Units) -> SwapMasks:
        """Return random swaps of units."""
        same = units is self.evaluation.units
        return self.masks if same else SwapMasks(units, self.n_resamples, self.seed)

    @cached_property
    def movable(self) -> IntArray:
        """Units on which models differ in their outputs; every cluster counts as one."""
        predictions = self.evaluation.predictions
        if predictions.groups is not None:
            return np.arange(self.evaluation.units.n_units)
        models = [predictions.models[i] for i in {*self.model_a.tolist(), *self.model_b.tolist()}]
        first, *others = (predictions.output(model).array for model in models)
        moves = [(first != other).reshape(len(first), -1).any(axis=1) for other in others]
        return np.flatnonzero(np.any(moves, axis=0))

    @cached_property
    def degrees_of_freedom(self) -> FloatArray:
        """Effective degrees of freedom of the errors, of shape (n_pairs, n_values)."""
        if self.sample.design.beyond_items:
            return self.degrees
        n, every = self.evaluation.units.size, np.arange(len(self.evaluation.keys))
        carriers = pair_carriers(self.evaluation, self.sample.point, self.pairs, every)
        return np.clip(satterthwaite(carriers, n), 1.0, n - 1.0)

    @cached_property
    def _scale(self) -> FloatArray:
        size = np.abs(self.sample.point)
        return size[self.model_a] + size[self.model_b]

    def count_extreme(
        self, null: FloatArray, pairs: slice = slice(None), values: slice = slice(None)
    ) -> IntArray:
        """Count the null differences (n_resamples, n_pairs, n_values) as extreme as the data."""
        observed, scale = self.estimate[pairs, values], self._scale[pairs, values]
        return n_extreme(null, observed, self.alternative, scale=scale)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a test for each pair and value.

    Attributes
    ----------
    statistic, p_value : ndarray of shape (n_pairs, n_values)
        Statistic of the test (the difference for resampling tests), and p-value.
    n_resamples : int
        Number of resamples drawn or enumerated; 0 for tests without resamples.
    exact : bool
        Whether the p-values have no Monte-Carlo error.
    floor : ndarray of shape (n_pairs, n_values), optional
        The smallest possible p-value.
    used : dict of str to str
        For each metric the test that was used, if it is not the requested one.
    step_down : dict of str to callable
        For each metric whose pairs and classes share their swaps, a function that returns the
        two-sided p-values adjusted by step-down: of all its values, or of those at given positions.
    ways : ndarray of str of shape (n_pairs, n_values), optional
        How swaps or signs were taken: "mid-p" (all counted, ties half), "counted" (in full),
        "signs" (by the law of a sum of signs), "integrated" or "drawn"; None for tests without.
    """

    statistic: FloatArray
    p_value: FloatArray
    n_resamples: int = 0
    exact: bool = True
    floor: FloatArray | None = None
    used: Mapping[str, str] = field(default_factory=dict)
    step_down: Mapping[str, Callable[..., FloatArray]] = field(default_factory=dict, repr=False)
    ways: AnyArray | None = None

    @classmethod
    def of_one(
        cls, statistic: float, p_value: float, n_resamples: int = 0, *, exact: bool = True
    ) -> Outcome:
        """Make the outcome for one pair and one value."""
        return cls(np.array([[statistic]]), np.array([[p_value]]), n_resamples, exact)


@dataclass(frozen=True, slots=True)
class PairTest:
    """One test, as a row of `TESTS`.

    Attributes
    ----------
    name : str
        Name of the test.
    compute : callable
        Function that returns the outcome for the pairs of a view.
    needs : str
        Requirements on metric and data; empty if there are none.
    alternatives : tuple of str
        Alternatives that it accepts.
    smooth : bool
        Whether metrics must be smooth.
    by_sample : bool
        Whether it reads single samples, so that equal rows must not be merged.
    reads : {"rows", "units", "sums"}
        Its input: all samples of one pair and value ("rows"); or, for any number of pairs and
        values, the numbers of all units at once ("units") or sums over blocks of units ("sums").
    phrase : Phrase
        Name of the test in a paper, and the works to cite; {n} is the number of resamples.
    few_ways : str
        Why no p-value may be below alpha, where all ways to exchange are few; empty for others.
    note : callable, optional
        Function that returns a note on the null hypothesis: ``note(predictions, pairs, n_resamples,
        alternative)``.
    """

    name: str
    compute: Callable[[PairView], Outcome]
    needs: str = ""
    alternatives: tuple[Alternative, ...] = ("two-sided", "greater", "less")
    smooth: bool = False
    by_sample: bool = False
    reads: Need = "units"
    phrase: Phrase = ("", ())
    few_ways: str = ""
    note: Callable[[TestSet, Pairs, int, Alternative], str] | None = None

    @property
    def when(self) -> str:
        """Advice in one line: the cases for which to choose this test."""
        return PAIRED_TESTS[self.name]

    def check(self, metrics: Sequence[AnyMetric]) -> None:
        """Refuse metrics that the test does not describe."""
        for metric in metrics if self.smooth else ():
            check_smooth(metric, "'permutation' or 'bootstrap'")
