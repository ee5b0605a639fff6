"""`critical_difference`: comparison of models by their ranks over data sets, from a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.comparison.tables import led_clauses
from modelcompare.directions import known_direction, resolved
from modelcompare.readers import checked_columns
from modelcompare.readers.published import frame_of, published_results
from modelcompare.readers.reading import in_one_line
from modelcompare.report.document import Document
from modelcompare.report.figures.critical_difference import plot_critical_difference
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import format_digits, joined, p_clause
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column
from modelcompare.significance.corrections import adjust
from modelcompare.significance.omnibus import friedman, nemenyi
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.two_models import sample_test, tied
from modelcompare.words import PosthocTest, WholeSets, signature


def plot_ranks(
    result: RankComparison, metric: str | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw the mean ranks; bars join models that do not differ significantly.

    By Wilcoxon's test a model may differ significantly from a second one, but not from a third with
    a more distant rank, which bars cannot show: `differences` has all pairs.
    """
    if metric is not None:
        raise ValueError("these are the ranks of one table of scores; leave `metric` out.")
    return plot_critical_difference(diagram(result), "score", result.signature, ax=ax)


@dataclass(frozen=True)
class RankComparison(Result):
    """Models compared by their ranks over data sets.

    Attributes
    ----------
    scores : DataFrame
        As given: a row for each data set, a column for each model.
    ranks : DataFrame
        model, mean_rank; best first.
    differences : DataFrame
        A row for each pair: model_a, model_b, difference (of mean ranks, a - b), p_adjusted, and
        better (where p_adjusted is below `alpha`).
    statistic, p_value : float
        Friedman's test of the null hypothesis that all models are equal.
    critical_difference : float
        Smallest significant difference of mean ranks by Nemenyi's test; NaN for another test.
    test, alpha
        As given.
    reading : str
        How the table was read: its data sets and models, and what was averaged or left out.
    notes : tuple of str
        What was averaged or left out.
    """

    scores: pd.DataFrame = field(repr=False)
    ranks: pd.DataFrame = field(repr=False)
    differences: pd.DataFrame = field(repr=False)
    statistic: float
    p_value: float
    critical_difference: float
    test: PosthocTest
    alpha: float
    reading: str = field(default="", repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)

    _stem: ClassVar[str] = "ranks"
    _schema_version: ClassVar[int] = 2
    _members: ClassVar[str] = """
        statistic p_value critical_difference test alpha reading signature
        ranks: model mean_rank
        differences: model_a model_b difference p_adjusted better
    """
    plot = Plots(critical_difference=plot_ranks)

    @property
    def signature(self) -> str:
        n_sets, n_models = self.scores.shape
        return signature("critical_difference", sets=n_sets, models=n_models, test=self.test)

    def document(self) -> Document:
        title = f"Mean rank over {len(self.scores)} data sets"
        notes = [f"Friedman's test: chi-squared {format_digits(self.statistic)}, "
                 f"{p_clause(self.p_value)}."]  # fmt: skip
        if self.test == "nemenyi":
            critical = format_digits(self.critical_difference)
            notes.append(f"Critical difference at {self.alpha:g}: {critical} (Nemenyi).")
        notes += self.notes
        # Rank 1 is the best.
        turned = self.differences.assign(difference=0 - self.differences["difference"])
        tables = {
            "ranks": Table.of(title, self.ranks, "model", "mean_rank", notes=notes, decimals=2),
            "differences": Table.of(
                "Differences of mean ranks", turned, "model_a", "model_b",
                column("lead", "difference"), column(f"p ({self.test})", "p_adjusted"), decimals=2,
                subtitle="+: a is better",
            ),
        }  # fmt: skip
        return self._document(tables, findings=self._sentences())

    def verdict(self) -> str:
        """Return Friedman's test, and the models that the best one differs from, as sentences."""
        return " ".join(self.document().sentences)

    def _sentences(self) -> list[str]:
        verb = "differ" if self.p_value < self.alpha else "do not differ significantly"
        best, *others = self.ranks["model"]
        return [
            f"The models {verb} over {len(self.scores)} data sets (Friedman, "
            f"{p_clause(self.p_value)}).",
            f"{best} has the best mean rank ({self.ranks['mean_rank'].iloc[0]:.2f}): it "
            f"{joined(led_clauses(self.differences, best, others))} ({self.test}).",
        ]


