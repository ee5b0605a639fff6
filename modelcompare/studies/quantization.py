"""What is lost where confidences are HIGH, MED or LOW (Yacouby & Axman 2020, section 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.confidences import quantize
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import InfluenceMoments, influence_moments
from modelcompare.intervals import check_confidence_level
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.registry import MetricLike
from modelcompare.predictions import Predictions
from modelcompare.report.result import Result
from modelcompare.report.study_contents import quantization_tables
from modelcompare.report.tables import Table
from modelcompare.significance.pairwise import all_pairs
from modelcompare.variants import with_probabilities
from modelcompare.words import signature

DEFAULT_METRICS = ("cf1_macro", "cprecision_macro", "crecall_macro", "log_loss")


@dataclass(frozen=True)
class QuantizationStudy(Result):
    """Metrics on confidences rounded to a few values, beside the raw ones.

    Attributes
    ----------
    values : DataFrame
        A row for each number of bins, model, metric and class: n_bins, model, metric, label, raw,
        quantized, difference (quantized - raw), standard_error, ci_low, ci_high.
    pairs : DataFrame
        A row for each number of bins, pair of models, metric and class: n_bins, model_a, model_b,
        metric, label, separation_raw, separation_quantized (differences over their standard
        errors), samples_ratio, ci_low, ci_high.
    """

    values: pd.DataFrame = field(repr=False)
    pairs: pd.DataFrame = field(repr=False)
    n_samples: int
    confidence_level: float = 0.95

    stem: ClassVar[str] = "quantization"

    @property
    def signature(self) -> str:
        return signature("quantization_study", {"n": self.n_samples, "se": "influence"})

    def tables(self) -> dict[str, Table]:
        return quantization_tables(self)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"values": self.values, "pairs": self.pairs}

    @property
    def summary(self) -> pd.DataFrame:
        """Median samples that quantized confidences need for each sample of raw ones.

        A row for each number of bins and metric; above 1 quantization costs, below 1 it gains. Only
        pairs that the raw confidences tell apart (separation above 2) count.
        """
        told = self.pairs[self.pairs["separation_raw"].abs() > 2]
        keys = ["n_bins", "metric"]
        grouped = told.groupby(keys, sort=False)["samples_ratio"]
        return grouped.agg(n_pairs="size", samples_ratio="median").reset_index()


def quantization_study(
    predictions: Predictions,
    metrics: MetricLike | Sequence[MetricLike] = DEFAULT_METRICS,
    *,
    n_bins: Sequence[int] = (2, 3, 5, 10),
    confidence_level: float = 0.95,
) -> QuantizationStudy:
    """How much of a metric, and of its power to tell models apart, quantization costs.

    Confidences are rounded by `quantize`: the top label and one of a few values are kept. The cost
    is a relative efficiency: how many samples the quantized confidences need to separate two models
    as far as one sample of the raw ones does, by influence functions, without resamples. The values
    of the bins are taken as known.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities; with one there are values and no pairs.
    metrics : sequence
        What to look at.
    n_bins : sequence of int
        Numbers of values to round to.
    confidence_level : float
        Of the intervals.

    Returns
    -------
    QuantizationStudy

    Raises
    ------
    ValueError
        If a model gave no probabilities, or `n_bins` is empty.

    Examples
    --------
    >>> import modelcompare as mc
    >>> study = mc.quantization_study(mc.load_example("snli"), "cf1_macro", n_bins=[1, 3])
    >>> study.summary.round(2)
       n_bins     metric  n_pairs  samples_ratio
    0       1  cf1_macro        6           1.07
    1       3  cf1_macro        6           1.03
    """
    check_confidence_level(confidence_level)
    if not n_bins:
        raise ValueError("`n_bins` is empty; name at least one number, e.g. n_bins=[3].")
    raw = {m: predictions.probabilities(m).astype(np.float64) for m in predictions.models}
    values: list[dict[str, object]] = []
    pairs: list[dict[str, object]] = []
    for number in n_bins:
        rounded = quantize(predictions, number)
        both = with_probabilities(
            predictions, raw | {f"{m}, rounded": rounded.probabilities(m) for m in raw}
        )
        evaluation = Evaluation(both, resolve_metrics(metrics, both), collapse=False)
        estimate = evaluation.estimate()
        moments = influence_moments(evaluation, estimate)
        for part, rows in (
            (values, _values(evaluation, estimate, moments, confidence_level)),
            (pairs, _pairs(evaluation, estimate, moments, confidence_level)),
        ):
            part.extend({"n_bins": number, **row} for row in rows)
    return QuantizationStudy(
        _frame(values, _VALUES), _frame(pairs, _PAIRS), len(predictions), confidence_level
    )


_VALUES = [
    "n_bins", "model", "metric", "label", "raw", "quantized", "difference", "standard_error",
    "ci_low", "ci_high",
]  # fmt: skip
_PAIRS = [
    "n_bins", "model_a", "model_b", "metric", "label", "separation_raw", "separation_quantized",
    "samples_ratio", "ci_low", "ci_high",
]  # fmt: skip


def _frame(rows: list[dict[str, object]], columns: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=columns)
    # Beside a missing label, pandas would make integers floats.
    frame["label"] = pd.Series([row["label"] for row in rows], dtype=object)
    return frame


def _values(
    evaluation: Evaluation, estimate: FloatArray, moments: InfluenceMoments, level: float
) -> Iterator[dict[str, object]]:
    half_width = _quantile(level)
    n_models = len(evaluation.models) // 2
    raw = np.arange(n_models)
    error = moments.pair_standard_error(raw + n_models, raw)
    for model, name in enumerate(evaluation.models[:n_models]):
        for place, key in enumerate(evaluation.keys):
            before, after = estimate[model, place], estimate[model + n_models, place]
            half = half_width * error[model, place]
            yield {
                "model": name, "metric": key.metric, "label": key.label, "raw": before,
                "quantized": after, "difference": after - before,
                "standard_error": error[model, place],
                "ci_low": after - before - half, "ci_high": after - before + half,
            }  # fmt: skip


def _pairs(
    evaluation: Evaluation, estimate: FloatArray, moments: InfluenceMoments, level: float
) -> Iterator[dict[str, object]]:
    half_width = _quantile(level)
    covariance = moments.covariance()
    n_models = len(evaluation.models) // 2
    for a, b in zip(*all_pairs(n_models), strict=True):
        # Differences a - b, raw and quantized, as contrasts of the models' values.
        contrast = np.zeros((2, 2 * n_models))
        contrast[0, [a, b]], contrast[1, [a + n_models, b + n_models]] = (1, -1), (1, -1)
        for place, key in enumerate(evaluation.keys):
            difference = contrast @ estimate[:, place]
            variance = contrast @ covariance[place] @ contrast.T
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                z = difference / np.sqrt(np.diag(variance))
                relative = _log_ratio_variance(variance, difference)
                ratio = (z[0] / z[1]) ** 2
                factor = np.exp(2 * half_width * np.sqrt(relative))
                low, high = ratio / factor, ratio * factor
            yield {
                "model_a": evaluation.models[a], "model_b": evaluation.models[b],
                "metric": key.metric, "label": key.label, "separation_raw": z[0],
                "separation_quantized": z[1], "samples_ratio": ratio, "ci_low": low,
                "ci_high": high,
            }  # fmt: skip


def _log_ratio_variance(variance: FloatArray, difference: FloatArray) -> float:
    """Variance of the logarithm of a ratio of two differences, by the delta method."""
    gradient = np.array([1, -1]) / difference
    return float(np.maximum(gradient @ variance @ gradient, 0.0))


def _quantile(confidence_level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence_level) / 2))
