"""Families of tests: adjusted p-values, and warnings where significance cannot be had."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.metrics import AnyMetric, Metric, SparseDataWarning
from modelcompare.significance import Outcome, PairView
from modelcompare.significance.corrections import adjust, max_t
from modelcompare.significance.families import step_down_p_values
from modelcompare.significance.studentized import NAME as SWAPS
from modelcompare.words import Correction, Family

# Family-wise corrections that look at each test's p-value alone, and so suffer from its floor.
_BY_P_VALUE = ("holm", "hommel", "bonferroni", "sidak")


@dataclass(frozen=True)
class Adjusted:
    """Adjusted p-values, and what adjusted them.

    Attributes
    ----------
    p_values : ndarray of shape (n_pairs, n_values)
        Adjusted within each family.
    used : dict of str to str
        For each metric the correction that stood in for the one asked for.
    warned : tuple of str
        Why differences cannot be shown, as far as that is no matter of the models.
    """

    p_values: FloatArray
    used: dict[str, str] = field(default_factory=dict)
    warned: tuple[str, ...] = ()


def adjust_families(
    pairs: PairView,
    outcome: Outcome,
    test: str,
    correction: Correction,
    *,
    family: Family,
    alpha: float,
) -> Adjusted:
    """Adjust p-values within each family: all pairs and classes of a metric, or of all metrics.

    Where p-values cannot be small enough for a correction that multiplies them (few resamples, or
    few samples on which models differ), the step-down of the same swaps takes its place, and is
    named: it uses what the tests have in common. Whether it does depends on what p-values could
    be, not on what they are.
    """
    out = np.empty_like(outcome.p_value)
    used: dict[str, str] = {}
    if len(out) == 0:
        return Adjusted(out)
    metrics = pairs.evaluation.metrics
    for metric in metrics if family == "metric" else metrics[:1]:
        where = pairs.evaluation.metric_slice(metric.name) if family == "metric" else slice(None)
        stepped = correction == "min-p" or (
            family == "metric" and test == SWAPS and _floored(outcome, where, correction, alpha)
        )
        if correction == "max-t":
            difference = pairs.estimate[:, where]
            null = pairs.replicates[:, :, where] - difference
            out[:, where] = max_t_of_pairs(null, difference, pairs.standard_error[:, where])
        elif (
            stepped
            and (found := _step_down(pairs, metric, outcome, test, family, correction)) is not None
        ):
            out[:, where] = found
            used |= {} if correction == "min-p" else {metric.name: "step-down"}
        else:
            out[:, where] = adjust(outcome.p_value[:, where], correction)
    # Other draws than the test's may say less than it, and never more.
    out = np.maximum(out, outcome.p_value)
    if correction == "max-t":
        return Adjusted(out, used)
    told = [
        *((text, SparseDataWarning) for text in _floors(pairs, outcome, alpha)),
        *(
            (text, UserWarning)
            for text in _few_resamples(pairs, outcome, out, correction, test, alpha)
        ),
    ]
    for text, category in told:
        warnings.warn(text, category, stacklevel=3)
    return Adjusted(out, used, tuple(text for text, _ in told))


def _floored(outcome: Outcome, where: slice, correction: Correction, alpha: float) -> bool:
    """Whether no test of a family could be significant, whatever the differences were."""
    if outcome.floor is None or correction not in _BY_P_VALUE:
        return False
    tested = ~np.isnan(outcome.p_value[:, where])
    floor = outcome.floor[:, where][tested]
    return len(floor) > 1 and float(floor.min()) < alpha <= float(floor.min()) * len(floor)


def _step_down(
    pairs: PairView,
    metric: AnyMetric,
    outcome: Outcome,
    test: str,
    family: Family,
    correction: Correction,
) -> FloatArray | None:
    """Adjusted p-values from the joint distribution of the swaps; None where there are none."""
    swapped = isinstance(metric, Metric) or metric.name in outcome.swaps
    if swapped and test == SWAPS and family == "metric":
        return step_down_p_values(
            pairs.evaluation, metric, pairs.model_a, pairs.model_b,
            n_resamples=pairs.n_resamples, seed=pairs.seed, drawn=outcome.swaps.get(metric.name),
        )  # fmt: skip
    if correction == "min-p":
        raise ValueError(
            f"correction='min-p' steps down the swaps of one metric: it needs test={SWAPS!r} and "
            f"family='metric', and does not serve {metric.name} here; use 'holm' or 'max-t'."
        )
    return None


def max_t_of_pairs(null: FloatArray, difference: FloatArray, error: FloatArray) -> FloatArray:
    """Adjust p-values of differences of shape (n_pairs, n_values) by max-t, as one family."""
    adjusted = max_t(null.reshape(len(null), -1), difference.ravel(), error.ravel())
    return adjusted.reshape(difference.shape)


def _floors(pairs: PairView, outcome: Outcome, alpha: float) -> Iterator[str]:
    """Say where the data, and not the models, keep every p-value above alpha."""
    if outcome.floor is None:
        return
    clustered = pairs.evaluation.predictions.groups is not None
    units = "clusters" if clustered else "samples"
    drawn = 1 / (pairs.n_resamples + 1)
    for metric in pairs.evaluation.metrics:
        where = pairs.evaluation.metric_slice(metric.name)
        floor = np.nanmin(outcome.floor[:, where], initial=1.0)
        if alpha <= floor < 1 and not math.isclose(floor, drawn):
            yield (
                f"{metric.name}: no p-value can be below {floor:.2g} here, so at alpha = "
                f"{alpha:g} nothing can be shown, whatever the difference: the models part on too "
                f"few {units}."
            )


def _few_resamples(
    pairs: PairView,
    outcome: Outcome,
    adjusted: FloatArray,
    correction: Correction,
    test: str,
    alpha: float,
) -> Iterator[str]:
    """Say where the number of resamples, and not the data, keeps differences from counting."""
    if test == "wald":
        return
    smallest = 1 / (pairs.n_resamples + 1)
    drawn = np.ones(adjusted.shape, dtype=bool)
    if outcome.floor is not None:
        drawn = np.isclose(outcome.floor, smallest, rtol=1e-9)
    for metric in pairs.evaluation.metrics:
        where = pairs.evaluation.metric_slice(metric.name)
        at_floor = drawn[:, where] & (outcome.p_value[:, where] <= smallest * (1 + 1e-9))
        held = at_floor & (adjusted[:, where] >= alpha)
        if not held.any():
            continue
        n_tests = int(np.count_nonzero(~np.isnan(outcome.p_value[:, where])))
        least = float(adjusted[:, where][held].min())
        told = f"{smallest:.2g}"
        if f"{least:.2g}" != told:
            told += f", which {correction} makes {least:.2g}"
        enough = f"{math.ceil(2 * n_tests / alpha):,} or more"
        ways = f"{enough}, correction='max-t'," if n_tests > 1 else f"{enough},"
        yield (
            f"{metric.name}: {pairs.n_resamples:,} resamples are too few for {n_tests:,} "
            f"test{'s' * (n_tests != 1)} at alpha = {alpha:g}: p-values cannot fall below {told}. "
            f"Take n_resamples of {ways} or test='wald'."
        )
