"""The default paired test: swaps of two models' outputs, with a new standard error after each.

For a value that is a quotient N / D of each model, the pooled quotient
``F0 = (N_a + N_b) / (D_a + D_b)`` is the same after every swap. Sample i (or cluster, and with its
weight) adds

    d_i = (N_ia - F0 D_ia) / D_a - (N_ib - F0 D_ib) / D_b

to the difference of the values: their sum is the difference. The statistic is
``t = sum d / sqrt(sum d^2)``, recomputed for the data set of each swap. Its distribution over all
swaps is that of the data under exchangeable models, for any number of samples; where only the
values are equal (one model precise, the other with high recall) the test is right in the limit,
since t is studentized (Janssen 1997; Chung and Romano 2013). The error is 0 only where the
difference is. For an average over
classes d_i is the average over the classes; for other smooth metrics (MCC, kappa, R2, BLEU) it is
the influence of the sample, from the slopes of the value at the totals of each swapped data set. In
a stratified design ``sum d^2`` is the sum over strata h of ``n_h / (n_h - 1)`` times the squares
around the mean of h, recomputed for each swap: the design fixes the sizes of the strata, so
differences between them are not random (`significance.strata`).

The algorithm depends on the metric:

- one class's quotient of hard counts, or accuracy: all swaps counted (`significance.exact`);
- other sums: without draws where that is possible (`significance.known`), or drawn swaps of

  - a mean without two bounds, of independent samples: `Mean`, less its skewness;
  - other quotients: `Quotient`;
  - averages over classes and smooth metrics: `Form`;

- the calibration error that declares a quantity without bias and its variance, of independent
  samples of equal weight: `Contrast`;
- other sums with a corner (ECE), with too many slopes, or averages too large: the difference
  itself, not studentized; the outcome names it. Its null hypothesis is that the models are
  exchangeable;
- the ROC AUC of two classes, of equal samples: `SwappedAreas`;
- functions, and metrics of order that are not smooth (a median): `SwappedOutputs` evaluates them
  after each swap, and divides the differences by their own standard deviation; `inverted` has the
  p-value of a quantile;
- smooth metrics of order (Spearman, average precision, an AUC of clusters, weights, strata or very
  many samples and models) have no totals to swap: the sign-flip test of their influences is used,
  and the outcome names it.

With more than 65,536 samples or clusters, or 8,192 where swaps are drawn, fixed random groups of
them swap together: a subgroup of all swaps, so the test stays exact for exchangeable models
(`engine.joined`).

If the models of a pair differ on at most 13 samples all swaps are counted; of functions, if these
are no more than `n_resamples`. Counted swaps that equal the
data count half (mid-p) unless models differ on more than nine tenths of the samples. Of drawn ones
p = (1 + number as extreme) / (1 + n_resamples).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.joined import JoinedUnits
from modelcompare.metrics.base import AnyMetric, CallableMetric, Metric
from modelcompare.metrics.quantiles import is_quantile
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.exact import Grids, is_exact
from modelcompare.significance.extreme import resampling_p, smallest_p_value, ties_count_half
from modelcompare.significance.flipped import sign_flip
from modelcompare.significance.known import DRAWN, SIGNS, WAYS, Known, way_of
from modelcompare.significance.pairwise import Outcome, PairTest, PairView
from modelcompare.significance.step_down import Steps, step_down_exact, step_down_swaps
from modelcompare.significance.swaps.areas import SwappedAreas, areas_apply
from modelcompare.significance.swaps.differences import Contrast, plain_difference
from modelcompare.significance.swaps.forms import Form
from modelcompare.significance.swaps.means import Mean
from modelcompare.significance.swaps.outputs import SwappedOutputs
from modelcompare.significance.swaps.ratio import Quotient
from modelcompare.significance.swaps.signs import FEW_UNITS
from modelcompare.significance.swaps.slopes import forms_apply
from modelcompare.significance.swaps.statistic import Asked, SwapStatistic, UnitSwaps
from modelcompare.significance.swaps.sums import SwappedSums
from modelcompare.words import Alternative
from modelcompare.works import CHUNG, DANIELS, HALL, JANSSEN, PHIPSON, ROBINSON

Algorithm = Literal[
    "exact", "mean", "quotient", "form", "contrast", "area", "raw", "output", "flip"
]  # fmt: skip
# The statistic of swaps that are drawn, for metrics of the evaluation's units.
_STATISTICS: Mapping[Algorithm, Callable[..., SwapStatistic]] = {
    "exact": partial(SwappedSums, formula=Quotient),
    "mean": partial(SwappedSums, formula=Mean),
    "quotient": partial(SwappedSums, formula=Quotient),
    "form": partial(SwappedSums, formula=Form),
    "contrast": partial(SwappedSums, formula=Contrast),
    "area": SwappedAreas,
    "raw": partial(SwappedSums, formula=plain_difference),
}
# Algorithms whose units never swap in groups.
_ONE_BY_ONE = ("exact", "output", "flip")
# Tests that replace this one.
_USED: Mapping[Algorithm, str] = {"flip": "sign-flip", "raw": "permutation"}
NAME = "studentized-permutation"


def studentized_permutation(view: PairView) -> Outcome:
    """Test all pairs of models in all values; see the module docstring."""
    evaluation = view.evaluation
    algorithms = {metric: algorithm_of(evaluation, metric) for metric in evaluation.metrics}
    quotients = tuple(metric for metric, algorithm in algorithms.items() if algorithm == "quotient")
    # All quotients share the same swaps.
    together = {
        quotients if metric in quotients else (metric,): algorithm
        for metric, algorithm in algorithms.items()
    }
    drawn, ways = False, np.full(view.estimate.shape, DRAWN)
    p_values, floor = np.full((2, *view.estimate.shape), np.nan)
    step_down: dict[str, Callable[..., FloatArray]] = {}
    for metrics, algorithm in together.items():
        where = np.r_[tuple(evaluation.metric_slice(metric.name) for metric in metrics)]
        compute = {"flip": _flipped, "exact": _counted}.get(algorithm, _swapped)
        part = compute(view, metrics)
        p_values[:, where], floor[:, where] = part.p_value, part.floor
        # Undefined values have no way.
        ways[:, where] = np.nan_to_num(part.way, nan=DRAWN)
        step_down |= part.step_down if view.alternative == "two-sided" else {}
        drawn |= part.drawn
    p_values = np.where(np.isnan(view.estimate), np.nan, p_values)
    if view.alternative == "two-sided":
        # Values that are equal except for rounding: every swap is as extreme.
        p_values = np.where(view.estimate == 0, 1.0, p_values)
    used = {
        metric.name: _USED[algorithm]
        for metric, algorithm in algorithms.items()
        if algorithm in _USED
    }
    n_drawn = view.n_resamples if drawn else 0
    return Outcome(
        view.estimate, p_values, n_drawn, not drawn, floor, used, step_down, WAYS[ways]
    )  # fmt: skip


class _Part(NamedTuple):
    """p-values, their floor and way, (n_pairs, n_values), and the step-down of each metric."""

    p_value: FloatArray
    floor: FloatArray
    way: AnyArray
    step_down: dict[str, Callable[..., FloatArray]]
    drawn: bool


def _flipped(view: PairView, metrics: Sequence[AnyMetric]) -> _Part:
    """Flip signs of influences, for a metric whose swaps have no totals."""
    outcome = sign_flip(view.of_metrics(metrics))
    assert outcome.floor is not None  # noqa: S101  signs have one
    way = np.where(outcome.ways == WAYS[DRAWN], DRAWN, SIGNS)
    return _Part(outcome.p_value, outcome.floor, way, {}, drawn=not outcome.exact)


def _counted(view: PairView, metrics: Sequence[Any]) -> _Part:
    """Count all swaps, for a metric for which `is_exact`."""
    grids, shape = Grids(view.evaluation, metrics[0], view.pairs), (len(view.model_a), -1)
    p_values = grids.p_values(view.alternative).reshape(shape)
    differ = grids.discordant.sum(axis=1)
    floor = smallest_p_value(differ, view.alternative, half=grids.half).reshape(shape)
    step = partial(step_down_exact, grids, view.masks)
    way = way_of(grids.half).reshape(shape)
    return _Part(p_values, floor, way, {metrics[0].name: step}, drawn=False)


def _swapped(view: PairView, metrics: Sequence[Any]) -> _Part:
    """Draw swaps, for metrics that share a statistic."""
    statistic = _statistic(view, metrics)
    known = Known.of(statistic, view.alternative)
    # Of a metric with several values some are chosen later.
    stepped = view.steps and len(metrics) == 1 and not metrics[0].per_class
    found, step, drawn = _completed(
        view, metrics, statistic, known, stepped=stepped and view.alternative == "two-sided"
    )
    # Numbers of the units are released, and a later step-down computes them again; outputs are
    # kept, as a function of the user has made them.
    kept = statistic if isinstance(statistic, SwappedOutputs) else None
    step_down: dict[str, Callable[..., FloatArray]] = {}
    start = 0
    for metric, width in zip(metrics, _widths(view, metrics), strict=True):
        of_metric = found.of_values(slice(start, start := start + width))
        step_down[metric.name] = partial(_stepped_down, view, metric, kept, of_metric, step)
    return _Part(*found, step_down, drawn)


def _widths(view: PairView, metrics: Sequence[AnyMetric]) -> list[int]:
    """Return numbers of values of metrics."""
    places = [view.evaluation.metric_slice(metric.name) for metric in metrics]
    return [place.stop - place.start for place in places]


def _statistic(view: PairView, metrics: Sequence[Any], *, drawn: bool = False) -> SwapStatistic:
    """Return the statistic of swaps that metrics share; of groups where these are drawn."""
    if algorithm_of(view.evaluation, metrics[0]) == "output":
        return SwappedOutputs(view, metrics[0])
    return swap_statistic(view.evaluation, metrics, view.pairs, drawn=drawn)


def _stepped_down(
    view: PairView,
    metric: AnyMetric,
    kept: SwapStatistic | None,
    known: Known,
    counted: Callable[..., FloatArray] | None,
    chosen: slice | IntArray = slice(None),
    *,
    beside_known: bool = False,
) -> FloatArray:
    """Return step-down p-values of a metric, by the swaps of the test.

    Swaps are of all values, or of those without a known p-value; `counted` returns the latter
    where they were counted with the test.
    """
    drawn = (known.way == DRAWN) | np.isnan(known.p_value)
    if counted is not None and (beside_known or drawn.all()):
        return counted(chosen)
    statistic = kept or _statistic(view, [metric], drawn=True)
    p_value, floor = (np.where(drawn, np.nan, part) for part in known[:2])
    apart = (p_value, floor) if beside_known else None
    return step_down_swaps(statistic, view.masks_of(statistic.units), chosen, apart)


def algorithm_of(evaluation: Evaluation, metric: AnyMetric) -> Algorithm:
    """Return the algorithm that evaluates a metric's swaps."""
    if not isinstance(metric, Metric):
        if isinstance(metric, CallableMetric) or not metric.smooth:
            return "output"
        return "area" if areas_apply(evaluation, metric) else "flip"
    metric = evaluation.valued(metric)
    if is_exact(evaluation, metric):
        return "exact"
    if Mean.applies(evaluation, metric):
        return "mean"
    if metric.average is None and metric.ratio is not None:
        return "quotient"
    independent = evaluation.access.plain and evaluation.units.strata is None
    if metric.contrast is not None and independent:
        return "contrast"
    return "form" if forms_apply(evaluation, metric) else "raw"


