"""Answer of the command ``ranks`` to scores on folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import pandas as pd

from modelcompare.cli.options import RESULTS
from modelcompare.plugins.folds.columns import FOLD
from modelcompare.plugins.folds.fold_comparison import FoldComparison
from modelcompare.plugins.folds.fold_scores import compare_folds
from modelcompare.plugins.folds.words import FoldTest
from modelcompare.readers import names

# Options that are for the folds of a cross-validation.
_OF_FOLDS = ("n_train", "n_test", "rope", "correction", "confidence_level")
# Roles of columns in a table of folds.
_COLUMNS = {"id", "model", "score"}


def folds(
    frame: pd.DataFrame, reading: Mapping[str, Any], figure: bool, *, test: str | None = None,
    rope: float | None = None, **options: Any,
) -> FoldComparison | None:  # fmt: skip
    """Compare by scores on folds."""
    given = options if rope is None else {**options, "rope": rope}
    of_folds = [f"--{name.replace('_', '-')}" for name in _OF_FOLDS if name in given]
    of_sets = test is not None and test not in get_args(FoldTest)
    named = bool(names.named(map(str, frame.columns), FOLD.usual))
    if not (named or of_folds or (test and not of_sets)):
        return None
    others = ["--plot"] * figure + [f"--test {test}"] * of_sets
    unknown = {*reading["columns"]} - _COLUMNS
    others += [f"--read {each.flags}" for each in RESULTS.keys if each.name in unknown]
    if others:
        raise ValueError(
            f"{others[0]} is for scores on several data sets; "
            + (f"leave out {of_folds[0]}." if of_folds else "this table has a column of folds.")
        )
    options |= {} if test is None else {"test": test}
    found = compare_folds(frame.drop(columns="unnamed", errors="ignore"), **reading, **options)
    return found if rope is None else found.with_rope(rope)


SCORE_TABLES = (folds,)
