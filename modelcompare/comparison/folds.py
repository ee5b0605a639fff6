"""Models by their values on the folds of a cross-validation: means, and tests of all pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.engine.axis import ValueKey, long_frame
from modelcompare.engine.contrasts import pair_differences
from modelcompare.report.document import Document
from modelcompare.report.numbers import decimals_for, format_number, p_clause
from modelcompare.report.pair_tables import pair_table
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, column, rows_against, rows_at
from modelcompare.significance.corrections import adjust
from modelcompare.significance.folds import FoldTest as FoldTestResult
from modelcompare.significance.folds import corrected_t, correlated_t, five_by_two_f, five_by_two_t
from modelcompare.significance.pairwise import all_pairs
from modelcompare.words import Correction, FoldTest, signature, value_name

R = TypeVar("R")

_COLUMNS = [
    "model_a", "model_b", "metric", "label", "difference", "standard_error", "ci_low", "ci_high",
    "statistic", "p_value", "p_adjusted", "better", "p_a", "p_equivalent", "p_b",
]  # fmt: skip


@dataclass(frozen=True)
class FoldComparison(Result):
    """Models compared by their values on the folds of a cross-validation.

    Attributes
    ----------
    folds : DataFrame
        A row for each repeat, fold, model, metric and class: repeat, fold, n_train, n_test, model,
        metric, label, value.
    differences : DataFrame
        A row for each pair, metric and class: model_a, model_b, metric, label, difference (mean
        over folds), standard_error, ci_low, ci_high, statistic, p_value, p_adjusted, better (where
        p_adjusted is below `alpha`), and p_a, p_equivalent, p_b (the Bayesian correlated t-test).
    greater_is_better : dict of str to bool
        Direction of each metric.
    test, correction, rope, confidence_level
        As they were given.
    """

    folds: pd.DataFrame = field(repr=False)
    differences: pd.DataFrame = field(repr=False)
    greater_is_better: Mapping[str, bool] = field(repr=False)
    test: FoldTest
    correction: str
    rope: float
    confidence_level: float

    stem: ClassVar[str] = "folds"

    @property
    def signature(self) -> str:
        return signature("compare_folds", self._made)

    @property
    def _made(self) -> dict[str, object]:
        folds = self.folds.drop_duplicates(["repeat", "fold"])
        return {
            "folds": len(folds), "repeats": folds["repeat"].nunique(), "test": self.test,
            "adjust": self.correction,
        }  # fmt: skip

    def document(self) -> Document:
        names = ("folds", "scores", "differences")
        return self._document(
            {"scores": self._score_table(), "differences": self._pair_table()},
            findings=self._sentences(),
            frames=lambda: {name: getattr(self, name) for name in names},
        )

    def _score_table(self) -> Table:
        """Make the table of mean values over folds."""
        scores, values = self.scores, [column("mean"), column("sd")]
        return Table(
            "Over folds",
            [VALUE, column("model"), *values, column("folds", "n_folds")],
            scores,
            decimals=[decimals_for([sd]) for sd in scores["sd"]],
        )

    def _pair_table(self) -> Table:
        """Make the table of tested differences, with the posterior of each."""
        sources = {"a": "p_a", "same": "p_equivalent", "b": "p_b"}
        posterior = [column(title, source, kind="share") for title, source in sources.items()]
        note = (
            "a, same, b: posterior probability that a is better, that the difference is within "
            f"{self.rope:g}, that b is better (Bayesian correlated t-test)."
        )
        settings = (self.confidence_level, self.correction)
        table = pair_table("Differences", [VALUE], self.differences, *settings)
        columns, notes = [*table.columns, *posterior], [*table.notes, note]
        return replace(table, columns=columns, notes=notes)

    @property
    def scores(self) -> pd.DataFrame:
        """Mean and standard deviation over folds: model, metric, label, mean, sd, n_folds."""
        keys = ["model", "metric", "label"]
        names = self.folds[keys].drop_duplicates().reset_index(drop=True)
        number = self.folds.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
        values = self.folds["value"].groupby(number).agg(mean="mean", sd="std", n_folds="count")
        return names.join(values)

    def verdict(self) -> str:
        """One sentence for each metric and class: who leads, who is beaten, who is level."""
        return "\n".join(self._sentences())

    def _sentences(self) -> list[str]:
        scores = self.scores
        values = scores[["metric", "label"]].drop_duplicates().itertuples(index=False)
        return [self._sentence(scores, metric, label) for metric, label in values]

    def _sentence(self, scores: pd.DataFrame, metric: str, label: Any) -> str:
        falling = self.greater_is_better[metric]
        ranked = rows_at(scores, metric=metric, label=label).sort_values(
            "mean", ascending=not falling, kind="stable"
        )
        leader, *others = ranked["model"]
        best, n_folds = ranked["mean"].iloc[0], ranked["n_folds"].iloc[0]
        mean, name = format_number(best, decimals_for(ranked["sd"])), value_name(metric, label)
        if not others:
            return f"{name}: {leader} scores {mean}."
        tests = rows_against(rows_at(self.differences, metric=metric, label=label), leader)
        said: dict[str, list[str]] = {"is better than": [], "is not told apart from": []}
        for other in others:
            row = tests[other]
            verb = "is better than" if row.better == leader else "is not told apart from"
            said[verb].append(f"{other} ({p_clause(row.p_adjusted)})")
        way = "highest" if falling else "lowest"
        parts = [
            f"has the {way} mean over {n_folds} folds ({mean})",
            *(f"{verb} {', '.join(names)}" for verb, names in said.items() if names),
        ]
        return f"{name}: {leader} {', '.join(parts[:-1])} and {parts[-1]}."


@dataclass(frozen=True)
class FoldValues:
    """Values of all models on each fold, and what the fold-level tests say of them.

    Parameters
    ----------
    models : sequence of str
        Axis of the models.
    keys : sequence of ValueKey
        Axis of the values.
    values : ndarray of shape (n_folds, n_models, n_values)
        Repeat by repeat, where there are repeats.
    greater_is_better : mapping of str to bool
        Direction of each metric.
    folds : DataFrame
        A row for each fold, in the order of `values`: repeat, fold, n_train, n_test.
    n_train, n_test : float
        Samples of a fold's training and test part, on average; their ratio alone counts.
    """

    models: Sequence[str]
    keys: Sequence[ValueKey]
    values: FloatArray
    greater_is_better: Mapping[str, bool]
    folds: pd.DataFrame
    n_train: float
    n_test: float

    def frame(self) -> pd.DataFrame:
        """Return the values, a row for each fold, model, metric and class."""
        n_folds, n_models = len(self.folds), len(self.models)
        rows = {name: np.repeat(column.to_numpy(), n_models) for name, column in self.folds.items()}
        models = np.array([*self.models] * n_folds, dtype=object)
        return long_frame({**rows, "model": models}, self.keys, value=self.values)

    def compared(
        self, kind: Callable[..., R], *, test: FoldTest, correction: Correction, alpha: float,
        rope: float, confidence_level: float, **others: Any,
    ) -> R:  # fmt: skip
        """Test every pair of models by every metric, for a kind of `FoldComparison`."""
        rows = list(self._rows(test, rope, confidence_level))
        frame = pd.DataFrame(rows, columns=_COLUMNS)
        frame["label"] = pd.Series([row["label"] for row in rows], dtype=object)
        for _, part in frame.groupby("metric"):
            adjusted = adjust(part["p_value"].to_numpy(dtype=np.float64), correction)
            frame.loc[part.index, "p_adjusted"] = adjusted
        frame["better"] = frame["better"].where(frame["p_adjusted"] < alpha)
        return kind(
            self.frame(), frame, self.greater_is_better, test, correction, rope, confidence_level,
            **others,
        )  # fmt: skip

    def _rows(
        self, test: FoldTest, rope: float, confidence_level: float
    ) -> Iterator[dict[str, object]]:
        from scipy.stats import t

        model_a, model_b = all_pairs(len(self.models))
        differences = np.array([pair_differences(fold, model_a, model_b) for fold in self.values])
        for place, key in enumerate(self.keys):
            sign = 1 if self.greater_is_better[key.metric] else -1
            for pair, (a, b) in enumerate(zip(model_a, model_b, strict=True)):
                d = differences[:, pair, place]
                found = _fold_test(test, d, self.n_test / self.n_train)
                posterior = correlated_t(sign * d, self.n_test / (self.n_train + self.n_test), rope)
                # Folds that all differ by the same do not tell by how much others would.
                error = found.standard_error or math.nan
                half = t.ppf((1 + confidence_level) / 2, found.df) * error
                leads = sign * found.difference
                better = self.models[a] if leads > 0 else self.models[b] if leads < 0 else None
                yield {
                    "model_a": self.models[a], "model_b": self.models[b], "metric": key.metric,
                    "label": key.label, "difference": found.difference,
                    "standard_error": found.standard_error, "ci_low": found.difference - half,
                    "ci_high": found.difference + half, "statistic": found.statistic,
                    "p_value": found.p_value, "p_adjusted": found.p_value, "better": better,
                    "p_a": posterior.p_a, "p_equivalent": posterior.p_equivalent,
                    "p_b": posterior.p_b,
                }  # fmt: skip


def check_fold_correction(correction: Correction) -> None:
    """Refuse a correction that needs replicates."""
    if correction in ("max-t", "min-p"):
        raise ValueError(f"`correction='{correction}'` needs replicates; use 'holm'.")


def _fold_test(test: FoldTest, d: FloatArray, test_to_train: float) -> FoldTestResult:
    if test == "corrected-t":
        return corrected_t(d, test_to_train)
    return (five_by_two_t if test == "5x2cv-t" else five_by_two_f)(d.reshape(5, 2))
