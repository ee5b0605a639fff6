"""Expected time of a comparison, reported before it begins if it is long."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from inspect import signature as parameters_of
from typing import Any

import numpy as np

from modelcompare.comparison.compare import compare
from modelcompare.comparison.correction import Procedure
from modelcompare.comparison.plan import ComparisonSettings, Plan, planned
from modelcompare.comparison.warned import collect_warnings
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.joined import JoinedUnits
from modelcompare.engine.parallel import n_workers, work
from modelcompare.metrics.base import AnyMetric, CallableMetric, Metric
from modelcompare.significance.exact import are_hard_counts
from modelcompare.significance.studentized import NAME as SWAPS
from modelcompare.significance.studentized import Algorithm, algorithm_of
from modelcompare.words import warn_caller

# Nanoseconds of a processor for a number in a product; under a swap for one of a pair, of its slope
# and of a plain difference, for a class of an average, and for a sample whose outputs are swapped;
# experiments/benchmarks/matrix.py prints what calls take, too.
_OF_PRODUCT, _OF_PAIR, _OF_DIFFERENCE, _OF_CLASS, _OF_SAMPLE = 0.8, 130.0, 40.0, 170.0, 7.0
# Nanoseconds of a pair's test without draws: of any, of a unit that is counted, of a law, of one of
# labels, which grows as the root of their number, and of labels in strata.
_OF_COUNTS, _OF_UNIT, _OF_LAW, _OF_LABELS, _IN_STRATA = 4e4, 15.0, 2e5, 8e5, 9e7
# Nanoseconds of a sample of a model that is read for values and intervals: of any, of each of its
# probabilities, and more where samples are ordered.
_OF_READING, _OF_PROBABILITY = 150.0, 40.0
_MORE: Mapping[Algorithm, float] = {"flip": 8e3, "area": 400.0, "contrast": 1e3, "raw": 1e3}
# Samples of a class below which an average's swaps are drawn.
_FEW = 45
# Seconds from which there is a warning, and resamples that are proposed instead.
LONG, _FEWER = 60.0, 999
# Samples times squares of models in groups that never take so long.
_SMALL = 2e5
# Algorithms that sum numbers of each model under each swap.
_SUMMED = ("form", "contrast", "raw")


def warn_of_time(plans: Sequence[Plan]) -> None:
    """Warn if comparisons are expected to take a minute in all, with what takes less."""
    plans = [made for made in plans if made.procedure.test == SWAPS]

    def expected(*, one: bool = False, most: float = math.inf) -> float:
        return sum(_of_plan(made, one=one, most=most) for made in plans)

    if (seconds := expected()) < LONG:
        return
    n_resamples, n_pairs = plans[0].settings.n_resamples, len(plans[0].pairs[0])
    others = len(plans[0].bootstrap.evaluation.models) - 1
    ways = {
        f"n_resamples={_FEWER} (--resamples {_FEWER}": expected(most=_FEWER),
        f"a baseline (--baseline; {others:,} pairs": expected(one=True),
    }
    texts = [f"{way}; about {_time(less)})" for way, less in ways.items() if less < seconds * 0.9]
    groups = f" in each of {len(plans):,} groups" if len(plans) > 1 else ""
    warn_caller(
        f"{n_resamples:,} swaps of {n_pairs:,} pairs of models{groups} are expected to take about "
        f"{_time(seconds)}. Faster are {', '.join([*texts, 'fewer classes, or fewer metrics'])}.",
        UserWarning,
    )


def warn_of_groups(groups: Sequence[TestSet], metrics: Any, options: Mapping[str, Any]) -> None:
    """Warn if comparisons in groups are expected to take a minute in all.

    Groups are planned one by one only if the largest, as often as there are groups, takes so long.
    """
    largest = max(groups, key=len)
    if len(groups) * len(largest) * len(largest.models) ** 2 < _SMALL:
        return
    # The comparisons warn of the rest.
    with collect_warnings():
        made = planned(largest, metrics, settings_of(options))
        if _of_plan(made) * len(groups) < LONG:
            return
        made_of_each = [planned(group, metrics, made.settings) for group in groups]
    warn_of_time(made_of_each)


def _of_plan(made: Plan, *, one: bool = False, most: float = math.inf) -> float:
    """Estimate the seconds of a plan, or of its models beside one, with at most some resamples."""
    evaluation, n_resamples = made.bootstrap.evaluation, made.settings.n_resamples
    n_pairs = len(evaluation.models) - 1 if one else len(made.pairs[0])
    return expected_seconds(evaluation, n_pairs, int(min(most, n_resamples)), made.procedure)


def settings_of(options: Mapping[str, Any]) -> ComparisonSettings:
    """Return the settings of `compare` with these options, and its own for the others."""
    usual = {name: each.default for name, each in parameters_of(compare).parameters.items()}
    known, given = ComparisonSettings.__dataclass_fields__, {**usual, **options}
    return ComparisonSettings(**{name: each for name, each in given.items() if name in known})


def expected_seconds(
    evaluation: Evaluation, n_pairs: int, n_resamples: int, procedure: Procedure
) -> float:
    """Estimate the seconds that a comparison by the default test takes, within a factor of two.

    Functions, whose time is not known, take none here.
    """
    return sum(
        seconds_of(evaluation, metric, n_pairs, n_resamples, procedure)
        for metric in evaluation.metrics
    )


def seconds_of(
    evaluation: Evaluation, metric: AnyMetric, n_pairs: int, n_resamples: int, procedure: Procedure
) -> float:
    """Estimate the seconds of one metric: to read it, and of its default test."""
    if isinstance(metric, CallableMetric):
        return 0.0
    where = evaluation.metric_slice(metric.name)
    n_tests = n_pairs * (where.stop - where.start)
    drawn = _of_draws(evaluation, metric, n_pairs, n_resamples)
    steps = 2 if procedure.steps_down(n_tests, n_resamples) else 1
    test = drawn * steps / n_workers() if drawn else n_tests * _of_test(evaluation, metric)
    return (_of_reading(evaluation, metric) + test) / 1e9


def _of_reading(evaluation: Evaluation, metric: AnyMetric) -> float:
    """Estimate the nanoseconds of one metric's values and intervals."""
    access = evaluation.predictions.access
    each = _OF_READING + _MORE.get(algorithm_of(evaluation, metric), 0.0)
    if not all(kind.coded for kind in access.kinds.values()):
        each += _OF_PROBABILITY * access.n_classes
    return each * len(evaluation.predictions) * len(evaluation.models)


