"""`critical_difference`: comparison of models by their ranks over data sets, from a table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.comparison.published import frame_of, scores_of
from modelcompare.comparison.tables import led_clauses
from modelcompare.report.document import Document
from modelcompare.report.figures.critical_difference import plot_critical_difference
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import format_digits, joined, p_clause
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column
from modelcompare.significance.corrections import adjust
from modelcompare.significance.omnibus import average_ranks, friedman, nemenyi
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.two_models import sample_test
from modelcompare.words import PosthocTest, signature

# Columns of data sets, and of scores in a table with one score in each row.
_SETS = ("dataset", "data_set", "data set", "set", "task")
_VALUES = ("score", "value")


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
    """

    scores: pd.DataFrame = field(repr=False)
    ranks: pd.DataFrame = field(repr=False)
    differences: pd.DataFrame = field(repr=False)
    statistic: float
    p_value: float
    critical_difference: float
    test: PosthocTest
    alpha: float

    _stem: ClassVar[str] = "ranks"
    _members: ClassVar[str] = """
        statistic p_value critical_difference test alpha signature
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
        tables = {
            "ranks": Table.of(title, self.ranks, "model", "mean_rank", notes=notes, decimals=2),
            "differences": Table.of(
                "Differences of mean ranks", self.differences, "model_a", "model_b", "difference",
                column(f"p ({self.test})", "p_adjusted"), decimals=2,
                notes=["Rank 1 is the best: a is ahead of b where a - b is below 0."],
            ),
        }  # fmt: skip
        return self._document(tables, findings=self._sentences())

    def verdict(self) -> str:
        """Return Friedman's test, and the models that the best one differs from, as sentences."""
        return " ".join(self._sentences())

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
    table: Any, *, greater_is_better: bool = True, test: PosthocTest = "nemenyi",
    alpha: float = 0.05,
) -> RankComparison:  # fmt: skip
    """Compare models by their ranks over many data sets, from a published table of scores.

    Parameters
    ----------
    table : DataFrame, or mapping of str to array-like
        A row for each data set and a column of scores for each model, at least three; an optional
        column ``dataset`` names the rows. Or a row for each score, with columns
        ``dataset``, ``model`` and ``score`` (or ``value``).
    greater_is_better : bool
        Direction of the scores.
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
        If a score is missing, or there are fewer than three models or two data sets.

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
    >>> result = mc.tests.critical_difference(table)
    >>> print(result.verdict())
    The models differ over 5 data sets (Friedman, p = 0.015). cnn has the best mean rank (1.20): it
    is better than bow and is not significantly different from lstm (nemenyi).
    """
    scores = scores_of(_by_set(frame_of(table)), "data set")
    if len(scores.columns) < 3:
        raise ValueError(
            "Friedman's test needs 3 models, the table has 2; compare two by "
            "paired_test(Predictions.from_scores(dict(table)), ..., 'mean_score', "
            "method='wilcoxon'), each data set a sample."
        )
    return compare_ranks(scores, greater_is_better=greater_is_better, test=test, alpha=alpha)


def compare_ranks(
    scores: pd.DataFrame, *, greater_is_better: bool, test: PosthocTest, alpha: float
) -> RankComparison:
    """Compare models by their ranks, from scores with a row per data set and a column per model."""
    upwards = scores if greater_is_better else -scores
    mean_rank = average_ranks(upwards.to_numpy())
    ranks = pd.DataFrame({"model": scores.columns, "mean_rank": mean_rank})
    differences, critical = _tested(upwards, mean_rank, test, alpha)
    return RankComparison(
        scores, ranks.sort_values("mean_rank", kind="stable", ignore_index=True), differences,
        *friedman(scores.to_numpy()), critical, test, alpha,
    )  # fmt: skip


def _by_set(frame: pd.DataFrame) -> pd.DataFrame:
    """Reshape to a row per data set, with its name if it has one, and a column per model."""
    named = [name for name in frame.columns if name.lower() in _SETS]
    if "model" not in frame:
        return frame.set_index(named[0]) if len(named) == 1 else frame
    values = [name for name in frame.columns if name in _VALUES]
    if len(named) != 1 or len(values) != 1 or len(frame.columns) != 3:
        raise ValueError(
            "a `table` with a column model has one score in each row: it needs columns dataset, "
            f"model and score, and no other; it has {', '.join(frame.columns)}."
        )
    twice = frame.duplicated([named[0], "model"])
    if twice.any():
        row = frame[twice].iloc[0]
        raise ValueError(f"`table` has two scores of {row['model']!r} on {row[named[0]]!r}.")
    wide = frame.pivot(index=named[0], columns="model", values=values[0])
    models = frame["model"].drop_duplicates()
    return wide.loc[frame[named[0]].drop_duplicates(), models].rename(columns=str)


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
