"""Confusion matrices, counted and probabilistic, as labelled frames."""

from __future__ import annotations

from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.data.kinds import LABELS, PROBABILITIES
from modelcompare.metrics.base import divide
from modelcompare.metrics.plain import read_outcomes
from modelcompare.words import Normalize


@checked()
def confusion_matrix(
    y_true: ArrayLike, y_pred: ArrayLike, *, labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None, normalize: Normalize | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Count how often each class was predicted for each true class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    labels : array-like of shape (n_classes,), optional
        Classes in the order wanted; the sorted labels by default.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.
    normalize : {"true", "pred", "all"}, optional
        Divide by the true classes' totals (rows), the predicted classes' (columns), or all.

    Returns
    -------
    DataFrame
        Rows are true classes, columns predicted ones.

    Examples
    --------
    >>> confusion_matrix(["A", "A", "B", "B"], ["A", "B", "B", "B"])
    predicted    A    B
    true
    A          1.0  1.0
    B          0.0  2.0
    """
    outcomes, weights, names = read_outcomes(y_true, y_pred, LABELS, labels, sample_weight)
    return _frame(outcomes.truth, outcomes.predicted_indicator, weights, names, normalize)


@checked()
def probabilistic_confusion_matrix(
    y_true: ArrayLike, y_prob: ArrayLike, *, labels: ArrayLike | None = None, positive: Any = None,
    sample_weight: ArrayLike | None = None, normalize: Normalize | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Sum the probability given to each class over the samples of each true class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities, rows summing to 1; columns in the order of `labels`. Or those of the positive
        one of two classes, of shape (n_samples,).
    positive : optional
        The positive one of two classes, the last; by default 1, True or yes.
    labels, sample_weight, normalize
        As in `confusion_matrix`.

    Returns
    -------
    DataFrame
        Rows are true classes, columns hypothesized ones.

    References
    ----------
    .. [1] Yacouby & Axman (2020), eq. 3, https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> probabilistic_confusion_matrix([0, 1, 1], [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    predicted     0     1
    true
    0          0.75  0.25
    1          0.75  1.25
    """
    outcomes, weights, names = read_outcomes(
        y_true, y_prob, PROBABILITIES, labels, sample_weight, positive=positive
    )
    return _frame(outcomes.truth, outcomes.probabilities, weights, names, normalize)


def _frame(
    truth: FloatArray, output: FloatArray, weights: FloatArray, names: list[object],
    normalize: Normalize | None,
) -> pd.DataFrame:  # fmt: skip
    matrix = (truth * weights[:, None]).T @ output
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}
        matrix = divide(matrix, matrix.sum(axis=axis[normalize], keepdims=True))
    columns = pd.Index(names, name="predicted")
    return pd.DataFrame(matrix, index=pd.Index(names, name="true"), columns=columns)
