"""The 2 x 2 table of each class against the others."""

from __future__ import annotations

import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.metrics.confusion import confusion_matrix


@checked()
def class_tables(
    y_true: ArrayLike, y_pred: ArrayLike, *, labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Count the 2 x 2 table of each class against all others.

    The sum of the tables, ``class_tables(...).sum()``, is what micro averages are computed from:
    ``TP / (TP + FP)`` of it is micro precision, micro recall, micro F1 and accuracy.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    labels, sample_weight
        As in `confusion_matrix`.

    Returns
    -------
    DataFrame
        A row for each class, with the columns TP, FN, FP and TN: samples of the class predicted as
        it, and as another; samples of others predicted as it, and as another.

    Examples
    --------
    >>> class_tables(["A", "A", "B", "C"], ["A", "B", "B", "A"])
            TP   FN   FP   TN
    class
    A      1.0  1.0  1.0  1.0
    B      1.0  0.0  1.0  2.0
    C      0.0  1.0  0.0  3.0
    """
    matrix = confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    counts = matrix.to_numpy()
    hits, support, predicted = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    cells = {"TP": hits, "FN": support - hits, "FP": predicted - hits}
    rest = counts.sum() - hits - cells["FN"] - cells["FP"]
    return pd.DataFrame({**cells, "TN": rest}, index=matrix.index.rename("class"))
