"""Effect sizes of two models' numbers of the same independent samples."""

from __future__ import annotations

import math

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.metrics.base import Metric, Outcomes
from modelcompare.metrics.scoring import mean_ratio
from modelcompare.questions.contrast import Contrast


def effect_sizes(contrast: Contrast) -> tuple[float, float]:
    """Return Cohen's dz and Cliff's delta of two models; NaN where they are not defined.

    Both are of independent samples of equal weight. Cohen's dz is the difference over the standard
    deviation of the samples' differences (of their influences, where the metric is no mean);
    Cliff's delta is the chance that a number of a is above one of b, less that it is below, which
    needs a mean of numbers. Of zeros and ones it is the difference.

    References
    ----------
    .. [1] Lakens (2013), Calculating and reporting effect sizes, Frontiers in Psychology 4, 863.
    .. [2] Cliff (1993), Dominance statistics, Psychological Bulletin 114, 494-509.
    """
    predictions, metric = contrast.evaluation.predictions, contrast.metric
    access = predictions.access
    own = "rows" in access.abilities and access.plain
    if not own or contrast.sample.design.beyond_items:
        return math.nan, math.nan
    spread = contrast.error * math.sqrt(contrast.n_units)
    dz = contrast.difference / spread if spread > 0 and metric.smooth else math.nan
    if isinstance(metric, Metric) and metric.proportion and not metric.per_class:
        return dz, contrast.difference
    if not isinstance(metric, Metric) or metric.ratio is not mean_ratio or metric.power != 1:
        return dz, math.nan
    numbers = metric.statistics[0].compute
    a, b = (numbers(Outcomes.of(predictions, model))[:, 0] for model in contrast.models)
    return dz, dominance(a, b)


def dominance(a: FloatArray, b: FloatArray) -> float:
    """Compute the share of pairs of numbers in which a is above b, less that in which it is below.

    Examples
    --------
    >>> dominance(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0]))
    0.5
    """
    ordered = np.sort(b)
    below, up_to = (np.searchsorted(ordered, a, side=side) for side in ("left", "right"))
    return float((below + up_to - len(b)).sum() / (len(a) * len(b)))
