"""Effect of rounding confidences to HIGH, MED or LOW (Yacouby & Axman 2020, section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.comparison.planning import Settings, evaluate, prepare
from modelcompare.data.kinds import PROBABILITIES
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.data.variants import with_models
from modelcompare.engine.axis import LongColumns, joined_frame, long_columns, pair_rows
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import influence_moments
from modelcompare.engine.scope import Scope
from modelcompare.intervals.ratios import normal_quantile
from modelcompare.metrics.classes import without_classes
from modelcompare.metrics.registry import MetricLike
from modelcompare.plugins.paper.efficiency import samples_ratio, spread_of
from modelcompare.plugins.paper.pairs import rows_of_classes
from modelcompare.plugins.paper.quantize import quantize
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, Field, frame
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, column, interval_column
from modelcompare.significance.pairwise import all_pairs
from modelcompare.words import MOST_BINS, check_count, check_sequence, signature

DEFAULT_METRICS = ("cf1_macro", "cprecision_macro", "crecall_macro", "log_loss")


@dataclass(frozen=True, kw_only=True)
class QuantizationStudy(Result, stem="quantization"):
    """Metrics on confidences rounded to a few values, and on the raw ones.

    Attributes
    ----------
    values : DataFrame
        A row for each number of bins, model, metric and class: n_bins, model, metric, label, raw,
        quantized, difference (quantized - raw), standard_error, ci_low, ci_high.
    pairs : DataFrame
        A row for each number of bins, pair of models, metric and class: n_bins, model_a, model_b,
        metric, label, separation_raw, separation_quantized (differences over their standard
        errors), samples_ratio, ci_low, ci_high.
    scope : Scope
        Runs that the study is about.
    """

    values: pd.DataFrame = field(repr=False, metadata=frame(
        "n_bins", "model", "metric", "label", Field("raw", "estimate"),
        Field("quantized", "estimate"), "difference", "standard_error", "ci_low", "ci_high",
    ))  # fmt: skip
    pairs: pd.DataFrame = field(repr=False, metadata=frame(
        "n_bins", "model_a", "model_b", "metric", "label", Field("separation_raw", "estimate"),
        Field("separation_quantized", "estimate"), "samples_ratio", "ci_low", "ci_high",
    ))  # fmt: skip
    n_samples: int
    confidence_level: float
    scope: Scope = field(repr=False, metadata=HIDDEN)

    @property
    def signature(self) -> str:
        settings = self.scope.settings
        return signature("quantization_study", n=self.n_samples, **settings, se="influence")

    def document(self) -> Document:
        tables = {
            "cost": Table.of(
                "Samples that rounded confidences need for each sample of raw ones", self.summary,
                "n_bins", "metric", "n_pairs", column("median", "samples_ratio", decimals=2),
                subtitle="median over pairs of models with separation above 2 on raw ones",
            ),
            "values": self._table(
                "Values on raw and on rounded confidences", self.values, "n_bins", VALUE, "model",
                "raw", column("rounded", "quantized", kind="estimate"),
                column("moved by", "difference"), interval_column(self.confidence_level),
                decimals=None,
            ),
        }  # fmt: skip
        return self._document(tables, findings=self.scope.notes)

    @property
    def summary(self) -> pd.DataFrame:
        """Median number of samples that quantized confidences need for each sample of raw ones.

        A row for each number of bins and metric; above 1 quantization loses efficiency, below 1 it
        gains. Only pairs whose separation on the raw confidences exceeds 2 count.
        """
        separated = self.pairs[self.pairs["separation_raw"].abs() > 2]
        keys = ["n_bins", "metric"]
        grouped = separated.groupby(keys, sort=False)["samples_ratio"]
        return grouped.agg(n_pairs="size", samples_ratio="median").reset_index()


@checked(n_bins=None)
def quantization_study(
    predictions: Predictions,
    metrics: MetricLike | Sequence[MetricLike] = DEFAULT_METRICS,
    *,
    n_bins: Sequence[int] = (2, 3, 5, 10),
    confidence_level: float = 0.95,
) -> QuantizationStudy:
    """Measure how quantization changes a metric, and its power to separate models.

    Confidences are rounded by `quantize`, which keeps the top label and one of a few values. The
    cost is a relative efficiency: the number of samples of quantized confidences that separate two
    models as well as one sample of raw confidences. It is computed by influence functions, without
    resamples; the values of the bins are taken as known.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities; with one model there are values but no pairs.
    metrics : sequence
        Metrics to compare on raw and on quantized confidences.
    n_bins : sequence of int
        Numbers of distinct values to which confidences are rounded.
    confidence_level : float
        Confidence level of the intervals.

    Raises
    ------
    ValueError
        If a model gave no probabilities, or `n_bins` is empty.

    Examples
    --------
    >>> import modelcompare as mc
    >>> study = mc.studies.quantization_study(mc.load_example("snli"), "cf1_macro", n_bins=[1, 3])
    >>> study.summary.round(2)
       n_bins     metric  n_pairs  samples_ratio
    0       1  cf1_macro        6           1.07
    1       3  cf1_macro        6           1.03
    """
    numbers = check_sequence("n_bins", n_bins, "whole numbers")
    if not numbers:
        raise ValueError("`n_bins` is empty; name at least one number, e.g. n_bins=[3].")
    for number in numbers:
        check_count("n_bins", number, at_least=1, at_most=MOST_BINS)
    raw = {m: predictions.probabilities(m).astype(np.float64) for m in predictions.models}
    metrics, classes = without_classes(metrics, predictions)
    settings = Settings(collapse=False)
    scope = prepare(predictions, metrics, settings).sample.scope
    rows = []
    for number in numbers:
        rounded = quantize(predictions, number)
        every = raw | {f"{m}, rounded": rounded.probabilities(m) for m in raw}
        both = with_models(predictions, every, PROBABILITIES)
        rows.append(_rows(evaluate(both, metrics, settings), number, confidence_level))
    values, pairs = (
        rows_of_classes(joined_frame(parts), classes) for parts in zip(*rows, strict=True)
    )
    return QuantizationStudy(
        values=values, pairs=pairs, n_samples=n_seen(predictions),
        confidence_level=confidence_level, scope=scope,
    )  # fmt: skip


def _rows(evaluation: Evaluation, n_bins: int, level: float) -> tuple[LongColumns, LongColumns]:
    """Make the rows of `values` and `pairs`; the raw models come first, then the rounded ones."""
    names = np.array(evaluation.models[: len(evaluation.models) // 2], dtype=object)
    before, after = np.arange(len(names)), np.arange(len(names), 2 * len(names))
    estimate = evaluation.estimate()
    moments = influence_moments(evaluation, estimate)
    raw, quantized = estimate[before], estimate[after]
    error = moments.standard_error((after, before))
    half = normal_quantile(level) * error
    values = long_columns(
        {"n_bins": n_bins, "model": names}, evaluation.keys, raw=raw, quantized=quantized,
        difference=quantized - raw, standard_error=error, ci_low=quantized - raw - half,
        ci_high=quantized - raw + half,
    )  # fmt: skip
    pairs, sides = all_pairs(len(names)), ("raw", "quantized")
    spread = spread_of(moments.covariance(), pairs)
    found = samples_ratio((raw, quantized), pairs, level, spread, sides=sides)
    rows = {"n_bins": n_bins, **pair_rows(evaluation.models, *pairs)}
    return values, long_columns(rows, evaluation.keys, **found)
