"""Calibration slope and intercept: logistic regressions of the label on the model's log-odds.

The coefficients solve weighted estimating equations by Newton's method, for all resamples at once.
Without a sample they are one Newton step away, in closed form.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.metrics.base import OrderMetric, Outcomes
from modelcompare.metrics.quotient import divide
from modelcompare.metrics.ranking import Evaluate, check_two_classes

# Newton's steps, their largest length, and that at which they have converged.
_STEPS, _LONGEST, _CONVERGED = 100, 5.0, 1e-10
# Largest coefficient; beyond, log-odds separate the classes and there is no solution.
_LARGEST = 200.0


def _log_odds(outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Return log-odds of the second of two classes, and the labels or their shares."""
    check_two_classes(outcomes, "it has no form of more; keep a class and the rest")
    if outcomes.output.order is not None:
        odds = outcomes.output.order.astype(np.float64)
    else:
        # Clipped as log_loss is: at the precision in which the model gave its probabilities.
        smallest = np.finfo(outcomes.output.array.dtype).eps
        p = np.clip(outcomes.probabilities[:, 1], smallest, 1 - smallest)
        odds = np.log(p) - np.log1p(-p)
    return odds, outcomes.truth[:, 1]


def _design(odds: FloatArray, *, slope: bool) -> tuple[FloatArray, FloatArray, float]:
    """Return covariates (n_samples, n_coefficients), the offset, and the scale of the first.

    Log-odds are a covariate or the offset; as a covariate they have the scale 1.
    """
    ones = np.ones_like(odds)
    if not slope:
        return ones[:, None], odds, 1.0
    scale = float(odds.std()) or 1.0
    return np.column_stack([odds / scale, ones]), np.zeros_like(odds), scale


def _fitted(
    x: FloatArray, offset: FloatArray, y: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return coefficients (n_resamples, n_coefficients), and the inverses of their information.

    NaN where there is no solution: of one class, or of classes that log-odds separate.
    """
    from scipy.special import expit

    b = np.zeros((len(weights), x.shape[1]))
    moving: BoolArray = np.ones(len(b), dtype=bool)
    inverse = np.full((*b.shape, x.shape[1]), np.nan)
    for _ in range(_STEPS):
        w, p = weights[moving], expit(b[moving] @ x.T + offset)
        inverse[moving] = _inverse(np.einsum("ri,ij,ik->rjk", w * p * (1 - p), x, x))
        step = np.einsum("rjk,rk->rj", inverse[moving], (w * (y - p)) @ x)
        b[moving] += np.clip(step, -_LONGEST, _LONGEST)
        lost = ~(np.abs(b) < _LARGEST).all(axis=1)
        b[lost] = np.nan
        moving[moving] = (np.abs(step) > _CONVERGED).any(axis=1)
        moving &= ~lost
        if not moving.any():
            break
    b[moving] = np.nan
    return b, inverse


def _inverse(matrices: FloatArray) -> FloatArray:
    """Invert matrices of one or two rows; NaN where they are singular."""
    if matrices.shape[-1] == 1:
        return divide(np.ones_like(matrices), matrices)
    (a, b), (c, d) = np.moveaxis(matrices, (-2, -1), (0, 1))
    product = a * d
    determinant = np.where(product - b * c > 1e-14 * product, product - b * c, 0.0)
    turned = np.stack([np.stack([d, -b], axis=-1), np.stack([-c, a], axis=-1)], axis=-2)
    return divide(turned, determinant[..., None, None])


def _prepare(outcomes: Outcomes, *, slope: bool) -> Evaluate:
    odds, y = _log_odds(outcomes)
    x, offset, scale = _design(odds, slope=slope)

    def evaluate(weights: FloatArray) -> FloatArray:
        return _fitted(x, offset, y, np.asarray(weights, dtype=np.float64))[0][:, 0] / scale

    return evaluate


def _jackknife(outcomes: Outcomes, weights: FloatArray, *, slope: bool) -> FloatArray:
    """Compute the first coefficient without each sample, one Newton step from all of them."""
    from scipy.special import expit

    odds, y = _log_odds(outcomes)
    x, offset, scale = _design(odds, slope=slope)
    (b,), (inverse,) = _fitted(x, offset, y, weights[None])
    p = expit(x @ b + offset)
    reach = x @ inverse
    leverage = weights * p * (1 - p) * (reach * x).sum(axis=1)
    moved = weights * (y - p) * reach[:, 0] / np.maximum(1 - leverage, 1e-12)
    return (b[0] - moved) / scale


def _calibration(name: str, *, slope: bool) -> OrderMetric:
    return OrderMetric(
        name=name, needs="probabilities", bounds=(-math.inf, math.inf),
        prepare=partial(_prepare, slope=slope), jackknife=partial(_jackknife, slope=slope),
        of_positive=not slope,
    )  # fmt: skip


# Without a direction of merit, so they have no names by which models are compared.
CALIBRATION_SLOPE = _calibration("calibration_slope", slope=True)
CALIBRATION_INTERCEPT = _calibration("calibration_intercept", slope=False)
