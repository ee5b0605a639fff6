"""Metrics of labels as plain functions, with scikit-learn's signatures.

Each evaluates the registered metric of its name on the same statistics that every interval and
test of the package uses. Its docstring is the metric's definition, and what
``modelcompare metrics NAME`` prints.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike

from modelcompare.arrays import FloatArray
from modelcompare.metrics.counts import ZeroDivision
from modelcompare.metrics.plain import AverageName, averaged_value, single_value


def accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Share of samples whose class was predicted.

    Values every sample alike. With one class of 95 %, always predicting it scores 0.95: look at
    balanced accuracy or at recall per class as well. Between 0 and 1, higher is better.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.

    Examples
    --------
    >>> accuracy(["a", "b", "b"], ["a", "b", "a"])
    0.6666666666666666
    """
    return single_value("accuracy", y_true, y_pred, sample_weight=sample_weight)


def zero_one_loss(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Share of samples whose class was not predicted (classification error): 1 - accuracy.

    Values and hides what `accuracy` does; differences in it are easier to read where accuracy is
    close to 1.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `accuracy`.

    Examples
    --------
    >>> round(zero_one_loss(["a", "b", "b"], ["a", "b", "a"]), 4)
    0.3333
    """
    return single_value("zero_one_loss", y_true, y_pred, sample_weight=sample_weight)


def balanced_accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Mean recall of the classes that occur.

    Values every class alike, however rare; a class of three samples moves it by as much as one of
    three thousand, so its interval is wide. Between 0 and 1, higher is better.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `accuracy`.

    Examples
    --------
    >>> balanced_accuracy([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    return single_value("balanced_accuracy", y_true, y_pred, sample_weight=sample_weight)


def precision(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    average: AverageName | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = math.nan,
) -> float | FloatArray:
    """Share of what was predicted as a class that belongs to it: hits / predicted.

    Values the absence of false alarms and says nothing of what was missed: predicting a class
    once, rightly, scores 1. Undefined where a class is never predicted. Between 0 and 1, higher is
    better.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    labels : array-like, optional
        The classes, in the order of the result; those that occur, sorted, by default.
    average : {"macro", "micro", "weighted", "binary"}, optional
        None gives one value for each class. "macro" is the mean over classes, "weighted" the mean
        by support, "micro" the value of the summed counts, "binary" that of `pos_label` alone.
    pos_label : label
        The class that ``average="binary"`` looks at.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.
    zero_division : float or "paper"
        Value of 0 / 0; NaN by default, with a warning. See `modelcompare.get_metric`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), eq. 1, https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> precision([0, 0, 1], [0, 1, 1])
    array([1. , 0.5])
    >>> precision([0, 0, 1], [0, 1, 1], average="binary")
    0.5
    """
    return averaged_value("precision", y_true, y_pred, locals())


def recall(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    average: AverageName | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = math.nan,
) -> float | FloatArray:
    """Share of a class that was predicted as such: hits / support.

    Values completeness and says nothing of false alarms: predicting the class always scores 1.
    Undefined where a class does not occur. Between 0 and 1, higher is better.

    Parameters
    ----------
    y_true, y_pred, labels, average, pos_label, sample_weight, zero_division
        As in `precision`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), eq. 2, https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> recall([0, 0, 1], [0, 1, 1])
    array([0.5, 1. ])
    """
    return averaged_value("recall", y_true, y_pred, locals())


def specificity(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    average: AverageName | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = math.nan,
) -> float | FloatArray:
    """Share of the other classes that was not predicted as this one.

    The recall of "not this class". Close to 1 for any rare class, since true negatives abound.
    Between 0 and 1, higher is better.

    Parameters
    ----------
    y_true, y_pred, labels, average, pos_label, sample_weight, zero_division
        As in `precision`.

    Examples
    --------
    >>> specificity([0, 0, 1], [0, 1, 1], average="binary")
    0.5
    """
    return averaged_value("specificity", y_true, y_pred, locals())


def jaccard(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    average: AverageName | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = math.nan,
) -> float | FloatArray:
    """Intersection over union of the predicted and the true members of a class.

    Orders models of one class as F1 does (J = F1 / (2 - F1)) and is stricter on errors. Between 0
    and 1, higher is better.

    Parameters
    ----------
    y_true, y_pred, labels, average, pos_label, sample_weight, zero_division
        As in `precision`.

    Examples
    --------
    >>> jaccard([0, 0, 1], [0, 1, 1])
    array([0.5, 0.5])
    """
    return averaged_value("jaccard", y_true, y_pred, locals())


def f1(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    average: AverageName | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = math.nan,
) -> float | FloatArray:
    """Harmonic mean of precision and recall: 2 hits / (predicted + support).

    Values false alarms and misses alike and ignores true negatives. It weighs precision and recall
    equally whether or not the application does, and jumps where a confidence crosses the
    threshold. The macro average is the mean of the classes' F1, not the F1 of mean precision and
    mean recall. Between 0 and 1, higher is better.

    Parameters
    ----------
    y_true, y_pred, labels, average, pos_label, sample_weight, zero_division
        As in `precision`. ``zero_division="paper"`` makes F1 undefined wherever precision or
        recall is; the count formula above is undefined only where both counts are 0.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, chapter 7.

    Examples
    --------
    >>> f1([0, 0, 1], [0, 1, 1], average="macro")
    0.6666666666666666
    """
    return averaged_value("f1", y_true, y_pred, locals())


def fbeta(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float,
    labels: ArrayLike | None = None,
    average: AverageName | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = math.nan,
) -> float | FloatArray:
    """Harmonic mean of precision and recall, recall counting beta times as much.

    Values misses more than false alarms where beta is above 1 (a screening test), less where it is
    below (a user who sees every alarm). Choose beta by what errors cost, before looking at scores;
    true negatives count in none of them. In names of metrics beta is part of the name: ``f2``,
    ``f0.5_macro``. Between 0 and 1, higher is better.

    Parameters
    ----------
    beta : float
        Above 1 for recall, below 1 for precision.
    y_true, y_pred, labels, average, pos_label, sample_weight, zero_division
        As in `precision`.

    Examples
    --------
    >>> round(fbeta([0, 0, 1], [0, 1, 1], beta=2, average="binary"), 4)
    0.8333
    """
    if not (math.isfinite(beta) and beta >= 0):
        raise ValueError(f"`beta` must be a finite number of at least 0, got {beta}.")
    return averaged_value(f"f{beta:.12g}", y_true, y_pred, locals())


def matthews_corrcoef(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Correlation of the true and the predicted class indicators.

    Uses all four cells of the confusion matrix and is 0 for any prediction that ignores the input.
    For two classes it is Pearson's phi, for more Gorodkin's R_K. Undefined where only one class is
    true or predicted. Between -1 and 1, higher is better.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `accuracy`.

    References
    ----------
    .. [1] Gorodkin (2004), Computational Biology and Chemistry 28, 367-374.

    Examples
    --------
    >>> round(matthews_corrcoef([0, 0, 1, 1], [0, 0, 1, 0]), 4)
    0.5774
    """
    return single_value("matthews_corrcoef", y_true, y_pred, sample_weight=sample_weight)


def cohen_kappa(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Agreement beyond what the two margins give by chance.

    0 for chance, 1 for perfect agreement. Depends on the class shares: the same error rates give a
    lower kappa on imbalanced data. Between -1 and 1, higher is better.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `accuracy`.

    References
    ----------
    .. [1] Cohen (1960), Educational and Psychological Measurement 20, 37-46.

    Examples
    --------
    >>> cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0])
    0.5
    """
    return single_value("cohen_kappa", y_true, y_pred, sample_weight=sample_weight)
