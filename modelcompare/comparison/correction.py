"""Corrections of p-values within families of tests, and of intervals as p-values are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import ndtr

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.evidence import Evidence
from modelcompare.engine.axis import ValueKey
from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals import Interval, quantiles
from modelcompare.significance import Outcome
from modelcompare.significance.corrections import adjust
from modelcompare.significance.step_down import max_t
from modelcompare.significance.studentized import NAME as SWAPS
from modelcompare.words import Correction, Family

# Family-wise corrections that look at each test's p-value alone, and so suffer from its floor.
_BY_P_VALUE = ("holm", "hommel", "bonferroni", "sidak")


def correct(
    pairs: Contrasts,
    outcome: Outcome,
    correction: Correction,
    *,
    family: Family,
    alpha: float,
) -> tuple[FloatArray, dict[str, str]]:
    """Adjust p-values within each family: all pairs and classes of a metric, or of all metrics.

    Where p-values cannot be small enough for a correction that multiplies them (few resamples, or
    few samples on which models differ), the step-down of the same swaps takes its place, and is
    named: it uses what the tests have in common. Whether it does depends on what p-values could
    be, not on what they are.

    Returns
    -------
    p_adjusted : ndarray of shape (n_pairs, n_values)
    used : dict of str to str
        For each metric the correction that stood in for the one asked for.
    """
    out = np.empty_like(outcome.p_value)
    used: dict[str, str] = {}
    if len(out) == 0:
        return out, used
    metrics = pairs.evaluation.metrics
    for metric in metrics if family == "metric" else metrics[:1]:
        where = pairs.evaluation.metric_slice(metric.name) if family == "metric" else slice(None)
        step_down = outcome.step_down.get(metric.name) if family == "metric" else None
        floored = _floored(outcome, where, correction, alpha)
        if correction == "max-t":
            difference = pairs.estimate[:, where]
            null = pairs.replicates[:, :, where] - difference
            out[:, where] = max_t(null, difference, pairs.standard_error[:, where])
        elif step_down is not None and (correction == "min-p" or floored):
            out[:, where] = step_down()
            used |= {} if correction == "min-p" else {metric.name: "step-down"}
        elif correction == "min-p":
            raise ValueError(
                f"correction='min-p' steps down the swaps of one metric: it needs test={SWAPS!r} "
                f"and family='metric', and does not serve {metric.name} here; use 'holm' or "
                "'max-t'."
            )
        else:
            out[:, where] = adjust(outcome.p_value[:, where], correction)
    # Other draws than the test's may say less than it, and never more.
    return np.maximum(out, outcome.p_value), used


def adjust_metrics(
    p_values: FloatArray, keys: Sequence[ValueKey], correction: Correction
) -> FloatArray:
    """Adjust p-values of shape (..., n_values), those of each metric as one family."""
    out = np.empty_like(p_values)
    for metric in dict.fromkeys(key.metric for key in keys):
        where = [key.metric == metric for key in keys]
        out[..., where] = adjust(p_values[..., where], correction)
    return out


def _floored(outcome: Outcome, where: slice, correction: Correction, alpha: float) -> bool:
    """Return whether no test of a family could be significant, whatever the differences."""
    if outcome.floor is None or correction not in _BY_P_VALUE:
        return False
    tested = ~np.isnan(outcome.p_value[:, where])
    floor = outcome.floor[:, where][tested]
    return len(floor) > 1 and float(floor.min()) < alpha <= float(floor.min()) * len(floor)


def corrected_bounds(evidence: Evidence, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Compute bounds of the differences of some pairs, corrected like their p-values.

    They hold for all differences of a family at once: by Bonferroni's level, or where p-values are
    corrected by max-t by its multiple of the standard errors. Where p-values are corrected for the
    rate of false discoveries, the level is that of the false coverage of those discovered.

    References
    ----------
    .. [1] Benjamini & Yekutieli (2005), False discovery rate-adjusted multiple confidence
       intervals for selected parameters, JASA 100, 71-81.
    """
    if evidence.correction == "max-t" and evidence.family == "metric":
        low, high = max_t_bounds(evidence)
        return low[rows], high[rows]
    a, b = (side[rows] for side in evidence.pairs)
    found = _by_metric(
        evidence,
        [_corrected_level(evidence, metric) for metric in evidence.metrics],
        lambda level: evidence.bootstrap.difference_interval(a, b, evidence.method, level),
    )
    return found.low, found.high


