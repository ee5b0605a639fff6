"""Labels and scores to fill in for missing results, so that a metric is worst, or best.

Let m labels of a model be missing, each of which may be any class. The values whose bounds are
computed here are quotients of hits, predicted counts and true counts. For these:

- The best case is that every missing label is the true one. A hit of class j, (h + 1) / (p + 1), is
  at least h / p; a wrong label j, h / (p + 1), is at most h / p. So the true labels are best for
  all classes at once, and for averages over classes.
- Accuracy, the recall of a class, balanced accuracy and micro averages depend on hits alone (there
  are as many labels as samples), so any wrong labels are the worst case.
- The value of one class j is worst if its own missing members are missed and all other missing
  labels are j. Each of these labels lowers the value for any choice of the other labels.
- An average over classes is worst if all missing labels are wrong; let x_j of them be j. The
  average is a sum of decreasing convex functions of the x_j (h / (p + x) is convex in x), and the
  x_j can be any numbers with sum m and x_j <= m - m_j, where m_j is the number of missing members
  of j (a label must avoid one class only). So the greedy algorithm is exact: assign one label after
  the other, each to the class where it lowers the sum most. A class that is neither true nor
  predicted is left out of the mean, until one label makes its value 0; all possible numbers of such
  classes are tried.

Missing scores are set to an end of their range, as the mean increases in each score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.data.predictions import Predictions
from modelcompare.directions import known_direction
from modelcompare.metrics import counts
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.planning import known_range, name_of_score
from modelcompare.metrics.quotient import Quotient
from modelcompare.metrics.scoring import mean_ratio

_PRECISION, _WRONG = counts.PRECISION.class_ratio, counts.ZERO_ONE_LOSS.class_ratio
_OF_HITS = (counts.RECALL.class_ratio, _WRONG)
_OF_COUNTS = (_PRECISION, counts.SPECIFICITY.class_ratio, counts.JACCARD.class_ratio)
_BOUNDED = (
    "accuracy, zero_one_loss, recall, precision, specificity, jaccard, f1 and other F-betas, each "
    "per class or as macro, micro or weighted average, balanced_accuracy, and means of scores"
)

Outputs = Mapping[str, AnyArray]


# Metrics; the class of the case, None for all values; and the outputs of each model (codes for
# labels) that make these values worst, and best.
Case = tuple[Sequence[AnyMetric], Any, Outputs, Outputs]


def cases(
    metrics: Sequence[AnyMetric], predictions: Predictions, missing: Mapping[str, BoolArray]
) -> Iterator[Case]:
    """Yield cases that together contain each value of the metrics once.

    Parameters
    ----------
    metrics : sequence of metrics
        Metrics to compare.
    predictions : Predictions
        All of one kind, labels or scores.
    missing : mapping of str to ndarray of bool
        For each model, which of its results are missing.

    Raises
    ------
    ValueError
        If no valid bounds of a metric are known.
    """
    found: dict[str, list[AnyMetric]] = {}
    for metric in metrics:
        found.setdefault(_way(metric, predictions), []).append(metric)
    outputs = {model: predictions.output(model).array for model in predictions.models}
    if "scores" in found:
        ends = _ends(found["scores"], predictions)
        worst, best = (_filled(outputs, missing, end) for end in ends)
        yield found["scores"], None, worst, best
        return
    truth, labels = predictions.access.hard_codes, predictions.labels
    if truth is None or labels is None:
        raise ValueError("bounds need true labels, one for each sample.")
    best = _filled(outputs, missing, truth)
    if "hits" in found:
        yield found["hits"], None, _filled(outputs, missing, (truth + 1) % len(labels)), best
    for code, label in enumerate(labels.tolist() if "class" in found else ()):
        wrong = np.where(truth == code, (code + 1) % len(labels), code)
        yield found["class"], label, _filled(outputs, missing, wrong), best
    for metric in found.get("average", ()):
        worst = {
            model: _spread(cast(Metric, metric), codes, truth, missing[model], len(labels))
            for model, codes in outputs.items()
        }
        yield (metric,), None, worst, best


def _way(metric: AnyMetric, predictions: Predictions) -> str:
    """Return the case in which a metric is worst; see the module docstring for the proofs."""
    if isinstance(metric, Metric) and isinstance(metric.value, Quotient):
        ratio = metric.class_ratio
        if metric.kind.scored and metric.ratio is mean_ratio:
            return "scores"
        # In a custom record of the same formula, lower values may be better.
        known_way_up = metric.greater_is_better == (ratio != _WRONG)
        if metric.statistics == counts.COUNTS and ratio is not None and known_way_up:
            is_f = metric.value.without is not None
            if metric.value.strict or (metric.average and metric.zero_division == "paper"):
                raise ValueError(
                    f"there are no bounds of {metric.name} with zero_division='paper', where a "
                    "class has no value until one is predicted; leave zero_division out."
                )
            of_counts = ratio in _OF_COUNTS or is_f
            # A class that is only predicted counts as 0 in the macro average of recall.
            of_hits = metric.average != "macro" or metric.value.of_true
            if (ratio in _OF_HITS and of_hits) or (of_counts and metric.is_of_samples):
                return "hits"
            if of_counts and metric.per_class:
                return "class"
            if (of_counts or ratio in _OF_HITS) and metric.average:
                if predictions.sample_weight is None:
                    return "average"
                raise ValueError(
                    f"there are no bounds of {metric.name} where samples have weights; leave the "
                    "weights out, or ask for the classes one by one."
                )
    raise ValueError(
        f"there are no bounds of {metric.name} that are valid for all possible missing results; "
        f"there are for {_BOUNDED}. Or use missing='drop' (--missing drop)."
    )


def _ends(metrics: Sequence[AnyMetric], predictions: Predictions) -> FloatArray:
    """Return the worst and the best score; one per name if there are several scores."""
    ends: dict[str | None, tuple[float, float]] = {}
    scores = predictions.access.scores
    for metric in metrics:
        low, high = known_range(metric, [predictions])
        up = known_direction(metric.name, metric.greater_is_better)
        ends[name_of_score(metric, scores)] = (low, high) if up else (high, low)
    # Scores that are not asked for may be anything.
    return np.array([ends.get(name, (0.0, 0.0)) for name in scores.names or ends]).T


def _filled(outputs: Outputs, missing: Mapping[str, BoolArray], fill: AnyArray) -> Outputs:
    return {model: np.where(missing[model], fill, array) for model, array in outputs.items()}


def _spread(
    metric: Metric, codes: IntArray, truth: IntArray, missing: BoolArray, n_classes: int
) -> IntArray:
    """Fill in the labels that make an average over classes worst."""
    count, known = partial(np.bincount, minlength=n_classes), ~missing
    hits, predicted = count(truth[known & (codes == truth)]), count(codes[known])
    support, lacking = count(truth), count(truth[missing])
    more: FloatArray = np.arange(missing.sum() + 1.0)[:, None]
    # Of shape (n_missing + 1, n_classes): value of each class with so many more wrong labels.
    quotient = cast(Quotient, metric.value)
    totals: list[FloatArray] = [hits + 0 * more, predicted + more, support + 0 * more]
    values = quotient.filled(quotient.of_classes(*totals), *totals)
    if metric.average == "weighted":
        values = np.where(support > 0, values * support, 0.0)
    counted = _least_mean(values, len(more) - 1 - lacking)
    filled = codes.copy()
    filled[missing] = _assigned(truth[missing], counted)
    return filled


def _least_mean(values: FloatArray, most: IntArray) -> IntArray:
    """Choose how many labels each class gets, so that the mean of the classes' values is least.

    Parameters
    ----------
    values : ndarray of shape (n_labels + 1, n_classes)
        Value of each class by its number of labels; NaN where it is undefined.
    most : ndarray of shape (n_classes,)
        Largest number of labels of each class; their sum is at least n_labels.
    """
    n_labels = len(values) - 1
    opened = np.flatnonzero(np.isnan(values[0]) & ~np.isnan(values[-1]) & (most > 0))
    opened = opened[np.argsort(-most[opened], kind="stable")]
    best, least = np.zeros(values.shape[1], dtype=np.intp), np.inf
    for n_opened in range(min(len(opened), n_labels) + 1):
        given = _dearest(values, most, opened[:n_opened], opened[n_opened:], n_labels)
        if given is None:
            continue
        reached = np.take_along_axis(values, given[None, :], axis=0)[0]
        mean = np.nanmean(reached) if not np.isnan(reached).all() else np.inf
        if mean < least or not best.any():
            best, least = given, mean
    return best


def _dearest(
    values: FloatArray, most: IntArray, opened: IntArray, closed: IntArray, n_labels: int
) -> IntArray | None:
    """Assign labels where they lower the sum most: one to each of `opened`, none to `closed`."""
    given = np.zeros(values.shape[1], dtype=np.intp)
    given[opened] = 1
    room = np.where(np.isin(np.arange(len(most)), closed), 0, most)
    left = n_labels - len(opened)
    if (room - given).sum() < left:
        return None
    cost = np.nan_to_num(values[:-1] - values[1:])
    steps = np.arange(n_labels)[:, None]
    cost[(steps < given) | (steps >= room)] = -1.0
    taken = np.argsort(-cost, axis=None, kind="stable")[:left]
    return given + np.bincount(taken % len(most), minlength=len(most))


def _assigned(truth: IntArray, counted: IntArray) -> IntArray:
    """Return a wrong label for each sample, with a given count of each class."""
    fill = np.repeat(np.arange(len(counted)), counted)
    for place in np.flatnonzero(fill == truth):
        own = truth[place]
        if fill[place] == own:
            # Samples of the class and labels of the class are together at most all samples, and
            # this sample is counted twice: so at least one sample is neither.
            other = np.flatnonzero((truth != own) & (fill != own))[0]
            fill[place], fill[other] = fill[other], own
    return fill
