"""A test of two models on two different test sets."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import influence_moments
from modelcompare.engine.replicate_errors import replicate_second_moments
from modelcompare.engine.units import check_units
from modelcompare.metrics import Metric, resolve_metrics
from modelcompare.metrics.counts import ZeroDivision
from modelcompare.metrics.registry import MetricLike
from modelcompare.predictions import Predictions
from modelcompare.questions.contrast import (
    check_choice,
    is_extreme,
    sample_contributions,
    standardized,
    value_position,
)
from modelcompare.questions.paired import PairedTestResult
from modelcompare.resampling import BootstrapWeights, RngLike, child_seed, deals, seed_sequence
from modelcompare.significance.pairwise import check_smooth
from modelcompare.significance.two_models import Alternative
from modelcompare.variants import joined

# Sets of fewer units do not know their own error well; in others it varies little by resample.
_SMALL = 200

UnpairedMethod = Literal["bootstrap", "permutation", "wald", "welch"]


def unpaired_test(
    predictions_a: Predictions,
    predictions_b: Predictions,
    metric: MetricLike = "f1_macro",
    *,
    method: UnpairedMethod = "bootstrap",
    label: Any = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    zero_division: ZeroDivision = math.nan,
    rng: RngLike = 0,
) -> PairedTestResult:
    """Test two models on two different test sets.

    Parameters
    ----------
    predictions_a, predictions_b : Predictions
        One model each, on samples that have nothing to do with each other.
    metric, label, alternative, n_resamples, zero_division, rng
        As in `paired_test`.
    method : {"bootstrap", "permutation", "wald", "welch"}
        Independent resamples shifted to the null, each difference over its own standard error
        where the metric is a sum (without that, two small sets of unequal variances are told apart
        too often); exchanging samples between the two test sets (its null: both are draws from one
        distribution); influence-function standard errors, with Student's t; Welch's t for means of
        per-sample numbers.

    Returns
    -------
    PairedTestResult

    Raises
    ------
    ValueError
        If there is more than one model on a side, or the method does not apply.
    """
    check_choice("method", method, UnpairedMethod)
    check_choice("alternative", alternative, Alternative)
    sides = []
    for name, predictions in (("predictions_a", predictions_a), ("predictions_b", predictions_b)):
        if len(predictions.models) != 1:
            raise ValueError(
                f"`{name}` holds {len(predictions.models)} models; choose one: preds['cnn']."
            )
        (found,) = resolve_metrics([metric], predictions, zero_division=zero_division)
        side = Evaluation(predictions, (found,), collapse=False)
        check_units(side.units, clustered=predictions.groups is not None)
        sides.append(side)
    if n_resamples < 2:
        raise ValueError(f"`n_resamples` must be at least 2, got {n_resamples}.")
    # The same class may stand in other places of the two sets' labels.
    positions = [value_position(side, found.name, label) for side in sides]
    values = [side.estimate()[0, position] for side, position in zip(sides, positions, strict=True)]
    difference = float(values[0] - values[1])
    seed = seed_sequence(rng)
    drawn, exact = 0, True
    if method == "welch":
        from scipy import stats

        a, b = (sample_contributions(side, found)[0] for side in sides)
        result = stats.ttest_ind(a, b, equal_var=False, alternative=alternative)
        statistic, p_value = float(result.statistic), float(result.pvalue)
    elif method == "wald":
        check_smooth(found, "method='permutation' or 'bootstrap'")
        statistic, p_value = _wald(sides, positions, difference, alternative)
    else:
        if method == "bootstrap":
            statistic, null = _studentized(sides, positions, n_resamples, seed, difference)
            tolerance = 1e-10 * abs(statistic)
        else:
            statistic, null = difference, _exchanged(sides, label, n_resamples, seed)
            tolerance = 1e-10 * float(np.abs(values).sum())
        extreme = sum(is_extreme(float(d), statistic, tolerance, alternative) for d in null)
        p_value = (1 + extreme) / (1 + n_resamples)
        drawn, exact = n_resamples, False
    p_value = max(p_value, _smallest_p_value(sides, alternative))
    error = 0.0 if exact else math.sqrt(p_value * (1 - p_value) / (1 + drawn))
    return PairedTestResult(
        predictions_a.models[0], predictions_b.models[0], found.name, label, difference, statistic,
        p_value, error, f"unpaired-{method}", alternative, drawn, exact,
    )  # fmt: skip


def _wald(
    sides: list[Evaluation], positions: list[int], difference: float, alternative: Alternative
) -> tuple[float, float]:
    """Welch's statistic and p-value, from influence-function errors and their own freedom."""
    from scipy.special import stdtr

    moments = [influence_moments(side, side.estimate()) for side in sides]
    places = list(zip(moments, positions, strict=True))
    variances = np.array([m.standard_error()[0, place] ** 2 for m, place in places])
    freedom = np.array(
        [min(m.degrees_of_freedom()[0, place], m.n_samples - 1) for m, place in places]
    )
    t = standardized(difference, math.sqrt(variances.sum()))
    shares = variances / max(variances.sum(), np.finfo(np.float64).tiny)
    df = 1 / max((shares**2 / freedom).sum(), 1 / freedom.sum())
    p_value = {
        "two-sided": 2 * stdtr(df, -abs(t)), "greater": stdtr(df, -t), "less": stdtr(df, t),
    }  # fmt: skip
    return t, float(p_value[alternative])


