"""Variants of the AUC: means of a function of the difference d of two scores.

The AUC counts d > 0. These use d itself: (1 + d) / 2, max(d, 0), or a sigmoid of it. The sigmoid of
a difference is a polynomial in both scores to rounding, so its mean over all pairs is a function of
sums over samples.
"""

from __future__ import annotations

import math
from functools import cache, partial

import numpy as np
from numpy.polynomial import chebyshev

from modelcompare.arrays import FloatArray
from modelcompare.metrics.base import (
    AnyMetric,
    Factory,
    Metric,
    OrderMetric,
    Outcomes,
    Statistic,
    divide,
)
from modelcompare.metrics.defined import every_class
from modelcompare.metrics.ranking import Evaluate, check_two_classes
from modelcompare.metrics.variants import number

_STUDY = "Vanderlooy & Huellermeier (2008), A critical analysis of variants of the AUC."
_BETA, _STEEPEST = 10.0, 50.0


def _powers(outcomes: Outcomes, *, code: int, degree: int) -> FloatArray:
    """Return Chebyshev polynomials of the positive's probability for the samples of one class."""
    check_two_classes(outcomes, "give the probability of one class against the rest")
    powers = chebyshev.chebvander(2 * outcomes.score(1) - 1, degree)
    return np.asarray(powers * outcomes.truth[:, [code]])


def _statistics(degree: int) -> tuple[Statistic, Statistic]:
    positive, negative = (
        Statistic(f"powers_{degree}_of_{code}", partial(_powers, code=code, degree=degree))
        for code in (1, 0)
    )
    return positive, negative


def _difference(positive: FloatArray, negative: FloatArray) -> FloatArray:
    """Compute (1 + mean difference) / 2 from sums of 1 and 2 p - 1."""
    means = (divide(sums[..., 1], sums[..., 0]) / 2 for sums in (positive, negative))
    return (1 + next(means) - next(means)) / 2


@cache
def _sigmoid(beta: float) -> FloatArray:
    """Chebyshev coefficients of the sigmoid of beta (x - y) for x and y in [0, 1].

    Its poles are 2 pi / beta from the real line if x is scaled to [-1, 1], so coefficients fall
    by rho = s + sqrt(1 + s^2) with each degree.
    """
    pole = 2 * math.pi / beta
    n = math.ceil(37 / math.asinh(pole)) + 1
    nodes = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    values = 1 / (1 + np.exp(-beta / 2 * (nodes[:, None] - nodes)))
    to_coefficients = 2 / n * chebyshev.chebvander(nodes, n - 1).T
    to_coefficients[0] /= 2
    return np.asarray(to_coefficients @ values @ to_coefficients.T)


def _mean_sigmoid(positive: FloatArray, negative: FloatArray, *, beta: float) -> FloatArray:
    pairs = ((positive @ _sigmoid(beta)) * negative).sum(axis=-1)
    return divide(pairs, positive[..., 0] * negative[..., 0])


def soft_auc_metric(*, steepness: float = _BETA) -> Metric:
    """Return the mean sigmoid of differences, of this steepness."""
    if not 0 < steepness <= _STEEPEST:
        raise ValueError(f"`steepness` must be in (0, {_STEEPEST:g}], got {steepness:g}.")
    beta = float(steepness)
    return Metric(
        name="soft_auc" if beta == _BETA else f"soft_auc_{number(beta)}", needs="probabilities",
        family="soft_auc", statistics=_statistics(len(_sigmoid(beta)) - 1),
        value=partial(_mean_sigmoid, beta=beta), defined_by=every_class,
        factory=Factory(
            soft_auc_metric, {"steepness": beta}, "soft_auc_{steepness}",
            meanings={"steepness": ("float", "beta, in (0, 50].")},
        ),
        description="""Mean sigmoid of the difference of a positive's and a negative's probability.

        The AUC counts a pair as 1 or 0, this as 1 / (1 + exp(-beta d)), so a wide margin counts
        more, and it can be differentiated. It rewards confidence; in the experiments of Vanderlooy
        and Huellermeier such variants choose no better models than the AUC does. beta is part of
        the name: ``soft_auc_20``; 10 by default.""",
        references=("Calders & Jaroszewicz (2007), Efficient AUC optimization.", _STUDY),
        example=">>> round(soft_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)\n0.8207",
    )  # fmt: skip


PROBABILISTIC_AUC = Metric(
    name="probabilistic_auc", needs="probabilities", statistics=_statistics(1), value=_difference,
    defined_by=every_class,
    description="""Half of 1 plus the mean probability of positives minus that of negatives.

    The area with (1 + d) / 2 of each pair's difference d instead of 1 or 0. The order of samples
    does not count by itself: sharper probabilities raise it.""",
    references=(
        "Ferri, Flach, Hernandez-Orallo & Senad (2004), Modifying ROC curves to incorporate "
        "predicted probabilities.", _STUDY,
    ),
    example=">>> round(probabilistic_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)\n0.6625",
)  # fmt: skip


def _pairs(outcomes: Outcomes, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sum each sample's max(d, 0) over the samples of the other class, and each class's weights.

    Weights have the shape (n_resamples, n_samples), and so do the sums.
    """
    check_two_classes(outcomes, "give the probability of one class against the rest")
    scores, positive = outcomes.score(1), outcomes.true_codes == 1
    order = np.argsort(scores, kind="stable")
    sides = weights * positive, weights * ~positive
    sums = np.empty(weights.shape)
    for here, side, way in ((positive, sides[1], order), (~positive, sides[0], order[::-1])):
        reached = np.cumsum(side[:, way], axis=1), np.cumsum((side * scores)[:, way], axis=1)
        mass, total = (np.take(each, np.argsort(way), axis=1)[:, here] for each in reached)
        sums[:, here] = np.abs(scores[here] * mass - total)
    return sums, sides[0].sum(axis=1), sides[1].sum(axis=1)


def _prepare_scored(outcomes: Outcomes) -> Evaluate:
    positive = outcomes.true_codes == 1

    def evaluate(weights: FloatArray) -> FloatArray:
        sums, positives, negatives = _pairs(outcomes, np.asarray(weights, dtype=np.float64))
        return divide((weights * sums)[:, positive].sum(axis=1), positives * negatives)

    return evaluate


def _scored_left_out(outcomes: Outcomes, weights: FloatArray) -> FloatArray:
    (sums,), (positives,), (negatives,) = _pairs(outcomes, weights[None])
    positive = outcomes.true_codes == 1
    left = positives - weights * positive, negatives - weights * ~positive
    return divide((weights * sums)[positive].sum() - weights * sums, left[0] * left[1])


SCORED_AUC = OrderMetric(
    name="scored_auc", needs="probabilities", prepare=_prepare_scored, jackknife=_scored_left_out,
    defined_by=every_class,
    description="""Mean of max(d, 0) over pairs, d a positive's minus a negative's probability.

    The AUC counts d > 0; this weighs it by its margin, so that pairs in the right order by a hair
    count nothing. It is also the area under the AUC at a required margin, over all margins. It
    rewards confidence: half the probabilities have half the value.""",
    references=("Wu & Flach (2005), A scored AUC metric for classifier evaluation.", _STUDY),
    example=">>> round(scored_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)\n0.3375",
)  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (PROBABILISTIC_AUC, SCORED_AUC, soft_auc_metric())