def of_exchangeability(metric: AnyMetric, test: str, used: str) -> bool:
    """Return True if a test of a metric, or the one used instead, is only of exchangeable models.

    They are more than models of equal values. Who names the plain permutation test for a value that
    has a studentized one asks for it.
    """
    if used not in (NAME, "permutation"):
        return False
    declared = is_quantile(metric) or (isinstance(metric, Metric) and metric.contrast is not None)
    return used != test or not (metric.smooth or (used == NAME and declared))


def n_groups(evaluation: Evaluation, test: str, ways: AnyArray | None) -> int | None:
    """Return how many groups of units a test swaps; None where units swap one by one.

    Without the ways of its values (n_pairs, n_values) all are drawn.
    """
    if test not in (NAME, "permutation") or not JoinedUnits.are_many(evaluation, drawn=True):
        return None
    drawn = [
        ways is None or bool((ways[:, evaluation.metric_slice(metric.name)] == WAYS[DRAWN]).any())
        for metric in evaluation.metrics
        if (algorithm_of(evaluation, metric) not in _ONE_BY_ONE if test == NAME
            else isinstance(metric, Metric))
    ]  # fmt: skip
    joined = JoinedUnits.of(evaluation, drawn=any(drawn))
    return joined.units.n_units if drawn and joined.joined else None