def _studentized(
    sides: list[Evaluation],
    positions: list[int],
    n_resamples: int,
    seed: np.random.SeedSequence,
    difference: float,
) -> tuple[float, FloatArray]:
    """Difference over its standard error, and the same of independent resamples, shifted to 0.

    Metrics that are no sums have no error on a resample: there the differences themselves.
    """
    weights = [
        BootstrapWeights(side.units, n_resamples, child_seed(seed, place))
        for place, side in enumerate(sides)
    ]
    draws = [
        side.replicates(w)[:, 0, position]
        for side, w, position in zip(sides, weights, positions, strict=True)
    ]
    shifted = draws[0] - draws[1] - difference
    if not isinstance(sides[0].metrics[0], Metric):
        return difference, shifted
    observed, variances = 0.0, np.zeros(n_resamples)
    for side, w, position in zip(sides, weights, positions, strict=True):
        error = influence_moments(side, side.estimate()).standard_error()[0, position]
        observed += error**2
        small = side.units.size < _SMALL
        variances += replicate_second_moments(side, w)[:, position, 0, 0] if small else error**2
    errors = np.sqrt(np.maximum(variances, 0.0))
    # A resample of equal samples has no error: infinitely far, unless it does not stray at all.
    null = np.divide(shifted, errors, out=np.copysign(np.inf, shifted), where=errors > 0)
    null[(errors == 0) & (shifted == 0)] = 0.0
    return standardized(difference, math.sqrt(observed)), null


def _smallest_p_value(sides: list[Evaluation], alternative: Alternative) -> float:
    """What exchanging all samples, or clusters, of the two sets gives at the most extreme."""
    sizes = [side.units.size for side in sides]
    ways = math.comb(sum(sizes), sizes[0])
    return max((2 if alternative == "two-sided" else 1) / ways, float(np.finfo(np.float64).tiny))


def _exchanged(
    sides: list[Evaluation], label: Any, n_resamples: int, seed: np.random.SeedSequence
) -> FloatArray:
    """Differences after the samples were dealt anew to two test sets of the same sizes."""
    first, second = (side.predictions for side in sides)
    if first.groups is not None or second.groups is not None:
        raise ValueError(
            "method 'permutation' deals single samples, which clusters forbid; use 'bootstrap' or "
            "'wald'."
        )
    pooled = joined(first, second)
    evaluation = Evaluation(pooled, sides[0].metrics, collapse=False)
    position = value_position(evaluation, sides[0].metrics[0].name, label)
    out = []
    for part in deals(len(pooled), len(first), n_resamples, seed):
        a, b = evaluation.values(part), evaluation.values(1.0 - part)
        out.append(a[:, 0, position] - b[:, 0, position])
    return np.concatenate(out)
