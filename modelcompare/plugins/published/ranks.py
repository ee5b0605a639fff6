"""`critical_difference`: comparison of models by a published table of scores on data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from modelcompare.arguments import checked
from modelcompare.directions import resolved
from modelcompare.plugins.published.mean_ranks import RankComparison, compare_ranks
from modelcompare.plugins.published.score_tables import COLUMNS, frame_of, read_scores
from modelcompare.readers import checked_columns
from modelcompare.readers.reading import in_one_line
from modelcompare.words import MissingScores, PosthocTest


@checked(columns=COLUMNS)
def critical_difference(
    table: Any, *, columns: Mapping[str, str | Sequence[str] | None] | None = None,
    models: Sequence[str] | None = None, greater_is_better: bool | None = None,
    na: Sequence[str] | None = None, missing: MissingScores = "refuse",
    test: PosthocTest = "nemenyi", alpha: float = 0.05,
) -> RankComparison:  # fmt: skip
    """Compare models by their ranks over many data sets, from a published table of scores.

    The table is as papers and leaderboards print it. Columns are found by their names and content:
    a row may be a data set, a model, or one score, and a table that can be read in two ways is
    refused. Means and sizes beside the scores are left out, and the runs of a column such as
    ``seed`` are averaged. A cell is a number, bold or not, with or without a percent sign;
    a deviation or error after it, as in ``93.3 ± 0.5`` or ``93.3 (0.5)``, is left out.

    Parameters
    ----------
    table : DataFrame, or mapping of str to array-like
        A row for each data set and a column of scores for each model, at least three; or a row
        for each model and a column for each data set; or a row for each score. Rows without names
        are data sets.
    columns : mapping of str to str, optional
        The column of each role, where it is not found: ``id`` (the data sets), ``model``, ``runs``
        and ``score``; of a table with a row for each model, ``score`` are the columns of data sets.
    models : sequence of str, optional
        Models to keep, by name or by a pattern with ``*``; all by default.
    greater_is_better : bool, optional
        Direction of the scores; by default by the name of their column or metric (``wer``), without
        which it must be given.
    na : sequence of str, optional
        Marks of a missing score; by default ``-``, ``n/a``, ``NaN`` and the like.
    missing : {"refuse", "drop"}
        Treatment of missing scores: refuse them, or drop the data sets that any model lacks.
    test : {"nemenyi", "wilcoxon-holm"}
        Test of all pairs: Nemenyi's, with one critical difference of mean ranks, as in Demsar
        (2006); or Wilcoxon's signed-rank test of each pair with Holm's correction, which does not
        depend on the ranks of the other models (Benavoli, Corani & Mangili 2016).
    alpha : float
        Significance level.

    Returns
    -------
    RankComparison
        With `plot`, the critical-difference diagram.

    Raises
    ------
    ValueError
        If a score is missing, the table can be read in two ways, there are fewer than three models
        or two data sets, or nothing determines whether low or high scores are good.

    References
    ----------
    .. [1] Demsar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.
    .. [2] Benavoli, Corani & Mangili (2016), Should we really use post-hoc tests based on
       mean-ranks?, JMLR 17.

    Examples
    --------
    >>> import modelcompare as mc
    >>> table = {"cnn": [0.9, 0.8, 0.7, 0.9, 0.8], "lstm": [0.8, 0.7, 0.6, 0.8, 0.9],
    ...          "bow": [0.5, 0.5, 0.4, 0.6, 0.6]}
    >>> result = mc.inference.critical_difference(table, greater_is_better=True)
    >>> print(result.verdict())
    The models differ over 5 data sets (Friedman, p = 0.015). cnn has the best mean rank (1.20): it
    is better than bow and is not significantly different from lstm (nemenyi).
    """
    found = read_scores(frame_of(table), checked_columns(
        columns, models=models, greater_is_better=greater_is_better, na=na, missing=missing,
    ))  # fmt: skip
    if len(found.scores.columns) < 3:
        raise ValueError(
            "Friedman's test needs 3 models, the table has 2; compare two by "
            "paired_test(Predictions.from_scores(dict(table)), ..., 'mean_score', "
            "method='wilcoxon'), each data set a sample."
        )
    up, _ = resolved(found.metric, greater_is_better)
    what = found.metric or "the scores"
    result = compare_ranks(found.scores, what, greater_is_better=up, test=test, alpha=alpha)
    return replace(result, reading=in_one_line(found.parts), notes=found.notes)
