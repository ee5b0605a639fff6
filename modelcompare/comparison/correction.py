"""Corrections of p-values within families of tests, and the same corrections of intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.comparison.evidence import Evidence
from modelcompare.comparison.selected import intervals_at
from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals import Interval, quantiles
from modelcompare.significance import Outcome
from modelcompare.significance.corrections import adjust
from modelcompare.significance.known import DRAWN, WAYS
from modelcompare.significance.step_down import max_t
from modelcompare.significance.studentized import NAME as SWAPS
from modelcompare.words import Correction, Family

# Family-wise corrections of the p-values alone, which are limited by the smallest possible p-value.
_BY_P_VALUE = ("holm", "hochberg", "hommel", "bonferroni", "sidak")


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """Procedure of multiple testing: a test, its correction, the family and the level.

    Parameters
    ----------
    test, correction, family, alpha
        As in `compare`.
    """

    test: str = SWAPS
    correction: Correction = "holm"
    family: Family = "metric"
    alpha: float = 0.05

    def steps_down(self, n_tests: int, n_resamples: int) -> bool:
        """Return True if p-values of so many swaps are too large for so many tests."""
        least = self.alpha * (n_resamples + 1)
        floored = self.correction in _BY_P_VALUE and n_tests >= least
        return self.family == "metric" and (floored or self.correction == "min-p")


def correct(
    pairs: Contrasts, outcome: Outcome, procedure: Procedure
) -> tuple[FloatArray, dict[str, str]]:
    """Adjust p-values within each family: all pairs and classes of a metric, or of all metrics.

    If the smallest possible p-values are too large for a correction that multiplies them (few
    resamples, or few samples on which models differ), the step-down of the same swaps replaces it,
    and is named: it uses the dependence of the tests. p-values that are known without swaps enter
    it as they are. The choice depends on the possible p-values, not on the observed ones.

    Returns
    -------
    p_adjusted : ndarray of shape (n_pairs, n_values)
    used : dict of str to str
        Correction used instead of the requested one, by metric.
    """
    out = np.empty_like(outcome.p_value)
    used: dict[str, str] = {}
    if len(out) == 0:
        return out, used
    metrics, correction = pairs.evaluation.metrics, procedure.correction
    family = procedure.family
    for metric in metrics if family == "metric" else metrics[:1]:
        where = pairs.evaluation.metric_slice(metric.name) if family == "metric" else slice(None)
        step_down = outcome.step_down.get(metric.name) if family == "metric" else None
        floored, mixed = _floored(outcome, where, procedure), _mixed(outcome, where, procedure)
        if correction == "max-t":
            difference = pairs.estimate[:, where]
            null = pairs.replicates[:, :, where] - difference
            out[:, where] = max_t(null, difference, pairs.standard_error[:, where])
        elif step_down is not None and (correction == "min-p" or floored or mixed):
            out[:, where] = step_down(beside_known=True) if mixed else step_down()
            used |= {} if correction == "min-p" else {metric.name: "step-down"}
        elif correction == "min-p":
            raise ValueError(
                f"correction='min-p' steps down the swaps of one metric: it needs test={SWAPS!r} "
                f"and family='metric', and cannot be used for {metric.name} here; use 'holm' or "
                "'max-t'."
            )
        else:
            out[:, where] = adjust(outcome.p_value[:, where], correction)
    # The step-down uses other draws than the test, and may not reduce its p-values.
    return np.maximum(out, outcome.p_value), used


def adjust_groups(
    found: Sequence[Evidence], where: Sequence[slice], correction: Correction
) -> list[FloatArray]:
    """Correct the p-values of one family of each group for all groups together.

    Corrections of the p-values alone take all tests at once. Others, and those that a step-down
    replaced in a group, have Holm's steps over the groups, after their own steps within each: the
    adjusted p-values are multiplied by the number of groups in which a test is not significant yet.
    An error in any group then has a probability of at most the sum of alpha over that number.

    Parameters
    ----------
    found : sequence of Evidence
        Evidence of each group, corrected by itself.
    where : sequence of slice
        Values of each group that are one family.
    correction : str
        As in `compare`.
    """
    pairs = [*zip(found, where, strict=True)]
    within = [each.p_adjusted[:, own] for each, own in pairs]
    if correction == "none":
        return within
    stepped = any(each.corrections_used for each in found)
    if correction not in ("max-t", "min-p") and not stepped:
        alone = [each.p_values[:, own] for each, own in pairs]
        together = adjust(np.concatenate([p.ravel() for p in alone]), correction)
        parts = np.split(together, np.cumsum([p.size for p in alone])[:-1])
        return [part.reshape(p.shape) for part, p in zip(parts, alone, strict=True)]
    # At the largest p-value of a group all of its tests are significant, and it drops out.
    last = np.array([np.nan_to_num(p, nan=0.0).max(initial=0.0) for p in within])
    order, dropped_at, out = np.argsort(last, kind="stable"), 0.0, [np.ones_like(p) for p in within]
    for place, group in enumerate(order.tolist()):
        left = len(within) - place
        for later in order[place:].tolist():
            out[later] = np.fmin(out[later], np.maximum(within[later] * left, dropped_at))
        dropped_at = max(dropped_at, float(last[group]) * left)
    return [np.where(np.isnan(p), p, adjusted) for p, adjusted in zip(within, out, strict=True)]


def _floored(outcome: Outcome, where: slice, procedure: Procedure) -> bool:
    """Return whether no test of a family can be significant, however large the differences."""
    if outcome.floor is None or procedure.correction not in _BY_P_VALUE:
        return False
    tested = ~np.isnan(outcome.p_value[:, where])
    floor = outcome.floor[:, where][tested]
    least = float(floor.min(initial=np.inf))
    return len(floor) > 1 and least < procedure.alpha <= least * len(floor)


def _mixed(outcome: Outcome, where: slice, procedure: Procedure) -> bool:
    """Return whether some p-values of a family are of drawn swaps, and too large for so many."""
    if outcome.ways is None or procedure.correction not in _BY_P_VALUE:
        return False
    tested = ~np.isnan(outcome.p_value[:, where])
    drawn = tested & (outcome.ways[:, where] == WAYS[DRAWN])
    n_tests = int(tested.sum())
    return bool(drawn.any()) and procedure.steps_down(n_tests, outcome.n_resamples)


def corrected_bounds(evidence: Evidence, rows: IntArray) -> FloatArray:
    """Compute bounds of the differences of some pairs, corrected like their p-values.

    They hold for all differences of a family at once: at Bonferroni's level, or, if p-values are
    corrected by max-t, as its multiple of the standard errors. Where such an interval contains 0
    and steps make the p-value significant, it is at the level of the last step, which is shorter;
    with such ones all hold at once in 0.90 of the test sets at worst, instead of 0.95
    (experiments/validity/steps.py). The shape is (2, n_rows, n_values).
    """
    ends = corrected_at(evidence, rows, corrected_errors(evidence, stepped=False), stepped=False)
    significant = (evidence.p_adjusted[rows] < evidence.alpha) & ~evidence.by_interval
    open_ = significant & (ends[0] <= 0) & (ends[1] >= 0)
    some = np.flatnonzero(open_.any(axis=1))
    if len(some):
        found = corrected_at(evidence, rows[some], corrected_errors(evidence))
        ends[:, some] = np.where(open_[some], found, ends[:, some])
    return ends


def corrected_errors(evidence: Evidence, *, stepped: bool = True) -> FloatArray:
    """Return the error with which the correction compared the last significant p-value.

    It is one for each value, (n_values,). If p-values are corrected for the false discovery rate,
    this error controls the false coverage rate of the significant differences [1]_; that of
    Holm's last step is smaller. Without `stepped`, family-wise corrections are at their first step,
    which is Bonferroni's.

    References
    ----------
    .. [1] Benjamini & Yekutieli (2005), False discovery rate-adjusted multiple confidence
       intervals for selected parameters, JASA 100, 71-81.
    """
    out = np.empty(len(evidence.keys))
    for metric in evidence.metrics:
        n_effective = _n_effective(evidence, metric, stepped)
        out[evidence.slice_of(metric)] = evidence.alpha / n_effective
    return out


def _n_effective(evidence: Evidence, metric: str, stepped: bool) -> float:
    """Return the number by which the level is divided for the last significant p-value."""
    where = evidence.slice_of(metric) if evidence.family == "metric" else slice(None)
    n_tests, correction = evidence.n_tests(metric), evidence.correction
    alone, adjusted = (p[:, where].ravel() for p in (evidence.p_values, evidence.p_adjusted))
    found = np.flatnonzero(adjusted < evidence.alpha)
    n_found = max(1, len(found))
    if evidence.by_interval[evidence.slice_of(metric)].all() and correction != "max-t":
        return n_tests
    if correction == "fdr_bh":
        return n_tests / n_found
    if correction == "fdr_by":
        return n_tests / n_found * float(np.sum(1 / np.arange(1, n_tests + 1)))
    if correction == "max-t" and evidence.family == "metric":
        return evidence.n_groups
    if not stepped or correction in ("none", "bonferroni", "sidak"):
        return n_tests
    steps = n_tests - n_found + 1
    last = found[alone[found].argmax()] if len(found) else 0
    # Steps of swaps divide by less than Holm's: they use the dependence of the tests.
    ratio = adjusted[last] / alone[last] if len(found) and alone[last] > 0 else steps
    return float(np.clip(ratio, 1, max(1, steps)))


def bounds_at(evidence: Evidence, rows: IntArray, errors: FloatArray) -> FloatArray:
    """Compute bounds of some differences at the error of each value: (2, n_rows, n_values)."""
    a, b = (side[rows] for side in evidence.pairs)
    found = _by_metric(
        evidence,
        [1 - float(errors[evidence.slice_of(metric)][0]) for metric in evidence.metrics],
        lambda level: evidence.bootstrap.difference_interval(a, b, evidence.method, level),
    )
    return np.array([found.low, found.high])


def corrected_at(
    evidence: Evidence, rows: IntArray, errors: FloatArray, *, stepped: bool = True
) -> FloatArray:
    """Compute the same bounds, or by max-t those of all differences of its last step together."""
    if evidence.correction == "max-t" and evidence.family == "metric":
        return max_t_bounds(evidence, 1 - float(errors[0]), stepped=stepped)[:, rows]
    return bounds_at(evidence, rows, errors)


def _by_metric(
    evidence: Evidence, levels: Sequence[float], interval: Callable[[float], Interval]
) -> Interval:
    """Compute intervals of all values, with one level for each metric."""
    made = {level: interval(level) for level in dict.fromkeys(levels)}
    parts = [
        intervals_at(made[level], evidence.slice_of(metric))
        for metric, level in zip(evidence.metrics, levels, strict=True)
    ]
    return Interval.joined(parts, axis=1)


def max_t_bounds(evidence: Evidence, level: float, *, stepped: bool = False) -> FloatArray:
    """Compute simultaneous bounds of all differences of a metric, within the possible range.

    The half-width is the same multiple of each standard error: the quantile of the largest
    studentized deviation over all pairs and classes of the metric, or, if `stepped`, over those
    that were left at the last step. Bounds have the shape (2, n_pairs, n_values).
    """
    design = evidence.bootstrap.design
    if design.beyond_items:
        raise ValueError(
            f"max-t is a quantile of resamples of items, which do not know {design.unknown}; use "
            f"leads(every=True), whose intervals are corrected, or {design.instead}."
        )
    draws, difference, error = evidence.bootstrap.drawn, evidence.difference, evidence.error
    out = np.empty((2, *error.shape))
    for metric, info in evidence.metric_info.items():
        where = evidence.slice_of(metric)
        largest = np.zeros(len(draws))
        left = _left(evidence, where) if stepped else np.ones(error[:, where].shape, dtype=bool)
        pairs = zip(*evidence.pairs, difference[:, where], error[:, where], left, strict=True)
        for a, b, d, e, values in pairs:
            t = _deviation(draws[:, a, where] - draws[:, b, where], d, e)
            largest = np.maximum(largest, t.max(axis=1, where=values, initial=0.0))
        multiple = _quantile(largest, level)
        d, e, extent = difference[:, where], error[:, where], info.bounds[1] - info.bounds[0]
        half = np.multiply(multiple, e, out=np.zeros_like(e), where=e > 0)
        out[:, :, where] = np.maximum(d - half, -extent), np.minimum(d + half, extent)
    return out


def _left(evidence: Evidence, where: slice) -> BoolArray:
    """Return the mask of differences without a significant p-value, and the last that has one."""
    adjusted = evidence.p_adjusted[:, where]
    found = adjusted < evidence.alpha
    last = adjusted[found].max(initial=0.0)
    return np.asarray(~found | (adjusted == last))


def simultaneous_scores(evidence: Evidence) -> Interval:
    """Compute simultaneous intervals of all models' values, for each metric.

    The intervals are those of the comparison's method, at the level of Bonferroni's correction for
    all models and classes, or of the largest studentized deviation of the resamples (max-t) if that
    level is lower: the errors of values on the same samples are correlated.
    """
    return _by_metric(
        evidence,
        [_level_at_once(evidence, metric) for metric in evidence.metrics],
        lambda level: evidence.bootstrap.score_interval(evidence.method, level),
    )


def _level_at_once(evidence: Evidence, metric: str) -> float:
    """Return the level of single intervals at which all of a metric hold simultaneously."""
    bootstrap, level = evidence.bootstrap, evidence.confidence_level
    where = evidence.slice_of(metric)
    n_values = int(np.count_nonzero(~np.isnan(bootstrap.point[:, where])))
    bonferroni = 1 - (1 - level) / max(n_values, 1)
    if bootstrap.n_resamples < 2 or n_values < 2 or bootstrap.design.beyond_items:
        return bonferroni
    error = bootstrap.moments.standard_error()[:, where]
    t = _deviation(bootstrap.draws[:, :, where], bootstrap.point[:, where], error)
    multiple = _quantile(t.max(axis=(1, 2)), level)
    return min(bonferroni, max(level, float(2 * ndtr(multiple) - 1)))


def _deviation(draws: FloatArray, estimate: FloatArray, error: FloatArray) -> FloatArray:
    """Return the distance of each replicate from the estimate, in standard errors.

    It is infinite where the replicate is undefined, as its distance is unknown. A value that is
    undefined on the test set has no interval to widen.
    """
    deviation = np.abs(draws - estimate)
    t = np.divide(deviation, error, out=np.zeros_like(deviation), where=error > 0)
    return np.where(np.isnan(deviation), np.where(np.isnan(estimate), 0.0, np.inf), t)


def _quantile(draws: FloatArray, level: float) -> float:
    return float(quantiles(np.sort(draws)[:, None], np.array([level]))[0])