def diagram(found: RankComparison) -> pd.DataFrame:
    """Return the ranks, with the other contents of the critical-difference diagram in ``attrs``."""
    models = list(found.scores.columns)
    together = np.ones((len(models),) * 2, dtype=bool)
    a, b = all_pairs(len(models))
    together[a, b] = together[b, a] = found.differences["p_adjusted"] >= found.alpha
    order = [models.index(model) for model in found.ranks["model"]]
    frame = found.ranks.copy()
    frame.attrs = {
        "n_sets": len(found.scores), "test": found.test, "alpha": found.alpha,
        "p_value": found.p_value, "critical_difference": found.critical_difference,
        "together": together[np.ix_(order, order)].tolist(),
    }  # fmt: skip
    return frame


@checked()
def critical_difference(
    table: Any, *, greater_is_better: bool | None = None, test: PosthocTest = "nemenyi",
    alpha: float = 0.05, id: str | None = None, model_column: str | None = None,
    score: str | Sequence[str] | None = None, runs: str | None = None,
    models: Sequence[str] | None = None, na: Sequence[str] | None = None,
    missing: WholeSets = "refuse",
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
    greater_is_better : bool, optional
        Direction of the scores; by default by the name of their column or metric (``wer``), without
        which it must be given.
    test : {"nemenyi", "wilcoxon-holm"}
        Test of all pairs: Nemenyi's, with one critical difference of mean ranks, as in Demsar
        (2006); or Wilcoxon's signed-rank test of each pair with Holm's correction, which does not
        depend on the ranks of the other models (Benavoli, Corani & Mangili 2016).
    alpha : float
        Significance level.
    id, model_column, runs : str, optional
        Columns of the data sets, models and runs, where they are not found.
    score : str or sequence of str, optional
        Column of the scores; of a table with a row for each model, the columns of data sets.
    models : sequence of str, optional
        Models to keep, by name or by a pattern with ``*``; all by default.
    na : sequence of str, optional
        Marks of a missing score; by default ``-``, ``n/a``, ``NaN`` and the like.
    missing : {"refuse", "drop"}
        Treatment of missing scores: refuse them, or drop the data sets that any model lacks.

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
    >>> result = mc.tests.critical_difference(table, greater_is_better=True)
    >>> print(result.verdict())
    The models differ over 5 data sets (Friedman, p = 0.015). cnn has the best mean rank (1.20): it
    is better than bow and is not significantly different from lstm (nemenyi).
    """
    columns = checked_columns(
        id=id, model_column=model_column, runs=runs, score=score, models=models, na=na,
        missing=missing, greater_is_better=greater_is_better,
    )  # fmt: skip
    found = published_results(frame_of(table), columns)
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


def compare_ranks(
    scores: pd.DataFrame, what: str, *, greater_is_better: bool | None, test: PosthocTest,
    alpha: float,
) -> RankComparison:  # fmt: skip
    """Compare models by their ranks, from scores with a row per data set and a column per model."""
    equal = scores.apply(tied, axis=1, raw=True)  # .1 + .2 and .3 are one score
    upwards = equal if known_direction(what, greater_is_better) else -equal
    mean_rank = upwards.rank(axis=1, ascending=False).mean().to_numpy()
    ranks = pd.DataFrame({"model": scores.columns, "mean_rank": mean_rank})
    differences, critical = _tested(upwards, mean_rank, test, alpha)
    return RankComparison(
        scores, ranks.sort_values("mean_rank", kind="stable", ignore_index=True), differences,
        *friedman(equal.to_numpy()), critical, test, alpha,
    )  # fmt: skip


def _tested(
    scores: pd.DataFrame, ranks: FloatArray, test: PosthocTest, alpha: float
) -> tuple[pd.DataFrame, float]:
    """Return tested differences of mean ranks of all pairs, and the critical difference."""
    a, b = all_pairs(len(ranks))
    values, models = scores.to_numpy(), scores.columns.to_numpy(dtype=object)
    if test == "nemenyi":
        p_values, critical = nemenyi(ranks, len(values), alpha=alpha)
        p_adjusted, leads = p_values[a, b], ranks[b] - ranks[a]
    else:
        p_adjusted, leads = _wilcoxon_holm(values[:, a] - values[:, b])
        critical = math.nan
    better = pd.Series(np.where(leads > 0, models[a], models[b]))
    frame = {
        "model_a": models[a], "model_b": models[b], "difference": ranks[a] - ranks[b],
        "p_adjusted": p_adjusted, "better": better.where(p_adjusted < alpha),
    }  # fmt: skip
    return pd.DataFrame(frame), critical


def _wilcoxon_holm(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return adjusted p-values of Wilcoxon's test by column, and the sums of signed ranks."""
    from scipy.stats import rankdata

    p_values = [sample_test("wilcoxon", column)[1] for column in differences.T]
    ranks = np.sign(differences) * rankdata(np.abs(differences), axis=0)
    return adjust(np.array(p_values), "holm"), ranks.sum(axis=0)
