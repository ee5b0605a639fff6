"""Comparison of models by their values on cross-validation folds: means, tests of all pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.comparison.compare import compare
from modelcompare.comparison.leaders import best_first, leaders_of, led_clauses
from modelcompare.comparison.pair_tables import pair_table
from modelcompare.comparison.result import Comparison
from modelcompare.data.predictions import Predictions
from modelcompare.directions import known_direction
from modelcompare.engine.axis import ValueKey
from modelcompare.engine.pairs import pair_differences
from modelcompare.intervals.ratios import t_quantile
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.plugins.folds.fold_tests import FoldTest as FoldTestResult
from modelcompare.plugins.folds.fold_tests import (
    corrected_t,
    correlated_t,
    five_by_two_f,
    five_by_two_t,
)
from modelcompare.plugins.folds.words import FoldTest
from modelcompare.report.document import Document, Finding
from modelcompare.report.fields import HIDDEN, Field, columns, frame, member, names_of
from modelcompare.report.numbers import decimals_for, format_number, joined, some_of
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, column
from modelcompare.significance.corrections import adjust
from modelcompare.significance.pairwise import all_pairs
from modelcompare.words import Correction, check_number, signature, value_name

# Columns of `FoldComparison.folds`, and of its differences.
_OF_FOLDS = columns(
    Field("repeat", "count", json="label"), Field("fold", "count", json="label"),
    Field("n_train", "count", json="estimate"), Field("n_test", "count", json="estimate"),
    "model", "metric", "label", Field("value", "estimate"),
)  # fmt: skip
_OF_PAIRS = columns(
    "model_a", "model_b", "metric", "label", "difference", "standard_error", "ci_low", "ci_high",
    "statistic", "p_value", "p_adjusted", "better", "p_a", Field("p_equivalent", "share"), "p_b",
)  # fmt: skip
FOLDS, _COLUMNS = names_of(_OF_FOLDS), names_of(_OF_PAIRS)


@dataclass(frozen=True, kw_only=True)
class FoldSettings:
    """Test of differences on folds, its correction and level, and those of intervals."""

    test: FoldTest
    correction: Correction
    alpha: float = field(repr=False, metadata=HIDDEN)
    rope: float = 0.01
    confidence_level: float


@dataclass(frozen=True, kw_only=True)
class FoldComparison(FoldSettings, Result, stem="folds"):
    """Models compared by their values on the folds of a cross-validation.

    Attributes
    ----------
    folds : DataFrame
        A row for each repeat, fold, model, metric and class: repeat, fold, n_train, n_test, model,
        metric, label, value.
    differences : DataFrame
        A row for each pair, metric and class: model_a, model_b, metric, label, difference (mean
        over folds), standard_error, ci_low, ci_high, statistic, p_value, p_adjusted, better (where
        p_adjusted is below `alpha`), and p_a, p_equivalent, p_b: posterior probabilities of the
        Bayesian correlated t-test that a is better, that the difference is within `rope`, and that
        b is better.
    greater_is_better : dict of str to bool
        Direction of each metric.
    test, correction, confidence_level
        As given.
    rope : float
        Half width of the region of practical equivalence, in units of the metric: 0.01, unless
        `with_rope` changes it.
    predictions : tuple of Predictions
        Out-of-fold predictions of cross-validated estimators, one test set of all samples for each
        repeat; empty for published scores, and if the splits do not test every sample once. They
        are probabilities if every estimator has them and `predict` always returns the likeliest
        class, else the output of `predict`.
    probabilities : tuple of Predictions
        Output of `predict_proba` in the same form, if `predict` sometimes returns another class
        than the likeliest (a tuned threshold, say); else empty.
    seed_label : str, optional
        Seed of the splits.
    notes : tuple of str
        What was left out: of a table of scores, or folds of one sample.
    """

    folds: pd.DataFrame = field(repr=False, metadata=frame(*_OF_FOLDS))
    differences: pd.DataFrame = field(repr=False, metadata=frame(*_OF_PAIRS))
    greater_is_better: Mapping[str, bool] = field(repr=False, metadata=HIDDEN)
    predictions: tuple[Predictions, ...] = field(default=(), repr=False, metadata=HIDDEN)
    probabilities: tuple[Predictions, ...] = field(default=(), repr=False, metadata=HIDDEN)
    seed_label: str | None = field(default=None, repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False, metadata=HIDDEN)
    # Where folds are of one sample each: the comparison of the predictions of all.
    _pooled: Comparison | None = field(default=None, repr=False, metadata=HIDDEN)

    @property
    def signature(self) -> str:
        if self._pooled is not None:
            return self._pooled.signature
        folds = self.folds.drop_duplicates(["repeat", "fold"])
        return signature(
            "compare_folds", folds=len(folds), repeats=folds["repeat"].nunique(), test=self.test,
            adjust=self.correction, rng=self.seed_label,
        )  # fmt: skip

    def compare(
        self, metrics: MetricLike | Sequence[MetricLike] | None = None, **options: Any
    ) -> Comparison:
        """Compare the out-of-fold predictions of the first repeat as one test set.

        The question differs from that of the fold-level tests: which of these *predictions* are
        better, given the trained models, not which *estimator* is better. Metrics of labels are
        computed from the output of `predict`, all others from the probabilities.
        """
        if not self.predictions:
            raise ValueError(
                "the splits do not predict every sample once; use k-fold or leave-one-out splits."
            )
        decided = self.predictions[0]
        if metrics is None or not self.probabilities:
            return compare(decided, metrics, **options)
        soft = self.probabilities[0]
        of_labels = {m.kind.coded for m in resolve_metrics(metrics, soft)}
        if len(of_labels) > 1:
            raise ValueError(
                "`predict` does not always name the likeliest class here, so metrics of labels and "
                "metrics of probabilities are of different predictions; compare them in two calls."
            )
        return compare(decided if of_labels == {True} else soft, metrics, **options)

    @checked(rope=check_number)
    def with_rope(self, rope: float) -> FoldComparison:
        """Return the comparison with another region of practical equivalence.

        Parameters
        ----------
        rope : float
            Half width of the region, in units of the metric.

        Returns
        -------
        FoldComparison
            With other posterior probabilities p_a, p_equivalent and p_b.

        Raises
        ------
        ValueError
            If `rope` is negative.

        Examples
        --------
        >>> import modelcompare as mc
        >>> scores = {"cnn": [0.82, 0.85, 0.81, 0.84, 0.83], "bow": [0.80] * 5}
        >>> found = mc.crossval.compare_folds(scores, n_train=4, n_test=1, greater_is_better=True)
        >>> found.with_rope(0.05).differences["p_equivalent"].round(2).tolist()
        [0.93]
        """
        if self._pooled is not None:
            return replace(self, rope=rope)
        settings = FoldSettings(
            test=self.test, correction=self.correction, alpha=self.alpha, rope=rope,
            confidence_level=self.confidence_level,
        )  # fmt: skip
        folds = self.folds.drop_duplicates(["repeat", "fold"])
        sizes = folds[["n_train", "n_test"]].to_numpy(np.float64).mean(axis=0)
        found = compare_on_folds(self.folds, sizes, self.greater_is_better, settings)
        return replace(self, differences=found.differences, rope=rope)

    def document(self) -> Document:
        if self._pooled is not None:
            whole = self._pooled.document()
            found = [*whole.findings, *map(Finding, self.notes)]
            return self._document(whole.tables, findings=found, printed=whole.printed)
        scores = self.scores
        sources = {"a": "p_a", "same": "p_equivalent", "b": "p_b"}
        posterior = [column(title, source, kind="share") for title, source in sources.items()]
        note = (
            "a, same, b: posterior probability that a is better, that the difference is within "
            f"{self.rope:g}, that b is better (Bayesian correlated t-test)."
        )
        differences = pair_table(
            "Differences", [VALUE], self.differences, self.greater_is_better,
            self.confidence_level, self.correction,
        )  # fmt: skip
        tables = {
            "scores": self._table(
                "Over folds", scores, VALUE, "model", "mean", "sd", "n_folds",
                decimals=[decimals_for([sd]) for sd in scores["sd"]], notes=self.notes,
            ),
            "differences": replace(
                differences, columns=[*differences.columns, *posterior],
                notes=[*differences.notes, note],
            ),
        }  # fmt: skip
        return self._document(tables, findings=self._sentences())

    @property
    @member(
        "model",
        "metric",
        "label",
        "mean",
        Field("sd", "estimate"),
        Field("n_folds", "count"),
        after="folds",
    )
    def scores(self) -> pd.DataFrame:
        """Mean and standard deviation over folds: model, metric, label, mean, sd, n_folds."""
        keys = ["model", "metric", "label"]
        names = self.folds[keys].drop_duplicates().reset_index(drop=True)
        number = self.folds.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
        values = self.folds["value"].groupby(number).agg(mean="mean", sd="std", n_folds="count")
        return names.join(values)

    def verdict(self) -> str:
        """Return one sentence per metric and class: the leader, and its significant differences."""
        return "\n".join(self.document().sentences)

    def _sentences(self) -> list[str]:
        scores = self.scores
        values = scores[["metric", "label"]].drop_duplicates().itertuples(index=False)
        return [self._sentence(scores, ValueKey(*value)) for value in values]

    def _sentence(self, scores: pd.DataFrame, key: ValueKey) -> str:
        falling = self.greater_is_better[key.metric]
        ranked, pairs = best_first(scores, self.differences, key, "mean", upwards=falling)
        leaders, others = leaders_of(ranked["model"].tolist(), ranked["mean"].to_numpy())
        best, n_folds = ranked["mean"].iloc[0], ranked["n_folds"].iloc[0]
        mean = format_number(best, decimals_for(ranked["sd"]))
        name = value_name(key.metric, key.label)
        if len(ranked) == 1:
            return f"{name}: {leaders[0]} scores {mean}."
        first = f"{'has' if len(leaders) == 1 else 'have'} the {'highest' if falling else 'lowest'}"
        first += f" mean over {n_folds} folds ({mean})"
        clauses = led_clauses(pairs, leaders, others, self.confidence_level)
        return f"{name}: {some_of(leaders)} {joined([first, *clauses])}."


def with_pooled(
    compared: FoldComparison, metrics: MetricLike | Sequence[MetricLike] | None, **options: Any
) -> FoldComparison:
    """Return the values and differences of the predictions of all samples together.

    `options` are those of `compare`.
    """
    found, n = compared.compare(metrics, **options), len(compared.predictions[0])
    folds = found.scores.rename(columns={"estimate": "value"}).assign(
        repeat=0, fold=0, n_train=n - 1, n_test=n
    )
    note = (
        f"Folds of one sample have no value: the predictions of all {n:,} samples are compared, "
        "given the trained estimators."
    )
    return replace(
        compared, folds=folds[FOLDS], differences=found.differences.reindex(columns=_COLUMNS),
        greater_is_better={m: known_direction(m, up) for m, up in found.evidence.upwards.items()},
        notes=(note,), _pooled=found,
    )  # fmt: skip


def compare_on_folds(
    folds: pd.DataFrame, sizes: FloatArray, greater_is_better: Mapping[str, bool],
    settings: FoldSettings,
) -> FoldComparison:  # fmt: skip
    """Test every pair of models by every metric.

    Parameters
    ----------
    folds : DataFrame
        As in `FoldComparison`, sorted by repeat, fold, model and value.
    sizes : ndarray of shape (2,)
        Mean sizes of a fold's training and test part; only their ratio matters.
    greater_is_better : mapping of str to bool
        Direction of each metric.
    settings : FoldSettings
        Options of `compare_folds`.
    """
    n_train, n_test = sizes
    models = folds["model"].unique()
    a, b = all_pairs(len(models))
    rows: list[tuple[object, ...]] = []
    for _, part in folds.groupby(["metric", "label"], sort=False, dropna=False):
        metric, label = part["metric"].iloc[0], part["label"].iloc[0]
        sign = 1 if greater_is_better[metric] else -1
        values = part["value"].to_numpy().reshape(-1, len(models)).T
        for first, second, d in zip(a, b, pair_differences(values, a, b), strict=True):
            names = models[first], models[second]
            found = _fold_test(settings.test, d, n_test / n_train)
            posterior = correlated_t(sign * d, n_test / (n_train + n_test), settings.rope)
            low, high = _interval(found, settings.confidence_level)
            leads = sign * found.difference
            rows.append((
                *names, metric, label, found.difference, found.standard_error, low, high,
                found.statistic, found.p_value, found.p_value,
                names[0] if leads > 0 else names[1] if leads < 0 else None, *posterior,
            ))  # fmt: skip
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    frame["label"] = pd.Series([row[_COLUMNS.index("label")] for row in rows], dtype=object)
    p_values = frame["p_value"].astype(np.float64).groupby(frame["metric"])
    frame["p_adjusted"] = p_values.transform(lambda p: adjust(p.to_numpy(), settings.correction))
    frame["better"] = frame["better"].where(frame["p_adjusted"] < settings.alpha)
    return FoldComparison(
        folds=folds, differences=frame, greater_is_better=greater_is_better, **vars(settings)
    )


def _interval(found: FoldTestResult, confidence_level: float) -> tuple[float, float]:
    """Return Student's interval of the mean difference, which tests of 5 x 2 folds do not invert.

    If all folds have the same difference, its standard error is unknown.
    """
    error = found.standard_error or math.nan
    half = float(t_quantile(np.array(found.df), confidence_level)) * error
    return found.difference - half, found.difference + half


def check_fold_correction(correction: Correction) -> None:
    """Refuse a correction that needs replicates."""
    if correction in ("max-t", "min-p"):
        raise ValueError(f"`correction='{correction}'` needs replicates; use 'holm'.")


def _fold_test(test: FoldTest, d: FloatArray, test_to_train: float) -> FoldTestResult:
    if test == "corrected-t":
        return corrected_t(d, test_to_train)
    return (five_by_two_t if test == "5x2cv-t" else five_by_two_f)(d.reshape(5, 2))
