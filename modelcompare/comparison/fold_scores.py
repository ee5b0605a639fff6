"""`compare_folds`: tests of models from a published table of their scores on each fold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.comparison.folds import (
    FOLDS,
    FoldComparison,
    check_fold_correction,
    compare_on_folds,
)
from modelcompare.comparison.published import frame_of, numbers, scores_of
from modelcompare.directions import resolved
from modelcompare.metrics.registry import get_metric
from modelcompare.words import (
    Correction,
    FoldTest,
    check_number,
    is_missing,
    label_name,
)

# Name of the metric if a table does not give it.
_UNNAMED = "score"
# Optional columns next to the scores, and names of the column of scores.
_BESIDE = ("repeat", "fold", "n_train", "n_test", "metric", "label")
_VALUES = ("score", "value")


@checked()
def compare_folds(
    table: Any, *, n_train: float | None = None, n_test: float | None = None,
    test: FoldTest = "corrected-t", greater_is_better: bool | None = None,
    correction: Correction = "holm", alpha: float = 0.05, rope: float = 0.01,
    confidence_level: float = 0.95,
) -> FoldComparison:  # fmt: skip
    """Compare models by a table of their scores on the folds of a cross-validation.

    Parameters
    ----------
    table : DataFrame, or mapping of str to array-like
        A row for each fold and a column of scores for each model, repeat after repeat; optional
        columns ``fold`` and ``repeat`` name the rows. Or a row for each score, with columns
        ``model``, ``fold``, ``score`` (or ``value``) and, if there are several, ``repeat``,
        ``metric``, ``label``, as in `FoldComparison.folds`. All models must have been scored on
        the same folds.
    n_train, n_test : float, optional
        Samples of a fold's training and test part; only their ratio matters: 9 and 1 for ten folds.
        The corrected t-test needs them, here or as columns of the table; the 5x2 tests do not.
    test : {"corrected-t", "5x2cv-t", "5x2cv-f"}
        As in `compare_estimators`. Scores on folds share training data, so tests that assume
        independence (Wilcoxon's, the plain t-test) reject too often: they are for scores on
        different data sets, see `critical_difference`.
    greater_is_better : bool, optional
        Direction of the scores; by default that of the named metric, or up if none is named.
    correction, alpha, rope, confidence_level
        As in `compare_estimators`; "max-t" and "min-p" need replicates and do not apply.

    Returns
    -------
    FoldComparison

    Raises
    ------
    ValueError
        If a score or the sizes are missing, or the folds do not fit the test.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52.

    Examples
    --------
    >>> import modelcompare as mc
    >>> scores = {"cnn": [0.82, 0.85, 0.81, 0.84, 0.83], "bow": [0.80, 0.80, 0.80, 0.80, 0.80]}
    >>> result = mc.crossval.compare_folds(scores, n_train=80, n_test=20)
    >>> print(result.verdict())
    score: cnn has the highest mean over 5 folds (0.830) and is better than bow (p = 0.047).
    """
    check_fold_correction(correction)
    tidy = _in_order(_tidy(frame_of(table)))
    better_up = {name: _direction(name, greater_is_better) for name in tidy["metric"].unique()}
    folds = tidy.drop_duplicates(["repeat", "fold"])
    sizes = _sizes(folds, n_train, n_test, test)
    # Without names of repeats, ten rows are five repeats of two folds.
    repeats = folds["repeat"].value_counts(sort=False).tolist()
    if test != "corrected-t" and repeats not in ([10], [2] * 5):
        raise ValueError(
            f"`test='{test}'` needs five repeats of 2 folds, but the repeats of the table have "
            f"{', '.join(map(str, repeats))} rows; use 'corrected-t'."
        )
    return compare_on_folds(
        tidy.assign(n_train=sizes[0], n_test=sizes[1])[FOLDS], sizes, better_up, test=test,
        correction=correction, alpha=alpha, rope=rope, confidence_level=confidence_level,
    )  # fmt: skip


def _in_order(tidy: pd.DataFrame) -> pd.DataFrame:
    """Sort scores by repeat, fold, model and value, each in the given order."""
    # Rows of a repeat may be scattered over the table.
    tidy = tidy.iloc[np.argsort(pd.factorize(tidy["repeat"])[0], kind="stable")]
    fold, model, key = places = [
        tidy.groupby(names, sort=False, dropna=False).ngroup().to_numpy()
        for names in (["repeat", "fold"], ["model"], ["metric", "label"])
    ]
    count = np.zeros([place.max() + 1 for place in places], dtype=int)
    np.add.at(count, tuple(places), 1)
    for where in np.argwhere(count != 1)[:1]:
        models = tidy["model"].unique()
        folds = tidy.drop_duplicates(["repeat", "fold"])
        _refuse(count[tuple(where)], models[where[1]], folds.iloc[where[0]])
    return tidy.iloc[np.lexsort((key, model, fold))].reset_index(drop=True)


def _sizes(
    folds: pd.DataFrame, n_train: float | None, n_test: float | None, test: FoldTest
) -> FloatArray:
    """Return the mean sizes of the training and the test part over folds."""
    if n_train is not None and n_test is not None:
        return np.array([_size("n_train", n_train), _size("n_test", n_test)])
    if n_train is not None or n_test is not None:
        raise ValueError("`n_train` and `n_test` (--n-train, --n-test) go together; give both.")
    if {"n_train", "n_test"} <= {*folds}:
        return np.array([numbers(folds[n], n).mean() for n in ("n_train", "n_test")])
    if test != "corrected-t":
        return np.ones(2)
    raise ValueError(
        "`n_train` and `n_test` (--n-train, --n-test) must say how many samples a fold trains "
        "and tests on, which the corrected t-test needs: 9 and 1 for ten folds."
    )


def _tidy(table: pd.DataFrame) -> pd.DataFrame:
    """Reshape to one row per score: repeat, fold, model, metric, label, value, given sizes."""
    named = [name for name in table.index.names if name in _BESIDE]
    table = table.reset_index(level=named) if named else table
    beside = [name for name in table.columns if name in _BESIDE]
    if "model" not in table:
        scores = scores_of(table.drop(columns=beside), "fold")
        known = table[beside].assign(**({} if "fold" in table else {"fold": range(len(table))}))
        # One model after the other, to keep the given order of models and folds.
        table = pd.concat(
            [known.assign(model=model, value=scores[model]) for model in scores], ignore_index=True
        )
    strange = [c for c in table if c not in (*_BESIDE, *_VALUES, "model")]
    values = [c for c in table if c in _VALUES]
    if strange or len(values) != 1 or "fold" not in table:
        raise ValueError(
            "a `table` with a column model has one score in each row: it needs columns model, fold "
            f"and score, and may have {', '.join(_BESIDE[:1] + _BESIDE[2:])}; it has "
            f"{', '.join(table.columns)}."
        )
    table = table.rename(columns={values[0]: "value"})
    table["value"] = numbers(table["value"], values[0])
    if table["model"].isna().any() or table["model"].nunique() < 2:
        raise ValueError("`table` must name 2 models or more in its column model, and in each row.")
    table["model"] = table["model"].astype(str)
    blank = {"repeat": 0, "metric": _UNNAMED, "label": None}
    table = table.assign(**{name: value for name, value in blank.items() if name not in table})
    labels = [None if is_missing(label) else label for label in table["label"]]
    return table.assign(
        metric=table["metric"].map(str), label=pd.Series(labels, table.index, dtype=object)
    )


def _refuse(count: int, model: str, row: pd.Series[Any]) -> None:
    where = f"fold {label_name(row['fold'])} of repeat {label_name(row['repeat'])}"
    if count:
        raise ValueError(
            f"`table` has {count} scores of {model!r} in {where}; name repeats in a column repeat, "
            "metrics in a column metric."
        )
    raise ValueError(
        f"`table` has no score of {model!r} in {where}; all models need scores on the same folds."
    )


def _size(argument: str, value: object) -> float:
    number = check_number(argument, value)
    if number == 0:
        raise ValueError(f"`{argument}` must be above 0, got 0.")
    return number


def _direction(metric: str, given: bool | None) -> bool:
    """Return whether higher is better: by the metric of that name, or as given."""
    try:
        known = get_metric(metric)
    except ValueError:
        better, how = resolved(metric, given)
        if how == "default" and metric != _UNNAMED:
            raise ValueError(
                f"`greater_is_better` must say which way {metric!r} is better: no metric here has "
                "that name."
            ) from None
        return better
    if given not in (None, known.greater_is_better):
        way = "higher" if known.greater_is_better else "lower"
        raise ValueError(
            f"`greater_is_better` is {given}, but {metric} is better where it is {way}; leave the "
            "option out, or rename the metric."
        )
    return known.greater_is_better
