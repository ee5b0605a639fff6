"""Published results as predictions: each data set is one sample, with a score of each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from modelcompare.arguments import checked
from modelcompare.data.predictions import Predictions
from modelcompare.directions import resolved
from modelcompare.plugins.published.score_tables import (
    COLUMNS,
    ScoreTable,
    frame_of,
    read_scores,
)
from modelcompare.readers import checked_columns, names
from modelcompare.readers.options import Columns
from modelcompare.words import MissingScores


@checked(columns=COLUMNS)
def from_results(
    table: Any, *, columns: Mapping[str, str | Sequence[str] | None] | None = None,
    models: Sequence[str] | None = None, greater_is_better: bool | None = None,
    na: Sequence[str] | None = None, missing: MissingScores = "refuse",
) -> Predictions:  # fmt: skip
    """Make predictions from a published table of results, whose data sets are the samples.

    `compare` then answers for data sets like these: the error is the spread over the data sets, as
    in ``compare_groups(..., generalize_to="sets")``. If all models have the same runs on every
    data set, these are `runs`, crossed with the data sets; others are averaged.

    Parameters
    ----------
    table, columns, models, greater_is_better, na, missing
        As in `critical_difference`.

    Returns
    -------
    Predictions
        Scores; `ids` are the names of the data sets.

    Raises
    ------
    ValueError
        If a score is missing, or the table can be read in two ways.

    Examples
    --------
    >>> import modelcompare as mc
    >>> table = {"task": ["law", "maths", "code", "trivia"], "a": [0.71, 0.60, 0.55, 0.83],
    ...          "b": [0.66, 0.52, 0.50, 0.77]}
    >>> preds = mc.io.from_results(table)
    >>> preds.ids.tolist(), preds.models
    (['law', 'maths', 'code', 'trivia'], ('a', 'b'))
    """
    read = checked_columns(
        columns, models=models, greater_is_better=greater_is_better, na=na, missing=missing
    )
    return scores_of_sets(read_scores(frame_of(table), read), read)


def named_results(frame: pd.DataFrame, columns: Columns) -> ScoreTable | None:
    """Read a table whose data sets have names; None if its rows may be samples."""
    headings = [str(heading) for heading in frame.columns]
    of_scores = names.named(headings, names.MODEL) and names.named_scores(headings)
    if of_scores and columns.id is None and not names.named(headings, names.SET):
        return None
    found = read_scores(frame, columns)
    return None if all(isinstance(name, int) for name in found.scores.index) else found


def scores_of_sets(found: ScoreTable, columns: Columns) -> Predictions:
    """Return the results of a table as scores of its data sets, with their runs if they cross."""
    upwards, _ = resolved(found.metric, columns.direction())
    cells = found.rows.pivot_table("value", ["set", "run"], "model", sort=False)
    n_sets, n_runs = (cells.index.get_level_values(name).nunique() for name in ("set", "run"))
    crossed = n_runs > 1 and len(cells) == n_sets * n_runs and not cells.isna().any(axis=None)
    scores = cells if crossed else found.scores
    index = cells.index if crossed else found.scores.index
    return Predictions.from_scores(
        {str(model): scores[model].to_numpy() for model in found.scores},
        greater_is_better=upwards, ids=[str(name) for name in index.get_level_values(0)],
        runs=index.get_level_values("run").to_numpy() if crossed else None,
    )  # fmt: skip
