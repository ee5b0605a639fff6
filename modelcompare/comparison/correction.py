"""Corrections of p-values within families of tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.axis import ValueKey
from modelcompare.engine.contrasts import Contrasts
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
