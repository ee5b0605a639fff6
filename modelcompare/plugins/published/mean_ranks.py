"""Comparison of models by their ranks over data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.comparison.leaders import leaders_of, led_clauses
from modelcompare.directions import known_direction
from modelcompare.plugins.published.diagram import plot_critical_difference
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, Field, frame
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import format_digits, joined, p_clause, some_of
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column
from modelcompare.significance.corrections import adjust
from modelcompare.significance.omnibus import friedman
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.samples import sample_test, tied
from modelcompare.words import PosthocTest, signature


def plot_ranks(
    result: RankComparison, metric: str | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw the mean ranks; bars join models that do not differ significantly.

    By Wilcoxon's test a model may differ significantly from a second one, but not from a third with
    a more distant rank, which bars cannot show: `differences` has all pairs.
    """
    if metric is not None:
        raise ValueError("these are the ranks of one table of scores; leave `metric` out.")
    return result._drawn("score", result.signature, ax)


@dataclass(frozen=True, kw_only=True)
class RankComparison(Result, stem="ranks", version=2):
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

    scores: pd.DataFrame = field(repr=False, metadata=HIDDEN)
    ranks: pd.DataFrame = field(repr=False, metadata=frame("model", Field("mean_rank", "estimate")))
    differences: pd.DataFrame = field(repr=False, metadata=frame(
        "model_a", "model_b", "difference", "p_adjusted", "better",
    ))  # fmt: skip
    statistic: float
    p_value: float
    critical_difference: float
    test: PosthocTest
    alpha: float
    reading: str = field(default="", repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False, metadata=HIDDEN)

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
            "ranks": self._table(title, self.ranks, "model", "mean_rank", notes=notes, decimals=2),
            "differences": Table.of(
                "Differences of mean ranks", turned, "model_a", "model_b",
                column("lead", "difference"), column(f"p ({self.test})", "p_adjusted"), decimals=2,
                subtitle="+: a is better",
            ),
        }  # fmt: skip
        return self._document(tables, findings=self._sentences())

    def _drawn(self, name: str, signature: str, ax: Axes | None) -> Figure:
        """Draw the mean ranks by the scores of this name."""
        return plot_critical_difference(diagram(self), name, signature, ax=ax)

    def verdict(self) -> str:
        """Return Friedman's test, and the models that the best one differs from, as sentences."""
        return " ".join(self.document().sentences)

    def _sentences(self) -> list[str]:
        verb = "differ" if self.p_value < self.alpha else "do not differ significantly"
        values = self.ranks["mean_rank"].to_numpy()
        best, others = leaders_of(self.ranks["model"].tolist(), values)
        have, they = ("has", "it") if len(best) == 1 else ("have", "they")
        clauses = joined(led_clauses(self.differences, best, others))
        return [
            f"The models {verb} over {len(self.scores)} data sets (Friedman, "
            f"{p_clause(self.p_value)}).",
            f"{some_of(best)} {have} the best mean rank ({values[0]:.2f})"
            + (f": {they} {clauses} ({self.test})." if clauses else "."),
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
    statistic, p_value = friedman(equal.to_numpy())
    return RankComparison(
        scores=scores, ranks=ranks.sort_values("mean_rank", kind="stable", ignore_index=True),
        differences=differences, statistic=statistic, p_value=p_value,
        critical_difference=critical, test=test, alpha=alpha,
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


def nemenyi(ranks: FloatArray, n_blocks: int, *, alpha: float = 0.05) -> tuple[FloatArray, float]:
    """Return p-values of all pairs after Friedman's test, and the critical difference.

    References
    ----------
    .. [1] Demsar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.

    Examples
    --------
    >>> p_values, critical = nemenyi(np.array([3.143, 2.0, 2.893, 1.964]), 14)
    >>> round(critical, 2)
    1.25
    """
    from scipy.stats import studentized_range

    k = len(ranks)
    error = np.sqrt(k * (k + 1) / (6 * n_blocks))
    q = np.abs(ranks[:, None] - ranks[None, :]) / error * np.sqrt(2)
    p_values = studentized_range.sf(q, k, np.inf)
    np.fill_diagonal(p_values, 1.0)
    critical = float(studentized_range.isf(alpha, k, np.inf) / np.sqrt(2) * error)
    return p_values, critical
