"""Tables of counts, as papers print them -> Predictions of as many samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray, IntArray
from modelcompare.data.checks import as_array
from modelcompare.data.predictions import Predictions
from modelcompare.readers.cell_types import Column
from modelcompare.words import check_names, shown

# Rows that take a few seconds and about a gigabyte to compare.
MOST_SAMPLES = 20_000_000
_TRUTH = "y_true"
# Names of the sides of a confusion matrix.
_TRUE_NAMES = (_TRUTH, "true", "truth", "actual", "gold", "target")
_SAID_NAMES = ("y_pred", "pred", "predicted", "prediction")
# Not 1 and 0: default headings are 0 and 1, but the first row counts right answers.
_RIGHT, _WRONG = ("right", "correct", "true"), ("wrong", "incorrect", "false")


@checked()
def from_counts(
    counts: Any, models: str | Sequence[str] | None = None, *, labels: ArrayLike | None = None
) -> Predictions:
    """Make predictions from a published table of counts, one sample per count.

    Three types of tables determine the outputs for single samples:

    - The confusion matrix of one model, named by ``models="cnn"``: rows are the true classes,
      columns the predicted ones, as in scikit-learn. Two such matrices do not determine how the
      models' errors are paired, so they make two test sets, for `unpaired_test`.
    - Two models right or wrong, ``models=("cnn", "lstm")``: rows are right and wrong of the first,
      columns of the second, so that the two counts off the diagonal are those of McNemar's test.
      For k models an array of shape (2,) * k.
    - A Series of counts by ``y_true`` and each model's labels, its index levels, as
      ``frame.groupby(["y_true", "cnn", "lstm"]).size()`` makes it: everything of all models.

    Parameters
    ----------
    counts : array-like, DataFrame or Series
        Whole numbers of samples. The headings of a DataFrame are classes, in any order, and those
        that a side lacks count 0; of a table of right and wrong they are right and wrong, or True
        and False.
    models : str or sequence of str, optional
        The model of a confusion matrix, or the models of a table of right and wrong; a Series names
        them itself.
    labels : array-like of shape (n_classes,), optional
        The classes, in the order of the matrix; 0, 1, ... by default.

    Returns
    -------
    Predictions
        Labels; or scores per example, 1 for right and 0 for wrong, whose metric is mean_score.
        McNemar's tests of these are immediate for any number of samples; methods that resample take
        minutes from a hundred thousand samples up.

    Raises
    ------
    ValueError
        If the counts are fractions, do not fit the models, or include sums of rows and columns.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.io.from_counts([[50, 3], [9, 38]], "cnn", labels=["no", "yes"])
    >>> mc.bootstrap(preds, "accuracy").estimate.tolist()
    [0.88]
    >>> pair = mc.io.from_counts([[59, 6], [16, 80]], ("cnn", "lstm"))
    >>> found = mc.paired_test(pair, "cnn", "lstm", "mean_score", method="mcnemar-exact")
    >>> round(found.p_value, 4)
    0.0525
    """
    if isinstance(counts, Mapping):
        raise ValueError(
            "`counts` must be one table: matrices of several models do not determine how their "
            "errors are paired. Make one test set of each, from_counts(matrix, 'cnn'), and compare "
            "them with unpaired_test."
        )
    if isinstance(counts, pd.DataFrame) and _TRUTH in counts:
        raise ValueError(
            "`counts` with a column y_true must be a Series, for a frame with counts in n: "
            "frame.set_index(['y_true', 'cnn', 'lstm'])['n']."
        )
    if isinstance(counts, pd.Series):
        return _of_joint(counts, models, labels)
    if models is None:
        raise ValueError(
            "`models` must name the model of a confusion matrix ('cnn'), or the models of a table "
            "of right and wrong (('cnn', 'lstm'))."
        )
    names = (models,) if isinstance(models, str) else check_names("models", models)
    if len({*names}) < len(names) or not names:
        raise ValueError(f"`models` must be distinct names, at least one, got {shown(models)}.")
    if len(names) == 1:
        return matrix_predictions(counts, names[0], labels)
    if labels is not None:
        raise ValueError("`labels` are the classes of a confusion matrix; leave them out here.")
    return _of_right_and_wrong(counts, names)


def matrix_predictions(
    counts: Any, model: str, labels: ArrayLike | None = None, *, positive: Any = None,
    name: str | None = None,
) -> Predictions:  # fmt: skip
    """Make predictions from the confusion matrix of one model, whose rows are the true classes."""
    if isinstance(counts, pd.DataFrame):
        _refuse_turned(counts)
        labels = _classes(counts) if labels is None else as_array(labels, "`labels`")
        counts = _in_order(counts, labels)
    matrix = _whole(counts)
    classes = np.arange(len(matrix)) if labels is None else as_array(labels, "`labels`")
    if matrix.shape != (len(classes), len(classes)):
        raise ValueError(
            f"`counts` of one model must be true by predicted classes, here of shape "
            f"{(len(classes), len(classes))}, got {matrix.shape}."
        )
    _refuse_sums(matrix)
    true, predicted = (classes[at] for at in _places(matrix))
    return Predictions(
        true, {model: predicted}, kind="labels", labels=classes, positive=positive, name=name
    )


def _refuse_turned(frame: pd.DataFrame) -> None:
    """Refuse rows that are called predictions, or columns that are called the truth."""
    rows, columns = (str(axis.name).lower() for axis in (frame.index, frame.columns))
    if rows in _SAID_NAMES or columns in _TRUE_NAMES:
        raise ValueError(
            f"`counts` calls its rows {rows} and its columns {columns}, but rows must be the true "
            "classes; pass counts.T."
        )


def _classes(frame: pd.DataFrame) -> AnyArray:
    """Return the headings of the rows, then those that only columns have."""
    return as_array([*dict.fromkeys([*frame.index, *frame.columns])])


def _in_order(frame: pd.DataFrame, headings: ArrayLike) -> pd.DataFrame:
    """Reorder rows and columns by the headings; absent headings count 0."""
    for side in (frame.index, frame.columns):
        if side.has_duplicates:
            raise ValueError(f"`counts` has the heading {side[side.duplicated()][0]!r} twice.")
    wanted = list(np.asarray(headings, dtype=object))
    strange = [each for each in _classes(frame).tolist() if each not in wanted]
    if strange:
        raise ValueError(f"`counts` has the heading {strange[0]!r}, which `labels` lacks.")
    return frame.reindex(index=wanted, columns=wanted, fill_value=0)


def _refuse_sums(matrix: IntArray) -> None:
    """Refuse a last row and column of sums, which would count every sample twice."""
    inner = matrix[:-1, :-1]
    sums = np.block([[inner, inner.sum(axis=1, keepdims=True)], [inner.sum(axis=0), inner.sum()]])
    if len(matrix) > 2 and matrix.any() and (matrix == sums).all():
        raise ValueError(
            "`counts` has a last row and column that are the sums of the others; leave them out."
        )


def _of_right_and_wrong(counts: Any, names: Sequence[str]) -> Predictions:
    if isinstance(counts, pd.DataFrame):
        counts = counts.rename(index=_by_right, columns=_by_right)
        counts = _in_order(counts, [_RIGHT[0], _WRONG[0]])
    table = _whole(counts)
    if table.shape != (2,) * len(names):
        raise ValueError(
            f"`counts` of right and wrong of {len(names)} models must have the shape "
            f"{(2,) * len(names)}, an axis of right and wrong for each, got {table.shape}. Counts "
            "by class are one model's matrix, or a Series by y_true and every model's labels."
        )
    scores = [1 - at for at in _places(table)]
    return Predictions.from_scores(dict(zip(names, scores, strict=True)), greater_is_better=True)


def _by_right(heading: object) -> str:
    """Return right or wrong for a heading of either."""
    for known in (_RIGHT, _WRONG):
        if str(heading).lower() in known:
            return known[0]
    raise ValueError(
        f"`counts` has the heading {heading!r}; call rows and columns right and wrong, or pass an "
        "array whose first row and column are right."
    )


def _of_joint(counts: Column, models: Any, labels: ArrayLike | None) -> Predictions:
    names = list(counts.index.names)
    if models is not None:
        raise ValueError("`models` are named by the Series' index; leave them out.")
    if _TRUTH not in names or len(names) < 2 or len({*names}) < len(names) or None in names:
        raise ValueError(
            "a Series of `counts` must have index levels named y_true and as each model, got "
            f"{', '.join(map(str, names))}."
        )
    (places,) = _places(_whole(counts))
    rows = counts.index.to_frame(index=False).loc[places]
    outputs = {str(name): rows[name].to_numpy() for name in names if name != _TRUTH}
    return Predictions(rows[_TRUTH].to_numpy(), outputs, kind="labels", labels=labels)


def _places(counts: IntArray) -> list[IntArray]:
    """Return each sample's place along each side of a table of counts."""
    return [np.repeat(at.ravel(), counts.ravel()) for at in np.indices(counts.shape)]


def _whole(counts: Any) -> IntArray:
    """Check counts of samples, of any shape."""
    if np.ndim(counts) == 0 or (array := as_array(counts, "`counts`")).dtype.kind not in "iuf":
        raise TypeError(f"`counts` must be whole numbers of samples, got {shown(counts)}.")
    bad = array[~((array >= 0) & (array == np.floor(array)) & np.isfinite(array))]
    if bad.size:
        raise ValueError(
            f"`counts` must be whole numbers of samples, 0 or above, got {bad[0]:g}; fractions "
            "do not determine the number of samples."
        )
    if (total := array.sum()) > MOST_SAMPLES:
        raise ValueError(
            f"`counts` sum to {total:,.0f} samples; at most {MOST_SAMPLES:,} are taken."
        )
    return array.astype(np.intp)
