"""Scores of folds as scikit-learn returns them: of `cross_validate`, and of a search."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

_SPLIT = re.compile(r"split(\d+)_test_(.+)")
# Name of a scorer that was not named.
_UNNAMED = "score"


def fold_table(table: Any) -> pd.DataFrame | None:
    """Return a row for each score of scikit-learn's results; None for any other table.

    Parameters
    ----------
    table : mapping
        Names of models, each with the result of `cross_validate`, whose ``indices``
        (``return_indices=True``) have the sizes; or ``cv_results_`` of a search, each candidate of
        which is a model.

    Examples
    --------
    >>> found = fold_table({"svm": {"test_score": [0.8, 0.9], "fit_time": [1, 1]}})
    >>> found[["model", "fold", "score"]].values.tolist()
    [['svm', 0, 0.8], ['svm', 1, 0.9]]
    """
    if not isinstance(table, Mapping) or not table:
        return None
    if "params" in table and any(_SPLIT.fullmatch(str(key)) for key in table):
        return _table(_of_search(table))
    if all(isinstance(each, Mapping) and any(_tests(each)) for each in table.values()):
        return _table(row for name, each in table.items() for row in _of_model(str(name), each))
    return None


def _table(rows: Iterator[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a table; a single scorer without a name is no metric."""
    found = pd.DataFrame(rows).dropna(axis="columns", how="all")
    return found.drop(columns="metric") if {*found["metric"]} == {_UNNAMED} else found


def _tests(result: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the keys of scores on test parts."""
    yield from (key for key in result if isinstance(key, str) and key.startswith("test_"))


def _of_model(model: str, result: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the scores of one model on each fold."""
    parts: Any = result.get("indices")
    sides = () if parts is None else ("train", "test")
    for key in _tests(result):
        for fold, score in enumerate(result[key]):
            yield {
                "model": model, "fold": fold, "metric": key.removeprefix("test_"),
                "score": float(score), **{f"n_{side}": len(parts[side][fold]) for side in sides},
            }  # fmt: skip


def _of_search(results: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the scores of each candidate, named by its parameters, on each fold."""
    names = [", ".join(f"{key}={x}" for key, x in each.items()) for each in results["params"]]
    for key, scores in results.items():
        if split := _SPLIT.fullmatch(str(key)):
            for name, score in zip(names, scores, strict=True):
                yield {
                    "model": name, "fold": int(split[1]), "metric": split[2], "score": float(score),
                }  # fmt: skip
