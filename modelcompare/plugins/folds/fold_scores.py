"""`compare_folds`: tests of models from a published table of their scores on each fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import ColumnRoles, checked
from modelcompare.arrays import FloatArray
from modelcompare.data.checks import refuse_rows
from modelcompare.directions import direction_of, known_direction, resolved
from modelcompare.metrics.registry import get_metric
from modelcompare.options import check_positive
from modelcompare.plugins.folds.fold_comparison import (
    FOLDS,
    FoldComparison,
    FoldSettings,
    check_fold_correction,
    compare_on_folds,
)
from modelcompare.plugins.folds.fold_tables import UNNAMED, read_folds
from modelcompare.plugins.folds.from_sklearn import fold_table
from modelcompare.plugins.folds.words import FoldTest
from modelcompare.readers import checked_columns
from modelcompare.readers.cell_types import parse_printed
from modelcompare.words import Correction, MissingScores

COLUMNS = ColumnRoles(("id", "model", "score"), several=("score",))


@checked(columns=COLUMNS, n_train=check_positive, n_test=check_positive)
def compare_folds(
    table: Any, *, n_train: float | None = None, n_test: float | None = None,
    test: FoldTest = "corrected-t", greater_is_better: bool | None = None,
    correction: Correction = "holm", alpha: float = 0.05, confidence_level: float = 0.95,
    columns: Mapping[str, str | Sequence[str] | None] | None = None,
    models: Sequence[str] | None = None, na: Sequence[str] | None = None,
    missing: MissingScores = "refuse",
) -> FoldComparison:  # fmt: skip
    """Compare models by a table of their scores on the folds of a cross-validation.

    Parameters
    ----------
    table : DataFrame, or mapping of str to array-like
        A row for each fold and a column of scores for each model, repeat after repeat; optional
        columns ``fold`` and ``repeat`` name the rows. Or a row for each score, with columns
        ``model``, ``fold``, ``score`` and, if there are several, ``repeat``, ``metric``, ``label``,
        as in `FoldComparison.folds`. Cells and names of columns are read as in
        `critical_difference`, but other columns are refused. All models must have been scored on
        the same folds. Or what scikit-learn returns: a mapping of models to results of
        `cross_validate` (which have the sizes with ``return_indices=True``), or a search's
        ``cv_results_``.
    n_train, n_test : float, optional
        Samples of a fold's training and test part; only their ratio matters: 9 and 1 for ten folds.
        The corrected t-test needs them, here or as columns of the table; the 5x2 tests do not.
    test : {"corrected-t", "5x2cv-t", "5x2cv-f"}
        As in `compare_estimators`. Scores on folds share training data, so tests that assume
        independence (Wilcoxon's, the plain t-test) reject too often: they are for scores on
        different data sets, see `critical_difference`.
    greater_is_better : bool, optional
        Direction of the scores; by default that of the named metric, or by its name; else
        it must be given.
    correction, alpha, confidence_level
        As in `compare_estimators`; "max-t" and "min-p" need replicates and do not apply.
    columns, models, na, missing
        As in `critical_difference`; the roles of columns are ``id`` (the folds), ``model`` and
        ``score``.

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
    >>> result = mc.crossval.compare_folds(scores, n_train=80, n_test=20, greater_is_better=True)
    >>> print(result.verdict())
    score: cnn has the highest mean over 5 folds (0.830) and is better than bow (p = 0.047).
    """
    check_fold_correction(correction)
    if (of_sklearn := fold_table(table)) is not None:
        # Its scorers are better where they are greater.
        table, greater_is_better = of_sklearn, greater_is_better is not False
    tidy, read = read_folds(table, checked_columns(columns, models=models, na=na, missing=missing))
    tidy = _in_order(tidy)
    folds = tidy.drop_duplicates(["repeat", "fold"])
    sizes = _sizes(folds, n_train, n_test, test)
    # Without names of repeats, ten rows are five repeats of two folds.
    repeats = folds["repeat"].value_counts(sort=False).tolist()
    if test != "corrected-t" and repeats not in ([10], [2] * 5):
        raise ValueError(
            f"`test='{test}'` needs five repeats of 2 folds, but the repeats of the table have "
            f"{', '.join(map(str, repeats))} rows; use 'corrected-t'."
        )
    better_up = {name: _direction(name, greater_is_better) for name in tidy["metric"].unique()}
    settings = FoldSettings(
        test=test, correction=correction, alpha=alpha, confidence_level=confidence_level
    )
    sized = tidy.assign(n_train=sizes[0], n_test=sizes[1])[FOLDS]
    return replace(compare_on_folds(sized, sizes, better_up, settings), notes=read.notes)


def _in_order(tidy: pd.DataFrame) -> pd.DataFrame:
    """Sort scores by repeat, fold, model and value, each in the given order."""
    # Rows of a repeat may be scattered over the table.
    tidy = tidy.iloc[np.argsort(pd.factorize(tidy["repeat"])[0], kind="stable")]
    fold, model, key = places = [
        tidy.groupby(names, sort=False, dropna=False).ngroup().to_numpy()
        for names in (["repeat", "fold"], ["model"], ["metric", "label"])
    ]
    if np.prod([place.max() + 1 for place in places]) != len(tidy):
        raise ValueError("`table` lacks a metric, or a class, in some folds; all need the same.")
    return tidy.iloc[np.lexsort((key, model, fold))].reset_index(drop=True)


def _sizes(
    folds: pd.DataFrame, n_train: float | None, n_test: float | None, test: FoldTest
) -> FloatArray:
    """Return the mean sizes of the training and the test part over folds."""
    if n_train is not None and n_test is not None:
        return np.array([n_train, n_test], dtype=np.float64)
    if n_train is not None or n_test is not None:
        raise ValueError("`n_train` and `n_test` (--n-train, --n-test) go together; give both.")
    if {"n_train", "n_test"} <= {*folds}:
        return np.array([_mean(folds[n]) for n in ("n_train", "n_test")])
    if test != "corrected-t":
        return np.ones(2)
    raise ValueError(
        "`n_train` and `n_test` (--n-train, --n-test) must say how many samples a fold trains "
        "and tests on, which the corrected t-test needs: 9 and 1 for ten folds."
    )


def _mean(sizes: pd.Series[Any]) -> float:
    found = parse_printed(sizes, ())["value"]
    what = f"`table` must hold numbers above 0, but column {sizes.name!r} does not"
    refuse_rows(~(found > 0).to_numpy(), what, "correct these rows, or leave the column out")
    return float(found.mean())


def _direction(metric: str, given: bool | None) -> bool:
    """Return whether higher is better: by the metric of that name, or as given."""
    # A negated score, neg_log_loss, is named like the metric and has the other direction.
    known = direction_of(metric)
    if known is None:
        with suppress(ValueError):
            known = get_metric(metric).greater_is_better
    if known is None:
        up, _ = resolved(metric, given)
        return known_direction("the scores" if metric == UNNAMED else repr(metric), up)
    if given not in (None, known):
        way = "higher" if known else "lower"
        raise ValueError(
            f"`greater_is_better` is {given}, but {metric} is better where it is {way}; leave the "
            "option out, or rename the metric."
        )
    return known
