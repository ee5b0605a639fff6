"""Metrics as plain functions of arrays, with scikit-learn's signatures.

Each evaluates the registered metric of its name on the same statistics that every interval and
test of the package uses. Its docstring is the metric's definition, and what
``modelcompare metrics NAME`` prints.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modelcompare.metrics.base import Metric, Outcomes, UndefinedMetricWarning
from modelcompare.metrics.classification import ZeroDivision
from modelcompare.metrics.inputs import read_outcomes
from modelcompare.metrics.registry import get_metric

FloatArray = NDArray[np.float64]
AverageName = Literal["macro", "micro", "weighted", "binary"]


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
    return _number("accuracy", y_true, y_pred, sample_weight=sample_weight)


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
    return _number("balanced_accuracy", y_true, y_pred, sample_weight=sample_weight)


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
    return _averaged("precision", y_true, y_pred, locals())


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
    return _averaged("recall", y_true, y_pred, locals())


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
    return _averaged("specificity", y_true, y_pred, locals())


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
    return _averaged("jaccard", y_true, y_pred, locals())


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
    return _averaged("f1", y_true, y_pred, locals())


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

    In names of metrics the beta is part of the name: ``f2``, ``f0.5_macro``. Between 0 and 1,
    higher is better.

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
    return _averaged(f"f{beta:.12g}", y_true, y_pred, locals())


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
    return _number("matthews_corrcoef", y_true, y_pred, sample_weight=sample_weight)


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
    return _number("cohen_kappa", y_true, y_pred, sample_weight=sample_weight)


def brier_score(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean squared distance of the probabilities from the truth.

    A proper scoring rule: honest probabilities score best. Summed over the classes (0 to 2), and
    halved for two classes (0 to 1), as scikit-learn scales it. Lower is better.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels, or soft labels.
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities; of shape (n_samples,) that of the second of two classes.
    labels : array-like, optional
        The classes, in the order of the columns.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.

    References
    ----------
    .. [1] Brier (1950), Monthly Weather Review 78, 1-3.

    Examples
    --------
    >>> brier_score([0, 1], [0.25, 0.5])
    0.15625
    """
    return _number("brier_score", y_true, y_prob, labels=labels, sample_weight=sample_weight)


def log_loss(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean negative log-probability of the truth, in nats.

    A proper scoring rule that looks at the true class alone; one confident error can outweigh all
    the rest, so probabilities are clipped at the precision they were given in. 0 and up, lower is
    better.

    Parameters
    ----------
    y_true, y_prob, labels, sample_weight
        As in `brier_score`.

    Examples
    --------
    >>> round(log_loss([0, 1], [[0.5, 0.5], [0.25, 0.75]]), 4)
    0.4904
    """
    return _number("log_loss", y_true, y_prob, labels=labels, sample_weight=sample_weight)


def cprecision(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float | FloatArray:
    """Share of the probability given to a class that fell on its members (cPrecision).

    Precision's formula with the model's confidence in the place of its decision; defined wherever
    a model gives a class any probability. Rewards confident hits and punishes confident false
    alarms. Between 0 and 1, higher is better.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels, or soft labels.
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities; of shape (n_samples,) that of the second of two classes.
    **options
        ``labels, average, pos_label, sample_weight, zero_division`` as in `precision`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), eq. 7, https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> cprecision([0, 1], [[0.75, 0.25], [0.25, 0.75]])
    array([0.75, 0.75])
    """
    return _averaged("cprecision", y_true, y_prob, options)


def crecall(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float | FloatArray:
    """Mean probability that a class got on its members (cRecall).

    Recall's formula with the model's confidence in the place of its decision. An underconfident
    model scores low though all its decisions may be right. Between 0 and 1, higher is better.

    Parameters
    ----------
    y_true, y_prob, **options
        As in `cprecision`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), eq. 8, https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> crecall([0, 1], [[0.75, 0.25], [0.5, 0.5]])
    array([0.75, 0.5 ])
    """
    return _averaged("crecall", y_true, y_prob, options)


def cf1(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float | FloatArray:
    """Harmonic mean of cPrecision and cRecall (cF1).

    F1's formula with the model's confidence in the place of its decision: smooth in the
    confidences, with no threshold to cross, and rarely undefined. It mixes calibration into the
    score: sharpening all confidences can raise it though no decision changes. Between 0 and 1,
    higher is better.

    Parameters
    ----------
    y_true, y_prob, **options
        As in `cprecision`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), section 3, https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> cf1([0, 1], [[0.75, 0.25], [0.25, 0.75]], average="macro")
    0.75
    """
    return _averaged("cf1", y_true, y_prob, options)


def caccuracy(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float:
    """Mean probability of the true class, the soft twin of accuracy.

    Between 0 and 1, higher is better.

    Parameters
    ----------
    y_true, y_prob
        As in `cprecision`.
    **options
        ``labels`` and ``sample_weight``.

    Examples
    --------
    >>> caccuracy([0, 1], [[0.75, 0.25], [0.5, 0.5]])
    0.625
    """
    return _number("caccuracy", y_true, y_prob, **options)


def _averaged(
    name: str, y_true: ArrayLike, y_output: ArrayLike, options: dict[str, Any]
) -> float | FloatArray:
    """Evaluate a metric that has a value for each class, or one of its averages."""
    average, zero_division = options.get("average"), options.get("zero_division", math.nan)
    if average not in (None, "macro", "micro", "weighted", "binary"):
        raise ValueError(
            f"`average` must be None, macro, micro, weighted or binary, got {average!r}."
        )
    suffix = f"_{average}" if average in ("macro", "micro", "weighted") else ""
    metric = get_metric(name + suffix, zero_division=zero_division)
    value, classes = _value(metric, y_true, y_output, options)
    if average is None:
        return cast("FloatArray", value)
    if average != "binary":
        return float(value)
    pos_label = options.get("pos_label", 1)
    if pos_label not in classes:
        raise ValueError(f"`pos_label` {pos_label!r} is not a class: {classes[:5]}.")
    return float(value[classes.index(pos_label)])


def _number(name: str, y_true: ArrayLike, y_output: ArrayLike, **options: Any) -> float:
    """Evaluate a metric that has one value."""
    return float(_value(get_metric(name), y_true, y_output, options)[0])


def _value(
    metric: Any, y_true: ArrayLike, y_output: ArrayLike, options: dict[str, Any]
) -> tuple[Any, list[object]]:
    """Value of a metric, and the classes."""
    outcomes, weights, classes = read_outcomes(
        y_true, y_output, metric.needs, options.get("labels"), options.get("sample_weight")
    )
    value = evaluate(metric, outcomes, weights)
    if np.isnan(value).any():
        warnings.warn(
            f"{metric.name} is 0 / 0 here; pass zero_division= for another value.",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    return value, classes


def evaluate(metric: Any, outcomes: Outcomes, weights: FloatArray) -> Any:
    """Value of a metric under one vector of weights."""
    if isinstance(metric, Metric):
        return metric.value(*(weights @ s.compute(outcomes) for s in metric.statistics))
    return metric.prepare(outcomes)(weights[None, :])[0]