def _of_test(evaluation: Evaluation, metric: AnyMetric) -> float:
    """Estimate the nanoseconds of a test without draws."""
    algorithm = algorithm_of(evaluation, metric)
    hard = isinstance(metric, Metric) and are_hard_counts(evaluation, metric)
    if hard and evaluation.units.strata is not None:
        return _IN_STRATA
    if algorithm in ("form", "quotient"):
        return _OF_LABELS * math.sqrt(evaluation.predictions.access.n_classes)
    if algorithm == "exact":
        return _OF_COUNTS + _OF_UNIT * evaluation.units.n_units
    return _OF_LAW


def _of_draws(evaluation: Evaluation, metric: AnyMetric, n_pairs: int, n_resamples: int) -> float:
    """Estimate the nanoseconds of drawn swaps; 0 where all are counted, or a law holds."""
    algorithm, n_swaps = algorithm_of(evaluation, metric), n_pairs * n_resamples
    if algorithm == "output":
        return _OF_SAMPLE * n_swaps * evaluation.units.size
    if algorithm not in _SUMMED or not isinstance(metric, Metric):
        return 0.0
    if metric.average is not None and algorithm == "form":
        of_classes = _OF_CLASS * n_swaps * evaluation.predictions.access.n_classes
        return of_classes * (_least_samples(evaluation) < _FEW)
    units = JoinedUnits.of(evaluation, drawn=True).units.n_units
    n_columns = evaluation.columns(slice(None), [metric])[-1].stop
    uniform = evaluation.units.multiplicity is None
    product = _OF_PRODUCT * work(n_resamples * units, n_columns, uniform=uniform)
    of_pairs = (_OF_PAIR if algorithm == "form" else _OF_DIFFERENCE) * n_swaps * n_columns
    return product + of_pairs / len(evaluation.models)


def _least_samples(evaluation: Evaluation) -> int:
    """Return how many samples the rarest class has, of those that occur; many where not known."""
    access = evaluation.predictions.access
    codes = access.codes if "rows" in access.abilities else None
    counts = np.zeros(0, dtype=int) if codes is None else np.bincount(codes[codes >= 0])
    return int(counts[counts > 0].min(initial=_FEW))


def _time(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    for unit, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(seconds, 1):.0f} s"