def swap_statistic(
    evaluation: Evaluation, metrics: Sequence[AnyMetric], pairs: Pairs, *, drawn: bool = False
) -> SwapStatistic:
    """Return the statistic of swaps, for metrics of one algorithm; of groups where drawn."""
    make = _STATISTICS[algorithm_of(evaluation, metrics[0])]
    return make(evaluation, metrics, pairs, drawn=drawn)


def _completed(
    view: PairView, metrics: Sequence[Any], statistic: SwapStatistic, known: Known, *,
    stepped: bool,
) -> tuple[Known, Callable[..., FloatArray] | None, bool]:  # fmt: skip
    """Complete p-values by drawn swaps, or by all where these are few.

    With `stepped`, the step-down of drawn swaps comes with them. The last result is True if any are
    drawn.
    """
    observed, n_drawn, alternative = statistic.observed, view.n_resamples, view.alternative
    left = np.isnan(known.p_value) & ~np.isnan(observed)
    if not left.any():
        return known, None, False
    found, step = np.stack(known), None
    open_pairs: BoolArray = np.asarray(left.any(axis=1))
    # A function is not evaluated more often than asked for.
    most = FEW_UNITS if isinstance(statistic, SwappedSums) else n_drawn.bit_length() - 1
    count, units = statistic.movable(most + 2)
    few = {
        pair: of_pair
        for pair, of_pair in enumerate(units)
        if of_pair is not None and len(of_pair) <= most and open_pairs[pair]
    }
    for pair, moving in few.items():
        every, pairs = SwapMasks(statistic.units, 2 ** len(moving), view.seed, moving), [pair]
        part = _of_all_swaps(statistic, every, np.array(pairs), count[pairs], alternative)
        found[:, pairs] = np.where(left[pairs], part, found[:, pairs])
        open_pairs[pair] = False
    drawn = np.flatnonzero(open_pairs)
    if len(drawn):
        of_units = isinstance(statistic, UnitSwaps)
        if of_units and JoinedUnits.of(view.evaluation, drawn=True).units is not statistic.units:
            statistic = _statistic(view, metrics, drawn=True)
        steps = Steps.of(statistic.observed, *found[:2])
        masks = view.masks_of(statistic.units)
        asked = Asked(alternative, steps.rising if stepped else None)
        extreme, counts = statistic.counts(masks, drawn, asked)
        if stepped:
            step = partial(steps.adjusted, counts, n_drawn)
        floor = np.maximum(smallest_p_value(count[drawn], alternative), resampling_p(0, n_drawn))
        part = np.stack([resampling_p(extreme, n_drawn), floor, np.full(floor.shape, DRAWN)])
        found[:, drawn] = np.where(left[drawn], part, found[:, drawn])
    return Known(*found), step, len(drawn) > 0


