"""Intervals of ROC AUC and average precision, also of many classes, from samples of rare ones.

Their influences depend mostly on the rarer class, and are 0 if all positives are above all
negatives, for any number of them. So a value is treated as a proportion of so many samples
that its variance is the same, and of no more than the rarer class shows. Near the ceiling a value
is skewed: intervals of two models are joined (MOVER), where Student's of the difference misses in
0.10 to 0.25 of the test sets on the side of what was not seen.
"""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import unit_influences
from modelcompare.engine.labels import Labels
from modelcompare.intervals.base import Interval
from modelcompare.intervals.differences import mover_of_scores
from modelcompare.intervals.ratios import Bounds, proportion
from modelcompare.intervals.sizes import effective_sizes, n_results
from modelcompare.metrics.quotient import divide

# Number of positives added to a score; to a difference between clusters, for which the ranks of a
# positive by two models are mostly correlated; and the most trials for each sample of the rarer
# class where few carry the variance. An error takes off twice as much of an average precision as of
# an area.
_OF_AUC, _OF_PRECISION = (1.0, 0.1, 2.0), (3.0, 0.2, 1.0)
RANKS = {
    "roc_auc": _OF_AUC, "roc_auc_ovr": _OF_AUC, "roc_auc_ovr_weighted": _OF_AUC,
    "roc_auc_ovo": _OF_AUC, "roc_auc_ovo_weighted": _OF_AUC,
    "average_precision": _OF_PRECISION, "average_precision_macro": _OF_PRECISION,
}  # fmt: skip
# So many samples of the rarer class must carry a variance for it to be known.
_KNOWN = 3.0
# Influences below this are rounding.
_ROUNDING = 1e-9


def rank_intervals(
    contrasts: Contrasts, metric: str, where: slice, level: float, carriers: FloatArray
) -> Interval:
    """Compute intervals of one value of each model of independent samples, or of each pair.

    `carriers` are the samples that carry the variance of each difference.
    """
    evaluation, moments = contrasts.evaluation, contrasts.sample.moments
    points, place = contrasts.sample.point, where.start
    value, few = points[:, place], np.full(len(points), rarer_size(evaluation))
    size = np.full(len(points), 1 / (2 * error_cost(evaluation, metric)))
    # The same at any level: a p-value is found by intervals at several.
    rare = evaluation.once(("rarer",), lambda: rarer_carriers(evaluation, points))[:, place]
    variance = moments.standard_error()[:, place] ** 2
    ends = rank_interval(value, variance, size, rare, *RANKS[metric][::2], level)
    if contrasts.pairs is None:
        low, high = (end[:, None] for end in ends)
        return Interval.of(low, high, "effective-size", few[:, None])
    # What was not seen of two models need not be the same, however correlated their ranks are.
    unseen = RANKS[metric][1] * value * (1 - value) / np.maximum(size, 1.0) ** 2
    covariance = moments.covariance()[place] + np.diag(unseen)
    joined = mover_of_scores(value, ends, covariance, contrasts.pairs)
    low, high = (end[:, None] for end in joined)
    return Interval.of(low, high, "mover", np.minimum(carriers, few[0]))


def rank_interval(
    estimate: FloatArray,
    variance: FloatArray,
    size: FloatArray,
    carriers: FloatArray,
    unseen: float,
    few: float,
    confidence_level: float = 0.95,
) -> Bounds:
    """Compute the interval of an ROC AUC or an average precision, also for few positives.

    It is the interval of a proportion whose number of trials matches the influence variance, but is
    for an area at most twice the number of samples of the rarer class: if a model gives two scores
    only, the area A is the mean of two shares, and it is 1 in ``(2 A - 1)^size`` of the test sets
    in which all errors are in that class. Of m positives, a false alarm takes ``1 / (m + 1)`` off
    an average precision: there are at most as many trials as samples of the rarer class. Where at
    least three samples outside the most frequent class carry the variance, four times as many
    trials as these samples are allowed.

    Parameters
    ----------
    estimate, variance : ndarray of shape (...)
        Value and its influence variance.
    size, carriers : ndarray of shape (...)
        Number m of samples of the rarer class, or as many of which an error costs as much
        (`error_cost`), and how many samples outside the most frequent class carry the variance.
    unseen : float
        Added to the relative variance, divided by m^2.
    few : float
        The most trials, in multiples of m, where few samples carry the variance.
    confidence_level : float
        A fraction in (0, 1).
    """
    relative = divide(variance, estimate * (1 - estimate), 0.0)
    trials = 1 / (relative + unseen / np.maximum(size, 1.0) ** 2)
    most = np.where(carriers < _KNOWN, few, 4.0) * np.maximum(size, 1.0)
    return proportion(estimate, np.minimum(trials, most), confidence_level)


def error_cost(evaluation: Evaluation, metric: str) -> float:
    """Compute how much the most costly error, which names one class for another, can take off.

    That is of a model with two scores, if all its other answers are right. A class against the rest
    loses ``1 / (2 m)`` by a miss of its m members, and the class that is named as much by one of
    its negatives (in average precision, by one of its members); a pair of classes in
    ``roc_auc_ovo`` loses ``1 / (4 m)`` by a member that scores low, and as much by one that scores
    high for the other. These are weighted as in the average. For two classes it is half of one over
    the rarer one's size.
    """
    if metric in ("roc_auc", "average_precision"):
        return float(1 / (2 * max(rarer_size(evaluation), 1.0)))
    n_samples = len(evaluation.predictions)
    sizes = effective_sizes(evaluation.access, by_class=True) * n_results(evaluation) / n_samples
    sizes = sizes[sizes > 0]
    if len(sizes) < 2:
        # A single class has no area.
        return 0.5
    weights = sizes if metric.endswith("weighted") else np.ones(len(sizes))
    apart = ~np.eye(len(sizes), dtype=bool)
    if "ovo" in metric:
        pairs = (weights[:, None] + weights) * apart
        cost = (pairs.sum(axis=1, keepdims=True) + pairs) / (2 * pairs.sum() * sizes[:, None])
    else:
        others = sizes if metric.startswith("average") else sizes.sum() - sizes
        cost = ((weights / sizes)[:, None] + weights / others) / (2 * weights.sum())
    return float(cost[apart].max())


def rarer_size(evaluation: Evaluation) -> float:
    """Return the effective number of samples of the rarer of two classes; 0 without classes."""
    p, access = evaluation.predictions, evaluation.access
    if access.hard_codes is None:
        return 0.0
    ones = np.ones(len(p), dtype=np.intp)
    labels = Labels(access.hard_codes, (), access.n_classes, ones, p.sample_weight)
    return labels.size_of_others * n_results(evaluation) / len(p)


def rarer_carriers(evaluation: Evaluation, estimate: FloatArray) -> FloatArray:
    """Compute how many samples of the rarer class carry the variance of each value.

    They are ``(sum u^2)^2 / sum u^4`` of their influences, (n_models, n_values).
    """
    codes, out = evaluation.access.hard_codes, np.zeros((2, *estimate.T.shape))
    if codes is None:
        return np.zeros(estimate.shape)
    rarer = codes != np.bincount(codes).argmax()
    seen = [0] * estimate.shape[1]
    for value, u, _ in unit_influences(evaluation, estimate):
        first, seen[value] = seen[value], seen[value] + u.shape[1]
        own = u[:, rarer[first : seen[value]]]
        squares = np.where(np.abs(own) > _ROUNDING, own, 0.0) ** 2
        out[:, value] += squares.sum(axis=1), (squares**2).sum(axis=1)
    return divide(out[0] ** 2, out[1], 0.0).T