def _by_metric(
    evidence: Evidence, levels: Sequence[float], interval: Callable[[float], Interval]
) -> Interval:
    """Intervals of all values, those of each metric at its own level."""
    made = {level: interval(level) for level in dict.fromkeys(levels)}
    parts = []
    for metric, level in zip(evidence.metrics, levels, strict=True):
        where, found = evidence.slice_of(metric), made[level]
        parts.append(Interval(found.low[:, where], found.high[:, where], found.method[:, where]))
    return Interval.joined(parts, axis=1)


def _corrected_level(evidence: Evidence, metric: str) -> float:
    error, n_tests = evidence.level, float(evidence.n_tests(metric))
    if evidence.correction in ("fdr_bh", "fdr_by"):
        where = evidence.slice_of(metric) if evidence.family == "metric" else slice(None)
        if evidence.correction == "fdr_by":
            error /= float(np.sum(1 / np.arange(1, n_tests + 1)))
        found = np.count_nonzero(evidence.p_adjusted[:, where] < evidence.level)
        n_tests /= found or 1
    return 1 - error / n_tests


def max_t_bounds(evidence: Evidence) -> tuple[FloatArray, FloatArray]:
    """Compute bounds for all differences of a metric at once, within twice its range.

    Each is as far from the difference as the same multiple of its standard error: the quantile of
    the largest studentized deviation over all pairs and classes of the metric. Of shape (n_pairs,
    n_values).
    """
    difference = evidence.difference
    half, info = _max_t_widths(evidence, evidence.bootstrap.drawn), evidence.metric_info
    least, most = np.array([info[key.metric].bounds for key in evidence.keys]).T
    extent = most - least
    return np.maximum(difference - half, -extent), np.minimum(difference + half, extent)


def _max_t_widths(evidence: Evidence, draws: FloatArray) -> FloatArray:
    difference, error = evidence.difference, evidence.error
    half = np.empty_like(error)
    for metric in evidence.metrics:
        where = evidence.slice_of(metric)
        largest = np.zeros(len(draws))
        pairs = zip(*evidence.pairs, difference[:, where], error[:, where], strict=True)
        for a, b, d, e in pairs:
            deviation = np.abs(draws[:, a, where] - draws[:, b, where] - d)
            t = np.divide(deviation, e, out=np.zeros_like(deviation), where=e > 0)
            # Without a value on the test set itself there is no interval to widen.
            t = np.where(np.isnan(deviation), np.where(np.isnan(d), 0.0, np.inf), t)
            largest = np.maximum(largest, t.max(axis=1))
        multiple = _quantile(largest, evidence.confidence_level)
        e = error[:, where]
        half[:, where] = np.multiply(multiple, e, out=np.zeros_like(e), where=e > 0)
    return half


def simultaneous_scores(evidence: Evidence) -> Interval:
    """Compute intervals of all models' values that hold at once, for each metric.

    They are of the comparison's method, at the level of Bonferroni's correction for all models and
    classes, or of the largest studentized deviation of the resamples (max-t) where that is less:
    values on the same samples err together.
    """
    return _by_metric(
        evidence,
        [_level_at_once(evidence, metric) for metric in evidence.metrics],
        lambda level: evidence.bootstrap.score_interval(evidence.method, level),
    )


def _level_at_once(evidence: Evidence, metric: str) -> float:
    """Confidence level of each interval, at which all of a metric have the one asked for."""
    bootstrap, level = evidence.bootstrap, evidence.confidence_level
    where = evidence.slice_of(metric)
    n_values = int(np.count_nonzero(~np.isnan(bootstrap.point[:, where])))
    bonferroni = 1 - (1 - level) / max(n_values, 1)
    if bootstrap.n_resamples < 2 or n_values < 2:
        return bonferroni
    error = bootstrap.moments.standard_error()[:, where]
    deviation = np.abs(bootstrap.draws[:, :, where] - bootstrap.point[:, where])
    t = np.divide(deviation, error, out=np.zeros_like(deviation), where=error > 0)
    # A resample without a value tells nothing of how far it may be.
    largest = np.nan_to_num(t, nan=np.inf).max(axis=(1, 2))
    multiple = _quantile(largest, level)
    return min(bonferroni, max(level, float(2 * ndtr(multiple) - 1)))


def _quantile(draws: FloatArray, level: float) -> float:
    return float(quantiles(np.sort(draws)[:, None], np.array([level]))[0])