def _of_all_swaps(
    statistic: SwapStatistic, every: SwapMasks, pairs: IntArray, n_moving: IntArray,
    alternative: Alternative,
) -> FloatArray:  # fmt: skip
    """Return p-values, floors and ways (3, n_pairs, n_values) of all swaps of some units."""
    with_ties, without = (
        statistic.counts(every, pairs, Asked(alternative, ties=ties))[0] for ties in (True, False)
    )
    of_sums = isinstance(statistic, SwappedSums)
    half = ties_count_half(n_moving, statistic.units.size) & of_sums
    extreme = np.where(half, (with_ties + without) / 2, with_ties)
    p_values = resampling_p(extreme, every.n_resamples, exact=True)
    return np.stack([p_values, smallest_p_value(n_moving, alternative, half=half), way_of(half)])


_PHRASE = (
    "the studentized paired permutation test (of swaps of the two models' outputs all are counted "
    "where they have few outcomes, by mid-p-values; otherwise by an approximation of their "
    "distribution, or {n} random ones where none holds; skewed means after Hall's transformation)",
    (JANSSEN, CHUNG, DANIELS, ROBINSON, PHIPSON, HALL),
)
ROWS = (PairTest(NAME, studentized_permutation, reads="sums", phrase=_PHRASE),)
