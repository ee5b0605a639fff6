"""Metrics of the order that probabilities give, as plain functions.

See `modelcompare.metrics.functions`.
"""

from __future__ import annotations

from typing import Literal

from numpy.typing import ArrayLike

from modelcompare.metrics.plain import single_value


def roc_auc(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    multi_class: Literal["ovr", "ovo"] | None = None,
    average: Literal["macro", "weighted"] = "macro",
    max_fpr: float | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Probability that a positive gets a higher score than a negative, ties counting half.

    Values order alone: any increasing change of the scores leaves it as it is, and so does the
    share of positives. It says nothing about the one threshold that will be used, and averages over
    false positive rates that nobody would accept; true negatives count, so a large negative class
    makes it look good. For more than two classes ``_ovr`` averages each class against the rest,
    ``_ovo`` each pair of classes (Hand & Till); ``_weighted`` weighs them by support.
    ``roc_auc_at_0.1`` looks at false positive rates up to 0.1 only, standardized to 0.5 for chance.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_prob : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probability of the second of two classes, or of all classes.
    multi_class : {"ovr", "ovo"}, optional
        How more than two classes are averaged.
    average : {"macro", "weighted"}
        Weights of that average.
    max_fpr : float, optional
        Largest false positive rate of a partial area, for two classes.
    labels : array-like, optional
        The classes, in the order of the columns.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.

    References
    ----------
    .. [1] Hanley & McNeil (1982), Radiology 143, 29-36.
    .. [2] Hand & Till (2001), Machine Learning 45, 171-186.
    .. [3] McClish (1989), Medical Decision Making 9, 190-195 (partial area).

    Examples
    --------
    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    name = "roc_auc"
    if max_fpr is not None:
        name = f"roc_auc_at_{max_fpr:g}"
    elif multi_class is not None:
        name = f"roc_auc_{multi_class}" + ("_weighted" if average == "weighted" else "")
    return single_value(name, y_true, y_prob, labels=labels, sample_weight=sample_weight)


def average_precision(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean of the precision at each threshold, weighted by the step in recall.

    Values finding positives early in the order of the scores. Its value for chance is the share of
    positives, so values of different test sets do not compare; and papers mean different things by
    it: this is the sum over thresholds without interpolation, which interpolated variants exceed.
    ``_macro`` is the mean over classes, each against the rest.

    Parameters
    ----------
    y_true, y_prob, labels, sample_weight
        As in `roc_auc`.

    References
    ----------
    .. [1] Manning, Raghavan & Schuetze (2008), Introduction to Information Retrieval, section 8.4.

    Examples
    --------
    >>> round(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    return single_value(
        "average_precision", y_true, y_prob, labels=labels, sample_weight=sample_weight
    )


def mean_reciprocal_rank(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean of one over the rank of the true class among the classes by probability.

    Values how far down a list one has to read. The step from rank 1 to 2 counts as much as all
    others together, and how probable the classes are does not count. Tied classes share the middle
    of their ranks; a class that a list was cut off before counts 0 (`modelcompare.from_nbest`).

    Parameters
    ----------
    y_true, y_prob, labels, sample_weight
        As in `roc_auc`.

    References
    ----------
    .. [1] Voorhees (1999), TREC-8 Question Answering Track Report.

    Examples
    --------
    >>> mean_reciprocal_rank([0, 1], [[0.6, 0.3, 0.1], [0.6, 0.3, 0.1]])
    0.75
    """
    return single_value(
        "mean_reciprocal_rank", y_true, y_prob, labels=labels, sample_weight=sample_weight
    )


def top_k_accuracy(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    k: int = 3,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of samples whose true class is among the k most probable.

    Values a list that somebody else will choose from; the order within it does not count. Never
    below accuracy, and 1 as soon as k reaches the number of classes. In names of metrics k is part
    of the name: ``top_3_accuracy``. Of tied classes the later ones come first, as in scikit-learn.

    Parameters
    ----------
    k : int
        Length of the list.
    y_true, y_prob, labels, sample_weight
        As in `roc_auc`.

    Examples
    --------
    >>> top_k_accuracy([0, 1, 2], [[0.6, 0.3, 0.1]] * 3, k=2)
    0.6666666666666666
    """
    if k < 1:
        raise ValueError(f"`k` must be at least 1, got {k}.")
    return single_value(
        f"top_{k}_accuracy", y_true, y_prob, labels=labels, sample_weight=sample_weight
    )
