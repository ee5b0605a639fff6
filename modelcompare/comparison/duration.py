"""Expected time of drawn swaps, reported before they are drawn if it is long."""

from __future__ import annotations

from modelcompare.comparison.correction import Procedure
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.joined import JoinedUnits
from modelcompare.engine.parallel import n_workers, work
from modelcompare.metrics.base import AnyMetric, CallableMetric, Metric
from modelcompare.significance.studentized import NAME as SWAPS
from modelcompare.significance.studentized import algorithm_of
from modelcompare.words import warn_caller

# Nanoseconds of a processor for a number in a product, for one of a pair under a swap, and for a
# sample whose outputs are swapped; experiments/benchmarks/matrix.py prints what calls take, too.
_OF_PRODUCT, _OF_PAIR, _OF_SAMPLE = 0.8, 130.0, 7.0
# Nanoseconds of a p-value without draws: of a unit, and of a pair of labels.
_OF_LAW, _OF_LABELS = 60.0, 2e6
# Seconds from which there is a warning, and resamples that are proposed instead.
LONG, _FEWER = 60.0, 999
# Algorithms that sum numbers of each model under each swap.
_SUMMED = ("mean", "quotient", "form", "contrast", "raw")


def warn_of_time(
    evaluation: Evaluation, n_pairs: int, n_resamples: int, procedure: Procedure
) -> None:
    """Warn if the swaps of a test are expected to take a minute, with what takes less."""
    if procedure.test != SWAPS:
        return

    def expected(pairs: int, resamples: int) -> float:
        return expected_seconds(evaluation, pairs, resamples, procedure)

    seconds, others = expected(n_pairs, n_resamples), len(evaluation.models) - 1
    if seconds < LONG:
        return
    ways = {}
    if n_resamples > _FEWER:
        ways[f"n_resamples={_FEWER} (--resamples {_FEWER}"] = n_pairs, _FEWER
    if n_pairs > others:
        ways[f"a baseline (--baseline; {others:,} pairs"] = others, n_resamples
    texts = [f"{way}; about {_time(expected(*asked))})" for way, asked in ways.items()]
    warn_caller(
        f"{n_resamples:,} swaps of {n_pairs:,} pairs of models are expected to take about "
        f"{_time(seconds)}. Faster are {', '.join([*texts, 'fewer classes, or fewer metrics'])}.",
        UserWarning,
    )


def expected_seconds(
    evaluation: Evaluation, n_pairs: int, n_resamples: int, procedure: Procedure
) -> float:
    """Estimate the seconds that the default test takes, within a factor of about three.

    Swaps that are counted exactly, signs, and functions, whose time is not known, take none here.
    """
    return sum(
        seconds_of(evaluation, metric, n_pairs, n_resamples, procedure)
        for metric in evaluation.metrics
    )


def seconds_of(
    evaluation: Evaluation, metric: AnyMetric, n_pairs: int, n_resamples: int, procedure: Procedure
) -> float:
    """Estimate the seconds of the default test of one metric."""
    algorithm, n_swaps = algorithm_of(evaluation, metric), n_pairs * n_resamples
    where = evaluation.metric_slice(metric.name)
    n_tests = n_pairs * (where.stop - where.start)
    averaged = isinstance(metric, Metric) and metric.average is not None
    if algorithm in ("mean", "quotient") or (algorithm == "form" and averaged):
        units = JoinedUnits.of(evaluation).units.n_units
        return n_tests * max(_OF_LAW * units, _OF_LABELS) / 1e9
    if isinstance(metric, Metric) and algorithm in _SUMMED:
        units = JoinedUnits.of(evaluation, drawn=True).units.n_units
        n_columns = evaluation.columns(slice(None), [metric])[-1].stop
        uniform = evaluation.units.multiplicity is None
        nanoseconds = _OF_PRODUCT * work(n_resamples * units, n_columns, uniform=uniform)
        nanoseconds += _OF_PAIR * n_swaps * n_columns / len(evaluation.models)
    elif algorithm == "output" and not isinstance(metric, CallableMetric):
        nanoseconds = _OF_SAMPLE * n_swaps * evaluation.units.size
    else:
        return 0.0
    steps = 2 if procedure.steps_down(n_tests, n_resamples) else 1
    return nanoseconds * steps / 1e9 / n_workers()


def _time(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    for unit, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(seconds, 1):.0f} s"
